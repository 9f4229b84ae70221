// sort_tree.hpp -- a fork tree that sorts one array in place of many.
//
// The array is cut in halves until there is a leaf for each thread; the leaves are
// sorted at the same time and joined again, which leaves sorted stretches side
// by side. The same tree then merges neighbours from the bottom up, to and fro
// between the array and a second one of its size. Each merge is divided among the
// threads as well, so that the last one, of the whole array, keeps all of them busy.
//
//   sort_tree tree(threads, values.size());
//   values = tree.sort_leaves(std::move(values), [](std::span<int> leaf) { ... });
//   values = tree.merge(std::move(values), std::less<>());
//
// Invariants:
//   T1  A cut and a join never move an element: tree.counts().bytes_moved is 0.
//   T2  Both passes cut at the same places, the middle of each piece, and all leaves
//       are depth cuts deep.
//   T3  After sort_leaves() each of the 2^depth leaves is sorted; after merge()
//       the whole array is, and it holds the same elements.
#pragma once

#include <algorithm>
#include <atomic>
#include <cleave/array.hpp>
#include <cleave/parallel.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "sort_merge.hpp"
#include "sort_parts.hpp"

namespace cleave::tool {

class sort_tree {
 public:
  struct numbers {
    // There are as many cuts, since all that is cut is joined again.
    std::uint64_t joins = 0;
    // Bytes that have another address after a join than before.
    std::uint64_t bytes_moved = 0;
  };

  // A leaf for each thread, unless the leaves would get too small to be worth it.
  sort_tree(std::size_t threads, std::size_t elements) noexcept : threads_(threads) {
    while ((std::size_t{1} << depth_) < threads && (elements >> (depth_ + 1)) >= least_leaf) {
      ++depth_;
    }
  }

  // Calls `sort` with the span of each leaf, from several threads.
  template <class T, class Sort>
  array<T> sort_leaves(array<T>&& whole, const Sort& sort) {
    const auto leaf = [&](array<T>&& piece) {
      sort(piece.span());
      return std::move(piece);
    };
    if (depth_ == 0) return leaf(std::move(whole));
    return parallel::fork_tree(std::move(whole), leaf,
                               [&](array<T>&& left, array<T>&& right) {
                                 return join_neighbours(std::move(left), std::move(right));
                               },
                               {.depth = depth_});
  }

  // Merges the sorted leaves; needs a second array of the same size, unless
  // there is one leaf. Throws std::bad_alloc.
  template <class T, class Less>
  array<T> merge(array<T>&& whole, const Less& less) {
    if (depth_ == 0) return std::move(whole);
    const T* const begin = whole.data();
    auto room = array<T>::for_overwrite(whole.size());
    whole = parallel::fork_tree(
                std::move(whole),
                [](array<T>&& piece) {
                  return stretch<T>{std::move(piece), false};
                },
                [&](stretch<T>&& left, stretch<T>&& right) {
                  const std::size_t middle = left.piece.size();
                  const bool in_room = left.in_room;
                  array<T> both = join_neighbours(std::move(left.piece), std::move(right.piece));
                  T* const here = both.data();
                  T* const there = room.data() + (here - begin);
                  const std::span<const T> sorted(in_room ? there : here, both.size());
                  merge_in_parts(sorted.first(middle), sorted.subspan(middle),
                                 in_room ? here : there, less);
                  return stretch<T>{std::move(both), !in_room};
                },
                {.depth = depth_})
                .piece;
    if (depth_ % 2 == 1) whole.swap(room);
    return std::move(whole);
  }

  [[nodiscard]] numbers counts() const noexcept { return {joins_, bytes_moved_}; }

 private:
  static constexpr std::size_t least_leaf = std::size_t{1} << 15;
  static constexpr std::size_t least_part = std::size_t{1} << 14;

  // A piece whose elements stand in it, or at the same place of the room. By T2, two
  // neighbours have theirs in the same one.
  template <class T>
  struct stretch {
    array<T> piece;
    bool in_room;
  };

  template <class T>
  array<T> join_neighbours(array<T>&& left, array<T>&& right) {
    const T* const left_was = left.data();
    const T* const right_was = right.data();
    const std::size_t left_size = left.size();
    const std::size_t right_size = right.size();
    array<T> whole = join(std::move(left), std::move(right));
    std::size_t moved = 0;
    if (whole.data() != left_was) moved += left_size;
    if (whole.data() + left_size != right_was) moved += right_size;
    joins_ += 1;
    bytes_moved_ += moved * sizeof(T);
    return whole;
  }

  template <class T, class Less>
  void merge_in_parts(std::span<const T> left, std::span<const T> right, T* to,
                      const Less& less) const {
    const std::size_t size = left.size() + right.size();
    // More parts than threads, so that one that is late holds nobody up.
    const std::size_t parts = std::clamp<std::size_t>(size / least_part, 1, 4 * threads_);
    for_parts(parts, [&](std::size_t part) {
      const std::size_t begin = size * part / parts;
      const std::size_t end = size * (part + 1) / parts;
      const std::size_t left_begin = merge_split(left, right, begin, less);
      const std::size_t left_end = merge_split(left, right, end, less);
      const std::size_t right_begin = begin - left_begin;
      merge_serial(left.subspan(left_begin, left_end - left_begin),
                   right.subspan(right_begin, end - left_end - right_begin), to + begin, less);
    });
  }

  std::size_t threads_;
  std::size_t depth_ = 0;
  std::atomic<std::uint64_t> joins_ = 0;
  std::atomic<std::uint64_t> bytes_moved_ = 0;
};

}  // namespace cleave::tool
