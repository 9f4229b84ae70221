// shelves_test.cpp -- ranges that one thread puts on a shelf and others want, in every order.
#include "heap/shelves.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "heap/page_heap.hpp"
#include "heap/transit.hpp"
#include "model/heap_scenario.hpp"

namespace cleave::model {
namespace {

using heap::page_range;
namespace shelves = heap::shelves;

constexpr page_range nothing{};

void write_pages(const page_range& range) {
  write({reinterpret_cast<std::byte*>(heap::tables.address_of(range.page)), range.n * page});
}

page_range one_page() {
  const heap::page_index got = heap::page_heap::take(1, 0);
  expect(got != heap::page_heap::no_page, "no memory");
  return {got, 1};
}

// Executions begin alike: who finds a shelf empty takes its mark away.
void begin_without_marks() {
  for (unsigned k = 0; k < heap::cached_orders; ++k) {
    expect(shelves::take(k, 1).n == 0, "a purge has left a range");
  }
}

void give(page_range& range) {
  if (range.n != 0) heap::page_heap::give(range.page, range.n);
  range = nothing;
}

// Two threads each free a page, a third one takes what it finds.
scenario trade() {
  scenario s = on_the_heap();
  static page_range freed[2];
  static page_range got;
  s.prepare = [] {
    begin_without_marks();
    for (page_range& each : freed) each = one_page();
  };
  const auto put = [](page_range& mine) {
    write_pages(mine);
    if (shelves::put(0, &mine, 1) == 1) mine = nothing;
  };
  s.threads = {[put] { put(freed[0]); }, [put] { put(freed[1]); },
               [] {
                 got = shelves::take(0, 1);
                 if (got.n != 0) write_pages(got);
               }};
  // No purge before the end is looked at.
  s.tidy = [] { (void)heap::caches::of_this_thread(); };
  s.finish = [] {
    expect(freed[0].n + freed[1].n + got.n + shelves::pages() == 2, "a page is lost, or is twice");
    expect(shelves::empty() || shelves::stocked() == 1, "a range is on a shelf without a mark");
    for (page_range* const each : {&freed[0], &freed[1], &got}) give(*each);
    expect_whole();
  };
  return s;
}

TEST(Shelves, giveEachRangeToOneThread) {
  const outcome all = explore(trade());
  EXPECT_FALSE(all.cut_short);
  EXPECT_GT(all.executions, 5U);
}

// The only free pages lie on a shelf. One thread empties it, one wants a page.
scenario wanted_while_emptied() {
  scenario s = on_the_heap();
  static std::vector<piece> rest;
  static heap::page_index got;
  s.prepare = [] {
    begin_without_marks();
    const page_range last[2] = {one_page(), one_page()};
    for (std::size_t n = heap::arena_pages; n > 0; n /= 2) {
      for (piece p; (p = allocate(n * page)).data != nullptr;) rest.push_back(p);
    }
    expect(shelves::put(0, last, 2) == 2, "a shelf has no room");
  };
  s.threads = {[] { heap::page_heap::purge(); },
               [] {
                 got = heap::page_heap::take(1, 0);
                 expect(got != heap::page_heap::no_page, "out of memory, and a shelf had some");
                 write_pages({got, 1});
               }};
  s.finish = [] {
    heap::page_heap::give(got, 1);
    for (const piece& each : rest) heap::free(each.data, each.bytes);
    rest.clear();
    expect_whole();
  };
  return s;
}

TEST(Shelves, areEmptiedForWhoNeedsPages) {
  explore(wanted_while_emptied(), 20'000);
}

// ---- The models can fail

TEST(ShelvesDeathTest, handedOnWithoutOrderAreARace) {
  EXPECT_EXIT((planted.relaxed = true, explore(trade())), testing::ExitedWithCode(3), "model: ");
}

TEST(ShelvesDeathTest, emptiedAndNotCountedAreOutOfMemory) {
  EXPECT_EXIT((planted.ignored = &heap::detail::traffic, explore(wanted_while_emptied(), 20'000)),
              testing::ExitedWithCode(3), "a shelf had some");
}

}  // namespace
}  // namespace cleave::model
