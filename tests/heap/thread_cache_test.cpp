// thread_cache_test.cpp -- what a thread keeps, and that all of it comes back.
#include "heap/thread_cache.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cleave/heap.hpp>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "heap/page_heap.hpp"
#include "heap/slab.hpp"
#include "heap/small_heap.hpp"
#include "heap/tables.hpp"
#include "support/environment.hpp"
#include "support/memory.hpp"
#include "support/whole_heap.hpp"

namespace cleave::heap {
namespace {

using test::operator""_KiB;

// The cache of this thread, used without the heap's doors.
class ThreadCache : public test::SmallHeap {
 protected:
  void SetUp() override {
    SmallHeap::SetUp();
    ASSERT_NE(&caches::of_this_thread(), &no_cache);
  }
  thread_cache& cache() { return *this_cache; }
};

TEST_F(ThreadCache, givesNeighboursInAddressOrder) {
  constexpr unsigned c = 10;
  std::vector<std::uintptr_t> slots{cache().refill(c)};
  EXPECT_GT(cache().cached_slots(c), 0U) << "more than one came at once";
  while (cache().cached_slots(c) > 0) {
    slots.push_back(reinterpret_cast<std::uintptr_t>(allocate(slot_size(c))));
    EXPECT_EQ(slots.back(), slots[slots.size() - 2] + slot_size(c));
  }
  for (std::size_t i = 1; i < slots.size(); ++i)
    free(reinterpret_cast<void*>(slots[i]), slot_size(c));
  cache().give_slot(c, slots[0]);
}

TEST_F(ThreadCache, spillsTheOldestHalfWhenABinIsFull) {
  for (const unsigned c : {0U, 20U, class_count - 1}) {
    const unsigned room = detail::slots_kept(c);
    std::vector<std::uintptr_t> slots;
    while (slots.size() < 3 * room) {
      std::uintptr_t some[64];
      const unsigned got = slabs::take(c, some, std::min(room, 64U));
      slots.insert(slots.end(), some, some + got);
    }
    std::size_t given = 0;
    for (; given < room; ++given) cache().give_slot(c, slots[given]);
    EXPECT_EQ(cache().cached_slots(c), room);
    cache().give_slot(c, slots[given++]);
    EXPECT_EQ(cache().cached_slots(c), room - room / 2 + 1);
    // The newest come out first.
    for (std::size_t i = given; i-- > given - 3;) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(allocate(slot_size(c))), slots[i]);
    }
    for (std::size_t i = given - 3; i < given; ++i) {
      free(reinterpret_cast<void*>(slots[i]), slot_size(c));
    }
    for (std::size_t i = given; i < slots.size(); ++i) cache().give_slot(c, slots[i]);
    EXPECT_LE(cache().cached_slots(c), room);
    EXPECT_EQ(verify(), "");
  }
}

TEST_F(ThreadCache, findsARangeAgainThatWasFreedWhole) {
  for (const std::size_t n : {1U, 2U, 3U, 7U, 16U, 25U, 100U, 256U}) {
    const unsigned order = base::ceil_log2(n);
    const page_index page = cache().take_pages(n, order);
    ASSERT_NE(page, page_heap::no_page);
    cache().give_pages(page, n);
    EXPECT_EQ(cache().cached_pages(), n);
    void* const again = allocate(n * page_size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(again), tables.address_of(page)) << n << " pages";
    EXPECT_EQ(cache().cached_pages(), 0U);
    free(again, n * page_size);
    purge();
  }
}

TEST_F(ThreadCache, joinsHalvesInBothOrdersWithoutAnArena) {
  constexpr std::size_t bytes = 64_KiB;
  auto* const p = static_cast<std::byte*>(allocate(bytes));
  const std::uint64_t calls = stats().system_calls;
  const std::size_t free_in_arenas = stats().free;
  for (std::size_t round = 0; round < 100; ++round) {
    free(p + (round % 2) * bytes / 2, bytes / 2);
    free(p + (1 - round % 2) * bytes / 2, bytes / 2);
    ASSERT_EQ(allocate(bytes), p);
    ASSERT_EQ(stats().free, free_in_arenas);
  }
  EXPECT_EQ(stats().system_calls, calls);
  free(p, bytes);
}

TEST_F(ThreadCache, joinsPageByPageInAnyDirection) {
  constexpr std::size_t pages = 16;
  for (const bool upwards : {true, false}) {
    auto* const p = static_cast<std::byte*>(allocate(pages * page_size));
    for (std::size_t i = 0; i < pages; ++i) {
      free(p + (upwards ? i : pages - 1 - i) * page_size, page_size);
    }
    EXPECT_EQ(cache().cached_pages(), pages);
    void* const again = allocate(pages * page_size);
    EXPECT_EQ(again, p);
    free(again, pages * page_size);
    purge();
  }
}

struct extent {
  page_index page;
  std::uint32_t n;
};

// M2, and that no page is given twice or lost, for random ranges.
TEST_F(ThreadCache, takesTheRangeFreedLastAndTheFreePagesBehindIt) {
  const page_index page = cache().take_pages(64, 6);
  // The front is kept, the rest is freed as a program that cuts in halves does.
  cache().give_pages(page + 32, 32);
  cache().give_pages(page + 16, 16);
  cache().give_pages(page + 8, 8);
  const std::size_t held = page_heap::held();
  EXPECT_EQ(cache().take_pages(64, 6, true), page + 8);
  EXPECT_EQ(page_heap::held(), held + 8 * page_size) << "the rest was there";
  EXPECT_EQ(cache().cached_pages(), 0U);
  cache().give_pages(page + 8, 64);
  cache().give_pages(page, 8);
}

TEST_F(ThreadCache, takesOtherPagesIfThoseBehindTheRangeFreedLastAreInUse) {
  const page_index page = cache().take_pages(64, 6);
  ASSERT_TRUE(page_heap::claim(page + 64, 1));
  cache().give_pages(page + 16, 48);
  const page_index other = cache().take_pages(64, 6, true);
  EXPECT_EQ(other % 64, 0U);
  EXPECT_EQ(cache().cached_pages(), 48U) << "they wait for a smaller request";
  cache().give_pages(other, 64);
  cache().give_pages(page, 16);
  cache().give_pages(page + 64, 1);
}

TEST_F(ThreadCache, doesNotMakeARangeLongerThatIsLessThanHalf) {
  const page_index page = cache().take_pages(64, 6);
  cache().give_pages(page + 40, 24);
  const page_index other = cache().take_pages(64, 6, true);
  EXPECT_EQ(other % 64, 0U);
  cache().give_pages(other, 64);
  cache().give_pages(page, 40);
}

TEST_F(ThreadCache, keepsAlignmentsAboveAPage) {
  const page_index page = cache().take_pages(64, 6);
  cache().give_pages(page + 8, 56);
  const page_index other = cache().take_pages(64, 6);
  EXPECT_EQ(other % 64, 0U);
  cache().give_pages(other, 64);
  cache().give_pages(page, 8);
}

TEST_F(ThreadCache, keepsItsInvariantsForRangesOfAnySizeAndPlace) {
  std::mt19937_64 random(test::seed());
  // Pages count from their arena's first use on.
  free(allocate(page_size), page_size);
  std::vector<extent> held;
  std::size_t held_pages = 0;
  std::vector<bool> is_held(tables.pages, false);
  for (int step = 0; step < test::by_build(6000, 1500); ++step) {
    if (random() % 2 == 0 && held_pages < 1000) {
      const std::size_t n = 1 + random() % (std::size_t{1} << random() % 10);
      const unsigned order = base::ceil_log2(n) + static_cast<unsigned>(random() % 2);
      const page_index page = cache().take_pages(n, order);
      if (page == page_heap::no_page) continue;
      ASSERT_EQ(page & ((1U << order) - 1), 0U);
      for (std::size_t p = page; p < page + n; ++p) {
        ASSERT_FALSE(is_held[p]);
        is_held[p] = true;
      }
      held.push_back({page, static_cast<std::uint32_t>(n)});
      held_pages += n;
    } else if (!held.empty()) {
      std::swap(held[random() % held.size()], held.back());
      extent& last = held.back();
      const auto part =
          static_cast<std::uint32_t>(random() % 3 == 0 ? 1 + random() % last.n : last.n);
      const bool left = random() % 2 == 0;
      const extent piece{left ? last.page : last.page + last.n - part, part};
      for (std::size_t p = piece.page; p < piece.page + piece.n; ++p) is_held[p] = false;
      cache().give_pages(piece.page, piece.n);
      held_pages -= part;
      if (left) last.page += part;
      last.n -= part;
      if (last.n == 0) held.pop_back();
    }
    const statistics now = stats();
    ASSERT_EQ(now.free + now.cached + held_pages * page_size, now.reserved) << "in step " << step;
  }
  for (const extent range : held) cache().give_pages(range.page, range.n);
}

TEST_F(ThreadCache, keepsAtMostAFewMegabytes) {
  std::vector<void*> runs;
  for (int i = 0; i < 40; ++i) {
    for (std::size_t bytes = page_size; bytes <= 64_KiB; bytes *= 2) {
      if (void* const p = try_allocate(bytes)) {
        runs.push_back(p);
        free(static_cast<std::byte*>(p) + bytes - page_size, page_size);
        if (bytes > page_size) free(p, bytes - page_size);
      }
    }
  }
  EXPECT_LE(cache().cached_pages() * page_size, std::size_t{7} << 20);
  cache().flush();
  EXPECT_EQ(cache().cached_pages(), 0U);
  for (unsigned c = 0; c < class_count; ++c) EXPECT_EQ(cache().cached_slots(c), 0U);
}

TEST_F(ThreadCache, ofAnEndedThreadIsTheNextOnes) {
  std::set<thread_cache*> seen;
  for (int i = 0; i < 20; ++i) {
    std::thread([&seen] {
      free(allocate(100), 100);
      seen.insert(this_cache);
      // It was emptied and begins anew.
      EXPECT_EQ(this_cache->tallies.allocations.get(), 1U);
    }).join();
  }
  EXPECT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen.count(this_cache), 0U);
}

TEST_F(ThreadCache, ofAnEndedThreadIsStillCounted) {
  const statistics before = stats();
  std::thread([] {
    void* const p = allocate(1000);
    ASSERT_TRUE(extend(p, 1000, 1001));
    free(p, 1001);
    free(allocate(5000), 5000);
  }).join();
  const statistics after = stats();
  EXPECT_EQ(after.allocations, before.allocations + 2);
  EXPECT_EQ(after.extensions, before.extensions + 1);
  EXPECT_EQ(after.frees, before.frees + 2);
  EXPECT_EQ(after.live, before.live);
}

TEST_F(ThreadCache, thatIsMissingGoesToTheCentralLists) {
  std::uintptr_t slot = no_cache.refill(3);
  ASSERT_NE(slot, 0U);
  EXPECT_EQ(no_cache.cached_slots(3), 0U);
  no_cache.give_slot(3, slot);
  EXPECT_EQ(no_cache.cached_slots(3), 0U);
  const page_index page = no_cache.take_pages(5, 3);
  ASSERT_NE(page, page_heap::no_page);
  no_cache.give_pages(page, 5);
  EXPECT_EQ(no_cache.cached_pages(), 0U);
  const std::size_t live = live_bytes();
  no_cache.count_allocation(100);
  EXPECT_EQ(live_bytes(), live + 100);
  no_cache.count_frees(100, 1);
  EXPECT_EQ(live_bytes(), live);
}

TEST_F(ThreadCache, isNotMadeForAThreadThatOnlyAsks) {
  std::thread([] {
    (void)live_bytes();
    (void)contains(nullptr);
    free(nullptr, 0);
    EXPECT_EQ(this_cache, &no_cache);
  }).join();
}

}  // namespace
}  // namespace cleave::heap
