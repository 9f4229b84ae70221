// arena_test.cpp -- the buddy system against one flag per page.
#include "heap/arena.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <new>
#include <random>
#include <vector>

#include "base/bits.hpp"
#include "support/environment.hpp"

namespace cleave::heap {
namespace {

// An arena on zeroed memory, as the tables give it.
class Arena : public testing::Test {
 protected:
  Arena() {
    place_ =
        ::mmap(nullptr, sizeof(arena), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place_ == MAP_FAILED) throw std::bad_alloc();
    a_ = new (place_) arena;
  }
  ~Arena() override {
    guard_ = {};
    ::munmap(place_, sizeof(arena));
  }

  arena& opened(std::size_t pages) {
    a_->open(pages, {});
    guard_ = std::unique_lock(a_->lock);
    return *a_;
  }
  // With memory behind all pages, so that they may be in use in peace.
  arena& opened_and_backed(std::size_t pages) {
    arena& a = opened(pages);
    a.mark_accessible({0, base::align_up(pages, std::size_t{1} << commit_order)});
    EXPECT_TRUE(a.claim(0, pages));
    a.mark_backed(0, pages);
    a.give(0, pages);
    return a;
  }
  void TearDown() override { EXPECT_STREQ(a_->check(), nullptr); }

 private:
  void* place_ = nullptr;
  arena* a_ = nullptr;
  std::unique_lock<ranked_lock> guard_;
};

TEST_F(Arena, takesALargerBlockWhoseMemoryIsThereRatherThanTheSmallestWithout) {
  arena& a = opened(256);
  a.mark_accessible({0, base::align_up(std::size_t{256}, std::size_t{1} << commit_order)});
  // Free are 16 pages without memory, and behind them 64 with it.
  ASSERT_TRUE(a.claim(0, 256));
  a.mark_backed(64, 64);
  a.give(16, 16);
  a.give(64, 64);
  EXPECT_EQ(a.take(8, 3), 64U);
  // Of each order only the first block is looked at.
  EXPECT_EQ(a.take(16, 4), 96U);
  // Where no block has all of the memory, the smallest is as good.
  ASSERT_TRUE(a.claim(72, 24));
  ASSERT_TRUE(a.claim(112, 16));
  EXPECT_EQ(a.take(8, 3), 16U);
  ASSERT_TRUE(a.claim(24, 8));
  a.mark_backed(0, 256);
  a.give(0, 256);
}

TEST_F(Arena, beginsAsOneFreeBlock) {
  const arena& a = opened(arena_pages);
  EXPECT_EQ(a.free_pages(), arena_pages);
  EXPECT_EQ(a.pages(), arena_pages);
  EXPECT_EQ(a.free_blocks(arena_order), 1U);
  EXPECT_TRUE(a.wholly_free());
  EXPECT_TRUE(a.may_have(arena_order));
  EXPECT_EQ(a.backed_pages(), 0U);
}

TEST_F(Arena, ofAnUnevenNumberOfPagesBeginsAsItsBinaryDigits) {
  const arena& a = opened(1024 + 64 + 4 + 1);
  for (unsigned k = 0; k < orders; ++k) {
    EXPECT_EQ(a.free_blocks(k), k == 10 || k == 6 || k == 2 || k == 0 ? 1U : 0U) << "order " << k;
  }
  EXPECT_FALSE(a.may_have(11));
}

TEST_F(Arena, takesTheFullestFitAndThenTheLowestAddress) {
  arena& a = opened(1024);
  ASSERT_EQ(a.take(1024, 10), 0U);
  a.give(512, 16);
  a.give(128, 16);
  a.give(64, 8);
  EXPECT_EQ(a.take(8, 3), 64U) << "a block of just that size, although a larger one lies lower";
  EXPECT_EQ(a.take(8, 3), 128U);
  EXPECT_EQ(a.take(16, 4), 512U);
  EXPECT_EQ(a.take(16, 4), arena::none);
  EXPECT_EQ(a.take(8, 3), 136U);
  EXPECT_FALSE(a.may_have(0));
  a.give(0, 1024);
}

TEST_F(Arena, leavesTheTailOfABlockFreeToTheLastPage) {
  arena& a = opened(64);
  EXPECT_EQ(a.take(25, 5), 0U);
  EXPECT_EQ(a.free_pages(), 64U - 25U);
  for (std::size_t p = 0; p < 64; ++p) EXPECT_EQ(a.is_free(p), p >= 25) << p;
  EXPECT_EQ(a.take(4, 2), 28U);
  EXPECT_EQ(a.take(3, 2), 32U) << "25 to 27 have no place for four";
  EXPECT_EQ(a.take(1, 0), 25U);
  a.give(25, 1);
  a.give(28, 7);
  a.give(0, 25);
  EXPECT_EQ(a.free_blocks(6), 1U);
}

TEST_F(Arena, mergesPiecesOfAnySizeInAnyOrder) {
  std::mt19937_64 random(test::seed());
  arena& a = opened(4096);
  for (int round = 0; round < 20; ++round) {
    const std::size_t n = 1 + random() % 4096;
    ASSERT_EQ(a.take(n, base::ceil_log2(n)), 0U);
    std::vector<std::size_t> cuts{0, n};
    for (std::size_t i = 0; i < 1 + random() % 40; ++i) cuts.push_back(random() % n);
    std::sort(cuts.begin(), cuts.end());
    std::vector<arena::range> pieces;
    for (std::size_t i = 1; i < cuts.size(); ++i) {
      if (cuts[i] > cuts[i - 1]) pieces.push_back({cuts[i - 1], cuts[i] - cuts[i - 1]});
    }
    std::shuffle(pieces.begin(), pieces.end(), random);
    for (const arena::range piece : pieces) a.give(piece.page, piece.n);
    ASSERT_EQ(a.free_blocks(12), 1U) << "after " << pieces.size() << " pieces of " << n;
    ASSERT_STREQ(a.check(), nullptr);
  }
}

TEST_F(Arena, claimsExactlyWhatIsFreeOrNothing) {
  arena& a = opened_and_backed(1000);
  ASSERT_TRUE(a.claim(100, 57));
  EXPECT_EQ(a.free_pages(), 1000U - 57U);
  ASSERT_STREQ(a.check(), nullptr);
  for (std::size_t p = 0; p < 1000; ++p) ASSERT_EQ(a.is_free(p), p < 100 || p >= 157) << p;
  EXPECT_FALSE(a.claim(156, 1));
  EXPECT_FALSE(a.claim(157, 900)) << "beyond the end";
  EXPECT_FALSE(a.claim(0, 101)) << "the last page is in use";
  EXPECT_EQ(a.free_pages(), 1000U - 57U);
  EXPECT_TRUE(a.claim(157, 843)) << "to the very end";
  EXPECT_TRUE(a.claim(0, 100));
  EXPECT_EQ(a.free_pages(), 0U);
  EXPECT_FALSE(a.claim(999, 1));
  a.give(0, 1000);
  EXPECT_TRUE(a.wholly_free());
}

// A free range is found exactly if the buddies are merged as far as they go.
std::size_t lowest_fit(const std::vector<bool>& is_free, unsigned order) {
  const std::size_t size = std::size_t{1} << order;
  for (std::size_t p = 0; p + size <= is_free.size(); p += size) {
    const auto begin = is_free.begin() + static_cast<std::ptrdiff_t>(p);
    if (std::all_of(begin, begin + static_cast<std::ptrdiff_t>(size), [](bool b) { return b; })) {
      return p;
    }
  }
  return arena::none;
}

TEST_F(Arena, agreesWithOneFlagPerPage) {
  std::mt19937_64 random(test::seed());
  constexpr std::size_t pages = 700;
  arena& a = opened_and_backed(pages);
  std::vector<bool> is_free(pages, true);
  const auto mark = [&is_free](std::size_t page, std::size_t n, bool value) {
    for (std::size_t p = page; p < page + n; ++p) {
      ASSERT_NE(is_free[p], value) << "page " << p;
      is_free[p] = value;
    }
  };
  std::vector<arena::range> held;
  for (int step = 0; step < 4000; ++step) {
    const std::size_t n = std::size_t{1} + random() % (std::size_t{1} << random() % 8);
    switch (random() % 4) {
      case 0: {
        const unsigned order = base::ceil_log2(n) + static_cast<unsigned>(random() % 2);
        const std::size_t page = a.take(n, order);
        ASSERT_EQ(page == arena::none, lowest_fit(is_free, order) == arena::none) << step;
        if (page == arena::none) break;
        ASSERT_EQ(page % (std::size_t{1} << order), 0U);
        mark(page, n, false);
        held.push_back({page, n});
        break;
      }
      case 1: {
        const std::size_t page = random() % pages;
        const std::size_t end = std::min(page + n, pages);
        bool whole = page + n <= pages;
        for (std::size_t p = page; p < end; ++p) whole = whole && is_free[p];
        ASSERT_EQ(a.claim(page, n), whole) << step;
        if (!whole) break;
        mark(page, n, false);
        held.push_back({page, n});
        break;
      }
      default: {
        if (held.empty()) break;
        std::swap(held[random() % held.size()], held.back());
        arena::range& last = held.back();
        // Often a piece only, from either end.
        const std::size_t part = random() % 2 == 0 ? last.n : 1 + random() % last.n;
        const bool left = random() % 2 == 0;
        const arena::range piece{left ? last.page : last.page + last.n - part, part};
        a.give(piece.page, piece.n);
        mark(piece.page, piece.n, true);
        if (left) last.page += part;
        last.n -= part;
        if (last.n == 0) held.pop_back();
      }
    }
    ASSERT_EQ(a.free_pages(),
              static_cast<std::size_t>(std::count(is_free.begin(), is_free.end(), true)));
    if (step % 100 == 0) {
      ASSERT_STREQ(a.check(), nullptr) << step;
    }
  }
  for (const arena::range& last : held) a.give(last.page, last.n);
  EXPECT_TRUE(a.wholly_free());
}

TEST_F(Arena, countsBackedPagesOnce) {
  arena& a = opened(arena_pages);
  a.mark_accessible({0, arena_pages});
  // Only who has taken pages out changes what they are.
  ASSERT_TRUE(a.claim(0, arena_pages));
  EXPECT_EQ(a.unbacked_in(10, 100), 100U);
  a.mark_backed(10, 100);
  a.mark_backed(50, 100);
  EXPECT_EQ(a.backed_pages(), 140U);
  EXPECT_EQ(a.unbacked_in(0, 200), 60U);
  EXPECT_EQ(a.clear_backed(0, 20), 10U);
  EXPECT_EQ(a.backed_pages(), 130U);
  // Ranges that lie over whole words of whole words, with one hole.
  a.mark_backed(0, arena_pages);
  EXPECT_EQ(a.unbacked_in(0, arena_pages), 0U);
  EXPECT_EQ(a.clear_backed(70'000, 1), 1U);
  EXPECT_EQ(a.unbacked_in(0, arena_pages), 1U);
  EXPECT_EQ(a.unbacked_in(0, 70'000), 0U);
  EXPECT_EQ(a.unbacked_in(69'999, 2), 1U);
  EXPECT_EQ(a.unbacked_in(70'001, arena_pages - 70'001), 0U);
  EXPECT_EQ(a.clear_backed(0, arena_pages), arena_pages - 1);
  EXPECT_EQ(a.backed_pages(), 0U);
  a.give(0, arena_pages);
}

TEST_F(Arena, knowsWhatIsIdle) {
  arena& a = opened(4096);
  a.mark_accessible({0, 4096});
  const std::size_t page = a.take(100, 7);
  a.mark_backed(page, 100);
  EXPECT_EQ(a.idle_pages(), 0U);
  a.give(page, 40);
  EXPECT_EQ(a.idle_pages(), 40U);
  a.give(page + 40, 60);
  EXPECT_EQ(a.idle_pages(), 100U);
  ASSERT_TRUE(a.claim(page + 20, 15));
  EXPECT_EQ(a.idle_pages(), 85U);
  a.clear_backed(page + 20, 10);
  a.give(page + 20, 15);
  EXPECT_EQ(a.idle_pages(), 90U);
  // Of a block in transit nothing is idle.
  arena::cursor at;
  arena::range block;
  while (a.take_idle(at, false, block)) {
    a.clear_backed(block.page, block.n);
    a.put_back(block);
  }
  EXPECT_EQ(a.idle_pages(), 0U);
}

TEST_F(Arena, isMadeAccessibleInSteps) {
  constexpr std::size_t step = std::size_t{1} << commit_order;
  arena& a = opened(10 * step);
  const auto expect = [](arena::range r, std::size_t page, std::size_t n) {
    EXPECT_EQ(r.page, page);
    EXPECT_EQ(r.n, n);
  };
  expect(a.inaccessible_in(5, 1), 0, step);
  expect(a.inaccessible_in(step - 1, 2), 0, 2 * step);
  EXPECT_EQ(a.mark_accessible({2 * step, 2 * step}), 2 * step);
  EXPECT_EQ(a.mark_accessible({step, 4 * step}), 2 * step) << "two of four were so already";
  expect(a.inaccessible_in(step, 4 * step), 0, 0);
  expect(a.inaccessible_in(0, 5 * step), 0, step);
  expect(a.inaccessible_in(4 * step, 3 * step + 1), 5 * step, 3 * step);
  // One step, and none, that is not accessible, with others at both sides.
  a.mark_accessible({6 * step, step});
  expect(a.inaccessible_in(2 * step, 6 * step), 5 * step, 3 * step);
  // Room ends at the end of the arena, at accessible pages, and with what is asked for.
  expect(a.with_room({7 * step, step}, 100 * step), 7 * step, 3 * step);
  expect(a.with_room({7 * step, step}, step), 7 * step, 2 * step);
  expect(a.with_room({7 * step, step}, step - 1), 7 * step, step);
  expect(a.with_room({5 * step, step}, 3 * step), 5 * step, step);
}

TEST_F(Arena, givesOutIdleBlocksLargestFirstWithExactlyTheirBackedParts) {
  arena& a = opened(4096);
  a.mark_accessible({0, 4096});
  ASSERT_EQ(a.take(4096, 12), 0U);
  a.mark_backed(0, 4096);
  // Holes at the begin, inside a word, over a border of words, and at the end.
  a.clear_backed(256, 3);
  a.clear_backed(270, 2);
  a.clear_backed(318, 5);
  a.clear_backed(511, 1);
  a.give(0, 8);
  a.give(256, 256);
  a.give(1024, 64);
  arena::cursor at;
  arena::range block;
  ASSERT_TRUE(a.take_idle(at, false, block));
  EXPECT_EQ(block.page, 256U);
  EXPECT_EQ(block.n, 256U);
  EXPECT_FALSE(a.is_free(300)) << "it is in transit";
  std::vector<bool> idle(512, false);
  for (arena::range part = a.idle_part(block, block.page, false); part.n > 0;
       part = a.idle_part(block, part.page + part.n, false)) {
    for (std::size_t p = part.page; p < part.page + part.n; ++p) idle[p] = true;
  }
  for (std::size_t p = 256; p < 512; ++p) {
    const bool hole = p < 259 || p == 270 || p == 271 || (p >= 318 && p < 323) || p == 511;
    EXPECT_EQ(idle[p], !hole) << p;
  }
  a.put_back(block);
  ASSERT_TRUE(a.take_idle(at, false, block));
  EXPECT_EQ(block.page, 1024U);
  a.clear_backed(1024, 64);
  a.put_back(block);
  ASSERT_TRUE(a.take_idle(at, false, block));
  EXPECT_EQ(block.page, 0U);
  EXPECT_EQ(a.idle_part(block, 0, false).n, 8U);
  a.put_back(block);
  EXPECT_FALSE(a.take_idle(at, false, block));
}

TEST_F(Arena, givesOutEachIdleBlockOnceAlsoTheLastOfItsOrder) {
  arena& a = opened(arena_pages);
  a.mark_accessible({0, arena_pages});
  for (unsigned order = 1; order + 3 <= arena_order; ++order) {
    const std::size_t n = std::size_t{1} << order;
    ASSERT_EQ(a.take(arena_pages, arena_order), 0U);
    a.mark_backed(0, arena_pages);
    // The last block of the order, a block of the next order, and a single page.
    a.give(arena_pages - n, n);
    a.give(4 * n, 2 * n);
    a.give(1, 1);
    std::size_t found = 0;
    arena::cursor at;
    for (arena::range block; a.take_idle(at, false, block); a.put_back(block)) {
      ASSERT_LE(block.page + block.n, arena_pages) << "order " << order;
      found += block.n;
      ASSERT_LE(found, 3 * n + 1);
    }
    EXPECT_EQ(found, 3 * n + 1) << "order " << order;
    ASSERT_STREQ(a.check(), nullptr);
    a.give(0, 1);
    a.give(2, 4 * n - 2);
    a.give(6 * n, arena_pages - 7 * n);
    ASSERT_TRUE(a.wholly_free()) << "order " << order;
  }
}

TEST_F(Arena, keepsWhatWasFreedSinceTheAgesWereForgotten) {
  constexpr std::size_t chunk = std::size_t{1} << chunk_order;
  arena& a = opened(4096);
  a.mark_accessible({0, 4096});
  ASSERT_EQ(a.take(4096, 12), 0U);
  a.mark_backed(0, 4096);
  a.give(0, 1024);
  arena::cursor at;
  arena::range block;
  EXPECT_FALSE(a.take_idle(at, true, block)) << "all of it is recent";
  a.forget_ages();
  // Less than a chunk does not go back by age.
  a.give(2048, chunk / 2);
  a.forget_ages();
  at = {};
  ASSERT_TRUE(a.take_idle(at, true, block));
  EXPECT_EQ(block.page, 0U);
  EXPECT_EQ(block.n, 1024U);
  a.put_back(block);
  ASSERT_FALSE(a.take_idle(at, true, block));
  // One page in the middle of a chunk is used once more, and makes the chunk recent.
  ASSERT_TRUE(a.claim(5 * chunk + 3, 1));
  a.give(5 * chunk + 3, 1);
  at = {};
  ASSERT_TRUE(a.take_idle(at, true, block));
  const arena::range before = a.idle_part(block, 0, true);
  EXPECT_EQ(before.page, 0U);
  EXPECT_EQ(before.n, 5 * chunk);
  const arena::range behind = a.idle_part(block, before.n, true);
  EXPECT_EQ(behind.page, 6 * chunk);
  EXPECT_EQ(behind.n, 1024 - 6 * chunk);
  // To put it back makes nothing recent.
  a.put_back(block);
  at = {};
  ASSERT_TRUE(a.take_idle(at, true, block));
  EXPECT_EQ(a.idle_part(block, 0, true).n, 5 * chunk);
  a.put_back(block);
}

TEST_F(Arena, countsItsChanges) {
  arena& a = opened(64);
  int hits = 0;
  for (int i = 0; i < 640; ++i) hits += a.every_64th() ? 1 : 0;
  EXPECT_EQ(hits, 10);
}

}  // namespace
}  // namespace cleave::heap
