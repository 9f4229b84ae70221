// page_heap_test.cpp -- all arenas together: large ranges, the limit, and several threads.
#include "heap/page_heap.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cleave/heap.hpp>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "heap/arenas.hpp"
#include "heap/tables.hpp"
#include "heap/told.hpp"
#include "support/environment.hpp"
#include "support/fresh_heap.hpp"
#include "support/memory.hpp"
#include "support/waiting.hpp"
#include "support/whole_heap.hpp"

namespace cleave::heap::page_heap {
namespace {

using test::operator""_KiB;
using test::operator""_MiB;
using test::operator""_GiB;

// Counts of pages, for ranges that are not touched and so cost nothing.
constexpr std::size_t a_gib = arena_pages;

statistics numbers() {
  statistics s;
  add_statistics(s);
  return s;
}

// Whether pages can be written to: the first and the last one of a range.
void touch_ends(page_index page, std::size_t n) {
  for (const std::size_t at : {std::size_t{page}, page + n - 1}) {
    void* const memory = reinterpret_cast<void*>(tables.address_of(static_cast<page_index>(at)));
    // Sanitizers hear of runs only.
    told::handed_out(memory, page_size);
    test::touch(memory, page_size);
  }
}

// ---- Ranges of every size

TEST(PageHeap, givesAlignedPagesThatMayBeWritten) {
  if (!test::start_heap({.reserve_bytes = 4_GiB})) GTEST_SKIP() << test::own_process;
  for (unsigned order = 0; order <= arena_order; ++order) {
    const std::size_t n = (std::size_t{1} << order) - (std::size_t{1} << order) / 3;
    const page_index page = take(n, order);
    ASSERT_NE(page, no_page) << "order " << order;
    EXPECT_EQ(tables.address_of(page) % (page_size << order), 0U);
    touch_ends(page, n);
    give(page, n);
  }
  EXPECT_TRUE(test::heap_is_whole());
}

TEST(PageHeap, takesConsecutiveArenasForMoreThanOne) {
  if (!test::wide_addresses) GTEST_SKIP() << test::needs_wide_addresses;
  if (!test::start_heap({.reserve_bytes = 8_GiB})) GTEST_SKIP() << test::own_process;
  const std::size_t n = a_gib + a_gib / 2;
  const page_index first = take(n, 19);
  ASSERT_NE(first, no_page);
  EXPECT_EQ(first % a_gib, 0U);
  EXPECT_EQ(held(), n << page_bits);
  touch_ends(first, n);
  touch_ends(static_cast<page_index>(first + a_gib - 1), 2);
  // The rest of the second arena serves others.
  const page_index second = take(3 * a_gib, 20);
  ASSERT_NE(second, no_page);
  EXPECT_EQ(second, first + 2 * a_gib);
  const page_index small = take(1024, 10);
  EXPECT_EQ(small / a_gib, first / a_gib + 1);
  give(first, n);
  give(small, 1024);
  give(second, 3 * a_gib);
  EXPECT_TRUE(test::heap_is_whole());
}

TEST(PageHeap, givesTheWholeReservationInOnePiece) {
  if (!test::wide_addresses) GTEST_SKIP() << test::needs_wide_addresses;
  if (!test::start_heap({.reserve_bytes = 2_GiB + 512_MiB})) GTEST_SKIP() << test::own_process;
  const std::size_t all = tables.pages;
  ASSERT_EQ(all << page_bits, 2_GiB + 512_MiB);
  EXPECT_EQ(numbers().largest_free, all << page_bits);
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(take(all + 1, 20), no_page);
    const page_index page = take(all, 20);
    ASSERT_EQ(page, 0U);
    EXPECT_EQ(take(1, 0), no_page) << "there is nothing else";
    EXPECT_EQ(numbers().largest_free, 0U);
    give(page, all);
    purge();
  }
  EXPECT_TRUE(test::heap_is_whole());
}

TEST(PageHeap, takesBackARangeInPiecesThatCrossArenas) {
  if (!test::wide_addresses) GTEST_SKIP() << test::needs_wide_addresses;
  if (!test::start_heap({.reserve_bytes = 4_GiB})) GTEST_SKIP() << test::own_process;
  const page_index first = take(3 * a_gib, 20);
  ASSERT_NE(first, no_page);
  // Over both borders in one piece, and the rest in three.
  give(static_cast<page_index>(first + a_gib - 5), a_gib + 10);
  give(first, 77);
  give(first + 77, a_gib - 5 - 77);
  give(static_cast<page_index>(first + 2 * a_gib + 5), a_gib - 5);
  EXPECT_TRUE(test::heap_is_whole());
}

TEST(PageHeap, findsNoRowOfArenasWhereOneIsInUse) {
  if (!test::wide_addresses) GTEST_SKIP() << test::needs_wide_addresses;
  if (!test::start_heap({.reserve_bytes = 4_GiB})) GTEST_SKIP() << test::own_process;
  // One page in the third arena leaves a row of two.
  ASSERT_TRUE(claim(static_cast<page_index>(2 * a_gib + 1000), 1));
  const statistics before = numbers();
  EXPECT_EQ(before.largest_free, 2_GiB + 1000 * page_size)
      << "two arenas, and the pages of the third up to the one in use";
  EXPECT_EQ(take(3 * a_gib, 20), no_page);
  EXPECT_EQ(take(2 * a_gib + 1001, 20), no_page);
  const statistics after = numbers();
  EXPECT_EQ(after.held, before.held) << "a failed allocation changes nothing";
  EXPECT_EQ(after.peak_held, before.peak_held);
  EXPECT_EQ(after.largest_free, before.largest_free);
  const page_index page = take(2 * a_gib + 1000, 20);
  EXPECT_EQ(page, 0U);
  give(page, 2 * a_gib + 1000);
  give(static_cast<page_index>(2 * a_gib + 1000), 1);
  EXPECT_TRUE(test::heap_is_whole());
}

TEST(PageHeap, ofLessThanAnArenaNamesTheLargestRunThatItCanGive) {
  if (!test::start_heap({.reserve_bytes = 100_MiB})) GTEST_SKIP() << test::own_process;
  const std::size_t largest = numbers().largest_free >> page_bits;
  EXPECT_GE(largest, 64_MiB >> page_bits);
  void* const p = try_allocate(largest << page_bits);
  ASSERT_NE(p, nullptr) << largest << " pages were promised";
  free(p, largest << page_bits);
  EXPECT_EQ(try_allocate((largest << page_bits) + 1), nullptr) << "it was not the largest";
  EXPECT_TRUE(test::heap_is_whole());
}

// ---- Growth and idle memory

TEST(Growth, isNoneWhereWhatIsFreedInLargePiecesIsTakenInSmallOnes) {
  if (!test::start_heap({})) GTEST_SKIP() << test::own_process;
  // One thread makes runs of 64 KiB, another frees them and joins what it freed to 1 MiB.
  constexpr std::size_t n = 16, runs = 16;
  for (int round = 0; round < 1000; ++round) {
    page_index first = no_page;
    bool in_a_row = true;
    page_index all[runs];
    for (page_index& page : all) {
      page = take(n, 4);
      ASSERT_NE(page, no_page);
      if (first == no_page) first = page;
      in_a_row = in_a_row && page == first + n * static_cast<std::size_t>(&page - all);
    }
    if (in_a_row) {
      give(first, n * runs);
    } else {
      for (const page_index page : all) give(page, n);
    }
  }
  EXPECT_LE(numbers().peak_held, 8_MiB);
}

// Half of these pages, every second piece of 32, lies idle and serves nothing larger.
std::vector<page_index> leave_gaps(std::size_t pieces) {
  std::vector<page_index> pages(pieces);
  for (auto& page : pages) page = take(32, 5);
  for (std::size_t i = 0; i < pieces; i += 2) give(pages[i], 32);
  return pages;
}

void close_gaps(const std::vector<page_index>& pages) {
  for (std::size_t i = 1; i < pages.size(); i += 2) give(pages[i], 32);
}

TEST(Growth, inSmallStepsReturnsIdleMemoryWhenTheyAddUpToAMegabyte) {
  if (!test::start_heap({.reserve_bytes = 1_GiB})) GTEST_SKIP() << test::own_process;
  const auto gaps = leave_gaps(256);
  ASSERT_EQ(idle_pages(), 128 * 32U);
  const std::size_t before = held();
  // 16 MiB in steps of 256 KiB, and as much idle.
  std::array<page_index, 64> steps{};
  for (auto& page : steps) {
    page = take(64, 6);
    EXPECT_LE(held(), before + 1_MiB);
  }
  EXPECT_LE(idle_pages(), 256U);
  for (const page_index page : steps) give(page, 64);
  close_gaps(gaps);
  EXPECT_TRUE(test::heap_is_whole());
}

TEST(Growth, doesNotReturnMoreThanItTakes) {
  if (!test::start_heap({.reserve_bytes = 1_GiB})) GTEST_SKIP() << test::own_process;
  const auto gaps = leave_gaps(256);
  const std::size_t before = idle_pages();
  std::array<page_index, 16> steps{};
  for (auto& page : steps) page = take(64, 6);
  // 4 MiB were taken, and a block goes back as a whole.
  EXPECT_GE(idle_pages() + 16 * 64 + 4 * 32, before);
  for (const page_index page : steps) give(page, 64);
  close_gaps(gaps);
  EXPECT_TRUE(test::heap_is_whole());
}

TEST(Growth, withLittleIdleMemoryReturnsNothing) {
  if (!test::start_heap({.reserve_bytes = 1_GiB})) GTEST_SKIP() << test::own_process;
  const auto gaps = leave_gaps(4);
  const std::size_t idle = idle_pages();
  const page_index page = take(1024, 10);
  EXPECT_EQ(idle_pages(), idle) << "less than half of what is taken";
  give(page, 1024);
  close_gaps(gaps);
  EXPECT_TRUE(test::heap_is_whole());
}

// ---- Claims

TEST(PageHeap, claimsExactlyTheGivenPages) {
  if (!test::start_heap({.reserve_bytes = 4_GiB})) GTEST_SKIP() << test::own_process;
  const page_index page = take(10, 4);
  ASSERT_NE(page, no_page);
  EXPECT_FALSE(claim(page + 9, 1));
  EXPECT_FALSE(claim(page, 1));
  EXPECT_TRUE(claim(page + 10, 90));
  EXPECT_EQ(held(), 100 * page_size);
  touch_ends(page, 100);
  give(page, 100);
  EXPECT_TRUE(test::heap_is_whole());
}

TEST(PageHeap, claimsOverTheBorderIntoAnArenaThatWasNeverUsed) {
  if (!test::wide_addresses) GTEST_SKIP() << test::needs_wide_addresses;
  if (!test::start_heap({.reserve_bytes = 4_GiB})) GTEST_SKIP() << test::own_process;
  const page_index page = take(a_gib, arena_order);
  ASSERT_NE(page, no_page);
  const auto behind = static_cast<page_index>(page + a_gib);
  ASSERT_TRUE(claim(behind, 2 * a_gib + 3));
  touch_ends(behind, 2 * a_gib + 3);
  EXPECT_FALSE(claim(behind, 1));
  give(page, 3 * a_gib + 3);
  EXPECT_TRUE(test::heap_is_whole());
}

TEST(PageHeap, aClaimThatFailsOnItsLastPageChangesNothing) {
  if (!test::wide_addresses) GTEST_SKIP() << test::needs_wide_addresses;
  if (!test::start_heap({.reserve_bytes = 4_GiB})) GTEST_SKIP() << test::own_process;
  ASSERT_TRUE(claim(static_cast<page_index>(2 * a_gib), 1));
  const statistics before = numbers();
  EXPECT_FALSE(claim(static_cast<page_index>(a_gib - 7), a_gib + 8));
  EXPECT_FALSE(claim(static_cast<page_index>(3 * a_gib + 1), a_gib)) << "beyond the end";
  EXPECT_FALSE(claim(static_cast<page_index>(3 * a_gib), SIZE_MAX >> page_bits));
  const statistics after = numbers();
  EXPECT_EQ(after.held, before.held);
  EXPECT_EQ(after.peak_held, before.peak_held);
  EXPECT_EQ(after.cached, before.cached);
  EXPECT_EQ(after.largest_free, before.largest_free);
  give(static_cast<page_index>(2 * a_gib), 1);
  EXPECT_TRUE(test::heap_is_whole());
}

// ---- The range that was freed last

// Nothing goes back by its age, which a slow machine would see pass during the test.
bool start_without_ages(std::size_t bytes) {
  return test::start_heap({.reserve_bytes = bytes, .purge_delay = std::chrono::milliseconds(-1)});
}

TEST(LastRange, servesTheNextRequestOfItsSize) {
  if (!start_without_ages(4_GiB)) GTEST_SKIP() << test::own_process;
  const page_index page = take(1000, 10);
  give(page, 1000);
  EXPECT_EQ(cached_pages(), 1000U);
  EXPECT_EQ(take(1000, 10), page);
  EXPECT_EQ(cached_pages(), 0U);
  // In two halves, whichever comes first, and a little less the next time.
  give(page, 500);
  give(page + 500, 500);
  EXPECT_EQ(take(1000, 10), page);
  give(page + 500, 500);
  give(page, 500);
  EXPECT_EQ(take(900, 10), page);
  EXPECT_EQ(numbers().free, a_gib * page_size - 900 * page_size);
  give(page, 900);
  EXPECT_TRUE(test::heap_is_whole());
}

TEST(LastRange, isNotSpentOnASmallRequestAndAlwaysAligned) {
  if (!start_without_ages(4_GiB)) GTEST_SKIP() << test::own_process;
  const page_index page = take(2048, 11);
  give(page, 2048);
  const page_index half = take(1024, 10);
  EXPECT_EQ(cached_pages(), 0U) << "it went to its arena";
  give(half, 1024);
  purge();
  ASSERT_EQ(take(2048, 11), page);
  give(page + 3, 1024);
  const page_index aligned = take(1000, 10);
  EXPECT_EQ(aligned % 1024, 0U);
  give(aligned, 1000);
  give(page, 3);
  give(page + 3 + 1024, 2048 - 3 - 1024);
  EXPECT_TRUE(test::heap_is_whole());
}

TEST(LastRange, isFoundByAnyRequestThatFindsNothingElse) {
  if (!start_without_ages(4_MiB)) GTEST_SKIP() << test::own_process;
  const page_index page = take(1024, 10);
  ASSERT_NE(page, no_page);
  give(page, 1024);
  ASSERT_EQ(cached_pages(), 1024U);
  const page_index one = take(1, 0);
  EXPECT_NE(one, no_page);
  give(one, 1);
  EXPECT_TRUE(test::heap_is_whole());
}

// ---- The limit

TEST(HeldLimit, isExactToThePage) {
  if (!test::start_heap({.reserve_bytes = 4_GiB, .held_limit = 10_MiB, .huge_pages = false}))
    GTEST_SKIP() << test::own_process;
  const std::size_t all = 10_MiB >> page_bits;
  const page_index page = take(all, 12);
  ASSERT_NE(page, no_page);
  EXPECT_EQ(held(), 10_MiB);
  EXPECT_EQ(take(1, 0), no_page);
  give(page + 7, 1);
  const page_index one = take(1, 0);
  EXPECT_EQ(one, page + 7);
  EXPECT_EQ(take(1, 0), no_page);
  EXPECT_EQ(held(), 10_MiB);
  EXPECT_EQ(numbers().peak_held, 10_MiB);
  give(page, all);
  EXPECT_TRUE(test::heap_is_whole());
}

TEST(HeldLimit, ofNothingGivesNothing) {
  if (!test::start_heap({.reserve_bytes = 1_GiB, .held_limit = 0}))
    GTEST_SKIP() << test::own_process;
  EXPECT_EQ(take(1, 0), no_page);
  EXPECT_EQ(try_allocate(1), nullptr);
  EXPECT_EQ(try_allocate(1_GiB), nullptr);
  EXPECT_EQ(held(), 0U);
  EXPECT_EQ(verify(), "");
  heap::set_held_limit(64_KiB);
  void* const p = try_allocate(1);
  EXPECT_NE(p, nullptr);
  free(p, 1);
  EXPECT_TRUE(test::heap_is_whole());
}

TEST(HeldLimit, thatIsMetInTheMiddleOfARowOfArenasLeavesNothingBehind) {
  if (!test::wide_addresses) GTEST_SKIP() << test::needs_wide_addresses;
  if (!test::start_heap({.reserve_bytes = 8_GiB, .held_limit = 2_GiB + 512_MiB}))
    GTEST_SKIP() << test::own_process;
  EXPECT_EQ(take(3 * a_gib, 20), no_page);
  EXPECT_EQ(held(), 0U) << "of what was never handed out";
  EXPECT_EQ(numbers().peak_held, 0U);
  EXPECT_FALSE(claim(0, 3 * a_gib));
  EXPECT_EQ(held(), 0U);
  EXPECT_EQ(numbers().peak_held, 0U);
  const std::size_t most = (2_GiB + 512_MiB) >> page_bits;
  const page_index page = take(most, 20);
  EXPECT_NE(page, no_page);
  EXPECT_EQ(take(1, 0), no_page);
  give(page, most);
  EXPECT_TRUE(test::heap_is_whole());
}

TEST(HeldLimit, isMetByReturningWhatIsIdle) {
  if (!test::start_heap({.reserve_bytes = 4_GiB, .held_limit = 8_MiB}))
    GTEST_SKIP() << test::own_process;
  // Idle memory in blocks that cannot serve the next request.
  std::array<page_index, 32> pages{};
  for (auto& page : pages) page = take(64, 6);
  for (std::size_t i = 0; i < pages.size(); i += 2) give(pages[i], 64);
  EXPECT_EQ(held(), 8_MiB);
  const page_index large = take(1024, 10);
  EXPECT_NE(large, no_page);
  EXPECT_EQ(held(), 8_MiB);
  EXPECT_EQ(take(1, 0), no_page);
  give(large, 1024);
  for (std::size_t i = 1; i < pages.size(); i += 2) give(pages[i], 64);
  EXPECT_TRUE(test::heap_is_whole());
}

TEST(HeldLimit, loweredBelowWhatIsHeldReturnsWhatIsFree) {
  if (!test::start_heap({.reserve_bytes = 1_GiB})) GTEST_SKIP() << test::own_process;
  const page_index page = take(2048, 11);
  give(page, 1024);
  EXPECT_EQ(held(), 8_MiB);
  set_held_limit(1_MiB);
  EXPECT_EQ(held(), 4_MiB) << "live memory stays";
  EXPECT_EQ(take(1, 0), no_page);
  give(page + 1024, 1024);
  const page_index one = take(1, 0);
  EXPECT_NE(one, no_page);
  EXPECT_LE(held(), 1_MiB);
  give(one, 1);
  set_held_limit(SIZE_MAX);
  EXPECT_TRUE(test::heap_is_whole());
}

TEST(HeldLimit, alsoReturnsWhatTheCallingThreadKeeps) {
  if (!test::start_heap({.reserve_bytes = 1_GiB})) GTEST_SKIP() << test::own_process;
  void* const pages = allocate(100_KiB);
  void* const slot = allocate(100);
  free(pages, 100_KiB);
  free(slot, 100);
  ASSERT_GT(held(), 0U);
  heap::set_held_limit(0);
  EXPECT_EQ(held(), 0U);
  heap::set_held_limit(SIZE_MAX);
  EXPECT_TRUE(test::heap_is_whole());
}

// ---- Several threads

// Memory that one thread has freed, or is returning to the system, is memory for the others.
TEST(PageHeapThreads, neverMissWhatIsThereForThem) {
  if (!test::start_heap({.reserve_bytes = 64_MiB, .held_limit = 12_MiB}))
    GTEST_SKIP() << test::own_process;
  std::atomic<bool> stop{false};
  std::latch begun(3);
  std::thread purger([&stop, &begun] {
    begun.arrive_and_wait();
    while (!stop) {
      page_heap::purge();
      std::this_thread::yield();
    }
  });
  std::atomic<int> missed{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&missed, &begun] {
      begun.arrive_and_wait();
      for (int i = 0; i < test::by_build(3000, 500); ++i) {
        // Blocks of 4 MiB: each thread has one at most, and there is room for three.
        const std::size_t n = 513 + static_cast<std::size_t>(i) % 512;
        const page_index page = take(n, 10);
        if (page == no_page) {
          ++missed;
        } else {
          touch_ends(page, n);
          give(page, n);
        }
      }
    });
  }
  for (std::thread& one : threads) one.join();
  stop = true;
  purger.join();
  EXPECT_EQ(missed, 0);
  EXPECT_TRUE(test::heap_is_whole());
}

// A block that another thread is splitting or merging just now is not missed.
TEST(PageHeapThreads, findABlockWhileAnotherSplitsAndMerges) {
  if (!test::start_heap({.reserve_bytes = 64_MiB})) GTEST_SKIP() << test::own_process;
  std::atomic<int> missed{0};
  std::latch begun(2);
  const auto take_and_give = [&missed, &begun](std::size_t n, unsigned order) {
    begun.arrive_and_wait();
    for (int i = 0; i < test::by_build(20'000, 3'000); ++i) {
      const page_index page = take(n, order);
      page == no_page ? static_cast<void>(++missed) : give(page, n);
    }
  };
  std::thread other(take_and_give, 1, 0);
  take_and_give(200, 8);
  other.join();
  EXPECT_EQ(missed, 0);
  EXPECT_TRUE(test::heap_is_whole());
}

// Each child starts the heap with one arena only, and opens it from several threads at once.
TEST(PageHeapThreads, thatOpenTheOnlyArenaTogetherAllFindIt) {
  if (test::sanitized) GTEST_SKIP() << "SKIP: children with threads are slow under a sanitizer";
  for (int i = 0; i < 200; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      if (!heap::start({.reserve_bytes = 16_MiB})) ::_exit(2);
      std::barrier<> meet(4);
      std::atomic<int> missed{0};
      std::vector<std::thread> threads;
      for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
          meet.arrive_and_wait();
          if (take(1, 0) == no_page) ++missed;
        });
      }
      for (std::thread& one : threads) one.join();
      ::_exit(missed == 0 ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    if (WEXITSTATUS(status) == 2) GTEST_SKIP() << test::own_process;
    ASSERT_EQ(WEXITSTATUS(status), 0) << "an allocation failed with memory to spare, child " << i;
  }
}

TEST(PageHeapThreads, mayOpenArenasWhileAnotherForks) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP()
      << "SKIP: the thread sanitizer follows 64 locks, and fork() holds one for each arena";
#endif
  if (!test::start_heap({.reserve_bytes = std::size_t{1} << (test::wide_addresses ? 40 : 30)}))
    GTEST_SKIP() << test::own_process;
  std::atomic<bool> stop{false};
  std::atomic<std::size_t> opened_arenas{0};
  std::atomic<int> missed{0};
  std::thread opener([&] {
    // Each of these needs an arena of its own.
    while (!stop && opened_arenas + 2 < tables.arenas) {
      if (take(a_gib, arena_order) == no_page) ++missed;
      ++opened_arenas;
      opened_arenas.notify_one();
      std::this_thread::yield();
    }
  });
  std::size_t seen = 0;
  for (int i = 0; i < 20; ++i) {
    // It is at work, or has opened them all.
    if (seen + 2 < tables.arenas) opened_arenas.wait(seen);
    seen = opened_arenas;
    const pid_t child = ::fork();
    if (child == 0) {
      test::die_if_stuck();
      const page_index page = take(1, 0);
      if (page == no_page) ::_exit(1);
      give(page, 1);
      for (std::size_t a = 0; a < arenas::seen(); ++a) {
        arena* const one = arenas::opened(a);
        if (one == nullptr) continue;
        if (!one->lock.try_lock()) ::_exit(2);
        one->lock.unlock();
      }
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0) << "in child " << i;
  }
  stop = true;
  opener.join();
  EXPECT_EQ(missed, 0);
}

// ---- Misuse

TEST(PageHeapDeathTest, seesAFreeInAnArenaThatWasNeverUsed) {
  if (!test::start_heap({.reserve_bytes = 8_GiB})) GTEST_SKIP() << test::own_process;
  EXPECT_DEATH(give(static_cast<page_index>(5 * a_gib), 10),
               "free of memory that was never handed out");
}

}  // namespace
}  // namespace cleave::heap::page_heap
