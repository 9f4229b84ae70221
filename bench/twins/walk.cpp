// walk.cpp -- the twin of walk.bend: a copy of a vector, summed by halves of a span.
#include <cstdio>
#include <numeric>
#include <vector>

#include "twin.hpp"

namespace {

std::uint32_t sum(const std::uint32_t* cells, std::size_t size) {
  if (size == 1) return cells[0];
  const std::size_t half = size / 2;
  return sum(cells, half) + sum(cells + half, half);
}

}  // namespace

int main(int count, char** words) {
  std::vector<std::uint32_t> cells(65536);
  std::iota(cells.begin(), cells.end(), 0U);
  std::uint32_t total = 0;
  const auto rounds = twin::argument(count, words, 20);
  for (std::uint64_t n = 0; n < rounds; ++n) {
    const std::vector<std::uint32_t> copy = cells;
    total += sum(copy.data(), copy.size());
  }
  std::printf("%u\n", total);
}
