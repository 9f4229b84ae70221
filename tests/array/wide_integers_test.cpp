// wide_integers_test.cpp -- what compilers have beyond the standard's integers. Compiled with their
// extensions, as programs are that say nothing of it: there such types are integral.
#include <gtest/gtest.h>

#include <algorithm>
#include <cleave/parallel.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

namespace {

#if defined(__SIZEOF_INT128__)

__extension__ using wide = __int128;
static_assert(std::integral<wide>, "this file wants the extensions of the compiler");

// Digits are taken from 64 bits, so these are merged.
TEST(WideIntegers, areSortedByAllOfTheirBits) {
  std::mt19937_64 random(128);
  for (const std::size_t n : {std::size_t{100}, std::size_t{5000}, std::size_t{60'000}}) {
    std::vector<wide> cells(n);
    for (wide& cell : cells) {
      cell = static_cast<wide>(random()) << 64 | static_cast<wide>(random());
    }
    std::vector<wide> expected = cells;
    cleave::parallel::sort(cells);
    std::sort(expected.begin(), expected.end());
    EXPECT_TRUE(cells == expected) << n;
    cleave::parallel::sort(cells, std::greater<>());
    std::reverse(expected.begin(), expected.end());
    EXPECT_TRUE(cells == expected) << n << ", descending";
  }
}

#endif

}  // namespace
