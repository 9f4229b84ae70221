// fork_tree_shared.cpp -- the twin of fork_tree_shared.bend: the writers are kept apart by
// offsets into one vector.
#include <cstdio>
#include <numeric>
#include <vector>

#include "twin.hpp"

namespace {

constexpr std::size_t piece = 65536;

void write(std::uint32_t* cells) {
  for (std::size_t i = 0; i < piece; ++i) {
    cells[i] = cells[i] * 3 + static_cast<std::uint32_t>(i);
  }
}

void tree(int depth, std::uint32_t* cells) {
  if (depth == 0) {
    write(cells);
    return;
  }
  const std::size_t half = piece << (depth - 1);
  twin::both([=] { tree(depth - 1, cells); }, [=] { tree(depth - 1, cells + half); });
}

}  // namespace

int main(int count, char** words) {
  std::vector<std::uint32_t> cells(piece << 4);
  const auto rounds = twin::argument(count, words, 10);
  for (std::uint64_t n = 0; n < rounds; ++n) tree(4, cells.data());
  std::printf("%u\n", std::accumulate(cells.begin(), cells.end(), std::uint32_t{0}));
}
