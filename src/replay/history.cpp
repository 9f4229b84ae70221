// history.cpp -- questions to a history.
#include "replay/history.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace cleave::replay {

moment moment_at(const history& past, std::uint64_t time) {
  const auto after = std::upper_bound(past.times.begin() + 1, past.times.end(), time);
  return static_cast<moment>(after - past.times.begin() - 1);
}

std::vector<std::uint32_t> live_at(const history& past, moment m) {
  std::vector<std::uint32_t> result;
  for (std::size_t i = 0; i < past.spans.size() && past.spans[i].born <= m; ++i) {
    if (past.spans[i].lives_at(m)) result.push_back(static_cast<std::uint32_t>(i));
  }
  std::sort(result.begin(), result.end(), [&past](std::uint32_t a, std::uint32_t b) {
    return past.spans[a].begin < past.spans[b].begin;
  });
  return result;
}

std::vector<holding> holders(const history& past, moment m) {
  std::unordered_map<std::uint32_t, holding> by_place;
  for (const span& one : past.spans) {
    if (one.born > m) break;
    if (!one.lives_at(m)) continue;
    const std::uint32_t place = past.allocations[one.owner].place;
    holding& sum = by_place[place];
    sum.place = place;
    sum.bytes += one.size();
    ++sum.count;
  }
  std::vector<holding> result;
  for (const auto& [place, sum] : by_place) result.push_back(sum);
  std::sort(result.begin(), result.end(), [](const holding& a, const holding& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.place < b.place;
  });
  return result;
}

std::vector<sample> curve(const history& past, std::size_t n) {
  std::vector<sample> result(n);
  const std::uint64_t length = past.times.back();
  moment next = 0;
  for (std::size_t i = 0; i < n; ++i) {
    sample& here = result[i];
    // In this order, so that long recordings do not overflow.
    here.time = i + 1 == n ? length : length / n * (i + 1) + length % n * (i + 1) / n;
    // A step without an event of its own is as the one before it ended.
    const moment before = next == 0 ? 0 : next - 1;
    here.most_live = past.live[before];
    here.most_held = past.held[before];
    for (; next < past.times.size() && past.times[next] <= here.time; ++next) {
      here.most_live = std::max(here.most_live, past.live[next]);
      here.most_held = std::max(here.most_held, past.held[next]);
    }
    here.at = next == 0 ? 0 : next - 1;
    here.live = past.live[here.at];
    here.held = past.held[here.at];
  }
  return result;
}

std::vector<tree_node> cut_tree(const history& past, std::uint32_t owner) {
  std::multimap<std::uint32_t, std::uint32_t> children;  // by parent
  for (std::size_t i = 0; i < past.spans.size(); ++i) {
    const span& one = past.spans[i];
    if (one.owner == owner) children.emplace(one.parent, static_cast<std::uint32_t>(i));
  }
  std::vector<tree_node> result;
  std::vector<tree_node> left;
  const auto open = [&](std::uint32_t parent, std::uint32_t depth) {
    const auto [first, last] = children.equal_range(parent);
    const std::size_t mark = left.size();
    for (auto child = first; child != last; ++child) left.push_back({child->second, depth});
    std::sort(left.begin() + static_cast<std::ptrdiff_t>(mark), left.end(),
              [&past](const tree_node& a, const tree_node& b) {
                const span& one = past.spans[a.span];
                const span& two = past.spans[b.span];
                // The stack is read from its end.
                return one.born != two.born ? one.born > two.born : one.begin > two.begin;
              });
  };
  open(none, 0);
  while (!left.empty()) {
    const tree_node node = left.back();
    left.pop_back();
    result.push_back(node);
    open(node.span, node.depth + 1);
  }
  return result;
}

}  // namespace cleave::replay
