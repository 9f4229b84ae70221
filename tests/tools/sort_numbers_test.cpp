// sort_numbers_test.cpp -- the keys by which doubles are sorted.
#include "sort_numbers.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace cleave::tool {
namespace {

using limits = std::numeric_limits<double>;

std::uint64_t key(double value) {
  return double_to_key(std::bit_cast<std::uint64_t>(value));
}

TEST(DoubleKeys, haveTheOrderOfTheNumbers) {
  const std::vector<double> ascending{-limits::infinity(),  -limits::max(),        -1.5, -1.0,
                                      -limits::min(),       -limits::denorm_min(), -0.0, 0.0,
                                      limits::denorm_min(), limits::min(),         1.0,  1.5,
                                      limits::max(),        limits::infinity()};
  for (std::size_t i = 1; i < ascending.size(); ++i) {
    EXPECT_LT(key(ascending[i - 1]), key(ascending[i]))
        << ascending[i - 1] << " and " << ascending[i];
  }
  EXPECT_EQ(key(-limits::infinity()), 0U);
}

TEST(DoubleKeys, putEveryNanBehindEveryNumber) {
  for (const std::uint64_t bits : {0x7ff0000000000001U, 0x7ff8000000000000U, 0x7fffffffffffffffU,
                                   0xfff0000000000001U, 0xfff8000000000000U, 0xffffffffffffffffU}) {
    ASSERT_TRUE(std::isnan(std::bit_cast<double>(std::uint64_t{bits})));
    EXPECT_GT(double_to_key(bits), key(limits::infinity())) << std::hex << bits;
  }
}

TEST(DoubleKeys, areTurnedBackIntoTheSameBits) {
  std::mt19937_64 random(7);
  std::vector<std::uint64_t> bits{0, 1, sign_bit, sign_bit - 1, sign_bit + 1, ~std::uint64_t{0}};
  for (int i = 0; i < 100000; ++i) bits.push_back(random());
  // All of the exponents at which a case begins.
  for (const std::uint64_t edge : {0x7ff0000000000000U, 0xfff0000000000000U}) {
    for (std::uint64_t i = 0; i < 5; ++i) bits.push_back(edge - 2 + i);
  }
  const std::vector<std::uint64_t> before = bits;
  doubles_to_keys(bits);
  for (std::size_t i = 0; i < bits.size(); ++i) ASSERT_EQ(key_to_double(bits[i]), before[i]);
  keys_to_doubles(bits);
  EXPECT_EQ(bits, before);
}

}  // namespace
}  // namespace cleave::tool
