#include "lang/components.hpp"

#include <algorithm>
#include <cstdint>

namespace cleave::lang {
namespace {

// A node whose edges are being followed, and the next edge to follow.
struct visit {
  std::size_t node;
  std::size_t next_edge;
};

}  // namespace

// Tarjan's algorithm with a stack of its own: a component is complete when the walk
// returns to its first node, so those that it points to have smaller numbers.
components::components(const graph& edges)
    : component_of_(edges.size(), SIZE_MAX), circular_(edges.size(), false) {
  const std::size_t count = edges.size();
  std::vector<std::size_t> order(count, SIZE_MAX);   // in which nodes were reached
  std::vector<std::size_t> lowest(count, SIZE_MAX);  // the earliest open node reached from here
  std::vector<std::size_t> open;
  std::vector<visit> path;
  std::size_t reached = 0;

  const auto enter = [&](std::size_t node) {
    order[node] = lowest[node] = reached++;
    open.push_back(node);
    path.push_back({node, 0});
  };
  const auto close = [&](std::size_t node) {
    std::vector<std::size_t>& members = nodes_.emplace_back();
    while (members.empty() || members.back() != node) {
      members.push_back(open.back());
      component_of_[open.back()] = nodes_.size() - 1;
      open.pop_back();
    }
    std::sort(members.begin(), members.end());
    for (const std::size_t member : members) {
      circular_[member] =
          members.size() > 1 ||
          std::find(edges[member].begin(), edges[member].end(), member) != edges[member].end();
    }
  };

  for (std::size_t start = 0; start < count; ++start) {
    if (order[start] != SIZE_MAX) continue;
    enter(start);
    while (!path.empty()) {
      const std::size_t node = path.back().node;
      if (path.back().next_edge < edges[node].size()) {
        const std::size_t to = edges[node][path.back().next_edge++];
        if (order[to] == SIZE_MAX) {
          enter(to);
        } else if (component_of_[to] == SIZE_MAX) {
          lowest[node] = std::min(lowest[node], order[to]);
        }
        continue;
      }
      path.pop_back();
      if (!path.empty()) {
        std::size_t& above = lowest[path.back().node];
        above = std::min(above, lowest[node]);
      }
      if (lowest[node] == order[node]) close(node);
    }
  }
}

}  // namespace cleave::lang
