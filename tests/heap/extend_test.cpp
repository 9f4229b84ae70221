// extend_test.cpp -- growth in place: what is free to the right, and nothing else.
#include <gtest/gtest.h>

#include <cleave/heap.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>

#include "heap/geometry.hpp"
#include "heap/page_heap.hpp"
#include "heap/small_heap.hpp"
#include "heap/tables.hpp"
#include "heap/unit.hpp"
#include "support/fresh_heap.hpp"
#include "support/memory.hpp"
#include "support/whole_heap.hpp"

namespace cleave::heap {
namespace {

using test::operator""_KiB;
using test::operator""_MiB;
using test::operator""_GiB;

class Extend : public test::SmallHeap {};

std::byte* made(std::size_t bytes) {
  return static_cast<std::byte*>(allocate(bytes));
}

TEST_F(Extend, takesTheRoomBehindARunInItsSlotAndNoMore) {
  std::byte* const p = made(100);
  EXPECT_TRUE(extend(p, 100, 100)) << "to its own size";
  EXPECT_TRUE(extend(p, 100, 101));
  EXPECT_EQ(live_bytes(), 101U);
  EXPECT_FALSE(extend(p, 101, 113)) << "the slot has 112 bytes";
  EXPECT_EQ(live_bytes(), 101U);
  EXPECT_TRUE(extend(p, 101, 112));
  EXPECT_FALSE(extend(p, 112, 113));
  EXPECT_EQ(live_bytes(), 112U);
  EXPECT_EQ(verify(), "");
  free(p, 112);
}

TEST_F(Extend, takesTheRoomInTheLastPageAndThenWholePages) {
  std::byte* const p = made(5000);
  std::memset(p, 7, 5000);
  EXPECT_TRUE(extend(p, 5000, 8192));
  EXPECT_EQ(live_bytes(), 8192U);
  EXPECT_TRUE(extend(p, 8192, 8193)) << "the first byte of the next page";
  EXPECT_TRUE(extend(p, 8193, 100'000));
  EXPECT_EQ(live_bytes(), 100'000U);
  EXPECT_EQ(verify(), "");
  EXPECT_EQ(p[4999], std::byte{7});
  std::memset(p, 8, 100'000);
  free(p, 100'000);
}

TEST_F(Extend, stopsAtMemoryThatIsInUse) {
  std::byte* const p = made(8192);
  ASSERT_TRUE(extend(p, 8192, 3 * 8192));
  // Cut in three; the middle one grows into what the last one leaves.
  std::byte* const middle = p + 8192;
  std::byte* const last = p + 2 * 8192;
  EXPECT_FALSE(extend(middle, 8192, 8193));
  free(last, 100);
  EXPECT_FALSE(extend(middle, 8192, 8192 + 50)) << "a counter does not say which bytes are dead";
  free(last + 100, 4096 - 100);
  EXPECT_TRUE(extend(middle, 8192, 8192 + 4096));
  EXPECT_FALSE(extend(middle, 8192 + 4096, 8192 + 4097));
  EXPECT_EQ(live_bytes(), 3U * 8192U);
  EXPECT_EQ(verify(), "");
  free(p, 3 * 8192);
}

TEST_F(Extend, takesDeadBytesOnlyWhereAllThatIsLeftOfTheUnitIsItsOwn) {
  std::byte* const p = made(4096);
  // [1000, 2000) is freed, [2000, 4096) is another run's.
  free(p + 1000, 1000);
  EXPECT_FALSE(extend(p, 1000, 1500));
  EXPECT_EQ(verify(), "");
  free(p + 2000, 2096);
  EXPECT_TRUE(extend(p, 1000, 1500));
  EXPECT_EQ(live_bytes(), 1500U);
  EXPECT_TRUE(extend(p, 1500, 4096));
  EXPECT_EQ(verify(), "");
  free(p, 4096);
}

TEST_F(Extend, ofTheRightPieceOfAUnitLeavesWhatIsDeadOnItsLeft) {
  std::byte* const p = made(4096);
  free(p, 1000);
  free(p + 3000, 1096);
  std::byte* const piece = p + 1000;
  EXPECT_TRUE(extend(piece, 2000, 2500));
  EXPECT_EQ(live_bytes(), 2500U);
  EXPECT_TRUE(extend(piece, 2500, 3096 + 4096));
  EXPECT_EQ(live_bytes(), 3096U + 4096U);
  EXPECT_EQ(verify(), "");
  free(piece, 3096 + 4096);
}

TEST_F(Extend, knowsWhatOtherThreadsHaveFreedOnlyOnceTheyHaveTold) {
  std::byte* const p = made(64);
  std::thread([p] { free(p + 32, 32); }).join();
  EXPECT_TRUE(extend(p, 32, 64));
  EXPECT_EQ(live_bytes(), 64U);
  free(p, 64);
}

TEST_F(Extend, takesBackWhatThisThreadKeeps) {
  std::byte* const p = made(64_KiB);
  free(p + 32_KiB, 32_KiB);
  ASSERT_GT(stats().cached, 0U);
  EXPECT_TRUE(extend(p, 32_KiB, 64_KiB));
  EXPECT_EQ(verify(), "");
  free(p, 64_KiB);
}

TEST_F(Extend, thatFailsChangesNothing) {
  std::byte* const p = made(6000);
  const statistics before = stats();
  EXPECT_FALSE(extend(p, 6000, 5999));
  EXPECT_FALSE(extend(p, 0, 10));
  EXPECT_FALSE(extend(p, 6000, SIZE_MAX));
  EXPECT_FALSE(extend(p, 6000, SIZE_MAX - 4096));
  EXPECT_FALSE(extend(p, 6000, before.reserved + 1));
  EXPECT_FALSE(extend(p, 6000, SIZE_MAX / 2));
  const statistics after = stats();
  EXPECT_EQ(after.live, before.live);
  EXPECT_EQ(after.held, before.held);
  EXPECT_EQ(after.extensions, before.extensions);
  EXPECT_EQ(verify(), "");
  free(p, 6000);
}

TEST_F(Extend, reachesTheEndOfTheReservation) {
  constexpr std::size_t all = reserved;
  std::byte* const p = made(all / 2);
  const std::size_t most =
      static_cast<std::size_t>(reinterpret_cast<std::byte*>(tables.base + all) - p);
  EXPECT_FALSE(extend(p, all / 2, most + 1));
  EXPECT_TRUE(extend(p, all / 2, most));
  p[most - 1] = std::byte{1};
  free(p, most);
}

TEST_F(Extend, isCounted) {
  std::byte* const p = made(100);
  const statistics before = stats();
  ASSERT_TRUE(extend(p, 100, 110));
  const statistics after = stats();
  EXPECT_EQ(after.extensions, before.extensions + 1);
  EXPECT_EQ(after.allocations, before.allocations);
  EXPECT_EQ(after.live, before.live + 10);
  free(p, 110);
}

TEST(ExtendOverArenas, goesOnInTheNextOne) {
  if (!test::wide_addresses) GTEST_SKIP() << test::needs_wide_addresses;
  if (!test::start_heap({.reserve_bytes = 4_GiB})) GTEST_SKIP() << test::own_process;
  constexpr std::size_t half = arena_size / 2;
  auto* const p = static_cast<std::byte*>(allocate(half));
  EXPECT_TRUE(extend(p, half, arena_size + 5));
  p[arena_size + 4] = std::byte{1};
  EXPECT_TRUE(extend(p, arena_size + 5, 2 * arena_size + 4097));
  EXPECT_EQ(live_bytes(), 2 * arena_size + 4097);
  EXPECT_EQ(verify(), "");
  // Freed over the border in one piece, and then the rest.
  free(p + arena_size - 10, 20);
  free(p, arena_size - 10);
  free(p + arena_size + 10, arena_size + 4087);
  EXPECT_TRUE(test::heap_is_whole());
}

TEST(ExtendOverArenas, beyondTheLimitChangesNothing) {
  if (!test::wide_addresses) GTEST_SKIP() << test::needs_wide_addresses;
  if (!test::start_heap(
          {.reserve_bytes = 4_GiB, .held_limit = arena_size + 8192, .huge_pages = false})) {
    GTEST_SKIP() << test::own_process;
  }
  constexpr std::size_t half = arena_size / 2;
  void* const p = allocate(half);
  const statistics before = stats();
  EXPECT_FALSE(extend(p, half, arena_size + 8193));
  const statistics after = stats();
  EXPECT_EQ(after.held, before.held);
  EXPECT_EQ(after.peak_held, before.peak_held);
  EXPECT_TRUE(extend(p, half, arena_size + 8192));
  free(p, arena_size + 8192);
  EXPECT_TRUE(test::heap_is_whole());
}

TEST(ExtendDeathTest, ofMemoryOutsideTheHeapIsSeen) {
  char outside[64];
  EXPECT_DEATH((void)extend(outside, 32, 64), "extend of memory outside the heap");
}

}  // namespace
}  // namespace cleave::heap
