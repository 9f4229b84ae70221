// maze.cpp -- the twin of maze.bend.
#include <cstdio>
#include <vector>

#include "twin.hpp"

int main(int count, char** words) {
  const auto bits = static_cast<std::uint32_t>(twin::argument(count, words, 6));
  const std::uint32_t side = 1U << bits;
  const std::uint32_t all = side * side;
  std::vector<std::uint32_t> cells(all);
  for (std::uint32_t i = 0; i < all; ++i) {
    const bool inside = i % side > 0 && i / side > 0;
    cells[i] = inside && twin::noise(i) % 10 < 3 ? 1 : 0;
  }
  std::vector<std::uint32_t> queue(all);
  std::uint32_t tail = 1;
  cells[0] = 2;
  for (std::uint32_t head = 0; head < tail; ++head) {
    const std::uint32_t i = queue[head];
    const std::uint32_t mark = cells[i] + 1;
    const std::uint32_t x = i % side;
    const std::uint32_t y = i / side;
    const auto visit = [&](std::uint32_t at) {
      if (cells[at] == 0) {
        cells[at] = mark;
        queue[tail++] = at;
      }
    };
    if (x > 0) visit(i - 1);
    if (x + 1 < side) visit(i + 1);
    if (y > 0) visit(i - side);
    if (y + 1 < side) visit(i + side);
  }
  std::printf("reached %u, farthest %u\n", tail, cells[queue[tail - 1]] - 2);
}
