// merge_sort.hpp -- the stable merge sort of parallel.hpp.
//
// The elements and as much spare memory are cut together, down to a few elements,
// which are sorted by insertion. Two sorted neighbours merge into the spare memory
// beside them, and what was theirs is the spare memory of the result; two that are
// in order already are joined as they stand.
//
// Invariants (tests/array/parallel_sort_test.cpp):
//   S1  Each element is alive in exactly one of the two memories, and all elements
//       of a piece are in the same one; also after an exception.
//   S2  Elements that compare equal keep their order.
#pragma once

#include <algorithm>
#include <cleave/detail/elements.hpp>
#include <cleave/detail/fork.hpp>
#include <cstddef>
#include <utility>

namespace cleave::detail {

// `size` elements at `here`, and room for as many at `there`.
template <class T>
struct sorting {
  T* here;
  T* there;
  std::size_t size;

  [[nodiscard]] std::pair<sorting, sorting> halves() const noexcept {
    const std::size_t half = size / 2;
    return {{here, there, half}, {here + half, there + half, size - half}};
  }
  void cross_over() noexcept {
    transfer(here, size, there);
    retire(here, size);
    std::swap(here, there);
  }
};

// Two sorted neighbours in one memory, half merged: what is left of them, and where
// it goes. Elements lie behind each other in [left, left_end) and [right, right_end).
template <class T>
struct merging {
  T* left;
  T* left_end;
  T* right;
  T* right_end;
  T* out;

  [[nodiscard]] std::size_t size() const noexcept {
    return static_cast<std::size_t>(left_end - left) + static_cast<std::size_t>(right_end - right);
  }
  [[nodiscard]] bool both() const noexcept { return left != left_end && right != right_end; }

  // Moves the lesser head, without a branch, whose outcome would be a coin's.
  template <class Before>
  void step(Before& before) {
    const std::ptrdiff_t right_first = before(*right, *left);
    move_to_out(left + (right - left) * right_first, 1);
    right += right_first;
    left += 1 - right_first;
  }
  void finish() noexcept {
    move_to_out(left, static_cast<std::size_t>(left_end - left));
    move_to_out(right, static_cast<std::size_t>(right_end - right));
  }
  // Cuts the longer side in its middle and the other one where that element belongs:
  // of the right, only what is less than an element of the left goes before it.
  template <class Before>
  std::pair<merging, merging> halves(Before& before) const {
    T* l = left + (left_end - left) / 2;
    T* r = right + (right_end - right) / 2;
    if (left_end - left >= right_end - right) {
      r = std::lower_bound(right, right_end, *l, before);
    } else {
      l = std::upper_bound(left, left_end, *r, before);
    }
    return {{left, l, right, r, out}, {l, left_end, r, right_end, out + (l - left) + (r - right)}};
  }

 private:
  void move_to_out(T* from, std::size_t n) noexcept {
    transfer(from, n, out);
    retire(from, n);
    out += n;
  }
};

class merge_sort {
 public:
  // Pieces of at most `grain` elements are not worth a task, nor are tiny ones.
  merge_sort(crew& workers, std::size_t grain)
      : workers_(workers), grain_(std::max(grain, insertion_limit)) {}

  // Sorts the piece, whose elements are then `here`; after a failure in any order.
  // Requires: is_nothrow_transferable<T>.
  template <class T, class Before>
  void sort(sorting<T>& piece, Before& before) noexcept {
    if (piece.size <= insertion_limit) {
      workers_.attempt([&] { insertion_sort(piece.here, piece.here + piece.size, before); });
      return;
    }
    auto halves = piece.halves();
    sorting<T>& left = halves.first;
    sorting<T>& right = halves.second;
    if (piece.size > grain_) {
      workers_.fork([&] { sort(left, before); }, [&] { sort(right, before); });
    } else {
      sort(left, before);
      sort(right, before);
    }
    // One of them may have been in order more often.
    if (left.here + left.size != right.here) right.cross_over();
    piece.here = left.here;
    piece.there = left.there;
    bool in_order = true;
    workers_.attempt([&] { in_order = !before(right.here[0], right.here[-1]); });
    if (in_order) return;
    merge(merging<T>{left.here, right.here, right.here, right.here + right.size, piece.there},
          before);
    std::swap(piece.here, piece.there);
  }

 private:
  static constexpr std::size_t insertion_limit = 16;

  // Looks for the place before it moves anything, so that a comparator may throw.
  template <class T, class Before>
  static void insertion_sort(T* first, T* end, Before& before) {
    for (T* next = first + 1; next < end; ++next) {
      T* place = next;
      while (place != first && before(*next, place[-1])) --place;
      if (place == next) continue;
      T value(std::move(*next));
      std::move_backward(place, next, next + 1);
      *place = std::move(value);
    }
  }

  // Moves all elements out, in order; after a failure in any order.
  template <class T, class Before>
  void merge(merging<T> whole, Before& before) noexcept {
    merging<T> none{whole.left_end, whole.left_end, whole.right_end, whole.right_end, whole.out};
    std::pair<merging<T>, merging<T>> parts{whole, none};
    workers_.attempt([&] { parts = whole.halves(before); });
    auto& [first, second] = parts;
    if (whole.size() > grain_ && !workers_.failed()) {
      workers_.fork([&, &part = first] { merge(part, before); },
                    [&, &part = second] { merge(part, before); });
      return;
    }
    workers_.attempt([&, &a = first, &b = second] {
      // Side by side, so that the processor has work while one of them waits.
      while (a.both() && b.both()) {
        a.step(before);
        b.step(before);
      }
      while (a.both()) a.step(before);
      while (b.both()) b.step(before);
    });
    first.finish();
    second.finish();
  }

  crew& workers_;
  const std::size_t grain_;
};

}  // namespace cleave::detail
