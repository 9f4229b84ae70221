// crew_test.cpp -- both halves run, each on its thread, and each sees the other's writes.
#include "crew.hpp"

#include <gtest/gtest.h>

namespace cleave::bench {
namespace {

TEST(Crew, runsBothHalvesOnTwoThreads) {
  crew workers(2);
  for (int round = 0; round < 1000; ++round) {
    int mine = 0, theirs = 0;
    std::thread::id other;
    workers.both(
        1, [&] { mine = round; },
        [&] {
          theirs = round;
          other = std::this_thread::get_id();
        });
    ASSERT_EQ(mine, round);
    ASSERT_EQ(theirs, round);
    ASSERT_NE(other, std::this_thread::get_id());
  }
}

TEST(Crew, aWorkerMayForkToAnother) {
  crew workers(4);
  int sums[4] = {};
  for (int round = 1; round <= 100; ++round) {
    workers.both(
        2,
        [&] {
          workers.both(
              1, [&] { sums[0] += round; }, [&] { sums[1] += round; });
        },
        [&] {
          workers.both(
              3, [&] { sums[2] += round; }, [&] { sums[3] += round; });
        });
  }
  for (const int sum : sums) EXPECT_EQ(sum, 5050);
}

TEST(Crew, wakesAWorkerThatFellAsleep) {
  crew workers(2);
  int runs = 0;
  for (int round = 0; round < 3; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    workers.both(
        1, [] {}, [&] { ++runs; });
  }
  EXPECT_EQ(runs, 3);
}

}  // namespace
}  // namespace cleave::bench
