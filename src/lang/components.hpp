// components.hpp -- which nodes of a directed graph reach each other.
//
//   graph calls(functions.size());
//   calls[0].push_back(1);                         // 0 -> 1
//   const components all(calls);
//   all.of(0) == all.of(1)                         // each reaches the other
//   all.circular(0)                                // 0 reaches itself
//
// Used for types that contain themselves, for calls and for tail calls.
#pragma once

#include <cstddef>
#include <vector>

namespace cleave::lang {

using graph = std::vector<std::vector<std::size_t>>;

// The strongly connected components of a graph.
class components {
 public:
  // O(nodes + edges), and no recursion.
  explicit components(const graph& edges);

  // The number of the component of a node. An edge between two components goes from the
  // larger number to the smaller one.
  [[nodiscard]] std::size_t of(std::size_t node) const { return component_of_[node]; }
  // True if a path of at least one edge leads from the node to itself.
  [[nodiscard]] bool circular(std::size_t node) const { return circular_[node]; }
  // The nodes of each component, components in the order of their numbers.
  [[nodiscard]] const std::vector<std::vector<std::size_t>>& all() const { return nodes_; }

 private:
  std::vector<std::size_t> component_of_;
  std::vector<bool> circular_;
  std::vector<std::vector<std::size_t>> nodes_;
};

}  // namespace cleave::lang
