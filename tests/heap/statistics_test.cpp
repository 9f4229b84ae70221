// statistics_test.cpp -- every number of heap::stats() against what it says it is.
#include <gtest/gtest.h>

#include <atomic>
#include <cleave/heap.hpp>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "heap/geometry.hpp"
#include "heap/size_class.hpp"
#include "heap/small_heap.hpp"
#include "support/environment.hpp"
#include "support/fresh_heap.hpp"
#include "support/memory.hpp"
#include "support/whole_heap.hpp"

namespace cleave::heap {
namespace {

using test::operator""_KiB;
using test::operator""_MiB;
using test::operator""_GiB;

class Statistics : public test::SmallHeap {};

static_assert(order_count == orders);

TEST_F(Statistics, ofAFreshHeapAreThoseOfItsAddressSpace) {
  const statistics s = stats();
  EXPECT_EQ(s.live, 0U);
  EXPECT_EQ(s.free + s.cached, s.held) << "everything that is held is free";
  EXPECT_EQ(s.classes.size(), class_count);
  EXPECT_EQ(s.held_limit, SIZE_MAX);
  std::size_t pages = 0;
  for (std::size_t k = 0; k < order_count; ++k) pages += s.free_blocks[k] << k;
  EXPECT_EQ(pages * page_size + s.cached, s.reserved);
}

TEST_F(Statistics, countLiveBytesExactlyAfterEachStep) {
  std::mt19937_64 random(test::seed());
  std::vector<std::pair<std::byte*, std::size_t>> runs;
  std::size_t live = 0;
  std::uint64_t allocations = stats().allocations;
  for (int step = 0; step < test::by_build(20'000, 4'000); ++step) {
    if (random() % 2 == 0) {
      const std::size_t bytes = 1 + random() % (std::size_t{1} << random() % 17);
      auto* const p = static_cast<std::byte*>(try_allocate(bytes, std::size_t{1} << random() % 8));
      if (p == nullptr) continue;
      runs.emplace_back(p, bytes);
      live += bytes;
      ++allocations;
    } else if (!runs.empty()) {
      std::swap(runs[random() % runs.size()], runs.back());
      auto& [p, bytes] = runs.back();
      const std::size_t part = random() % 2 == 0 ? bytes : 1 + random() % bytes;
      const bool left = random() % 2 == 0;
      free(left ? p : p + bytes - part, part);
      if (left) p += part;
      bytes -= part;
      live -= part;
      if (bytes == 0) runs.pop_back();
    }
    ASSERT_EQ(live_bytes(), live) << "in step " << step;
  }
  const statistics s = stats();
  EXPECT_EQ(s.live, live);
  EXPECT_EQ(s.allocations, allocations);
  for (auto& [p, bytes] : runs) free(p, bytes);
}

TEST_F(Statistics, countAFreeOverManyUnitsOnce) {
  // Neighbours of one class: a run over parts of slots, and one over slots and pages.
  std::vector<std::byte*> slots;
  for (int i = 0; i < 8; ++i) slots.push_back(static_cast<std::byte*>(allocate(1024)));
  for (std::size_t i = 1; i < slots.size(); ++i) ASSERT_EQ(slots[i], slots[i - 1] + 1024);
  const std::uint64_t before = stats().frees;
  free(slots[0] + 500, 4 * 1024);
  EXPECT_EQ(stats().frees, before + 1);
  free(slots[0], 500);
  free(slots[4] + 500, 4 * 1024 - 500);
  auto* const pages = static_cast<std::byte*>(allocate(10 * 4096));
  const std::uint64_t second = stats().frees;
  free(pages + 100, 9 * 4096);
  EXPECT_EQ(stats().frees, second + 1);
  free(pages, 100);
  free(pages + 9 * 4096 + 100, 4096 - 100);
  EXPECT_EQ(stats().live, 0U);
}

TEST_F(Statistics, countRunsThatAreFreedWholeOneByOne) {
  const std::uint64_t before = stats().frees;
  std::uint64_t count = 0;
  for (std::size_t bytes = 1; bytes < 100'000; bytes += bytes / 9 + 1) {
    free(allocate(bytes), bytes);
    ++count;
    ASSERT_EQ(stats().frees, before + count) << bytes;
  }
}

TEST_F(Statistics, countPiecesOfAUnitThatAreFreedInARowOnce) {
  const std::uint64_t before = stats().frees;
  for (const std::size_t bytes : {64U, 4096U}) {
    auto* const p = static_cast<std::byte*>(allocate(bytes));
    for (std::size_t i = 0; i < bytes; i += 16) free(p + i, 16);
  }
  EXPECT_EQ(stats().frees, before + 2);
}

TEST_F(Statistics, ofAClassSayHowManySlotsAreInUse) {
  const unsigned c = class_for(112, 16);
  std::vector<void*> slots;
  for (unsigned i = 0; i < size_classes[c].slots + 1; ++i) slots.push_back(allocate(112));
  statistics s = stats();
  EXPECT_EQ(s.classes[c].slot_bytes, 112U);
  EXPECT_EQ(s.classes[c].slabs, 2U);
  EXPECT_EQ(s.classes[c].slots, 2 * size_classes[c].slots);
  EXPECT_EQ(s.classes[c].slots_used, size_classes[c].slots + 1)
      << "what a thread keeps is not used";
  // A slot that is freed in part is in use.
  free(slots[0], 50);
  s = stats();
  EXPECT_EQ(s.classes[c].slots_used, size_classes[c].slots + 1);
  free(static_cast<std::byte*>(slots[0]) + 50, 62);
  s = stats();
  EXPECT_EQ(s.classes[c].slots_used, size_classes[c].slots);
  for (std::size_t i = 1; i < slots.size(); ++i) free(slots[i], 112);
  EXPECT_EQ(stats().classes[c].slots_used, 0U);
  purge();
  EXPECT_EQ(stats().classes[c].slabs, 0U);
}

TEST_F(Statistics, accountForEachPageOnce) {
  std::vector<void*> runs;
  for (std::size_t bytes = 4096; bytes <= 1_MiB; bytes += bytes / 2)
    runs.push_back(allocate(bytes));
  std::size_t used = 0;
  for (std::size_t bytes = 4096; bytes <= 1_MiB; bytes += bytes / 2) {
    used += (bytes + page_size - 1) / page_size * page_size;
  }
  statistics s = stats();
  EXPECT_EQ(s.free + s.cached + used, s.reserved);
  EXPECT_LE(used, s.held);
  EXPECT_LE(s.held, s.peak_held);
  EXPECT_LE(s.held, s.committed);
  EXPECT_LE(s.committed, s.reserved);
  std::size_t at = 0;
  for (std::size_t bytes = 4096; bytes <= 1_MiB; bytes += bytes / 2) free(runs[at++], bytes);
  s = stats();
  EXPECT_EQ(s.free + s.cached, s.reserved);
  purge();
  s = stats();
  EXPECT_EQ(s.free, s.reserved);
  EXPECT_EQ(s.cached, 0U);
  EXPECT_EQ(s.held, 0U);
}

TEST_F(Statistics, nameTheLargestFreeBlock) {
  EXPECT_EQ(stats().largest_free, reserved);
  void* const p = allocate(1);
  const std::size_t largest = stats().largest_free;
  EXPECT_EQ(largest, reserved / 2) << "the other half";
  void* const rest = try_allocate(largest);
  EXPECT_NE(rest, nullptr);
  free(rest, largest);
  free(p, 1);
}

TEST_F(Statistics, keepThePeakOfWhatWasHeld) {
  void* const p = allocate(2_MiB);
  const std::size_t peak = stats().peak_held;
  EXPECT_GE(peak, 2_MiB);
  free(p, 2_MiB);
  purge();
  EXPECT_EQ(stats().held, 0U);
  EXPECT_EQ(stats().peak_held, peak);
}

TEST(StatisticsOfManyArenas, countWhatWasNeverUsed) {
  if (!test::wide_addresses) GTEST_SKIP() << test::needs_wide_addresses;
  if (!test::start_heap({.reserve_bytes = 3_GiB + 256_MiB})) GTEST_SKIP() << test::own_process;
  const statistics before = stats();
  EXPECT_EQ(before.reserved, 3_GiB + 256_MiB);
  EXPECT_EQ(before.free_blocks[arena_order], 3U);
  EXPECT_EQ(before.free_blocks[arena_order - 2], 1U);
  EXPECT_EQ(before.largest_free, before.reserved);
  EXPECT_EQ(before.held, 0U);
  EXPECT_EQ(before.committed, 0U);
  void* const p = allocate(1_GiB);
  const statistics after = stats();
  EXPECT_EQ(after.free_blocks[arena_order], 2U);
  EXPECT_EQ(after.largest_free, 2_GiB + 256_MiB);
  free(p, 1_GiB);
  EXPECT_TRUE(test::heap_is_whole());
}

// While others are inside, the sums are momentary; they are never absurd.
TEST_F(Statistics, staySaneWhileOtherThreadsAreInside) {
  constexpr std::size_t bytes = 4096;
  constexpr std::size_t players = 2;
  std::atomic<bool> stop{false};
  std::atomic<std::byte*> mailbox{nullptr};
  const auto play = [&mailbox] {
    // Most often from the other thread.
    auto* const page = mailbox.exchange(static_cast<std::byte*>(allocate(bytes)));
    auto* const slot = static_cast<std::byte*>(allocate(64));
    if (page == nullptr) return free(slot, 64);
    for (std::size_t i = 0; i < bytes; i += 512) free(page + i, 512);
    for (std::size_t i = 0; i < 64; i += 16) free(slot + i, 16);
  };
  std::latch begun(players);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < players; ++t) {
    threads.emplace_back([&] {
      play();
      begun.count_down();
      while (!stop) play();
    });
  }
  // From here on the mailbox is never empty.
  begun.wait();
  // Whatever happens between the looks at two threads, the sum does not pass below zero.
  constexpr std::size_t most = SIZE_MAX / 2;
  const auto look = [&](bool closely) {
    EXPECT_LE(live_bytes(), most);
    if (!closely) return;
    const statistics s = stats();
    EXPECT_LE(s.live, most);
    EXPECT_LE(s.held, s.reserved);
    EXPECT_LE(s.cached, s.reserved);
    for (const class_statistics& one : s.classes) EXPECT_LE(one.slots_used, one.slots);
  };
  for (int i = 0; i < test::by_build(50'000, 2'000) && !HasFailure(); ++i) look(i % 100 == 0);
  stop = true;
  for (std::thread& one : threads) one.join();
  free(mailbox, bytes);
  EXPECT_EQ(live_bytes(), 0U);
}

}  // namespace
}  // namespace cleave::heap
