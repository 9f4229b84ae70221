// parallel.hpp -- arrays and spans, worked on by several threads.
//
// Pieces of an array have one owner each, so two threads may write two pieces, and
// the results are joined without a copy. Everything here is one recursion: cut in
// halves down to leaves, work on the leaves, put neighbours together. oneTBB brings
// the threads (docs/design/parallel.md).
//
//   parallel::for_each(a, [](int& x) { x *= 2; });
//   long sum = parallel::reduce(a, 0L, std::plus<>());
//   parallel::sort(a, std::greater<>());
//   a = parallel::fork_tree(std::move(a), [](array<int> leaf) { ...; return leaf; });
//
// What holds for all:
//   - functions are called from several threads at once, in order within a leaf;
//   - operations that combine are associative; they need not commute, and operands
//     keep their order. With a grain that is set, the tree is the same each time and
//     for every number of threads, so that also rounded sums are;
//   - the call returns when all its tasks have ended. The first exception is
//     rethrown then, and tasks that had not begun are skipped. Ranges stay whole,
//     some elements done; pieces and results that the call owned are freed.
#pragma once

#include <algorithm>
#include <cleave/array.hpp>
#include <cleave/detail/fork.hpp>
#include <cleave/detail/merge_sort.hpp>
#include <cleave/detail/pieces.hpp>
#include <cleave/detail/radix_sort.hpp>
#include <cleave/detail/scan.hpp>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>

namespace cleave::parallel {

// How far to cut, and who may work. The defaults suit elements that cost about as
// much as reading them; for dear ones set the grain, down to 1.
struct limits {
  // The most elements of a leaf. 0: default_grain(), or as the depth says.
  std::size_t grain = 0;
  // The most cuts above a leaf; with a grain, what gives fewer cuts. 0: any number.
  std::size_t depth = 0;
  // The most threads, this one included. 0: as many as oneTBB has here.
  std::size_t threads = 0;
};

// Eight leaves for each thread, so that all end at about the same time, but no leaf
// under 16 KiB, beside which the price of a task is small.
[[nodiscard]] constexpr std::size_t default_grain(std::size_t count, std::size_t element_bytes,
                                                  std::size_t threads) noexcept {
  const std::size_t leaves = 8 * std::max(threads, std::size_t{1});
  const std::size_t least = 16384 / element_bytes;
  return std::max({count / leaves + (count % leaves != 0), least, std::size_t{1}});
}

}  // namespace cleave::parallel

namespace cleave::detail {

template <class T>
std::size_t grain_of(const parallel::limits& chosen, std::size_t count, const crew& workers) {
  if (chosen.grain == 0 && chosen.depth == 0) {
    return parallel::default_grain(count, sizeof(T), workers.threads());
  }
  std::size_t at_depth = 1;
  if (chosen.depth != 0 && chosen.depth < 64) {
    at_depth = (count >> chosen.depth) + (count % (std::size_t{1} << chosen.depth) != 0);
  }
  return std::max({chosen.grain, at_depth, std::size_t{1}});
}

// fold_tree() with a crew of its own. T is what a leaf consists of.
template <class T, class Piece, class Leaf, class Node>
auto run_tree(Piece&& whole, const parallel::limits& chosen, Leaf leaf, Node node) {
  crew workers(chosen.threads);
  const std::size_t grain = grain_of<T>(chosen, whole.size(), workers);
  std::optional<std::invoke_result_t<Leaf&, Piece>> result;
  workers.run([&] { fold_tree(workers, std::forward<Piece>(whole), grain, leaf, node, result); });
  return *std::move(result);
}

}  // namespace cleave::detail

namespace cleave::parallel {

// Cuts the array in halves down to leaves, calls leaf(array<T>) for each, and then
// node(left, right), the right one behind the left one, for the results of two
// neighbours. Without a node, leaf returns an array, and results are joined: in O(1)
// if a leaf returns its piece. After an exception the array is empty.
template <class T, class Leaf, class Node>
  requires std::invocable<Leaf&, array<T>> &&
           std::invocable<Node&, std::invoke_result_t<Leaf&, array<T>>,
                          std::invoke_result_t<Leaf&, array<T>>>
auto fork_tree(array<T>&& whole, Leaf leaf, Node node, limits chosen = {}) {
  return detail::run_tree<T>(std::move(whole), chosen, std::move(leaf), std::move(node));
}

template <class T, class Leaf>
  requires std::invocable<Leaf&, array<T>>
auto fork_tree(array<T>&& whole, Leaf leaf, limits chosen = {}) {
  using result = std::invoke_result_t<Leaf&, array<T>>;
  return detail::run_tree<T>(std::move(whole), chosen, std::move(leaf), [](result&& l, result&& r) {
    return join(std::move(l), std::move(r));
  });
}

// Calls visit(std::span) for pieces that together are the range.
template <detail::elements_range R, class Visit>
void for_pieces(R&& range, Visit visit, limits chosen = {}) {
  using element = detail::element_of<R>;
  using piece = detail::borrowed<element>;
  const piece whole{detail::span_of(range)};
  if (whole.size() == 0) return;
  const auto leaf = [&](const piece& part) {
    std::invoke(visit, part.elements);
    return detail::nothing();
  };
  detail::run_tree<element>(piece(whole), chosen, leaf, detail::no_node);
}

// Calls visit(element) for each element.
template <detail::elements_range R, class Visit>
void for_each(R&& range, Visit visit, limits chosen = {}) {
  using part = std::span<detail::element_of<R>>;
  for_pieces(
      range,
      [&](part piece) {
        for (auto& element : piece) std::invoke(visit, element);
      },
      chosen);
}

// The array of make(element) for each element, in one allocation.
template <detail::elements_range R, class Make>
auto transform(R&& range, Make make, limits chosen = {}) {
  using element = detail::element_of<R>;
  using made = std::remove_cvref_t<std::invoke_result_t<Make&, element&>>;
  using piece = detail::blank<element, made>;
  const auto whole = detail::span_of(range);
  return detail::run_tree<element>(
      piece{whole, detail::raw_elements<made>(whole.size())}, chosen,
      [&](piece&& part) { return std::move(part).fill(make); },
      [](array<made>&& left, array<made>&& right) {
        return join(std::move(left), std::move(right));
      });
}

// combine(combine(combine(init, e0), e1), ...), with other brackets. An element
// converts to a Value, and combine takes (Value, Value) and (Value, element).
template <detail::elements_range R, class Value, class Combine>
Value reduce(R&& range, Value init, Combine combine, limits chosen = {}) {
  using element = const detail::element_of<R>;
  using piece = detail::borrowed<element>;
  const piece whole{detail::span_of(range)};
  if (whole.size() == 0) return init;
  Value sum = detail::run_tree<element>(
      piece(whole), chosen,
      [&](const piece& part) { return detail::fold<Value>(part.elements, combine); },
      [&](Value&& left, Value&& right) -> Value {
        return combine(std::move(left), std::move(right));
      });
  return combine(std::move(init), std::move(sum));
}

// Replaces each element by the combination of all up to it, itself included.
// combine is called twice for most elements.
template <detail::elements_range R, class Combine>
void scan(R&& range, Combine combine, limits chosen = {}) {
  using element = detail::element_of<R>;
  const auto whole = detail::span_of(range);
  if (whole.empty()) return;
  detail::crew workers(chosen.threads);
  const std::size_t grain = detail::grain_of<element>(chosen, whole.size(), workers);
  detail::scan_leaves<element>(workers, whole, grain, std::nullopt, combine,
                               [&](std::span<element> leaf, std::optional<element>&& before) {
                                 element sum = before ? combine(*std::move(before), leaf[0])
                                                      : element(leaf[0]);
                                 leaf[0] = sum;
                                 for (element& each : leaf.subspan(1)) {
                                   sum = combine(std::move(sum), each);
                                   each = sum;
                                 }
                                 return sum;
                               });
}

// Replaces each element by the combination of `init` and all before it, and returns
// the combination of all.
template <detail::elements_range R, class Combine>
detail::element_of<R> exclusive_scan(R&& range, detail::element_of<R> init, Combine combine,
                                     limits chosen = {}) {
  using element = detail::element_of<R>;
  const auto whole = detail::span_of(range);
  if (whole.empty()) return init;
  detail::crew workers(chosen.threads);
  const std::size_t grain = detail::grain_of<element>(chosen, whole.size(), workers);
  return detail::scan_leaves<element>(
      workers, whole, grain, std::move(init), combine,
      [&](std::span<element> leaf, std::optional<element>&& before) {
        element sum = *std::move(before);
        for (element& each : leaf) {
          element next = combine(std::as_const(sum), each);
          each = std::exchange(sum, std::move(next));
        }
        return sum;
      });
}

// Stable: elements that compare equal keep their order. Takes comparators and
// projections as std::ranges::sort does, of elements whose move cannot throw, and
// spare memory for as many. An array may come to lie in other memory. Integers of up to 64 bits in
// their own order, ascending or descending, are dealt by their digits, in O(n); all else is merged,
// in O(n log n).
//
// Throws std::bad_alloc, and the range is unchanged. If a comparator throws, all
// elements are still there, in any order, as after std::stable_sort.
template <detail::elements_range R, class Compare = std::ranges::less,
          class Projection = std::identity>
  requires std::sortable<std::ranges::iterator_t<R>, Compare, Projection> &&
           detail::is_nothrow_transferable<detail::element_of<R>>
void sort(R&& range, Compare compare = {}, Projection project = {}, limits chosen = {}) {
  using element = detail::element_of<R>;
  const std::span<element> whole = detail::span_of(range);
  const auto before = [&](auto& left, auto& right) -> bool {
    return std::invoke(compare, std::invoke(project, left), std::invoke(project, right));
  };
  detail::crew workers(chosen.threads);
  const std::size_t grain = detail::grain_of<element>(chosen, whole.size(), workers);
  detail::raw_elements<element> spare(whole.size());
  detail::sorting<element> all{whole.data(), spare.data(), whole.size()};
  workers.run([&] {
    if constexpr (detail::sorts_integers<element, Compare, Projection>) {
      constexpr bool descending = detail::is_descending<element, Compare>;
      detail::radix_sort<element, descending>(workers, grain).sort(all);
    } else {
      detail::merge_sort(workers, grain).sort(all, before);
    }
    if (all.here == whole.data()) return;
    if constexpr (std::same_as<R, array<element>&>) {
      // The elements stay where they are, and the array takes that memory for its own.
      static_cast<void>(range.release());
      range = array<element>::adopt({spare.release(), whole.size()});
      const detail::raw_elements<element> left_empty(whole.data(), whole.size());
    } else {
      all.cross_over();
    }
  });
}

}  // namespace cleave::parallel
