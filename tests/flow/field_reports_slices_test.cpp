// field_reports_slices_test.cpp -- what a slice keeps, and what an empty one is.
//
// Each suite is a row of the field reports: a complaint that users of other
// systems made in public, turned into a test.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cleave/heap.hpp>
#include <cleave/run.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <utility>
#include <vector>

#include "support/environment.hpp"
#include "support/fresh_heap.hpp"
#include "support/memory.hpp"
#include "support/whole_heap.hpp"

namespace cleave::test {
namespace {

// ---- Row 1: a small slice keeps the whole buffer (tokio-rs/bytes#634, nearcore#6173, kanidm#3651)

constexpr std::size_t large = 512_MiB;
constexpr std::size_t slice = 64;

void keep_a_slice_of_a_large_run(std::size_t begin) {
  if (!start_heap({.held_limit = 520_MiB})) GTEST_SKIP() << own_process;
  run front(large);
  // Sanitizers keep shadow memory for what is touched.
  touch(front.data(), by_build(large, 1_MiB));
  run back = front.cut(begin + slice);
  run kept = front.cut(begin);
  std::fill(kept.bytes().begin(), kept.bytes().end(), std::byte{0x5C});
  front = run();
  back = run();
  EXPECT_EQ(heap::live_bytes(), slice);

  run again = run::try_make(large / 2);
  ASSERT_FALSE(again.empty()) << "half of the memory is not used again";
  touch(again.data(), by_build(large / 2, 1_MiB));
  again = run();

  heap::purge();
  EXPECT_LE(heap::stats().held, page_bytes);
  if (sanitized) {
    std::puts("SKIP resident memory: a sanitizer's shadow memory is counted too");
  } else {
    EXPECT_LE(resident_bytes(), 8_MiB);
  }
  EXPECT_EQ(std::count(kept.bytes().begin(), kept.bytes().end(), std::byte{0x5C}), slice);
  kept = run();
  EXPECT_TRUE(heap_is_whole());
}

TEST(FieldReport01, aSliceAtTheFrontKeepsOnlyItsPage) {
  keep_a_slice_of_a_large_run(0);
}

TEST(FieldReport01, aSliceInTheMiddleKeepsOnlyItsPage) {
  keep_a_slice_of_a_large_run(large / 2 + page_bytes / 2);
}

TEST(FieldReport01, aSliceAtTheEndKeepsOnlyItsPage) {
  keep_a_slice_of_a_large_run(large - slice);
}

// ---- Row 2: ten elements of many big arrays eat all memory (numpy/numpy#10273)

TEST(FieldReport02, tenElementsOfManyLargeArraysKeepOnlyTheirPages) {
  std::mt19937_64 random(seed());
  constexpr std::size_t element = sizeof(double);
  constexpr std::size_t elements = 10'000'000;
  constexpr std::size_t bytes = elements * element;
  constexpr std::size_t kept_bytes = 10 * element;
  const std::size_t rounds = by_build<std::size_t>(1000, 100);
  std::vector<run> kept;
  for (std::size_t i = 0; i < rounds; ++i) {
    run front(bytes);
    const std::size_t begin = random() % (elements - 10) * element;
    // Written at both ends only: all of it would be 80 GB of memory traffic.
    touch(front.data(), 1);
    touch(front.data() + bytes - 1, 1);
    run back = front.cut(begin + kept_bytes);
    kept.push_back(front.cut(begin));
    std::fill(kept.back().bytes().begin(), kept.back().bytes().end(), static_cast<std::byte>(i));
    if (i % 10 != 0) continue;
    // A piece of 80 bytes lies in two pages at most. Pieces of less than 1 MiB that
    // were cut off may wait in this thread's cache, which has a bound of its own.
    const heap::statistics now = heap::stats();
    ASSERT_LE(now.held, 2 * bytes + kept.size() * 2 * page_bytes + now.cached) << "round " << i;
    ASSERT_LE(now.cached, 8_MiB);
  }
  heap::purge();
  EXPECT_LE(heap::stats().held, rounds * 2 * page_bytes);
  if (sanitized) {
    std::puts("SKIP resident memory: a sanitizer's shadow memory is counted too");
  } else {
    // The program itself, and the heap's tables.
    EXPECT_LE(resident_bytes(), rounds * 2 * page_bytes + 24_MiB);
  }
  EXPECT_EQ(heap::live_bytes(), rounds * kept_bytes);
  for (std::size_t i = 0; i < rounds; ++i) {
    const auto content = std::as_const(kept[i]).bytes();
    ASSERT_EQ(std::count(content.begin(), content.end(), static_cast<std::byte>(i)), kept_bytes);
  }
  std::shuffle(kept.begin(), kept.end(), random);
  while (!kept.empty()) kept.pop_back();
  EXPECT_TRUE(heap_is_whole());
}

// ---- Row 3: sizes of slices are wrong, so budgets blow up (apache/datafusion#17315)

TEST(FieldReport03, theSizesOfAllRunsAddUpToLiveAfterEachStep) {
  std::mt19937_64 random(seed());
  std::vector<run> runs;
  const std::size_t total = steps(100'000, 10'000);
  for (std::size_t i = 0; i < total; ++i) {
    const std::size_t dice = random() % 4;
    if (dice == 0 || runs.empty()) {
      runs.emplace_back(1 + random() % (std::size_t{1} << (random() % 20)));
    } else {
      const std::size_t index = random() % runs.size();
      if (dice == 1) {
        // The pieces become neighbours in the table too.
        run right = runs[index].cut(random() % (runs[index].size() + 1));
        runs.insert(runs.begin() + static_cast<std::ptrdiff_t>(index) + 1, std::move(right));
      } else if (dice == 2 && index + 1 < runs.size()) {
        (void)runs[index].join(std::move(runs[index + 1]));
      } else if (dice == 3 || runs.size() > 60) {
        runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(index));
      }
    }
    std::size_t sum = 0;
    for (const run& one : runs) sum += one.size();
    ASSERT_EQ(heap::live_bytes(), sum) << "after step " << i;
    if (runs.size() > 60) runs.erase(runs.begin() + 20, runs.begin() + 40);
  }
  runs.clear();
  EXPECT_TRUE(heap_is_whole());
}

// ---- Row 4: an empty slice keeps its source alive (golang/go#68488)

TEST(FieldReport04, anEmptyPieceHoldsNothing) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{48}, page_bytes, 1_MiB}) {
    run source(bytes);
    const run front_piece = [&] {
      run rest = source.cut(0);
      source.swap(rest);
      return rest;
    }();
    const run end_piece = source.cut(bytes);
    EXPECT_TRUE(front_piece.empty());
    EXPECT_TRUE(end_piece.empty());
    EXPECT_EQ(source.size(), bytes);
    source = run();
    EXPECT_EQ(heap::live_bytes(), 0U);
    EXPECT_TRUE(heap_is_whole()) << "while empty pieces of " << bytes << " bytes exist";
  }
}

TEST(FieldReport04, freeingAnEmptyPieceTwiceIsLegal) {
  run source(100);
  std::byte* const begin = source.data();
  for (int i = 0; i < 2; ++i) {
    heap::free(begin, 0);
    heap::free(begin + 100, 0);
    heap::free(nullptr, 0);
  }
  EXPECT_EQ(heap::live_bytes(), 100U);
  EXPECT_EQ(heap::verify(), "");
}

// ---- Row 5: an empty slice points elsewhere (tokio-rs/bytes#557)

TEST(FieldReport05, everyCutBeginsWhereItsPieceBeginsAlsoWhenThatIsEmpty) {
  for (const std::size_t bytes : {1U, 2U, 16U, 100U, 4096U, 10000U}) {
    run left(bytes);
    std::byte* const begin = left.data();
    for (std::size_t at = 0; at <= bytes; ++at) {
      run right = left.cut(at);
      ASSERT_EQ(left.data(), begin);
      ASSERT_EQ(left.size(), at);
      ASSERT_EQ(right.data(), begin + at);
      ASSERT_EQ(right.size(), bytes - at);
      ASSERT_TRUE(left.join(std::move(right)));
      ASSERT_EQ(left.data(), begin);
      ASSERT_EQ(left.size(), bytes);
    }
  }
}

TEST(FieldReport05, joiningWithAnEmptyRunIsTheIdentityOnBothSides) {
  run some(77);
  std::byte* const begin = some.data();
  run inside = run::adopt(begin + 40, 0);
  ASSERT_TRUE(some.join(run()));
  ASSERT_TRUE(some.join(std::move(inside)));
  EXPECT_EQ(some.data(), begin);
  EXPECT_EQ(some.size(), 77U);

  run nothing;
  ASSERT_TRUE(nothing.join(std::move(some)));
  EXPECT_EQ(nothing.data(), begin);
  EXPECT_EQ(nothing.size(), 77U);
  EXPECT_TRUE(some.empty());

  run placed = run::adopt(begin + 77, 0);
  ASSERT_TRUE(placed.join(std::move(nothing)));
  EXPECT_EQ(placed.data(), begin);
  EXPECT_EQ(placed.size(), 77U);
}

}  // namespace
}  // namespace cleave::test
