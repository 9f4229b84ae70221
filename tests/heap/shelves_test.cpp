// shelves_test.cpp -- ranges that go from thread to thread without an arena.
#include "heap/shelves.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cleave/heap.hpp>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "heap/page_heap.hpp"
#include "heap/small_heap.hpp"
#include "heap/tables.hpp"
#include "support/memory.hpp"

namespace cleave::heap {
namespace {

using test::operator""_KiB;

class Shelves : public test::SmallHeap {
 protected:
  // A range of 2^order pages from the arenas.
  static page_range taken(unsigned order) {
    const page_index page = page_heap::take(std::size_t{1} << order, order);
    EXPECT_NE(page, page_heap::no_page);
    return {page, 1U << order};
  }
  static void give(const page_range& range) { page_heap::give(range.page, range.n); }
};

TEST_F(Shelves, giveEachRangeToOneWhoTakes) {
  const std::array<page_range, 2> ranges{taken(4), taken(4)};
  EXPECT_TRUE(shelves::empty());
  EXPECT_EQ(shelves::put(4, ranges.data(), 2), 2U);
  EXPECT_FALSE(shelves::empty());
  EXPECT_EQ(shelves::pages(), 32U);
  EXPECT_EQ(verify(), "");
  std::vector<page_index> got;
  for (int i = 0; i < 2; ++i) {
    const page_range one = shelves::take(4, 16);
    ASSERT_EQ(one.n, 16U);
    got.push_back(one.page);
    give(one);
  }
  std::sort(got.begin(), got.end());
  EXPECT_EQ(got[0], std::min(ranges[0].page, ranges[1].page));
  EXPECT_EQ(got[1], std::max(ranges[0].page, ranges[1].page));
  EXPECT_EQ(shelves::take(4, 1).n, 0U);
  EXPECT_EQ(shelves::stocked(), 0U) << "who finds a shelf empty says so";
  EXPECT_TRUE(shelves::empty());
}

TEST_F(Shelves, giveOnlyWhatIsLongEnough) {
  const page_index page = page_heap::take(12, 4);
  const page_range range{page, 12};
  ASSERT_EQ(shelves::put(4, &range, 1), 1U);
  EXPECT_EQ(shelves::take(4, 13).n, 0U);
  EXPECT_EQ(shelves::stocked(), 1U << 4) << "there is a range, but a shorter one";
  EXPECT_EQ(shelves::take(4, 12).page, page);
  give(range);
}

TEST_F(Shelves, haveTheRoomOfOneThreadsBins) {
  for (unsigned order = 0; order < cached_orders - 1; ++order) {
    std::vector<page_range> ranges;
    for (unsigned i = 0; i < detail::ranges_kept(order) + 2; ++i) ranges.push_back(taken(order));
    const unsigned put = shelves::put(order, ranges.data(), static_cast<unsigned>(ranges.size()));
    EXPECT_EQ(put, detail::ranges_kept(order)) << order;
    for (std::size_t i = put; i < ranges.size(); ++i) give(ranges[i]);
    purge();
    EXPECT_TRUE(shelves::empty()) << "a purge takes all";
  }
}

TEST_F(Shelves, keepNothingFromARequestThatNeedsItsPlace) {
  // All 16 MiB in runs, of which every other one waits for a request of its size.
  std::vector<page_range> ranges;
  for (std::size_t i = 0; i < reserved / 64_KiB; ++i) ranges.push_back(taken(4));
  ASSERT_EQ(page_heap::take(1, 0), page_heap::no_page);
  const page_range shelved[2] = {ranges[0], ranges[1]};
  ASSERT_EQ(shelves::put(4, shelved, 2), 2U);
  const page_range low =
      std::min(ranges[0], ranges[1],
               [](const page_range& a, const page_range& b) { return a.page < b.page; });
  const page_index both = page_heap::take(32, 5);
  EXPECT_EQ(both, low.page) << "they lie side by side, and are merged for who needs them";
  EXPECT_TRUE(shelves::empty());
  page_heap::give(both, 32);
  for (std::size_t i = 2; i < ranges.size(); ++i) give(ranges[i]);
}

TEST_F(Shelves, letARunGrowOverWhatLiesThere) {
  auto* const p = static_cast<std::byte*>(allocate(128_KiB));
  const page_range behind{tables.page_of(reinterpret_cast<std::uintptr_t>(p + 64_KiB)), 16};
  // The second half belongs to nobody from here on.
  page_range first[1] = {behind};
  ASSERT_EQ(shelves::put(4, first, 1), 1U);
  ASSERT_TRUE(page_heap::claim(behind.page, behind.n));
  EXPECT_TRUE(shelves::empty());
  free(p, 128_KiB);
}

// What one thread has too much of is what another one makes its runs of.
TEST_F(Shelves, handOnWhatOneThreadFreesAndAnotherMakes) {
  std::vector<std::byte*> runs;
  for (int i = 0; i < 32; ++i) runs.push_back(static_cast<std::byte*>(allocate(64_KiB)));
  // Every other one, so that nothing joins.
  std::vector<std::byte*> freed;
  for (std::size_t i = 0; i < runs.size(); i += 2) {
    free(runs[i], 64_KiB);
    freed.push_back(runs[i]);
  }
  ASSERT_EQ(shelves::stocked(), 1U << 4);
  const std::size_t free_in_arenas = stats().free;
  std::thread([&] {
    for (int i = 0; i < 4; ++i) {
      auto* const p = static_cast<std::byte*>(allocate(64_KiB));
      EXPECT_NE(std::find(freed.begin(), freed.end(), p), freed.end());
      EXPECT_EQ(stats().free, free_in_arenas) << "no arena was asked";
      EXPECT_EQ(verify(), "");
      runs.push_back(p);
    }
  }).join();
  for (std::size_t i = 1; i < 32; i += 2) free(runs[i], 64_KiB);
  for (std::size_t i = 32; i < runs.size(); ++i) free(runs[i], 64_KiB);
}

TEST_F(Shelves, feedAThreadThatNeedsShorterRuns) {
  const page_range longer = taken(7);
  ASSERT_EQ(shelves::put(7, &longer, 1), 1U);
  const std::size_t free_in_arenas = stats().free;
  std::vector<void*> runs;
  for (std::size_t i = 0; i < 8; ++i) {
    runs.push_back(allocate(64_KiB));
    EXPECT_EQ(tables.page_of(reinterpret_cast<std::uintptr_t>(runs[i])), longer.page + 16 * i);
    EXPECT_EQ(verify(), "");
  }
  EXPECT_EQ(stats().free, free_in_arenas);
  // Freed in order they are one range again.
  for (void* const p : runs) free(p, 64_KiB);
  EXPECT_EQ(caches::of_this_thread().last.n, 128U);
}

TEST_F(Shelves, feedNoRunWhereItWouldNotLieWell) {
  const page_range longer = taken(5);
  ASSERT_EQ(shelves::put(5, &longer, 1), 1U);
  void* const one = allocate(4 * page_size);
  ASSERT_EQ(tables.page_of(reinterpret_cast<std::uintptr_t>(one)), longer.page);
  void* const aligned = allocate(64_KiB, 64_KiB);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(aligned) % 64_KiB, 0U);
  EXPECT_EQ(verify(), "");
  free(aligned, 64_KiB);
  free(one, 4 * page_size);
}

// Ranges go around between threads, and each is in one hand at a time.
TEST_F(Shelves, giveNoRangeToTwoThreads) {
  constexpr unsigned order = 3;
  constexpr unsigned threads = 4;
  constexpr std::size_t count = 6;
  std::vector<page_range> ranges;
  for (std::size_t i = 0; i < count; ++i) ranges.push_back(taken(order));
  ASSERT_EQ(shelves::put(order, ranges.data(), count), count);
  // Plain: the thread sanitizer sees a range in two hands, and a missing order.
  std::array<int, count> taken_by{};
  const auto number_of = [&](const page_range& one) {
    const auto found = std::find_if(ranges.begin(), ranges.end(), [&](const page_range& other) {
      return other.page == one.page;
    });
    return static_cast<std::size_t>(found - ranges.begin());
  };
  std::atomic<bool> wrong{false};
  std::vector<std::thread> crew;
  for (unsigned t = 1; t <= threads; ++t) {
    crew.emplace_back([&, t] {
      for (int i = 0; i < 20'000; ++i) {
        const page_range one = shelves::take(order, 1);
        if (one.n == 0) continue;
        int& by = taken_by[number_of(one)];
        if (std::exchange(by, static_cast<int>(t)) != 0) wrong = true;
        if (std::exchange(by, 0) != static_cast<int>(t)) wrong = true;
        // There are as many places as ranges and more, but one may be passed by while it is
        // full, and be empty when the end is reached.
        while (shelves::put(order, &one, 1) == 0) {
        }
      }
    });
  }
  for (std::thread& one : crew) one.join();
  EXPECT_FALSE(wrong);
  EXPECT_EQ(shelves::pages(), count << order);
  EXPECT_EQ(shelves::stocked(), 1U << order) << "no range is forgotten";
}

}  // namespace
}  // namespace cleave::heap
