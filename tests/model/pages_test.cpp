// pages_test.cpp -- buddies that merge while others free and take, and pages out of sight.
#include <gtest/gtest.h>

#include "heap/page_heap.hpp"
#include "heap/transit.hpp"
#include "model/heap_scenario.hpp"

namespace cleave::model {
namespace {

using heap::arena_pages;
using heap::page_index;

constexpr std::size_t half = arena_pages / 2;
// Where there are too many orders to try all of them in a test.
constexpr std::size_t first_orders = 50'000;

void write_pages(page_index first, std::size_t n) {
  write({reinterpret_cast<std::byte*>(heap::tables.address_of(first)), n * page});
}

// Two threads free buddies, a third takes a block of both sizes.
scenario buddies() {
  scenario s = on_the_heap();
  static page_index first;
  s.prepare = [] {
    first = heap::page_heap::take(2, 1);
    expect(first != heap::page_heap::no_page, "no memory");
  };
  const auto give = [](page_index which) {
    write_pages(first + which, 1);
    heap::page_heap::give(first + which, 1);
  };
  s.threads = {[give] { give(0); }, [give] { give(1); },
               [] {
                 const page_index got = heap::page_heap::take(2, 1);
                 expect(got != heap::page_heap::no_page, "no memory");
                 write_pages(got, 2);
                 heap::page_heap::give(got, 2);
               }};
  return s;
}

TEST(Pages, thatAreBuddiesMergeInEveryOrderOfTheirFrees) {
  const outcome all = explore(buddies());
  EXPECT_FALSE(all.cut_short);
  EXPECT_GT(all.executions, 5U);
}

// Half of all pages is free and waits for a request of its size. One thread frees the other
// half, with which it is joined; one wants a half.
scenario wanted_while_joined() {
  scenario s = on_the_heap();
  static piece left;
  static piece right;
  static piece got;
  s.prepare = [] {
    left = allocate(half * page);
    right = allocate(half * page);
    expect(left.data != nullptr && right.data != nullptr, "no memory");
    heap::free(left.data, left.bytes);
  };
  s.threads = {[] { free_after_writing(right); },
               [] {
                 got = allocate(half * page);
                 expect(got.data != nullptr, "out of memory, and half of it was free");
                 write(got);
               }};
  s.finish = [] {
    heap::free(got.data, got.bytes);
    expect_whole();
  };
  return s;
}

TEST(Pages, thatAreFreeAreFoundWhileTheyAreJoinedWithOthers) {
  EXPECT_FALSE(explore(wanted_while_joined()).cut_short);
}

TEST(Pages, ofWhichPartIsTakenAreFoundByWhoWantsTheRest) {
  scenario s = on_the_heap();
  static piece got[2];
  s.prepare = [] {
    const piece all = allocate(arena_pages * page);
    expect(all.data != nullptr, "no memory");
    heap::free(all.data, all.bytes);
  };
  for (std::size_t t = 0; t < 2; ++t) {
    s.threads.emplace_back([t] {
      got[t] = allocate(half * page);
      expect(got[t].data != nullptr, "out of memory, and half of it was free");
      write(got[t]);
    });
  }
  s.finish = [] {
    for (const piece& each : got) heap::free(each.data, each.bytes);
    expect_whole();
  };
  EXPECT_FALSE(explore(s).cut_short);
}

scenario wanted_while_returned() {
  scenario s = on_the_heap();
  static piece got;
  s.prepare = [] {
    const piece all = allocate(arena_pages * page);
    heap::free(all.data, all.bytes);
  };
  s.threads = {[] { heap::page_heap::purge(); },
               [] {
                 got = allocate(arena_pages * page);
                 expect(got.data != nullptr, "out of memory, and all of it was free");
                 write(got);
               }};
  s.finish = [] {
    heap::free(got.data, got.bytes);
    expect_whole();
  };
  return s;
}

TEST(Pages, thatGoBackToTheSystemAreFoundMeanwhile) {
  explore(wanted_while_returned(), first_orders);
}

TEST(Pages, underALimitAreHeldByOneOfTwoThatWantThem) {
  scenario s = on_the_heap();
  static piece got[2];
  s.prepare = [] { heap::set_held_limit(3 * page); };
  for (std::size_t t = 0; t < 2; ++t) {
    s.threads.emplace_back([t] {
      got[t] = allocate(2 * page);
      if (got[t].data != nullptr) write(got[t]);
    });
  }
  s.finish = [] {
    expect((got[0].data != nullptr) != (got[1].data != nullptr), "the limit fits one of two");
    for (const piece& each : got) {
      if (each.data != nullptr) heap::free(each.data, each.bytes);
    }
    heap::set_held_limit(SIZE_MAX);
    expect_whole();
  };
  explore(s, first_orders);
}

// ---- The models can fail

TEST(PagesDeathTest, withoutLocksAreARace) {
  EXPECT_EXIT((planted.open_locks = true, explore(buddies())), testing::ExitedWithCode(3),
              "a race");
}

TEST(PagesDeathTest, handedOnWithoutOrderAreARace) {
  EXPECT_EXIT((planted.relaxed = true, explore(wanted_while_joined())), testing::ExitedWithCode(3),
              "model: ");
}

TEST(PagesDeathTest, outOfSightAndNotCountedAreOutOfMemory) {
  EXPECT_EXIT((planted.ignored = &heap::detail::traffic, explore(wanted_while_joined())),
              testing::ExitedWithCode(3), "half of it was free");
}

TEST(PagesDeathTest, thatGoBackAndAreNotCountedAreOutOfMemory) {
  EXPECT_EXIT((planted.ignored = &heap::detail::traffic, explore(wanted_while_returned())),
              testing::ExitedWithCode(3), "all of it was free");
}

}  // namespace
}  // namespace cleave::model
