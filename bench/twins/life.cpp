// life.cpp -- the twin of life.bend.
#include <cstdio>
#include <numeric>
#include <utility>
#include <vector>

#include "twin.hpp"

namespace {

using board = std::vector<std::uint32_t>;

constexpr std::size_t side = 128;
constexpr std::size_t size = side * side;

void step(const board& from, board& to) {
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t x = i % side;
    const std::size_t y = i - x;
    const auto row = [&](std::size_t start) {
      const std::size_t first = start % size;
      return from[first + (x - 1) % side] + from[first + x] + from[first + (x + 1) % side];
    };
    const std::uint32_t alive = from[i];
    const std::uint32_t neighbours = row(y + size - side) + row(y) + row(y + side) - alive;
    to[i] = neighbours == 3 ? 1 : neighbours == 2 ? alive : 0;
  }
}

void glider(std::size_t at, board& on) {
  for (const std::size_t place : {1U, 130U, 256U, 257U, 258U}) on[at + place] = 1;
}

}  // namespace

int main(int count, char** words) {
  board from(size);
  board to(size);
  glider(0, from);
  glider(8256, from);
  const auto generations = twin::argument(count, words, 64);
  for (std::uint64_t n = 0; n < generations; ++n) {
    step(from, to);
    std::swap(from, to);
  }
  for (const std::size_t row : {2064U, 2192U, 2320U}) {
    for (std::size_t i = row; i < row + 3; ++i) std::putchar(from[i] == 0 ? '.' : '#');
    std::putchar('\n');
  }
  std::printf("%u live\n", std::accumulate(from.begin(), from.end(), 0U));
}
