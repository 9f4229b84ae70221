// verify_test.cpp -- each kind of damage has a message that names its invariant.
//
// A test damages one field of the heap's tables and repairs it again.
#include <gtest/gtest.h>

#include <cleave/heap.hpp>
#include <cstddef>
#include <cstdint>

#include "heap/arenas.hpp"
#include "heap/geometry.hpp"
#include "heap/page_heap.hpp"
#include "heap/slab.hpp"
#include "heap/small_heap.hpp"
#include "heap/tables.hpp"
#include "heap/thread_cache.hpp"
#include "heap/unit.hpp"
#include "support/memory.hpp"

namespace cleave::heap {
namespace {

using test::operator""_KiB;

class Verify : public test::SmallHeap {
 protected:
  // A run of pages with half a page dead, a slot that is freed in part, cached
  // pages and slots, and free pages.
  void SetUp() override {
    SmallHeap::SetUp();
    if (IsSkipped()) return;
    pages_ = static_cast<std::byte*>(allocate(40'000));
    slot_ = static_cast<std::byte*>(allocate(100));
    void* const other = allocate(64_KiB);
    free(other, 64_KiB);
    free(slot_ + 50, 50);
    ASSERT_EQ(verify(), "");
  }
  void TearDown() override {
    if (IsSkipped()) return;
    EXPECT_EQ(verify(), "") << "the test has repaired it";
    free(pages_, 40'000);
    free(slot_, 50);
    SmallHeap::TearDown();
  }

  page_index first_page() const { return tables.page_of(reinterpret_cast<std::uintptr_t>(pages_)); }
  arena& the_arena() const { return *arenas::opened(first_page() >> arena_order); }
  slab& the_slab() const {
    return *slab_of(tables.page_of(reinterpret_cast<std::uintptr_t>(slot_)));
  }
  unsigned slot_class() const { return class_for(100, 16); }
  place slot_place() const { return place_of(reinterpret_cast<std::uintptr_t>(slot_)); }

  // A page that stands free in the arena.
  page_index free_page() const {
    arena& a = the_arena();
    std::size_t p = a.pages();
    while (!a.is_free(--p)) {
    }
    return static_cast<page_index>(p);
  }

 private:
  std::byte* pages_ = nullptr;
  std::byte* slot_ = nullptr;
};

TEST_F(Verify, findsNothingWrongWithAWholeHeap) {
  EXPECT_EQ(verify(), "");
}

TEST_F(Verify, seesDeadBytesOfAPageCountedWrong) {
  tables.dead[first_page()].store(1);
  EXPECT_EQ(verify(), "V1: live bytes are counted wrong");
  tables.dead[first_page()].store(0);
}

TEST_F(Verify, seesADeadPage) {
  tables.dead[first_page()].store(4096);
  EXPECT_EQ(verify(), "U3: a dead page was not freed");
  tables.dead[first_page()].store(0);
}

TEST_F(Verify, seesDeadBytesInAFreePage) {
  tables.dead[free_page()].store(5);
  EXPECT_EQ(verify(), "U3: a page that holds no run has dead bytes");
  tables.dead[free_page()].store(0);
}

TEST_F(Verify, seesAFreePageThatIsSaidToBeASlab) {
  tables.kind[free_page()] = 3;
  EXPECT_EQ(verify(), "T2: a free page is still a slab");
  tables.kind[free_page()] = 0;
}

TEST_F(Verify, seesABlockThatWasNotMerged) {
  const page_index page = free_page();
  arena& a = the_arena();
  const std::size_t in_arena = page & (arena_pages - 1);
  // The last page is taken out and comes back too small.
  ASSERT_TRUE(a.claim(in_arena, 1));
  EXPECT_EQ(verify(), "B6: a page in use is not backed");
  a.give(in_arena, 1);
}

TEST_F(Verify, seesABlockThatWasFreedTwice) {
  const page_index page = free_page();
  arena& a = the_arena();
  const std::size_t in_arena = page & (arena_pages - 1);
  const std::size_t before = a.free_pages();
  // give() would see it.
  a.put_back({in_arena, 1});
  EXPECT_EQ(verify(), "B2: free blocks overlap");
  // The smallest blocks are found first, so this is the one that was added.
  ASSERT_EQ(a.take(1, 0), in_arena);
  EXPECT_EQ(a.free_pages(), before);
}

TEST_F(Verify, seesHeldBytesCountedWrong) {
  arena& a = the_arena();
  const std::size_t page = first_page() & (arena_pages - 1);
  a.clear_backed(page, 1);
  EXPECT_EQ(verify(), "B6: a page in use is not backed");
  a.mark_backed(page, 1);
}

TEST_F(Verify, seesTheCountOfASlab) {
  the_slab().free_count += 1;
  EXPECT_EQ(verify(), "S1: a slab's count of free slots is wrong");
  the_slab().free_count -= 1;
}

TEST_F(Verify, seesASlotThatIsFreeAndDead) {
  // The last slot of the slab is free.
  std::atomic<std::uint16_t>& dead =
      the_slab().dead(slot_class())[size_classes[slot_class()].slots - 1];
  dead.store(8);
  EXPECT_EQ(verify(), "S3: a free slot has dead bytes");
  dead.store(0);
}

TEST_F(Verify, seesADeadSlot) {
  const std::uint16_t before = slot_place().dead->load();
  slot_place().dead->store(static_cast<std::uint16_t>(slot_place().size));
  EXPECT_EQ(verify(), "S3: a dead slot was not freed");
  slot_place().dead->store(before);
}

TEST_F(Verify, seesASlabWithAForeignDescriptor) {
  constexpr auto slab_pages_more = static_cast<page_index>(slab_pages);
  slab& s = the_slab();
  s.page += slab_pages_more;
  EXPECT_EQ(verify().substr(0, 2), "S2");
  s.page -= slab_pages_more;
}

TEST_F(Verify, seesASlabOfTwoKinds) {
  const page_index page = the_slab().page + 3;
  tables.kind[page] = static_cast<std::uint8_t>(tables.kind[page] + 1);
  EXPECT_EQ(verify(), "T2: the pages of a slab differ in kind");
  tables.kind[page] = static_cast<std::uint8_t>(tables.kind[page] - 1);
}

TEST_F(Verify, seesACachedSlotWithDeadBytes) {
  const slot_bin& bin = this_cache->bins[slot_class()];
  ASSERT_NE(bin.top, bin.begin);
  std::atomic<std::uint16_t>& dead = *place_of(bin.begin[0]).dead;
  dead.store(8);
  EXPECT_EQ(verify(), "M1: a cached slot has dead bytes");
  dead.store(0);
}

TEST_F(Verify, seesACachedSlotThatIsFreeInItsSlab) {
  const std::uintptr_t slot = this_cache->bins[slot_class()].begin[0];
  const std::size_t number = (slot - tables.address_of(the_slab().page)) / slot_size(slot_class());
  the_slab().map()[number / 64] ^= std::uint64_t{1} << number % 64;
  the_slab().free_count += 1;
  EXPECT_EQ(verify(), "M1: a cached slot is free in its slab too");
  the_slab().map()[number / 64] ^= std::uint64_t{1} << number % 64;
  the_slab().free_count -= 1;
}

TEST_F(Verify, seesACachedSlotOfAnotherClass) {
  std::uintptr_t& slot = this_cache->bins[slot_class()].begin[0];
  slot += 8;
  EXPECT_EQ(verify(), "M1: a cached slot is none of its class");
  slot -= 8;
}

TEST_F(Verify, seesACachedPageWithDeadBytes) {
  const page_index page = this_cache->last.page;
  ASSERT_GT(this_cache->last.n, 0U);
  tables.dead[page].store(9);
  EXPECT_EQ(verify(), "M2: a cached page has dead bytes");
  tables.dead[page].store(0);
}

TEST_F(Verify, seesAnOpenUnitThatHasNothingToTell) {
  cleave::detail::open_unit& open = cleave::detail::this_unit;
  ASSERT_EQ(unit::untold(open), 50U);
  open.at_entry.store(open.at_entry.load() - 50);
  EXPECT_EQ(verify(), "U2: a unit is counting with nothing to tell");
  open.at_entry.store(open.at_entry.load() + 50);
}

TEST_F(Verify, seesBytesThatNobodyOwns) {
  this_cache->count_allocation(1);
  EXPECT_EQ(verify(), "V1: live bytes are counted wrong");
  this_cache->count_frees(1, 1);
}

}  // namespace
}  // namespace cleave::heap
