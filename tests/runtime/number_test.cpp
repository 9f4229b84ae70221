// number_test.cpp -- U32 and Nat at their limits. What is constexpr is tested at compile time.
#include <cleave/runtime/number.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "runtime/runs.hpp"

namespace {

using namespace cleave::runtime;
namespace test = cleave::test;

constexpr u32 largest = UINT32_MAX;

TEST(U32, wrapsAround) {
  static_assert(U32_add(largest, 1) == 0);
  static_assert(U32_sub(0, 1) == largest);
  static_assert(U32_mul(65536, 65536) == 0);
  static_assert(U32_mul(largest, largest) == 1);
}

TEST(U32, dividesByZero) {
  static_assert(U32_div(7, 0) == 0);
  static_assert(U32_mod(7, 0) == 7);
  static_assert(U32_div(7, 2) == 3);
  static_assert(U32_mod(7, 2) == 1);
}

TEST(U32, shiftsOutAllBits) {
  static_assert(U32_shln(1, 31) == 0x80000000);
  static_assert(U32_shln(1, 32) == 0);
  static_assert(U32_shln(1, nat{1} << 40) == 0);
  static_assert(U32_shrn(largest, 31) == 1);
  static_assert(U32_shrn(largest, 32) == 0);
}

TEST(U32, hasALogarithmForZeroToo) {
  static_assert(U32_log2(0) == 0);
  static_assert(U32_log2(1) == 0);
  static_assert(U32_log2(2) == 1);
  static_assert(U32_log2(largest) == 31);
}

TEST(U32, keepsTheLowBitsOfANat) {
  static_assert(U32_from_nat((nat{1} << 32) + 5) == 5);
  static_assert(U32_to_nat(largest) == 4294967295);
}

TEST(U32, roundsToTheNearestFloat) {
  static_assert(U32_to_f32(16777217) == 16777216.0F);
  static_assert(U32_to_f32(16777219) == 16777220.0F);
  static_assert(U32_to_f32(largest) == 4294967296.0F);
}

TEST(Compare, givesTheNumbersOfLtEqAndGt) {
  static_assert(U32_cmp(1, 2) == 0);
  static_assert(U32_cmp(2, 2) == 1);
  static_assert(U32_cmp(largest, 2) == 2);
  static_assert(Nat_cmp(1, nat_limit) == 0);
}

TEST(Bool, hasFourOperations) {
  static_assert(Bool_not(false) && !Bool_not(true));
  static_assert(Bool_and(true, true) && !Bool_and(true, false));
  static_assert(Bool_or(true, false) && !Bool_or(false, false));
  static_assert(Bool_xor(true, false) && !Bool_xor(true, true));
}

TEST(Nat, saturatesAtZero) {
  static_assert(Nat_sub(2, 5) == 0);
  static_assert(Nat_sub(5, 2) == 3);
}

TEST(Nat, dividesByZero) {
  static_assert(Nat_div(7, 0) == 0);
  static_assert(Nat_mod(7, 0) == 7);
}

TEST(Nat, reachesItsLimit) {
  static_assert(nat_limit == 281474976710655);
  static_assert(Nat_add(nat_limit - 1, 1) == nat_limit);
  static_assert(Nat_mul(16777215, 16777217) == nat_limit);
}

void expect_past_the_limit(void (*program)()) {
  const test::outcome end = test::run_alone(program);
  EXPECT_EQ(end.exit_code, 1);
  EXPECT_EQ(end.output, "");
  EXPECT_EQ(end.error, "bend: a Nat past the largest immediate 2^48-1\n");
}

// Read at run time.
volatile nat limit = nat_limit;

TEST(Nat, stopsPastItsLimit) {
  expect_past_the_limit([] { limit = Nat_add(limit, 1); });
  expect_past_the_limit([] { limit = Nat_mul(limit, 2); });
  expect_past_the_limit([] { limit = Nat_mul(limit, limit); });
  // The product has 65 bits, and the low 64 are few.
  expect_past_the_limit([] { limit = Nat_mul(nat{1} << 32, limit / 65535); });
  expect_past_the_limit([] { limit = checked_nat(limit + 1); });
}

TEST(Nat, agreesWithWideIntegers) {
  EXPECT_TRUE(rc::check("products", [] {
    const nat a = *rc::gen::inRange<nat>(0, nat{1} << 24);
    const nat b = *rc::gen::inRange<nat>(0, nat{1} << 24);
    RC_ASSERT(Nat_mul(a, b) == a * b);
    RC_ASSERT(Nat_add(a, b) == a + b);
  }));
}

}  // namespace
