// shared_array_test.cpp -- many owners, and the copy that a writer gets.
#include <gtest/gtest.h>

#include <cleave/array.hpp>
#include <cleave/shared_array.hpp>
#include <compare>
#include <concepts>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "array/counted.hpp"
#include "support/environment.hpp"

namespace {

using cleave::array;
using cleave::share;
using cleave::shared_array;
using cleave::test::call_meter;
using cleave::test::counted;
using cleave::test::leak_meter;

static_assert(std::copyable<shared_array<int>>);
static_assert(std::is_nothrow_copy_constructible_v<shared_array<std::string>>);
static_assert(std::ranges::contiguous_range<shared_array<int>>);
static_assert(std::convertible_to<const shared_array<int>&, std::span<const int>>);
static_assert(std::three_way_comparable<shared_array<int>, std::strong_ordering>);
static_assert(!std::is_assignable_v<decltype(std::declval<shared_array<int>&>()[0]), int>);

template <class T>
std::vector<T> list(const T* begin, const T* end) {
  return {begin, end};
}
std::vector<int> list(const shared_array<int>& a) {
  return {a.begin(), a.end()};
}

TEST(SharedArray, isEmptyAtFirst) {
  shared_array<int> a;
  EXPECT_TRUE(a.empty());
  EXPECT_EQ(a.size(), 0u);
  EXPECT_EQ(a.use_count(), 0u);
  EXPECT_TRUE(a.unique());
  EXPECT_TRUE(a.write().empty());
  EXPECT_TRUE(a.span().empty());
  const shared_array<int> b = a;
  EXPECT_EQ(a, b);
  EXPECT_TRUE(std::move(a).into_array().empty());
}

TEST(SharedArray, ofAnEmptyArrayOwnsNothing) {
  const leak_meter meter;
  const shared_array<int> a = share(array<int>());
  EXPECT_TRUE(a.empty());
  EXPECT_EQ(meter.bytes(), 0u);
}

TEST(SharedArray, keepsTheElementsWhereTheyWere) {
  const leak_meter meter;
  array<counted> source{1, 2, 3};
  const counted* const place = source.data();
  shared_array<counted> a = share(std::move(source));
  EXPECT_TRUE(source.empty());
  EXPECT_EQ(a.data(), place);
  const array<counted> back = std::move(a).into_array();
  EXPECT_TRUE(a.empty());
  EXPECT_EQ(back.data(), place);
  EXPECT_EQ(meter.bytes(), 3 * sizeof(counted));
}

TEST(SharedArray, givesItsElements) {
  const shared_array<int> a = share(array{1, 2, 3});
  EXPECT_EQ(a.front(), 1);
  EXPECT_EQ(a[1], 2);
  EXPECT_EQ(a.at(2), 3);
  EXPECT_EQ(a.back(), 3);
  EXPECT_THROW((void)a.at(3), std::out_of_range);
  EXPECT_THROW((void)shared_array<int>().at(0), std::out_of_range);
  EXPECT_EQ(std::vector<int>(a.rbegin(), a.rend()), (std::vector{3, 2, 1}));
  EXPECT_EQ(a.cend() - a.cbegin(), 3);
}

TEST(SharedArray, countsItsOwners) {
  const leak_meter meter;
  const call_meter calls;
  shared_array<int> a = share(array{1, 2, 3});
  EXPECT_EQ(calls.allocations(), 2u);
  EXPECT_TRUE(a.unique());
  {
    const shared_array<int> b = a;
    EXPECT_EQ(b.data(), a.data());
    EXPECT_EQ(a.use_count(), 2u);
    EXPECT_FALSE(b.unique());
    shared_array<int> c = std::move(a);
    EXPECT_TRUE(a.empty());
    EXPECT_EQ(c.use_count(), 2u);
    a = c;
    EXPECT_EQ(c.use_count(), 3u);
    const shared_array<int>& same = c;
    c = same;
    EXPECT_EQ(c.use_count(), 3u);
    c = shared_array<int>();
    EXPECT_EQ(b.use_count(), 2u);
  }
  EXPECT_TRUE(a.unique());
  EXPECT_EQ(calls.allocations(), 2u);
  EXPECT_EQ(calls.frees(), 0u);
}

TEST(SharedArray, writesInPlaceWhenItIsTheOnlyOwner) {
  shared_array<int> a = share(array{1, 2, 3});
  const int* const place = a.data();
  a.write()[1] = 9;
  EXPECT_EQ(a.data(), place);
  EXPECT_EQ(list(a), (std::vector{1, 9, 3}));
}

TEST(SharedArray, copiesForTheWriterAndKeepsTheOthers) {
  const leak_meter meter;
  shared_array<int> a = share(array{1, 2, 3});
  shared_array<int> b = a;
  const int* const place = a.data();
  b.write()[0] = 9;
  EXPECT_EQ(list(a), (std::vector{1, 2, 3}));
  EXPECT_EQ(list(b), (std::vector{9, 2, 3}));
  EXPECT_EQ(a.data(), place);
  EXPECT_TRUE(a.unique());
  EXPECT_TRUE(b.unique());
}

TEST(SharedArray, intoArrayCopiesWhileThereAreOthers) {
  const leak_meter meter;
  shared_array<counted> a = share(array<counted>{1, 2});
  shared_array<counted> b = a;
  const array<counted> own = std::move(b).into_array();
  EXPECT_TRUE(b.empty());
  EXPECT_TRUE(a.unique());
  EXPECT_NE(own.data(), a.data());
  EXPECT_EQ(meter.objects(), 4);
}

TEST(SharedArray, comparesByElements) {
  const shared_array<int> a = share(array{1, 2});
  const shared_array<int> b = share(array{1, 2});
  EXPECT_EQ(a, a);
  EXPECT_EQ(a, b);
  EXPECT_LT(a, share(array{1, 3}));
  EXPECT_GT(a, shared_array<int>());
}

TEST(SharedArray, swaps) {
  shared_array<int> a = share(array{1});
  shared_array<int> b;
  swap(a, b);
  EXPECT_TRUE(a.empty());
  EXPECT_EQ(list(b), std::vector{1});
}

TEST(SharedArray, isDroppedByWhicheverThreadIsLast) {
  const leak_meter meter;
  const int rounds = cleave::test::by_build(300, 60);
  for (int round = 0; round < rounds; ++round) {
    shared_array<counted> first = share(array<counted>(10, counted(round)));
    std::vector<std::thread> owners;
    for (int t = 0; t < 3; ++t) {
      owners.emplace_back([mine = first, round, t]() mutable {
        const shared_array<counted> second = mine;
        EXPECT_EQ(second[9].value(), round);
        mine.write()[0] = counted(-t - 2);
        EXPECT_EQ(mine[0].value(), -t - 2);
        EXPECT_EQ(second[0].value(), round);
      });
    }
    EXPECT_EQ(first[0].value(), round);
    if (round % 2 == 0) first = shared_array<counted>();
    for (std::thread& owner : owners) owner.join();
  }
}

// The writer sees a count of one only after the reads of the others: without acquire and
// release here the thread sanitizer reports a race.
TEST(SharedArray, isWrittenOnlyAfterTheLastReader) {
  const int rounds = cleave::test::by_build(300, 60);
  for (int round = 0; round < rounds; ++round) {
    shared_array<int> mine = share(array<int>(4, round));
    std::thread reader([theirs = mine, round] { EXPECT_EQ(theirs[3], round); });
    const int* const place = mine.data();
    mine.write()[3] = -1;
    EXPECT_TRUE(mine.data() != place || mine.unique());
    reader.join();
  }
}

}  // namespace
