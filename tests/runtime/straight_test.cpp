// straight_test.cpp -- how far an index moves in a row before it wraps, against a walk.
#include <cleave/runtime/generated.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

namespace {

using namespace cleave::runtime;

// Rounds in which all of `width` + 1 indices are as far from slot `at` as from the first one.
template <std::int32_t step, u32 width>
u32 walked(const array<u32>& a, u32 first, u32 most) {
  const std::int64_t at = a.wrap(first);
  for (u32 round = 0; round < most; ++round) {
    for (const u32 side : {u32{0}, width}) {
      const std::int64_t slot = at + std::int64_t{step} * round + side;
      const u32 index = first + static_cast<u32>(step) * round + side;
      if (slot != a.wrap(index)) return round;
    }
  }
  return most;
}

template <std::int32_t step, u32 width>
void agrees(u32 depth, u32 first, u32 most) {
  std::vector<u32> cells(std::size_t{1} << depth);
  const array<u32> a{cells.data(), depth};
  u32 rounds = most;
  const u32* const slots = straight_slots<step, width>(a, first, rounds);
  RC_ASSERT(slots == cells.data() + a.wrap(first));
  const u32 expected = walked<step, width>(a, first, most);
  RC_ASSERT(rounds == expected);
}

RC_GTEST_PROP(StraightSlots, endWhereAnIndexWraps, (u32 first, std::uint8_t most)) {
  const u32 depth = *rc::gen::inRange(0U, 8U);
  agrees<1, 0>(depth, first, most);
  agrees<-1, 0>(depth, first, most);
  agrees<1, 3>(depth, first, most);
  agrees<-1, 5>(depth, first, most);
  agrees<3, 2>(depth, first, most);
  agrees<-7, 1>(depth, first, most);
  agrees<64, 0>(depth, first, most);
  agrees<0, 4>(depth, first, most);
}

TEST(StraightRounds, areAsManyAsTheCounterHas) {
  EXPECT_EQ(straight_rounds(0, 1), 0U);
  EXPECT_EQ(straight_rounds(7, 1), 7U);
  EXPECT_EQ(straight_rounds(7, 2), 3U);
  EXPECT_EQ(straight_rounds(nat_limit, 1), 1U << 30);
}

}  // namespace
