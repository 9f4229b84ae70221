// giving_test.cpp -- several ranges of pages that go back together.
#include <gtest/gtest.h>

#include <array>
#include <cleave/heap.hpp>
#include <cstddef>

#include "heap/arenas.hpp"
#include "heap/lock.hpp"
#include "heap/page_heap.hpp"
#include "support/fresh_heap.hpp"
#include "support/memory.hpp"
#include "support/whole_heap.hpp"

namespace cleave::heap::page_heap {
namespace {

using test::operator""_GiB;

// What one lock guards.
constexpr std::size_t a_gib = arena_pages;

std::size_t free_in(std::size_t a) {
  return arenas::opened(a)->free_pages();
}

TEST(Giving, freesEachOfItsRanges) {
  if (!test::start_heap({.reserve_bytes = 2_GiB})) GTEST_SKIP() << test::own_process;
  std::array<page_index, 5> ranges{};
  for (page_index& page : ranges) page = take(4, 2);
  const std::size_t before = free_in(0);
  {
    giving back;
    for (const page_index page : ranges) back.give(page, 4);
    EXPECT_EQ(free_in(0), before + 5 * 4);
  }
  EXPECT_TRUE(test::heap_is_whole());
}

#if defined(CLEAVE_CHECKED) && CLEAVE_CHECKED
TEST(Giving, holdsOneLockFromTheFirstSmallRangeOfAnArenaToTheLast) {
  if (!test::start_heap({.reserve_bytes = 2_GiB})) GTEST_SKIP() << test::own_process;
  const auto locks = [] { return lock_order::held[static_cast<std::size_t>(rank::arena)]; };
  const page_index first = take(4, 2);
  const page_index second = take(4, 2);
  const page_index large = take(2048, 11);
  {
    giving back;
    EXPECT_EQ(locks(), 0U);
    back.give(first, 4);
    EXPECT_EQ(locks(), 1U);
    back.give(second, 4);
    EXPECT_EQ(locks(), 1U);
    // It may meet the range that was freed last, which no lock guards.
    back.give(large, 2048);
    EXPECT_EQ(locks(), 0U);
  }
  EXPECT_EQ(locks(), 0U);
  EXPECT_TRUE(test::heap_is_whole());
}
#endif

TEST(Giving, goesFromArenaToArenaAndOverTheirBorder) {
  if (!test::wide_addresses) GTEST_SKIP() << test::needs_wide_addresses;
  if (!test::start_heap({.reserve_bytes = 3_GiB})) GTEST_SKIP() << test::own_process;
  const page_index all = take(3 * a_gib, 20);
  ASSERT_EQ(all, 0U);
  {
    giving back;
    back.give(0, 8);
    back.give(static_cast<page_index>(a_gib), 8);
    back.give(8, 8);
    // The end of one arena and the begin of the next.
    back.give(static_cast<page_index>(2 * a_gib - 4), 8);
  }
  EXPECT_EQ(free_in(0), 16U);
  EXPECT_EQ(free_in(1), 8U + 4U);
  EXPECT_EQ(free_in(2), 4U);
  give(16, a_gib - 16);
  give(static_cast<page_index>(a_gib + 8), a_gib - 12);
  give(static_cast<page_index>(2 * a_gib + 4), a_gib - 4);
  EXPECT_TRUE(test::heap_is_whole());
}

}  // namespace
}  // namespace cleave::heap::page_heap
