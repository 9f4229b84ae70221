// real_test.cpp -- F32: IEEE arithmetic, conversions, and functions rounded once.
#include <cleave/runtime/real.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>

namespace {

using namespace cleave::runtime;

constexpr f32 infinite = std::numeric_limits<f32>::infinity();
const f32 no_number = std::numeric_limits<f32>::quiet_NaN();

f32 any_f32() {
  return std::bit_cast<f32>(*rc::gen::arbitrary<u32>());
}

TEST(Arithmetic, followsIeee) {
  EXPECT_EQ(F32_add(16777216.0F, 1.0F), 16777216.0F);
  EXPECT_EQ(F32_div(1.0F, 3.0F), 0.333333343F);
  EXPECT_EQ(F32_div(1.0F, 0.0F), infinite);
  EXPECT_TRUE(std::isnan(F32_div(0.0F, 0.0F)));
  EXPECT_EQ(F32_mul(FLT_MAX, 2.0F), infinite);
  EXPECT_EQ(F32_bits(F32_neg(0.0F)), 0x80000000u);
}

TEST(Arithmetic, isNotFused) {
  // 4097 * 4097 is 16785409, which rounds to 16785408: fused, the difference would be 1.
  EXPECT_EQ(F32_sub(F32_mul(4097.0F, 4097.0F), 16785408.0F), 0.0F);
}

TEST(Comparisons, withNanAreFalseButOne) {
  EXPECT_FALSE(F32_is_eq(no_number, no_number));
  EXPECT_TRUE(F32_is_ne(no_number, no_number));
  EXPECT_FALSE(F32_is_lt(no_number, 1.0F) || F32_is_le(no_number, 1.0F));
  EXPECT_FALSE(F32_is_gt(no_number, 1.0F) || F32_is_ge(no_number, 1.0F));
  EXPECT_TRUE(F32_is_eq(0.0F, -0.0F));
}

TEST(MinAndMax, giveTheSecondUnlessTheFirstIsLess) {
  EXPECT_EQ(F32_min(1.0F, 2.0F), 1.0F);
  EXPECT_EQ(F32_max(1.0F, 2.0F), 2.0F);
  EXPECT_EQ(F32_min(no_number, 2.0F), 2.0F);
  EXPECT_TRUE(std::isnan(F32_min(2.0F, no_number)));
  EXPECT_TRUE(std::isnan(F32_max(no_number, 2.0F)));
  EXPECT_EQ(F32_max(2.0F, no_number), 2.0F);
}

TEST(ToU32, truncatesAndIsZeroForWhatIsNone) {
  EXPECT_EQ(F32_to_u32(3.99F), 3u);
  EXPECT_EQ(F32_to_u32(-0.5F), 0u);
  EXPECT_EQ(F32_to_u32(-7.0F), 0u);
  EXPECT_EQ(F32_to_u32(4294967040.0F), 4294967040u);
  EXPECT_EQ(F32_to_u32(4294967296.0F), 0u);
  EXPECT_EQ(F32_to_u32(infinite), 0u);
  EXPECT_EQ(F32_to_u32(no_number), 0u);
}

TEST(ToNat, truncatesAndIsZeroForWhatIsNone) {
  EXPECT_EQ(F32_to_nat(4294967296.0F), 4294967296u);
  EXPECT_EQ(F32_to_nat(281474959933440.0F), 281474959933440u);
  EXPECT_EQ(F32_to_nat(281474976710656.0F), 0u);
  EXPECT_EQ(F32_to_nat(-1.0F), 0u);
  EXPECT_EQ(F32_to_nat(no_number), 0u);
}

TEST(FromNat, isTheNearest) {
  EXPECT_EQ(F32_from_nat(16777217), 16777216.0F);
  EXPECT_EQ(F32_from_nat(nat_limit), 281474976710656.0F);
}

TEST(Bits, goBothWays) {
  EXPECT_EQ(F32_bits(1.0F), 0x3F800000u);
  EXPECT_EQ(F32_from_bits_raw(0x40490FDB), 3.14159274F);
}

TEST(Rounding, goesItsWay) {
  EXPECT_EQ(F32_floor(-1.5F), -2.0F);
  EXPECT_EQ(F32_ceil(-1.5F), -1.0F);
  EXPECT_EQ(F32_trunc(-1.5F), -1.0F);
  EXPECT_EQ(F32_abs(-1.5F), 1.5F);
}

TEST(Functions, haveKnownValues) {
  EXPECT_EQ(F32_sqrt(2.0F), 1.41421354F);
  EXPECT_TRUE(std::isnan(F32_sqrt(-1.0F)));
  EXPECT_EQ(F32_exp(1.0F), 2.71828175F);
  EXPECT_EQ(F32_log(10.0F), 2.30258512F);
  EXPECT_EQ(F32_log2(8.0F), 3.0F);
  EXPECT_EQ(F32_log10(1000.0F), 3.0F);
  EXPECT_EQ(F32_log(0.0F), -infinite);
  EXPECT_EQ(F32_sin(1.0F), 0.841470957F);
  EXPECT_EQ(F32_cos(1.0F), 0.540302277F);
  EXPECT_EQ(F32_tan(1.0F), 1.55740774F);
  EXPECT_EQ(F32_asin(1.0F), 1.57079637F);
  EXPECT_EQ(F32_acos(0.0F), 1.57079637F);
  EXPECT_EQ(F32_atan(1.0F), 0.785398185F);
  EXPECT_EQ(F32_sinh(1.0F), 1.17520118F);
  EXPECT_EQ(F32_cosh(1.0F), 1.54308069F);
  EXPECT_EQ(F32_tanh(1.0F), 0.761594176F);
  EXPECT_EQ(F32_pow(2.0F, 0.5F), 1.41421354F);
  EXPECT_EQ(F32_pow(0.0F, 0.0F), 1.0F);
  EXPECT_EQ(F32_atan2(1.0F, -1.0F), 2.3561945F);
  EXPECT_EQ(F32_mod(-7.5F, 2.0F), -1.5F);
  EXPECT_TRUE(std::isnan(F32_mod(1.0F, 0.0F)));
}

bool same(f32 a, f32 b) {
  return std::isnan(a) ? std::isnan(b) : a == b;
}

TEST(Functions, areRoundedOnce) {
  EXPECT_TRUE(rc::check("as from a wider type", [] {
    const f32 x = any_f32();
    const f32 y = any_f32();
    using wide = long double;
    RC_ASSERT(same(F32_sqrt(x), static_cast<f32>(std::sqrt(wide{x}))));
    RC_ASSERT(same(F32_exp(x), static_cast<f32>(std::exp(wide{x}))));
    RC_ASSERT(same(F32_log(x), static_cast<f32>(std::log(wide{x}))));
    RC_ASSERT(same(F32_sin(x), static_cast<f32>(std::sin(wide{x}))));
    RC_ASSERT(same(F32_atan(x), static_cast<f32>(std::atan(wide{x}))));
    RC_ASSERT(same(F32_pow(x, y), static_cast<f32>(std::pow(wide{x}, wide{y}))));
    RC_ASSERT(same(F32_mod(x, y), static_cast<f32>(std::fmod(wide{x}, wide{y}))));
  }));
}

}  // namespace
