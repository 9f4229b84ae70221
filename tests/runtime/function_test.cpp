// function_test.cpp -- functions and actions as values.
#include <gtest/gtest.h>

#include "runtime/cells.hpp"
#include "runtime/runs.hpp"

namespace {

using namespace cleave::test;
using cleave::runtime::action_environment;
using cleave::runtime::apply;
using cleave::runtime::environment;
using cleave::runtime::function;
using cleave::runtime::immortal_header;
using cleave::runtime::io;

constinit environment<u32, u32> doubled{
    immortal_header(), [](environment<u32, u32>*, u32 x) noexcept { return 2 * x; }};

TEST(Function, withoutCapturesIsNeverFreed) {
  function<u32, u32> f{&doubled};
  keep(f);
  EXPECT_EQ(apply(f, 4U), 8u);
  drop(f);
  drop(f);
  drop(f);
  EXPECT_EQ(apply(f, 5U), 10u);
}

TEST(Function, isConsumedByItsCall) {
  EXPECT_TRUE(leaves_nothing([] { EXPECT_EQ(apply(add(3), 4U), 7u); }));
  EXPECT_TRUE(leaves_nothing([] { EXPECT_EQ(apply(add_all(counting(4)), 4U), 10u); }));
}

TEST(Function, isCalledByEachOwner) {
  EXPECT_TRUE(leaves_nothing([] {
    function<u32, u32> f = add_all(counting(5));
    keep(f);
    keep(f);
    EXPECT_EQ(apply(f, 0U), 10u);
    EXPECT_EQ(apply(f, 1U), 11u);
    drop(f);
  }));
}

TEST(Function, inAnArrayIsDroppedWithIt) {
  EXPECT_TRUE(leaves_nothing([] { drop(cleave::runtime::Array_new(4, add_all(counting(9)))); }));
}

u32 ticks = 0;

constinit action_environment<u32> tick{
    immortal_header(), [](action_environment<u32>* self, u32* result, io<u32>* next) noexcept {
      if (++ticks == 1'000'000) {
        *result = 42;
        return true;
      }
      *next = {self};
      return false;
    }};

TEST(Action, loopsWithoutStack) {
  ticks = 0;
  EXPECT_EQ(run(io<u32>{&tick}), 42u);
  EXPECT_EQ(ticks, 1'000'000u);
}

}  // namespace
