// small_arrays.cpp -- the twin of small_arrays.bend: a vector of eight and two spans of it.
#include <cstdio>
#include <vector>

#include "twin.hpp"

namespace {

std::uint32_t sum4(const std::uint32_t* cells) {
  return cells[0] + cells[1] + cells[2] + cells[3];
}

}  // namespace

int main(int count, char** words) {
  std::uint32_t total = 0;
  for (auto n = twin::argument(count, words, 100000); n > 0; --n) {
    const auto i = static_cast<std::uint32_t>(n - 1);
    std::vector<std::uint32_t> cells(8, i);
    cells[5] = i + i;
    total += sum4(cells.data() + 4) - sum4(cells.data());
  }
  std::printf("%u\n", total);
}
