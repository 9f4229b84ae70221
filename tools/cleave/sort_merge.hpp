// sort_merge.hpp -- merging two sorted ranges, whole or in independent parts.
//
//   const std::size_t i = merge_split(a, b, k, less);   // the first k come from a[0, i), b[0, k -
//   i) merge_serial(a.first(i), b.first(k - i), to, less); // writes to[0, k)
//
// Merges are stable: of equal elements those of the left range come first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace cleave::tool {

// How many of the first `count` elements of the merged sequence come from
// `left`. O(log count) calls of `less`. Requires: count <= left.size() + right.size().
template <class T, class Less>
std::size_t merge_split(std::span<const T> left, std::span<const T> right, std::size_t count,
                        const Less& less) {
  std::size_t low = count > right.size() ? count - right.size() : 0;
  std::size_t high = std::min(count, left.size());
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    // left[middle] is among the first `count` unless right[count - 1 - middle] precedes it.
    if (less(right[count - 1 - middle], left[middle])) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

// Writes all elements of both ranges, in order, from `to` on.
template <class T, class Less>
void merge_serial(std::span<const T> left, std::span<const T> right, T* to, const Less& less) {
  const T* a = left.data();
  const T* b = right.data();
  const T* a_end = a + left.size();
  const T* b_end = b + right.size();
  T* to_end = to + left.size() + right.size();
  // From both ends at once: two chains of loads that do not wait for each other. Half
  // as many rounds as the shorter rest is long need no test for its end. The next
  // element is selected, not branched to, since nobody can foretell its side.
  while (const std::ptrdiff_t safe = std::min(a_end - a, b_end - b) / 2) {
    for (std::ptrdiff_t round = 0; round < safe; ++round) {
      const bool right_first = less(*b, *a);
      *to++ = *(right_first ? b : a);
      b += right_first;
      a += !right_first;
      const bool left_last = less(b_end[-1], a_end[-1]);
      *--to_end = *(left_last ? a_end - 1 : b_end - 1);
      a_end -= left_last;
      b_end -= !left_last;
    }
  }
  // The shorter rest has one element at most.
  while (a != a_end && b != b_end) *to++ = less(*b, *a) ? *b++ : *a++;
  to = std::copy(a, a_end, to);
  std::copy(b, b_end, to);
}

}  // namespace cleave::tool
