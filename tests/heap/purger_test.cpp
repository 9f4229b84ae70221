// purger_test.cpp -- memory goes back by itself, with and without a thread of the heap.
//
// The moment is tested on a clock of the test's own in tests/tiny/. Here the
// system's clock runs, and the tests wait until it has happened.
#include "heap/purger.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cleave/heap.hpp>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <thread>

#include "heap/shelves.hpp"
#include "os/thread.hpp"
#include "support/environment.hpp"
#include "support/fresh_heap.hpp"
#include "support/memory.hpp"
#include "support/waiting.hpp"
#include "support/whole_heap.hpp"

namespace cleave::heap {
namespace {

using test::operator""_KiB;
using test::operator""_MiB;
using std::chrono::milliseconds;

// Frees 8 MiB, so that all of it stands free in an arena.
void leave_idle() {
  void* const p = allocate(8_MiB);
  test::touch(p, 8_MiB);
  free(p, 8_MiB);
}

TEST(Purger, ofTheHelperThreadNeedsNoCall) {
  if (!test::start_heap({.purge_delay = milliseconds(5), .purge_thread = true})) {
    GTEST_SKIP() << test::own_process;
  }
  // Twice, since the helper goes to sleep in between.
  for (int round = 0; round < 2; ++round) {
    leave_idle();
    // What is freed last is kept apart until a round of the helper has seen it.
    EXPECT_TRUE(test::wait_until([] { return stats().held == 0; })) << "in round " << round;
  }
}

bool start_with_sleeping_helper() {
  if (!test::start_heap({.purge_delay = milliseconds(1), .purge_thread = true})) return false;
  leave_idle();
  // Nothing is idle then, and the helper waits for a free, or is about to.
  EXPECT_TRUE(test::wait_until([] { return stats().held == 0; }));
  return true;
}

TEST(Purger, ofTheHelperThreadHearsOfWhatLiesOnShelves) {
  if (!start_with_sleeping_helper()) GTEST_SKIP() << test::own_process;
  // Every other one of runs in a row, so that none joins another: too many for a bin.
  constexpr std::size_t n = 2 * (page_bin::most + 2);
  std::byte* runs[n];
  for (std::byte*& run : runs) run = static_cast<std::byte*>(allocate(64_KiB));
  for (std::size_t i = 0; i < n; i += 2) free(runs[i], 64_KiB);
  EXPECT_TRUE(test::wait_until([] { return shelves::empty(); }));
  for (std::size_t i = 1; i < n; i += 2) free(runs[i], 64_KiB);
}

TEST(Purger, ofTheHelperThreadHearsOfAThreadThatEnds) {
  if (!start_with_sleeping_helper()) GTEST_SKIP() << test::own_process;
  // Few frees, and small ones: none of them looks at the clock.
  std::thread([] {
    void* const p = allocate(512_KiB);
    test::touch(p, 512_KiB);
    free(p, 512_KiB);
  }).join();
  EXPECT_TRUE(test::wait_until([] { return stats().held == 0; }));
}

TEST(Purger, runsDuringLaterCalls) {
  if (!test::start_heap({.purge_delay = milliseconds(5)})) GTEST_SKIP() << test::own_process;
  leave_idle();
  EXPECT_GE(stats().held, 8_MiB);
  // Not a byte of new memory is asked for meanwhile.
  EXPECT_TRUE(test::wait_until([] {
    void* const p = allocate(2_MiB);
    free(p, 2_MiB);
    return stats().held <= 2_MiB;
  }));
}

TEST(Purger, isCalledByAProgramThatIsIdle) {
  if (!test::start_heap({.purge_delay = milliseconds(0)})) GTEST_SKIP() << test::own_process;
  leave_idle();
  // The first round sees the age of what was freed, and the ones after it return it.
  for (int round = 0; round < 4; ++round) purge_expired();
  EXPECT_EQ(stats().held, 0U);
}

TEST(Purger, withANegativeDelayLeavesEverythingToPurge) {
  if (!test::start_heap({.purge_delay = milliseconds(-1), .purge_thread = true})) {
    GTEST_SKIP() << test::own_process;
  }
  leave_idle();
  for (int i = 0; i < 200; ++i) free(allocate(2_MiB), 2_MiB);
  EXPECT_GE(stats().held, 8_MiB);
  purge();
  EXPECT_EQ(stats().held, 0U);
}

TEST(Purger, withTheLongestDelayWaits) {
  if (!test::start_heap({.purge_delay = milliseconds::max(), .purge_thread = true})) {
    GTEST_SKIP() << test::own_process;
  }
  leave_idle();
  for (int i = 0; i < 200; ++i) free(allocate(2_MiB), 2_MiB);
  EXPECT_GE(stats().held, 8_MiB);
  EXPECT_TRUE(test::heap_is_whole());
}

// What all threads of this process have run for.
std::uint64_t processor_microseconds() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000 +
         static_cast<std::uint64_t>(used.tv_nsec) / 1000;
}

TEST(Purger, withoutADelayDoesNotSpinOverWhatIsTooSmallToReturn) {
  if (!test::start_heap({.purge_delay = milliseconds(0), .purge_thread = true})) {
    GTEST_SKIP() << test::own_process;
  }
  // Idle pages in a chunk that is in use; by age it does not go back.
  auto* const p = static_cast<std::byte*>(allocate(2_MiB));
  free(p + 4_KiB, 12_KiB);
  purge();
  auto* const q = static_cast<std::byte*>(allocate(12_KiB));
  free(q, 12_KiB);
  free(allocate(8_MiB), 8_MiB);
  const std::uint64_t began = processor_microseconds();
  const auto from = std::chrono::steady_clock::now();
  os::sleep(milliseconds(200));
  const auto passed = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - from);
  // A thread that spins uses up all the time that passes, on a machine that has nothing else to
  // do; one that sleeps in each round stays below it by far, also where 200 ms take a second.
  EXPECT_LT(2 * (processor_microseconds() - began), static_cast<std::uint64_t>(passed.count()));
  free(p, 4_KiB);
  free(p + 16_KiB, 2_MiB - 16_KiB);
}

}  // namespace
}  // namespace cleave::heap
