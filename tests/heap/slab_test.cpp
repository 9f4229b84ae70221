// slab_test.cpp -- slabs of equal slots, and the central lists.
#include "heap/slab.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cleave/heap.hpp>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "heap/start.hpp"
#include "support/environment.hpp"
#include "support/fresh_heap.hpp"
#include "support/memory.hpp"
#include "support/whole_heap.hpp"

namespace cleave::heap::slabs {
namespace {

class Slab : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(ensure_started()); }
  // The test gives all slots back; what the lists keep goes to the pages.
  void TearDown() override { EXPECT_TRUE(test::heap_is_whole()); }
};

const char* broken() {
  totals sum;
  return check(sum);
}

TEST_F(Slab, slotsLieSideBySideInAddressOrder) {
  for (unsigned c = 0; c < class_count; ++c) {
    std::vector<std::uintptr_t> slots(size_classes[c].slots);
    ASSERT_EQ(take(c, slots.data(), size_classes[c].slots), size_classes[c].slots);
    EXPECT_EQ(slots[0] % slab_size, 0U);
    for (std::size_t i = 1; i < slots.size(); ++i) {
      ASSERT_EQ(slots[i], slots[i - 1] + slot_size(c)) << "class " << c;
    }
    EXPECT_LE(slots.back() + slot_size(c), slots[0] + slab_size);
    for (const std::uintptr_t slot : slots) ASSERT_EQ(tables.kind[tables.page_of(slot)], c + 1);
    ASSERT_STREQ(broken(), nullptr);
    give(c, slots.data(), size_classes[c].slots);
  }
}

TEST_F(Slab, areUsedUpBeforeANewOneIsMade) {
  constexpr unsigned c = 20;
  const unsigned per_slab = size_classes[c].slots;
  std::vector<std::uintptr_t> slots(4 * per_slab);
  unsigned got = 0;
  while (got < slots.size()) got += take(c, slots.data() + got, 7);
  EXPECT_EQ(use_of(c).slabs, (got + per_slab - 1) / per_slab);
  EXPECT_EQ(use_of(c).free_slots, use_of(c).slabs * per_slab - got);
  slots.resize(got);
  EXPECT_EQ(std::set<std::uintptr_t>(slots.begin(), slots.end()).size(), got) << "none came twice";
  give(c, slots.data(), got);
}

TEST_F(Slab, goBackToThePagesExceptOneThatIsKept) {
  constexpr unsigned c = 12;
  const unsigned per_slab = size_classes[c].slots;
  std::vector<std::uintptr_t> slots(3 * per_slab);
  unsigned got = 0;
  while (got < slots.size()) got += take(c, slots.data() + got, 3 * per_slab - got);
  ASSERT_EQ(use_of(c).slabs, 3U);
  // The first slot of each slab stays.
  std::vector<std::uintptr_t> first;
  for (const std::uintptr_t slot : slots) {
    slot % slab_size == 0 ? first.push_back(slot) : give(c, &slot, 1);
  }
  ASSERT_EQ(first.size(), 3U);
  EXPECT_EQ(use_of(c).slabs, 3U);
  EXPECT_EQ(use_of(c).free_slots, 3 * per_slab - 3);
  give(c, &first[0], 1);
  EXPECT_EQ(use_of(c).slabs, 3U);
  give(c, &first[1], 1);
  EXPECT_EQ(use_of(c).slabs, 2U) << "a second empty one is not kept";
  EXPECT_STREQ(broken(), nullptr);
  EXPECT_EQ(tables.kind[tables.page_of(first[1])], 0);
  give(c, &first[2], 1);
  EXPECT_EQ(use_of(c).slabs, 1U);
  purge();
  EXPECT_EQ(use_of(c).slabs, 0U);
  EXPECT_EQ(use_of(c).free_slots, 0U);
}

TEST_F(Slab, emptyOneIsUsedAgainWithoutNewPages) {
  constexpr unsigned c = 9;
  std::uintptr_t slot = 0;
  ASSERT_EQ(take(c, &slot, 1), 1U);
  const std::uintptr_t begin = slot;
  for (int i = 0; i < 5; ++i) {
    give(c, &slot, 1);
    ASSERT_EQ(use_of(c).slabs, 1U);
    ASSERT_EQ(take(c, &slot, 1), 1U);
    ASSERT_EQ(slot, begin);
  }
  give(c, &slot, 1);
}

TEST_F(Slab, descriptorsAreUsedAgain) {
  constexpr unsigned c = 0;
  std::uintptr_t slot = 0;
  ASSERT_EQ(take(c, &slot, 1), 1U);
  give(c, &slot, 1);
  purge();
  const std::size_t before = tables.accessible_bytes();
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(take(c, &slot, 1), 1U);
    give(c, &slot, 1);
    purge();
  }
  EXPECT_EQ(tables.accessible_bytes(), before);
}

TEST_F(Slab, traffickingOfThreadsKeepsTheInvariants) {
  std::latch begun(3);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 3; ++t) {
    threads.emplace_back([&begun, t] {
      begun.arrive_and_wait();
      std::mt19937 random(t);
      std::vector<std::pair<unsigned, std::uintptr_t>> held;
      for (int i = 0; i < test::by_build(3000, 600); ++i) {
        const unsigned c = static_cast<unsigned>(random()) % 4 * 13;
        std::uintptr_t slots[40];
        const unsigned got = take(c, slots, 1 + static_cast<unsigned>(random()) % 40);
        ASSERT_GT(got, 0U);
        for (unsigned s = 0; s < got; ++s) held.emplace_back(c, slots[s]);
        while (held.size() > 300) {
          std::swap(held[random() % held.size()], held.back());
          give(held.back().first, &held.back().second, 1);
          held.pop_back();
        }
        if (i % 500 == 0) purge();
      }
      for (const auto& [c, slot] : held) give(c, &slot, 1);
    });
  }
  for (std::thread& one : threads) one.join();
  EXPECT_STREQ(broken(), nullptr);
}

TEST_F(Slab, checkAddsUpWhatTheSlotsHold) {
  const unsigned c = class_for(112, 16);
  std::uintptr_t slots[3];
  ASSERT_EQ(take(c, slots, 3), 3U);
  totals sum;
  ASSERT_STREQ(check(sum), nullptr);
  EXPECT_EQ(sum.pages, slab_pages);
  EXPECT_EQ(sum.slot_bytes, size_classes[c].slots * slot_size(c));
  EXPECT_EQ(sum.free_bytes, (size_classes[c].slots - 3) * slot_size(c));
  EXPECT_EQ(sum.dead_bytes, 0U);
  give(c, slots, 3);
}

TEST(SlabMemory, thatIsNotThereIsAnAnswer) {
  // One slab and no more.
  if (!test::start_heap({.held_limit = slab_size})) GTEST_SKIP() << test::own_process;
  constexpr unsigned c = 30;
  const unsigned per_slab = size_classes[c].slots;
  std::vector<std::uintptr_t> slots(2 * per_slab);
  EXPECT_EQ(take(c, slots.data(), 2 * per_slab), per_slab) << "as many as there are";
  EXPECT_EQ(take(c, slots.data() + per_slab, 1), 0U);
  std::uintptr_t other = 0;
  EXPECT_EQ(take(0, &other, 1), 0U);
  EXPECT_STREQ(broken(), nullptr);
  give(c, slots.data(), per_slab);
  EXPECT_EQ(take(0, &other, 1), 0U) << "the empty slab is kept by its class";
  purge();
  EXPECT_EQ(take(0, &other, 1), 1U);
  give(0, &other, 1);
  EXPECT_TRUE(test::heap_is_whole());
}

TEST(SlabDeathTest, seesASlotThatIsFreedTwice) {
  ASSERT_TRUE(ensure_started());
  std::uintptr_t slots[2];
  ASSERT_EQ(take(5, slots, 2), 2U);
  EXPECT_DEATH(
      {
        give(5, slots, 1);
        give(5, slots, 1);
      },
      "a slot was freed twice");
  const std::uintptr_t twice[] = {slots[0], slots[0]};
  EXPECT_DEATH(give(5, twice, 2), "a slot was freed twice");
  give(5, slots, 2);
}

TEST(SlabDeathTest, seesARunThatIsFreedTwiceWhenItsThreadGivesItBack) {
  void* const p = allocate(64);
  EXPECT_DEATH(
      {
        free(p, 64);
        free(p, 64);
        heap::purge();
      },
      "a slot was freed twice");
  free(p, 64);
}

}  // namespace
}  // namespace cleave::heap::slabs
