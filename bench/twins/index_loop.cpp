// index_loop.cpp -- the twin of index_loop.bend.
#include <cstdio>
#include <numeric>
#include <vector>

#include "twin.hpp"

int main(int count, char** words) {
  std::vector<std::uint32_t> cells(65536);
  std::iota(cells.begin(), cells.end(), 0U);
  const auto rounds = twin::argument(count, words, 100);
  for (std::uint64_t n = 0; n < rounds; ++n) {
    for (std::size_t i = cells.size() - 1; i > 0; --i) cells[i] = cells[i] * 2 + cells[i - 1];
    cells.front() = cells.front() * 2 + cells.back();
  }
  std::uint32_t sum = 0;
  for (std::size_t i = cells.size(); i > 0; --i) sum = sum * 31 + cells[i - 1];
  std::printf("%u\n", sum);
}
