// kept_slices.cpp -- the twin of kept_slices.bend: what is kept is copied, the rest freed.
#include <cstdio>
#include <numeric>
#include <vector>

#include "twin.hpp"

int main(int count, char** words) {
  std::vector<std::vector<std::uint32_t>> kept;
  for (auto n = twin::argument(count, words, 40); n > 0; --n) {
    const std::vector<std::uint32_t> cells(65536, static_cast<std::uint32_t>(n - 1));
    kept.emplace_back(cells.begin(), cells.begin() + 4096);
  }
  std::uint32_t total = 0;
  for (const auto& piece : kept) total = std::accumulate(piece.begin(), piece.end(), total);
  std::printf("%u\n", total);
}
