// tables_test.cpp -- the reservation, its tables and their pool, each in a set of its own.
#include "heap/tables.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <latch>
#include <random>
#include <thread>
#include <vector>

#include "heap/arena.hpp"
#include "heap/slab.hpp"
#include "heap/thread_cache.hpp"
#include "os/memory.hpp"
#include "support/environment.hpp"
#include "support/memory.hpp"

namespace cleave::heap {
namespace {

using test::operator""_MiB;
using test::operator""_GiB;

constexpr std::size_t commit_bytes = page_size << commit_order;

TEST(Tables, holdNothingBeforeTheyAreStarted) {
  const table_set t;
  EXPECT_FALSE(t.holds(0));
  EXPECT_FALSE(t.holds(4096));
  EXPECT_FALSE(t.holds(UINTPTR_MAX));
}

TEST(Tables, holdExactlyTheReservation) {
  for (const std::size_t bytes :
       {commit_bytes, 100_MiB, 1_GiB, test::wide_addresses ? 5_GiB + 12_MiB : 512_MiB}) {
    table_set t;
    ASSERT_TRUE(t.start(bytes));
    EXPECT_EQ(t.pages << page_bits, bytes);
    EXPECT_EQ(t.arenas, (bytes + arena_size - 1) / arena_size);
    EXPECT_EQ(t.base % std::min(std::bit_floor(bytes), arena_size), 0U)
        << "blocks must be aligned to their size";
    EXPECT_FALSE(t.holds(t.base - 1));
    EXPECT_TRUE(t.holds(t.base));
    EXPECT_TRUE(t.holds(t.base + bytes - 1));
    EXPECT_FALSE(t.holds(t.base + bytes));
    EXPECT_FALSE(t.holds(0));
    EXPECT_EQ(t.page_of(t.base + 4095), 0U);
    EXPECT_EQ(t.page_of(t.base + bytes - 1), t.pages - 1);
    EXPECT_EQ(t.address_of(static_cast<page_index>(t.pages - 1)), t.base + bytes - page_size);
  }
}

TEST(Tables, areRoundedToStepsOfAccess) {
  table_set t;
  ASSERT_TRUE(t.start(10 * commit_bytes - 1));
  EXPECT_EQ(t.pages << page_bits, 9 * commit_bytes);
}

TEST(Tables, ofNoBytesAreRefused) {
  table_set t;
  EXPECT_FALSE(t.start(0));
  EXPECT_EQ(t.pages, 0U);
}

TEST(Tables, areNoLargerThanPageNumbersAndOffsetsReach) {
  table_set t;
  ASSERT_TRUE(t.start(SIZE_MAX));
  EXPECT_LE(t.arenas, most_arenas);
  EXPECT_LT(t.pages - 1, std::size_t{UINT32_MAX});
}

TEST(Tables, ofAnArenaAreZeroAndApartFromThoseOfTheNext) {
  if (!test::wide_addresses) GTEST_SKIP() << test::needs_wide_addresses;
  table_set t;
  ASSERT_TRUE(t.start(3_GiB));
  const std::size_t committed = t.commit_arena(1);
  EXPECT_GT(committed, 3 * arena_pages) << "three bytes a page, and the arena";
  const std::size_t first = arena_pages;
  for (std::size_t p = first; p < first + arena_pages; p += 511) {
    ASSERT_EQ(t.kind[p], 0);
    ASSERT_EQ(t.dead[p].load(), 0);
  }
  std::memset(t.kind + first, 0xFF, arena_pages);
  for (std::size_t p = first; p < first + arena_pages; ++p) t.dead[p].store(0xFFFF);
  std::fill_n(t.slab_at + (first >> slab_order), arena_pages >> slab_order, UINT32_MAX);
  for (std::size_t s = first; s < first + arena_pages; s += slab_pages) {
    t.mark_slab(static_cast<page_index>(s), true);
  }
  std::memset(static_cast<void*>(t.arena_at + 1), 0xFF, sizeof(arena));
  for (const std::size_t other : {std::size_t{0}, std::size_t{2}}) {
    ASSERT_GT(t.commit_arena(other), 0U);
    const std::size_t begin = other * arena_pages;
    const auto is_zero = [](const auto& value) { return value == 0; };
    EXPECT_TRUE(std::all_of(t.kind + begin, t.kind + begin + arena_pages, is_zero));
    EXPECT_TRUE(std::all_of(t.dead + begin, t.dead + begin + arena_pages, is_zero));
    EXPECT_TRUE(std::all_of(t.slab_at + (begin >> slab_order),
                            t.slab_at + ((begin + arena_pages) >> slab_order), is_zero));
    EXPECT_EQ(t.pages_before_slab(static_cast<page_index>(begin), arena_pages), arena_pages);
    const auto* const bytes = reinterpret_cast<const unsigned char*>(t.arena_at + other);
    EXPECT_TRUE(std::all_of(bytes, bytes + sizeof(arena), is_zero));
  }
  EXPECT_EQ(t.accessible_bytes(), 0U) << "counted by who opens the arena";
  t.count_accessible(committed);
  EXPECT_EQ(t.accessible_bytes(), committed);
}

TEST(Tables, countThePagesBeforeTheNextSlab) {
  std::mt19937_64 random(test::seed());
  table_set t;
  ASSERT_TRUE(t.start(1_GiB));
  ASSERT_GT(t.commit_arena(0), 0U);
  constexpr std::size_t slabs = 300;
  constexpr std::size_t pages = slabs * slab_pages;
  std::vector<bool> is_slab(slabs, false);
  // From no slabs to many, so that both long and short stretches come up.
  for (int round = 0; round < 60; ++round) {
    const std::size_t s = random() % slabs;
    is_slab[s] = !is_slab[s] || round > 30;
    t.mark_slab(static_cast<page_index>(s * slab_pages), is_slab[s]);
    for (int i = 0; i < 500; ++i) {
      const std::size_t page = random() % pages;
      const std::size_t n = 1 + random() % (pages - page);
      std::size_t expected = 0;
      while (expected < n && !is_slab[(page + expected) / slab_pages]) ++expected;
      ASSERT_EQ(t.pages_before_slab(static_cast<page_index>(page), n), expected)
          << n << " pages from " << page;
    }
  }
}

// Far apart: whole words without slabs lie between, and groups of such words.
TEST(Tables, findSlabsBehindLongStretchesWithout) {
  table_set t;
  ASSERT_TRUE(t.start(test::wide_addresses ? 3_GiB : 512_MiB));
  for (std::size_t a = 0; a < t.arenas; ++a) ASSERT_GT(t.commit_arena(a), 0U);
  const std::size_t last = (t.pages >> slab_order) - 1;
  for (const std::size_t slab :
       {std::size_t{0}, std::size_t{63}, std::size_t{64}, last / 2, last}) {
    const auto page = static_cast<page_index>(slab * slab_pages);
    EXPECT_EQ(t.pages_before_slab(0, t.pages), t.pages);
    t.mark_slab(page, true);
    EXPECT_EQ(t.pages_before_slab(0, t.pages), page);
    EXPECT_EQ(t.pages_before_slab(0, page + 1), page);
    if (page > 0) {
      EXPECT_EQ(t.pages_before_slab(0, page), page) << "it lies behind them";
    }
    if (slab < last) {
      EXPECT_FALSE(t.slab_in(page + slab_pages, t.pages - page - slab_pages));
    }
    EXPECT_TRUE(t.slab_in(page, 1));
    t.mark_slab(page, false);
    EXPECT_FALSE(t.slab_in(0, t.pages));
  }
}

TEST(TablePool, givesZeroedMemoryAlignedTo64BytesAndNeverTwice) {
  table_set t;
  ASSERT_TRUE(t.start(64_MiB));
  constexpr std::size_t each = 300;
  std::vector<std::vector<unsigned char*>> given(3);
  std::latch begun(3);
  std::vector<std::thread> threads;
  for (std::size_t id = 0; id < given.size(); ++id) {
    threads.emplace_back([&t, &given, &begun, id] {
      begun.arrive_and_wait();
      for (std::size_t i = 0; i < each; ++i) {
        // From a line to more than a step of access.
        const std::size_t bytes = (i * 37 + id * 11) % 5000 + 1 + (i % 50 == 0 ? 70'000 : 0);
        auto* const p = static_cast<unsigned char*>(t.allocate(bytes));
        ASSERT_NE(p, nullptr);
        ASSERT_EQ(reinterpret_cast<std::uintptr_t>(p) % 64, 0U);
        for (std::size_t b = 0; b < bytes; ++b) ASSERT_EQ(p[b], 0);
        std::memset(p, static_cast<int>(id + 1), bytes);
        given[id].push_back(p);
      }
    });
  }
  for (std::thread& one : threads) one.join();
  for (std::size_t id = 0; id < given.size(); ++id) {
    for (std::size_t i = 0; i < each; ++i) {
      const std::size_t bytes = (i * 37 + id * 11) % 5000 + 1 + (i % 50 == 0 ? 70'000 : 0);
      for (std::size_t b = 0; b < bytes; ++b) ASSERT_EQ(given[id][i][b], id + 1);
    }
  }
}

TEST(TablePool, neverNamesOffsetZeroWhichMeansNoDescriptor) {
  table_set t;
  ASSERT_TRUE(t.start(commit_bytes));
  EXPECT_NE(reinterpret_cast<std::uintptr_t>(t.allocate(64)), t.pool);
}

TEST(TablePool, thatIsExhaustedIsAnAnswerAndTheNextCallWorks) {
  table_set t;
  ASSERT_TRUE(t.start(commit_bytes));
  std::size_t had = 0;
  while (t.allocate(1_MiB) != nullptr) ASSERT_LT(had += 1_MiB, 64_MiB);
  EXPECT_GE(had, 4_MiB) << "room for the caches of some hundred threads";
  while (t.allocate(64) != nullptr) ASSERT_LT(had += 64, 64_MiB);
  EXPECT_EQ(t.allocate(64), nullptr);
}

TEST(TablePool, isLargeEnoughForSlabsOfTheSmallestClassEverywhere) {
  table_set t;
  ASSERT_TRUE(t.start(64_MiB));
  for (std::size_t s = 0; s < 64_MiB / slab_size; ++s) {
    ASSERT_NE(t.allocate(slab::bytes(0)), nullptr) << "slab " << s;
  }
  EXPECT_NE(t.allocate(sizeof(thread_cache)), nullptr);
}

TEST(TablePool, liesWithinReachOfTheNamesOfDescriptors) {
  table_set t;
  ASSERT_TRUE(t.start(SIZE_MAX));
  // A descriptor is named by 32 bits, in units of 64 bytes.
  const std::size_t reach = std::size_t{1} << (test::wide_addresses ? 38 : 30);
  std::size_t had = 0;
  while (had < 2 * reach) {
    const std::size_t step = 1_GiB;
    // Address space only: what is not touched costs nothing.
    void* const p = t.allocate(step);
    if (p == nullptr) break;
    had += step;
    ASSERT_LE(reinterpret_cast<std::uintptr_t>(p) - t.pool, reach);
  }
}

// Limits end with the child.
TEST(Tables, takeAtMostHalfOfAnAddressSpaceLimit) {
  if (test::sanitized) GTEST_SKIP() << "SKIP: a sanitizer maps more than any limit allows";
  for (const std::size_t room : {32_MiB, 64_MiB, 256_MiB, 3_GiB}) {
    const pid_t child = ::fork();
    if (child == 0) {
      std::size_t mapped = 0;
      std::ifstream("/proc/self/statm") >> mapped;
      const rlimit limit{mapped * os::page_bytes() + room, RLIM_INFINITY};
      if (::setrlimit(RLIMIT_AS, &limit) != 0) ::_exit(9);
      table_set t;
      if (!t.start(SIZE_MAX)) ::_exit(1);
      const std::size_t bytes = t.pages << page_bits;
      if (bytes > room / 2) ::_exit(2);
      if (bytes < room / 8) ::_exit(3);
      // And the rest is left to the program.
      if (os::address_space_left() < room / 8) ::_exit(4);
      ::_exit(t.commit_arena(0) > 0 && t.allocate(100'000) != nullptr ? 0 : 5);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0) << room;
  }
}

}  // namespace
}  // namespace cleave::heap
