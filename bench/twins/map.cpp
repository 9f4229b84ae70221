// map.cpp -- the twin of map.bend: by halves of a span down to single cells, and in a loop.
#include <cstdio>
#include <numeric>
#include <vector>

#include "twin.hpp"

namespace {

std::uint32_t next(std::uint32_t x) {
  return x * 3 + 1;
}

void by_halves(std::uint32_t* cells, std::size_t size) {
  if (size == 1) {
    cells[0] = next(cells[0]);
    return;
  }
  const std::size_t half = size / 2;
  by_halves(cells, half);
  by_halves(cells + half, half);
}

void print_digest(const std::vector<std::uint32_t>& cells) {
  std::uint32_t sum = 0;
  for (std::size_t i = cells.size(); i > 0; --i) sum = sum * 31 + cells[i - 1];
  std::printf("%u\n", sum);
}

std::vector<std::uint32_t> numbers() {
  std::vector<std::uint32_t> cells(65536);
  std::iota(cells.begin(), cells.end(), 0U);
  return cells;
}

}  // namespace

int main(int count, char** words) {
  const auto rounds = twin::argument(count, words, 20);
  auto cells = numbers();
  for (std::uint64_t n = 0; n < rounds; ++n) by_halves(cells.data(), cells.size());
  print_digest(cells);
  cells = numbers();
  for (std::uint64_t n = 0; n < rounds; ++n) {
    for (auto& cell : cells) cell = next(cell);
  }
  print_digest(cells);
}
