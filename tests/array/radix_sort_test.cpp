// radix_sort_test.cpp -- the parallel sort of integers against the standard one.
#include <gtest/gtest.h>
#include <pthread.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cleave/array.hpp>
#include <cleave/heap.hpp>
#include <cleave/parallel.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <span>
#include <vector>

namespace {

using cleave::array;
namespace parallel = cleave::parallel;

template <class T, class Compare>
inline constexpr bool by_digits = cleave::detail::sorts_integers<T, Compare, std::identity>;
static_assert(by_digits<int, std::less<int>> && by_digits<char, std::ranges::less> &&
              by_digits<unsigned long, std::greater<>> &&
              by_digits<char16_t, std::ranges::greater>);
// Those that can be told apart when they compare equal, or have an order of their own.
static_assert(!by_digits<bool, std::less<>> && !by_digits<float, std::less<>> &&
              !by_digits<int, std::less<long>>);

template <class T, class Compare>
void expect_sorted(std::vector<T> cells, Compare compare, parallel::limits chosen) {
  array<T> sorted = array<T>::for_overwrite(cells.size());
  std::copy(cells.begin(), cells.end(), sorted.begin());
  parallel::sort(sorted, compare, {}, chosen);
  std::sort(cells.begin(), cells.end(), compare);
  ASSERT_TRUE(std::equal(cells.begin(), cells.end(), sorted.begin(), sorted.end()))
      << cells.size() << " of " << sizeof(T) << " bytes, grain " << chosen.grain;
}

// Values that differ in some bits only, so that some digits are the same in all.
template <class T>
std::vector<T> some_cells(std::size_t n, std::mt19937_64& random) {
  const auto mask = static_cast<T>(random() >> random() % 64 << random() % 64);
  const auto fixed = static_cast<T>(random());
  std::vector<T> cells(n);
  for (T& cell : cells) {
    cell = static_cast<T>((static_cast<T>(random()) & mask) | (fixed & static_cast<T>(~mask)));
  }
  return cells;
}

template <class T>
class RadixSort : public testing::Test {};
// Each width once: more types are the same code again.
using integers = testing::Types<std::uint8_t, std::int16_t, std::uint32_t, std::int64_t>;
TYPED_TEST_SUITE(RadixSort, integers);

TYPED_TEST(RadixSort, ordersAnySizeInBothDirections) {
  std::mt19937_64 random(20261130);
  // From none to several buckets that do not fit the cache; 24 and 25 lie around insertion.
  for (const std::size_t n : {0U, 1U, 2U, 23U, 24U, 25U, 100U, 4096U, 70'001U, 400'000U}) {
    const std::vector<TypeParam> cells = some_cells<TypeParam>(n, random);
    for (const std::size_t grain : {std::size_t{1}, std::size_t{1000}, std::size_t{1} << 30}) {
      // One task for each element would be all that is measured.
      if (grain == 1 && n > 5000) continue;
      expect_sorted(cells, std::less<>(), {.grain = grain, .threads = 2});
      expect_sorted(cells, std::greater<>(), {.grain = grain, .threads = 2});
    }
  }
}

TYPED_TEST(RadixSort, ordersTheExtremes) {
  constexpr TypeParam least = std::numeric_limits<TypeParam>::min();
  constexpr TypeParam most = std::numeric_limits<TypeParam>::max();
  std::vector<TypeParam> cells;
  for (int i = 0; i < 40; ++i) {
    for (const TypeParam value :
         {most, TypeParam{0}, least, TypeParam{1}, static_cast<TypeParam>(-1)}) {
      cells.push_back(value);
    }
  }
  expect_sorted(cells, std::less<>(), {});
  expect_sorted(cells, std::greater<>(), {});
}

// All but a few elements go to one bucket, again and again.
TEST(RadixSortOfWords, isRightWhereOneBucketHasAlmostAll) {
  std::vector<std::uint64_t> cells(300'000);
  std::mt19937_64 random(7);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i] = i % 1000 == 0 ? random() : random() & 0xfff;
  }
  expect_sorted(cells, std::less<>(), {.threads = 2});
  expect_sorted(cells, std::less<>(), {.threads = 1});
}

// So large that it is written past the caches; memory that does not begin with a line of them.
TEST(RadixSortOfLargePieces, isRightWhereLinesBeginElsewhere) {
  constexpr std::size_t n = (std::size_t{1} << 25) / sizeof(std::int64_t) + 4321;
  std::vector<std::int64_t> cells(n + 3);
  std::mt19937_64 random(25);
  for (std::int64_t& cell : cells) cell = static_cast<std::int64_t>(random());
  const std::span<std::int64_t> part(cells.data() + 1, n);
  const auto digest_of = [](std::span<const std::int64_t> all) {
    std::uint64_t digest = 0;
    for (const std::int64_t cell : all) {
      digest += (static_cast<std::uint64_t>(cell) + 1) * 0x9e3779b97f4a7c15u >> 7;
    }
    return digest;
  };
  const std::uint64_t before = digest_of(part);
  const std::int64_t first = cells.front();
  const std::int64_t last = cells.back();
  parallel::sort(part, std::less<>(), std::identity(), {.threads = 2});
  EXPECT_TRUE(std::ranges::is_sorted(part));
  EXPECT_EQ(digest_of(part), before);
  EXPECT_EQ(cells.front(), first);
  EXPECT_EQ(cells.back(), last);
}

// Threads have as little as that in some systems, and each level of buckets has counts of its own.
TEST(RadixSortOfWords, needsNoLargeStack) {
  // One outlier above bits that all share, so that there are five levels.
  std::vector<std::uint64_t> cells(300'000);
  std::mt19937_64 random(5);
  for (std::uint64_t& cell : cells) cell = random() & 0xffffff;
  cells[7] = ~std::uint64_t{0};
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, std::size_t{128} << 10), 0);
  const auto work = [](void* all) -> void* {
    parallel::sort(*static_cast<std::vector<std::uint64_t>*>(all));
    return nullptr;
  };
  pthread_t thread{};
  ASSERT_EQ(pthread_create(&thread, &attributes, work, &cells), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_TRUE(std::ranges::is_sorted(cells));
}

TEST(RadixSortOfWords, leavesOrderedArraysWhereTheyAre) {
  array<std::uint32_t> cells(200'000);
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<std::uint32_t>(i / 3);
  const std::uint32_t* const place = cells.data();
  parallel::sort(cells);
  EXPECT_EQ(cells.data(), place);
  EXPECT_TRUE(std::ranges::is_sorted(cells));
}

TEST(RadixSortOfWords, sortsASpanInPlace) {
  std::mt19937_64 random(3);
  std::vector<std::uint32_t> cells = some_cells<std::uint32_t>(100'000, random);
  std::vector<std::uint32_t> expected = cells;
  parallel::sort(cells);
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(cells, expected);
}

TEST(RadixSortOfWords, freesWhatItTook) {
  const std::size_t before = cleave::heap::live_bytes();
  {
    std::mt19937_64 random(4);
    expect_sorted(some_cells<std::int64_t>(200'000, random), std::less<>(), {.threads = 2});
  }
  EXPECT_EQ(cleave::heap::live_bytes(), before);
}

// -0.0 and 0.0 are equal and can be told apart: a stable sort keeps their order.
TEST(RadixSortOfWords, leavesFloatsToTheStableSort) {
  std::vector<double> cells;
  for (int i = 0; i < 2000; ++i) cells.push_back(i % 2 == 0 ? 0.0 : -0.0);
  std::vector<double> expected = cells;
  parallel::sort(cells);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    ASSERT_EQ(std::signbit(cells[i]), std::signbit(expected[i])) << i;
  }
}

RC_GTEST_PROP(RadixSortProperty, isWhatTheStandardSortGives, (std::vector<std::int32_t> cells)) {
  array<std::int32_t> sorted = array<std::int32_t>::for_overwrite(cells.size());
  std::copy(cells.begin(), cells.end(), sorted.begin());
  parallel::sort(sorted, {}, {}, {.grain = 10, .threads = 2});
  std::sort(cells.begin(), cells.end());
  RC_ASSERT(std::equal(cells.begin(), cells.end(), sorted.begin(), sorted.end()));
}

}  // namespace
