// to_list.cpp -- the twin of to_list.bend: std::forward_list, built from the far end.
#include <cstdio>
#include <forward_list>
#include <numeric>
#include <vector>

#include "twin.hpp"

namespace {

using list = std::forward_list<std::uint32_t>;

void by_halves(const std::uint32_t* cells, std::size_t size, list& out) {
  if (size == 1) {
    out.push_front(cells[0]);
    return;
  }
  const std::size_t half = size / 2;
  by_halves(cells + half, half, out);
  by_halves(cells, half, out);
}

void by_index(const std::vector<std::uint32_t>& cells, list& out) {
  for (std::size_t i = cells.size(); i > 0; --i) out.push_front(cells[i - 1]);
}

std::uint32_t digest(const list& values, std::uint32_t sum) {
  for (const auto value : values) sum = sum * 31 + value;
  return sum;
}

}  // namespace

int main(int count, char** words) {
  std::vector<std::uint32_t> cells(65536);
  std::iota(cells.begin(), cells.end(), 0U);
  std::uint32_t sums[3] = {};
  const auto rounds = twin::argument(count, words, 10);
  for (std::uint64_t n = 0; n < rounds; ++n) {
    for (auto& sum : sums) {
      const auto copy = cells;
      list out;
      if (&sum == &sums[0]) {
        by_halves(copy.data(), copy.size(), out);
      } else {
        by_index(copy, out);
      }
      sum = digest(out, sum);
    }
  }
  std::printf("%u %u %u\n", sums[0], sums[1], sums[2]);
}
