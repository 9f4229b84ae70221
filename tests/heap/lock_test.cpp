// lock_test.cpp -- checked builds look at the order in which locks are taken (L1, L2).
#include "heap/lock.hpp"

#include <gtest/gtest.h>

#include <mutex>

namespace cleave::heap {
namespace {

#if CLEAVE_CHECKED

TEST(Locks, mayBeTakenByRisingRankAndAgainWhenTheyWereGivenBack) {
  ranked_lock low(rank::registry);
  ranked_lock high(rank::arena);
  for (int i = 0; i < 2; ++i) {
    const std::lock_guard first(low);
    const std::lock_guard second(high);
  }
  const std::lock_guard alone(low);
}

// A death test forks, and a fork takes all locks: the body takes its own in the child.

TEST(LocksDeathTest, takenOutOfOrderStopTheProgram) {
  ranked_lock low(rank::registry);
  ranked_lock high(rank::arena);
  const auto take_both = [&](bool by_try) {
    const std::lock_guard first(high);
    if (by_try) {
      (void)low.try_lock();
    } else {
      low.lock();
    }
  };
  EXPECT_DEATH(take_both(false), "L1: a lock is taken out of order");
  EXPECT_DEATH(take_both(true), "L1: a lock is taken out of order");
}

TEST(LocksDeathTest, ofOneRankAreNotTakenTogether) {
  ranked_lock one(rank::arena);
  ranked_lock other(rank::arena);
  const auto take_both = [&] {
    const std::lock_guard first(one);
    const std::lock_guard second(other);
  };
  EXPECT_DEATH(take_both(), "L1: two locks of one rank are taken");
}

TEST(LocksDeathTest, heldOverACallOfTheSystemStopTheProgram) {
  ranked_lock start(rank::start);
  ranked_lock arena(rank::arena);
  {
    // The exception that L2 makes.
    const std::lock_guard starting(start);
    lock_order::expect_none();
  }
  const auto call = [&] {
    const std::lock_guard held(arena);
    lock_order::expect_none();
  };
  EXPECT_DEATH(call(), "L2: a lock is held over a call of the system");
}

#endif

}  // namespace
}  // namespace cleave::heap
