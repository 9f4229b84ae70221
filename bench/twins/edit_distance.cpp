// edit_distance.cpp -- the twin of edit_distance.bend.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <string_view>
#include <vector>

#include "twin.hpp"

namespace {

using text = std::vector<std::uint32_t>;

std::uint32_t distance(const text& first, const text& second) {
  std::vector<std::uint32_t> row(second.size() + 1);
  std::iota(row.begin(), row.end(), 0U);
  for (std::size_t i = 0; i < first.size(); ++i) {
    std::uint32_t before = row[0];
    std::uint32_t left = static_cast<std::uint32_t>(i + 1);
    row[0] = left;
    for (std::size_t j = 0; j < second.size(); ++j) {
      const std::uint32_t above = row[j + 1];
      const std::uint32_t differs = first[i] != second[j] ? 1 : 0;
      left = std::min(std::min(above + 1, left + 1), before + differs);
      row[j + 1] = left;
      before = above;
    }
  }
  return row.back();
}

text letters(std::string_view of) {
  return {of.begin(), of.end()};
}

text random(std::size_t size, std::uint32_t seed) {
  text made(size);
  for (std::uint32_t i = 0; i < size; ++i) {
    const std::uint32_t x = (i + seed) * 2654435769U;
    made[i] = (x ^ (x >> 15)) * 2246822519U >> 30;
  }
  return made;
}

}  // namespace

int main(int count, char** words) {
  const auto n = static_cast<std::size_t>(twin::argument(count, words, 500));
  std::printf("%u\n", distance(letters("kitten"), letters("sitting")));
  std::printf("%u\n", distance(random(n, 0), random(n, 7777777)));
}
