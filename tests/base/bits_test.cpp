// bits_test.cpp -- rounding and logarithms against their definitions.
#include "base/bits.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

namespace cleave::base {
namespace {

TEST(Bits, alignUpIsTheLeastMultipleThatIsNotLess) {
  for (std::size_t alignment = 1; alignment <= 4096; alignment *= 2) {
    for (std::size_t value = 0; value < 3 * alignment; value += alignment / 16 + 1) {
      const std::size_t up = align_up(value, alignment);
      EXPECT_EQ(up % alignment, 0U);
      EXPECT_GE(up, value);
      EXPECT_LT(up - value, alignment);
    }
  }
  EXPECT_EQ(align_up(SIZE_MAX - 4095, 4096), SIZE_MAX - 4095);
}

TEST(Bits, alignDownIsTheGreatestMultipleThatIsNotMore) {
  for (std::size_t alignment = 1; alignment <= 4096; alignment *= 2) {
    for (std::size_t value = 0; value < 3 * alignment; value += alignment / 16 + 1) {
      const std::size_t down = align_down(value, alignment);
      EXPECT_EQ(down % alignment, 0U);
      EXPECT_LE(down, value);
      EXPECT_LT(value - down, alignment);
    }
  }
  EXPECT_EQ(align_down(SIZE_MAX, 4096), SIZE_MAX - 4095);
}

TEST(Bits, logarithmsEncloseTheValueBetweenPowersOfTwo) {
  for (unsigned k = 0; k < 64; ++k) {
    const std::uint64_t power = std::uint64_t{1} << k;
    EXPECT_EQ(floor_log2(power), k);
    EXPECT_EQ(ceil_log2(power), k);
    if (k < 2) continue;
    EXPECT_EQ(floor_log2(power - 1), k - 1);
    EXPECT_EQ(ceil_log2(power - 1), k);
    if (k == 63) continue;
    EXPECT_EQ(floor_log2(power + 1), k);
    EXPECT_EQ(ceil_log2(power + 1), k + 1);
  }
  EXPECT_EQ(floor_log2(UINT64_MAX), 63U);
  EXPECT_EQ(ceil_log2(UINT64_MAX), 64U);
}

TEST(Bits, areConstants) {
  static_assert(align_up(4097, 4096) == 8192);
  static_assert(align_down(4097, 4096) == 4096);
  static_assert(ceil_log2(5) == 3 && floor_log2(5) == 2);
}

}  // namespace
}  // namespace cleave::base
