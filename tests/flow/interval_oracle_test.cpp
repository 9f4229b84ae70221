// interval_oracle_test.cpp -- the oracle of the property tests sees what it is for.
#include "support/interval_oracle.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>

namespace cleave::test {
namespace {

constexpr int holder = 1;

class IntervalOracle : public testing::Test {
 protected:
  std::byte* at(std::size_t offset) { return memory_.data() + offset; }

  interval_oracle oracle_;

 private:
  std::array<std::byte, 10000> memory_{};
};

TEST_F(IntervalOracle, addsUpTheLiveBytes) {
  oracle_.insert(at(0), 100, holder);
  oracle_.insert(at(100), 900, holder);
  EXPECT_EQ(oracle_.bytes(), 1000U);
  oracle_.cut(at(100), 300);
  oracle_.join(at(0), at(100));
  EXPECT_EQ(oracle_.bytes(), 1000U);
  EXPECT_EQ(oracle_.runs(), 2U);
  oracle_.shrink(at(0), 150);
  oracle_.extend(at(0), 200);
  oracle_.remove(at(400), 600);
  EXPECT_EQ(oracle_.bytes(), 200U);
  oracle_.shrink(at(0), 0);
  EXPECT_EQ(oracle_.runs(), 0U);
}

TEST_F(IntervalOracle, refusesBytesThatAreOwned) {
  oracle_.insert(at(1000), 1000, holder);
  EXPECT_THROW(oracle_.insert(at(1999), 1, holder), broken_rule);
  EXPECT_THROW(oracle_.insert(at(1000), 1, holder), broken_rule);
  EXPECT_THROW(oracle_.insert(at(999), 2, holder), broken_rule);
  EXPECT_THROW(oracle_.insert(at(0), 5000, holder), broken_rule);
  oracle_.insert(at(999), 1, holder);
  oracle_.insert(at(2000), 1, holder);
  EXPECT_THROW(oracle_.extend(at(999), 2), broken_rule);
}

TEST_F(IntervalOracle, refusesFreesOfWhatIsNotLive) {
  oracle_.insert(at(0), 100, holder);
  EXPECT_THROW(oracle_.remove(at(1), 99), broken_rule);
  EXPECT_THROW(oracle_.remove(at(0), 99), broken_rule);
  EXPECT_THROW(oracle_.remove(at(0), 101), broken_rule);
  oracle_.remove(at(0), 100);
  EXPECT_THROW(oracle_.remove(at(0), 100), broken_rule);
}

TEST_F(IntervalOracle, refusesToJoinOverAGap) {
  oracle_.insert(at(0), 100, holder);
  oracle_.insert(at(101), 100, holder);
  EXPECT_THROW(oracle_.join(at(0), at(101)), broken_rule);
}

TEST_F(IntervalOracle, seesEachChangedByteOfAShortRun) {
  for (std::size_t changed = 0; changed < 100; ++changed) {
    oracle_.insert(at(0), 100, holder);
    *at(changed) ^= std::byte{1};
    EXPECT_THROW(oracle_.check(at(0)), broken_rule) << changed;
    EXPECT_THROW(oracle_.check_all(), broken_rule) << changed;
    *at(changed) ^= std::byte{1};
    oracle_.remove(at(0), 100);
  }
}

TEST_F(IntervalOracle, seesChangesAtTheEdgesOfALongRunAndOfItsPieces) {
  oracle_.insert(at(7), 9000, holder);
  oracle_.cut(at(7), 4321);
  const std::array<std::size_t, 4> edges{7, 7 + 4320, 7 + 4321, 9006};
  for (const std::size_t changed : edges) {
    *at(changed) ^= std::byte{1};
    EXPECT_THROW(oracle_.check_all(), broken_rule) << changed;
    *at(changed) ^= std::byte{1};
  }
  oracle_.check_all();
}

TEST_F(IntervalOracle, seesContentOfAnEarlierRunAtTheSamePlace) {
  oracle_.insert(at(0), 64, holder);
  const std::byte old = *at(5);
  oracle_.remove(at(0), 64);
  oracle_.insert(at(0), 64, holder);
  ASSERT_NE(*at(5), old);
  *at(5) = old;
  EXPECT_THROW(oracle_.check(at(0)), broken_rule);
}

TEST_F(IntervalOracle, knowsTheNeighbourThatTheSameHolderHas) {
  oracle_.insert(at(0), 10, holder);
  oracle_.insert(at(10), 20, holder);
  EXPECT_EQ(oracle_.neighbour(at(10), holder), 20U);
  EXPECT_EQ(oracle_.neighbour(at(30), holder), std::nullopt);
  oracle_.hand_over(at(10), holder + 1);
  EXPECT_EQ(oracle_.neighbour(at(10), holder), std::nullopt);
  EXPECT_EQ(oracle_.neighbour(at(10), holder + 1), 20U);
}

}  // namespace
}  // namespace cleave::test
