// scan.hpp -- prefix sums in two passes over the same leaves.
//
// The first pass sums up each leaf; then a short loop over the leaves finds what
// stands before each of them; the second pass walks the leaves with it.
#pragma once

#include <algorithm>
#include <cleave/array.hpp>
#include <cleave/detail/fork.hpp>
#include <cleave/detail/pieces.hpp>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

namespace cleave::detail {

// The leaves [first, end), cut into halves like elements.
struct leaf_numbers {
  std::size_t first;
  std::size_t end;

  [[nodiscard]] std::size_t size() const noexcept { return end - first; }
  [[nodiscard]] std::pair<leaf_numbers, leaf_numbers> halves() const noexcept {
    const std::size_t middle = first + size() / 2;
    return {{first, middle}, {middle, end}};
  }
};

// Calls visit(i) for each leaf of [0, count).
template <class Visit>
void visit_leaves(crew& workers, std::size_t count, Visit visit) noexcept {
  auto leaf = [&](leaf_numbers one) {
    for (std::size_t i = one.first; i != one.end; ++i) visit(i);
    return nothing();
  };
  auto node = no_node;
  std::optional<nothing> done;
  fold_tree(workers, leaf_numbers{0, count}, 1, leaf, node, done);
}

// Calls walk(leaf, before) for each leaf, where `before` is `init` and all elements
// in front of the leaf, combined, or nothing. Returns what it returned for the last.
// Requires: whole is not empty.
template <class T, class Combine, class Walk>
T scan_leaves(crew& workers, std::span<T> whole, std::size_t grain, std::optional<T> init,
              Combine& combine, Walk walk) {
  const std::size_t count = whole.size() / grain + (whole.size() % grain != 0);
  const auto leaf = [&](std::size_t i) {
    return whole.subspan(i * grain, std::min(grain, whole.size() - i * grain));
  };
  // before[i + 1] holds the sum of leaf i alone, until the loop.
  array<std::optional<T>> before(count);
  std::optional<T> last;
  workers.run([&] {
    visit_leaves(workers, count - 1,
                 [&](std::size_t i) { before[i + 1].emplace(fold<T>(leaf(i), combine)); });
    workers.attempt([&] {
      before[0] = std::move(init);
      for (std::size_t i = 1; i < count; ++i) {
        if (before[i - 1]) before[i].emplace(combine(*before[i - 1], *std::move(before[i])));
      }
    });
    visit_leaves(workers, count, [&](std::size_t i) {
      T end = walk(leaf(i), std::move(before[i]));
      if (i == count - 1) last.emplace(std::move(end));
    });
  });
  return *std::move(last);
}

}  // namespace cleave::detail
