// transfer_test.cpp -- batches of slots between threads and slabs.
//
// Bins of the tiny heap hold two slots, so that threads which free and allocate a few trade with
// the slabs each time, and slabs of five slots come and go meanwhile.
#include <gtest/gtest.h>

#include "heap/slab.hpp"
#include "heap/transit.hpp"
#include "model/heap_scenario.hpp"

namespace cleave::model {
namespace {

constexpr std::size_t bytes = 48;

// One thread frees four slots while another takes and frees two.
scenario trade() {
  scenario s = on_the_heap();
  static piece slots[4];
  s.prepare = [] {
    for (piece& slot : slots) slot = allocate(bytes);
  };
  s.threads = {[] {
                 for (const piece& slot : slots) free_after_writing(slot);
               },
               [] {
                 const piece one = allocate(bytes);
                 const piece other = allocate(bytes);
                 expect(one.data != nullptr && other.data != nullptr, "no memory");
                 expect(one.data != other.data, "a slot was handed out twice");
                 free_after_writing(one);
                 free_after_writing(other);
               }};
  return s;
}

TEST(Transfer, ofSlotsGivesEachToOneThread) {
  const outcome all = explore(trade());
  EXPECT_FALSE(all.cut_short);
  EXPECT_GT(all.executions, 5U);
}

TEST(Transfer, ofTheLastSlotsOfASlabMeetsOneThatGivesEmptySlabsBack) {
  scenario s = on_the_heap();
  static piece slots[6];
  s.prepare = [] {
    for (piece& slot : slots) slot = allocate(bytes);
  };
  s.threads = {[] {
                 for (std::size_t i = 0; i < 3; ++i) free_after_writing(slots[i]);
                 heap::caches::of_this_thread().flush();
               },
               [] {
                 for (std::size_t i = 3; i < 6; ++i) free_after_writing(slots[i]);
                 heap::caches::of_this_thread().flush();
               },
               [] { use(bytes); }};
  EXPECT_FALSE(explore(s, 400'000).cut_short);
}

// All pages but those of an empty slab are in use: who needs them finds them, also while another
// thread that is short of memory takes the slab apart.
scenario last_empty_slab() {
  scenario s = on_the_heap();
  static std::vector<piece> rest;
  s.prepare = [] {
    const piece slot = allocate(bytes);
    for (std::size_t n = heap::slab_pages; n < heap::arena_pages; n *= 2) {
      rest.push_back(allocate(n * page));
      expect(rest.back().data != nullptr, "no memory");
    }
    heap::free(slot.data, bytes);
    heap::caches::of_this_thread().flush();
  };
  s.threads = {[] { heap::slabs::purge(); },
               [] {
                 const piece pages = allocate(2 * page);
                 expect(pages.data != nullptr, "out of memory, and there was a slab");
                 heap::free(pages.data, pages.bytes);
               }};
  s.finish = [] {
    for (const piece& each : rest) heap::free(each.data, each.bytes);
    rest.clear();
    expect_whole();
  };
  return s;
}

TEST(Transfer, ofAnEmptySlabToThePagesIsSeenByWhoNeedsThem) {
  EXPECT_FALSE(explore(last_empty_slab()).cut_short);
}

// ---- The models can fail

TEST(TransferDeathTest, withoutLocksIsARace) {
  EXPECT_EXIT((planted.open_locks = true, explore(trade())), testing::ExitedWithCode(3), "a race");
}

TEST(TransferDeathTest, outOfSightAndNotCountedIsOutOfMemory) {
  EXPECT_EXIT((planted.ignored = &heap::detail::traffic, explore(last_empty_slab())),
              testing::ExitedWithCode(3), "there was a slab");
}

}  // namespace
}  // namespace cleave::model
