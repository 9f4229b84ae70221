// Memory that stays free goes back after the delay, and not before.

#include <gtest/gtest.h>

#include "tiny/fake_os.hpp"
#include "tiny/tiny_model.hpp"

namespace cleave {
namespace {

void start_with_delay(int milliseconds) {
  heap::options chosen;
  chosen.reserve_bytes = test::tiny_bytes;
  chosen.purge_delay = std::chrono::milliseconds(milliseconds);
  ASSERT_TRUE(heap::start(chosen));
}

// Frees that reach an arena look at the clock now and then.
void keep_busy() {
  for (int i = 0; i < 200; ++i) {
    void* const p = heap::try_allocate(heap::page_size * 8, 8);
    void* const q = heap::try_allocate(heap::page_size * 7, 8);
    heap::free(p, heap::page_size * 8);
    heap::free(q, heap::page_size * 7);
  }
}

TEST(Purger, returnsWhatWasFreeForTwoDelays) {
  fake_os::set_time(5000);
  start_with_delay(1000);
  void* const p = heap::try_allocate(heap::page_size * 48, 8);
  ASSERT_NE(p, nullptr);
  heap::free(p, heap::page_size * 48);
  keep_busy();
  EXPECT_GE(heap::stats().held, heap::page_size * 48) << "not before the delay";
  fake_os::set_time(6000);
  keep_busy();
  EXPECT_GE(heap::stats().held, heap::page_size * 48) << "its age counts from the round";
  fake_os::set_time(7000);
  keep_busy();
  EXPECT_LT(heap::stats().held, heap::page_size * 48);
  EXPECT_EQ(heap::verify(), "");
}

// Frees that find room on a shelf, and allocations that take from there, ask no arena.
TEST(Purger, seesTheClockWhereFreesGoToShelves) {
  fake_os::set_time(5000);
  start_with_delay(1000);
  // Every other one is freed, so that nothing joins: one is kept apart, two lie in the bin, and two
  // on the shelf.
  void* runs[9];
  for (void*& run : runs) {
    run = heap::try_allocate(heap::page_size, 8);
    ASSERT_NE(run, nullptr);
  }
  void* const p = heap::try_allocate(heap::page_size * 48, 8);
  ASSERT_NE(p, nullptr);
  heap::free(p, heap::page_size * 48);
  for (unsigned t = 6000; t <= 9000; t += 1000) {
    fake_os::set_time(t);
    for (int round = 0; round < 64; ++round) {
      for (std::size_t i = 0; i < 9; i += 2) heap::free(runs[i], heap::page_size);
      for (std::size_t i = 0; i < 9; i += 2) {
        runs[i] = heap::try_allocate(heap::page_size, 8);
        ASSERT_NE(runs[i], nullptr);
      }
    }
  }
  EXPECT_LT(heap::stats().held, heap::page_size * 48);
  EXPECT_EQ(heap::verify(), "");
  for (void* const run : runs) heap::free(run, heap::page_size);
}

TEST(Purger, withANegativeDelayReturnsNothingByItself) {
  fake_os::set_time(5000);
  start_with_delay(-1);
  void* const p = heap::try_allocate(heap::page_size * 48, 8);
  heap::free(p, heap::page_size * 48);
  for (unsigned t = 6000; t < 20000; t += 1000) {
    fake_os::set_time(t);
    keep_busy();
  }
  EXPECT_GE(heap::stats().held, heap::page_size * 48);
  EXPECT_EQ(fake_os::discarded_pages(), 0u);
  heap::purge();
  EXPECT_EQ(heap::stats().held, 0u);
}

TEST(Purger, leavesLiveRunsAlone) {
  fake_os::set_time(5000);
  start_with_delay(1000);
  test::tiny_model model;
  ASSERT_TRUE(model.allocate(heap::page_size * 48, 8));
  for (int i = 0; i < 5; ++i) model.cut(0, heap::page_size * 40 - static_cast<std::size_t>(i) * 70);
  model.free(2);
  heap::purge_expired();
  heap::purge_expired();
  heap::purge();
  model.expect_sound();
  model.free_all();
  model.expect_whole();
}

}  // namespace
}  // namespace cleave
