// merge_sort.cpp -- the twin of merge_sort.bend: halves change places between two vectors.
#include <cstdio>
#include <vector>

#include "twin.hpp"

namespace {

// Below so many cells a half is sorted on the same thread.
constexpr std::size_t worth_a_thread = 4096;

// Sorts `cells`; the result is in `cells`, or in `other` if `into_other`.
void sort(std::uint32_t* cells, std::uint32_t* other, std::size_t size, bool into_other) {
  if (size == 1) {
    if (into_other) other[0] = cells[0];
    return;
  }
  const std::size_t half = size / 2;
  const auto left = [=] { sort(cells, other, half, !into_other); };
  const auto right = [=] { sort(cells + half, other + half, half, !into_other); };
  if (size > worth_a_thread) {
    twin::both(left, right);
  } else {
    left();
    right();
  }
  const std::uint32_t* from = into_other ? cells : other;
  std::uint32_t* to = into_other ? other : cells;
  const std::uint32_t* l = from;
  const std::uint32_t* r = from + half;
  while (l != from + half && r != from + size) *to++ = *l <= *r ? *l++ : *r++;
  while (l != from + half) *to++ = *l++;
  while (r != from + size) *to++ = *r++;
}

}  // namespace

int main(int count, char** words) {
  const std::size_t size = std::size_t{1} << twin::argument(count, words, 14);
  std::vector<std::uint32_t> cells(size);
  std::vector<std::uint32_t> other(size);
  for (std::size_t i = 0; i < size; ++i) cells[i] = twin::noise(static_cast<std::uint32_t>(i));
  sort(cells.data(), other.data(), size, false);
  std::uint32_t wrong = 0;
  std::uint32_t digest = 0;
  std::uint32_t previous = 0;
  for (const auto cell : cells) {
    if (cell < previous) ++wrong;
    digest = digest * 31 + cell;
    previous = cell;
  }
  std::printf("%u out of order, digest %u\n", wrong, digest);
}
