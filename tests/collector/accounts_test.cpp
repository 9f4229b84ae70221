// accounts_test.cpp -- when collections come, and that the numbers are exact.
#include <cleave/collector.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cleave/heap.hpp>
#include <new>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "collector/objects.hpp"
#include "support/environment.hpp"
#include "support/memory.hpp"

namespace cleave {
namespace {

using gc::byte_array;
using gc::extent;
using gc::local;
using gc::release;
using test::node;
using test::operator""_KiB;
using test::operator""_MiB;

// Row 19 of the field reports: large short-lived buffers trigger collections.
TEST(FieldReport, scratchArraysThatAreForgottenCauseNoCollection) {
  gc::collector c;
  gc::mutator m(c);
  const std::size_t rounds = test::by_build<std::size_t>(20'000, 2'000);
  for (std::size_t i = 0; i < rounds; ++i) {
    const local<byte_array> scratch = m.make_bytes_for_overwrite(1_MiB);
    scratch->data()[i] = std::byte{1};
    ASSERT_EQ(m.forget(scratch), release::done);
  }
  // The proxies are small objects: 32 bytes each, and the nursery has 4 MiB.
  const gc::statistics now = c.stats();
  EXPECT_EQ(now.young_collections + now.full_collections, 0u);
  EXPECT_EQ(now.forgotten, rounds * 1_MiB);
}

TEST(FieldReport, scratchArraysCauseTheCollectionsOfTheSmallObjectsBesideThem) {
  gc::options chosen;
  chosen.nursery = 1_MiB;
  const auto collections = [&](bool with_arrays) {
    gc::collector c(chosen);
    gc::mutator m(c);
    for (unsigned i = 0; i < 2'000; ++i) {
      // As many bytes of small objects, with the proxy or without.
      for (unsigned k = 0; k < 100; ++k) (void)m.make<node>(k);
      if (with_arrays) {
        EXPECT_EQ(m.forget(m.make_bytes_for_overwrite(1_MiB)), release::done);
      } else {
        (void)m.make<node>(i);
      }
    }
    return c.stats().young_collections + c.stats().full_collections;
  };
  EXPECT_EQ(collections(true), collections(false));
}

// Row 20: freed buffers still make the heap look full, or are counted twice.
TEST(FieldReport, theCountersAreExactAfterEachStep) {
  gc::options chosen = test::small();
  chosen.large_budget = 64_MiB;
  gc::collector c(chosen);
  gc::mutator m(c);
  std::mt19937_64 random(test::seed());
  std::vector<local<byte_array>> held;
  std::vector<array<std::byte>> owned;
  std::uint64_t allocated = 0, given = 0, forgotten = 0, taken = 0, live = 0;
  std::uint64_t swept = 0;
  const auto agree = [&] {
    const gc::statistics now = c.stats();
    ASSERT_EQ(now.allocated, allocated);
    ASSERT_EQ(now.given, given);
    ASSERT_EQ(now.forgotten, forgotten);
    ASSERT_EQ(now.taken, taken);
    ASSERT_EQ(now.swept, swept);
    ASSERT_EQ(now.large_young + now.large_old, live);
    ASSERT_EQ(now.allocated + now.given,
              now.forgotten + now.taken + now.swept + now.large_young + now.large_old);
  };
  for (std::size_t i = 0; i < test::steps(20'000, 4'000); ++i) {
    const std::size_t at = held.empty() ? 0 : random() % held.size();
    switch (random() % 7) {
      case 0:
      case 1: {
        const std::size_t size = 300 + random() % 20'000;
        held.push_back(m.make_bytes_for_overwrite(size));
        allocated += size;
        live += size;
        break;
      }
      case 2:
        if (!held.empty()) {
          const std::size_t size = held[at]->size();
          const bool gone = held[at]->forgotten();
          // A small one was given back as a copy.
          const release expected = !held[at]->is_large() ? release::too_small
                                   : gone                ? release::already
                                                         : release::done;
          ASSERT_EQ(m.forget(held[at]), expected);
          if (expected == release::too_small) break;
          forgotten += size;
          live -= size;
        }
        break;
      case 3:
        if (!held.empty() && held[at]->is_large()) {
          const std::size_t size = held[at]->size();
          gc::taken_bytes got = m.take(held[at]);
          taken += size;
          live -= size;
          if (got && owned.size() < 20) owned.push_back(std::move(got.bytes));
        }
        break;
      case 4:
        if (!owned.empty()) {
          const std::size_t size = owned.back().size();
          held.push_back(m.give(std::move(owned.back())));
          owned.pop_back();
          // A small one is copied, and no payload.
          if (!held.back()->is_large()) break;
          given += size;
          live += size;
        }
        break;
      case 5:
        if (!held.empty() && !held[at]->forgotten()) {
          const std::size_t size = held[at]->size(), kept = random() % (size + 1);
          const release answer = m.trim(held[at], kept);
          if (answer == release::too_small) break;
          ASSERT_EQ(answer, release::done);
          forgotten += size - kept;
          live -= size - kept;
        }
        break;
      default:
        if (random() % 50 != 0 || held.empty()) break;
        // What is dropped is swept, in full.
        std::swap(held[at], held.back());
        const std::size_t size = held.back()->is_large() ? held.back()->size() : 0;
        held.pop_back();
        m.collect(extent::all);
        swept += size;
        live -= size;
    }
    ASSERT_NO_FATAL_FAILURE(agree());
  }
}

TEST(Accounts, aForgottenArrayIsNoLongerCharged) {
  gc::collector c(test::small());
  gc::mutator m(c);
  const local<byte_array> a = m.make_bytes(10'000);
  const local<byte_array> b = m.make_bytes(20'000);
  EXPECT_EQ(c.stats().charged, 30'000u);
  EXPECT_EQ(m.forget(a), release::done);
  EXPECT_EQ(c.stats().charged, 20'000u);
  m.collect(extent::young);
  EXPECT_EQ(c.stats().charged, 0u);
  // It was charged in another epoch: nothing to take back from this one.
  EXPECT_EQ(m.forget(b), release::done);
  EXPECT_EQ(c.stats().charged, 0u);
}

TEST(Accounts, theBudgetBringsAYoungCollection) {
  gc::collector c(test::small());
  gc::mutator m(c);
  for (int i = 0; i < 10; ++i) (void)m.make_bytes_for_overwrite(200'000);
  // 1 MiB of budget holds five of them.
  EXPECT_EQ(c.stats().young_collections, 1u);
  EXPECT_EQ(c.stats().swept, 1'000'000u);
}

TEST(Accounts, aProxyAgesIntoTheOldGenerationWithItsPayload) {
  gc::collector c(test::small());
  gc::mutator m(c);
  const local<byte_array> a = m.make_bytes(10'000);
  EXPECT_EQ(c.stats().large_young, 10'000u);
  m.collect(extent::young);
  m.collect(extent::young);
  EXPECT_EQ(c.stats().large_young, 0u);
  EXPECT_EQ(c.stats().large_old, 10'000u);
  EXPECT_EQ(m.forget(a), release::done);
  EXPECT_EQ(c.stats().large_old, 0u);
}

TEST(Accounts, theOldGenerationBringsAFullCollection) {
  gc::collector c(test::small());
  gc::mutator m(c);
  local<gc::ref_array<byte_array>> kept = m.make_refs<byte_array>(640);
  for (std::size_t i = 0; i < 6'400; ++i) {
    const local<byte_array> made = m.make_bytes_for_overwrite(10'000);
    kept->set(i % 640, made);
  }
  const gc::statistics now = c.stats();
  EXPECT_GT(now.full_collections, 0u);
  // 6.4 MB are alive; garbage may double it, and one budget is young.
  EXPECT_LE(now.large_young + now.large_old, 14_MiB);
}

TEST(Accounts, theLimitIsAnAnswerAndWorkGoesOn) {
  gc::options chosen = test::small();
  chosen.limit = 4_MiB;
  chosen.debug.verify = false;
  gc::collector c(chosen);
  gc::mutator m(c);
  const local<byte_array> a = m.make_bytes(2_MiB);
  EXPECT_THROW((void)m.make_bytes(3_MiB), std::bad_alloc);
  array<std::byte> mine(3_MiB);
  EXPECT_THROW((void)m.give(std::move(mine)), std::bad_alloc);
  EXPECT_EQ(mine.size(), 3_MiB);
  EXPECT_EQ(m.forget(a), release::done);
  EXPECT_EQ(m.make_bytes(3_MiB)->size(), 3_MiB);
  EXPECT_EQ(m.give(std::move(mine))->size(), 3_MiB);

  local<node> list(m);
  const local<node> nothing(m);
  const auto fill = [&] {
    for (;;) list = m.make<node>(list, nothing, 1u);
  };
  EXPECT_THROW(fill(), std::bad_alloc);
  EXPECT_EQ(c.verify(m), "");
  list = nullptr;
  EXPECT_EQ(m.make<node>(2u)->number, 2u);
}

TEST(Accounts, eventsComeInPairsAndSayWhatWasCollected) {
  gc::options chosen = test::small();
  std::vector<std::pair<gc::event::kind, extent>> seen;
  chosen.on_event = [&](const gc::event& e) { seen.emplace_back(e.what, e.collected); };
  gc::collector c(chosen);
  gc::mutator m(c);
  m.collect(extent::young);
  m.collect(extent::all);
  using enum gc::event::kind;
  const decltype(seen) wanted{
      {begin, extent::young}, {end, extent::young}, {begin, extent::all}, {end, extent::all}};
  EXPECT_EQ(seen, wanted);
}

TEST(Accounts, aPauseGoalThatIsMissedShrinksTheNursery) {
  const auto collections = [](std::chrono::microseconds goal) {
    gc::options chosen;
    chosen.nursery = 32 * 64_KiB;
    chosen.pause_goal = goal;
    gc::collector c(chosen);
    gc::mutator m(c);
    local<node> list(m);
    const local<node> nothing(m);
    // Everything survives: no collection of it takes a microsecond.
    for (unsigned i = 0; i < 200'000; ++i) list = m.make<node>(list, nothing, i);
    return c.stats().young_collections + c.stats().full_collections;
  };
  EXPECT_GE(collections(std::chrono::microseconds(1)),
            4 * collections(std::chrono::microseconds(0)));
}

TEST(Accounts, optionsOutOfTheirRangeAreRefused) {
  EXPECT_THROW(gc::collector({.tenure = 0}), std::invalid_argument);
  EXPECT_THROW(gc::collector({.tenure = 4}), std::invalid_argument);
  EXPECT_THROW(gc::collector({.large_threshold = 1}), std::invalid_argument);
  EXPECT_THROW(gc::collector({.growth = 0.5}), std::invalid_argument);
}

// A collection that gets no memory keeps objects where they are.
TEST(Accounts, aCollectionWithoutMemoryLosesNothing) {
  gc::options chosen = test::small();
  chosen.nursery = 1_MiB;
  chosen.debug.verify = false;
  gc::collector c(chosen);
  gc::mutator m(c);
  local<node> list(m);
  const local<node> nothing(m);
  const auto grow = [&](std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t i = from; i < to; ++i) list = m.make<node>(list, nothing, i);
  };
  const local<byte_array> bytes = m.make_bytes(5'000);
  grow(0, 10'000);
  const auto refs = m.make_refs<node>(1'000);
  refs->set(999, list);
  // No block more than there are.
  heap::purge();
  heap::set_held_limit(heap::stats().held);
  m.collect(extent::young);
  m.collect(extent::all);
  m.collect(extent::young);
  heap::set_held_limit(SIZE_MAX);
  EXPECT_EQ(c.verify(m), "");
  grow(10'000, 60'000);
  m.collect(extent::all);
  EXPECT_EQ(bytes->size(), 5'000u);
  EXPECT_EQ((*refs.get())[999]->number, 9'999u);
  std::uint64_t n = 60'000;
  for (const node* at = list.get(); at != nullptr; at = at->left.get()) {
    ASSERT_EQ(at->number, --n);
  }
  EXPECT_EQ(n, 0u);
}

TEST(Accounts, theHeapIsEmptyAfterTheCollector) {
  const std::size_t before = heap::live_bytes();
  {
    gc::collector c(test::small());
    gc::mutator m(c);
    const local<byte_array> a = m.make_bytes(10'000);
    const auto refs = m.make_refs<gc::value>(10'000);
    refs->set(3, a);
    for (unsigned i = 0; i < 30'000; ++i) (void)m.make<node>(i);
  }
  EXPECT_EQ(heap::live_bytes(), before);
}

}  // namespace
}  // namespace cleave
