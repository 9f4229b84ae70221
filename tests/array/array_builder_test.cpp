// array_builder_test.cpp -- growing at the end, and the array that comes of it.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cleave/array.hpp>
#include <cleave/array_builder.hpp>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <memory>
#include <numeric>
#include <ranges>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "array/counted.hpp"

namespace {

using cleave::array;
using cleave::array_builder;
using cleave::test::call_meter;
using cleave::test::counted;
using cleave::test::full_heap;
using cleave::test::leak_meter;
using cleave::test::relocatable;

static_assert(std::movable<array_builder<int>> && !std::copyable<array_builder<int>>);
static_assert(std::ranges::contiguous_range<array_builder<int>>);

template <class T>
std::vector<T> list(const array_builder<T>& b) {
  return {b.begin(), b.end()};
}
template <class T>
std::vector<T> list(const array<T>& a) {
  return {a.begin(), a.end()};
}

// A range of unknown length that can be read once.
struct read_once {
  std::istringstream text;
  explicit read_once(const char* numbers) : text(numbers) {}
  auto begin() { return std::istream_iterator<int>(text); }
  auto end() { return std::istream_iterator<int>(); }
};

TEST(ArrayBuilder, holdsNothingAtFirst) {
  const leak_meter meter;
  array_builder<int> b;
  EXPECT_TRUE(b.empty());
  EXPECT_EQ(b.capacity(), 0u);
  EXPECT_TRUE(b.build().empty());
  EXPECT_EQ(meter.bytes(), 0u);
}

TEST(ArrayBuilder, buildsWhatWasPushedWithoutACopy) {
  const leak_meter meter;
  array_builder<int> b;
  std::vector<int> expected(1000);
  std::iota(expected.begin(), expected.end(), 0);
  for (const int i : expected) b.push_back(i);
  EXPECT_EQ(list(b), expected);
  const int* const place = b.data();
  const array<int> a = b.build();
  EXPECT_EQ(a.data(), place);
  EXPECT_EQ(list(a), expected);
  EXPECT_EQ(meter.bytes(), 1000 * sizeof(int));
  EXPECT_TRUE(b.empty());
  EXPECT_EQ(b.capacity(), 0u);
}

TEST(ArrayBuilder, growsInFewSteps) {
  array_builder<int> b;
  const call_meter calls;
  for (int i = 0; i < 1'000'000; ++i) b.push_back(i);
  // From 1 to 10^6 by half each time takes 35 steps.
  EXPECT_LE(calls.allocations(), 40u);
  EXPECT_GE(b.capacity(), 1'000'000u);
}

TEST(ArrayBuilder, growsInPlaceWhereTheMemoryIsFree) {
  array<int> start(200'000, 1);
  start.shrink(10'000);
  array_builder<int> b(std::move(start));
  const int* const place = b.data();
  for (int i = 0; i < 100'000; ++i) b.push_back(i);
  EXPECT_EQ(b.data(), place);
  EXPECT_EQ(b[109'999], 99'999);
}

TEST(ArrayBuilder, reservesOnce) {
  array_builder<std::string> b;
  b.reserve(100);
  EXPECT_GE(b.capacity(), 100u);
  const std::string* const place = b.data();
  for (int i = 0; i < 100; ++i) b.emplace_back(3, 'x');
  EXPECT_EQ(b.data(), place);
  b.reserve(50);
  EXPECT_EQ(b.data(), place);
  b.reserve(b.capacity() + 100'000);
  EXPECT_EQ(b.size(), 100u);
  EXPECT_EQ(b.front(), "xxx");
}

TEST(ArrayBuilder, pushesItsOwnElements) {
  array_builder<std::string> b;
  b.push_back("a string that is too long to stand in its object");
  const std::string expected = b[0];
  for (int i = 0; i < 100; ++i) b.push_back(b.back());
  for (int i = 0; i < 4; ++i) b.append(std::span(b.data(), b.size()));
  b.append(50, b[7]);
  EXPECT_EQ(b.size(), 101u * 16 + 50);
  EXPECT_TRUE(std::ranges::all_of(b, [&](const std::string& s) { return s == expected; }));
}

TEST(ArrayBuilder, appendsRanges) {
  array_builder<int> b;
  b.append({1, 2});
  b.append(std::vector{3, 4});
  b.append(2, 5);
  b.append(read_once{"6 7"});
  array<int> more{8, 9};
  b.append(more);
  EXPECT_EQ(more.size(), 2u);
  EXPECT_EQ(list(b), (std::vector{1, 2, 3, 4, 5, 5, 6, 7, 8, 9}));
}

TEST(ArrayBuilder, takesAnArrayWholeWhenItHasNoRoom) {
  array<counted> a{1, 2};
  const counted* const place = a.data();
  array_builder<counted> b;
  b.append(std::move(a));
  EXPECT_TRUE(a.empty());
  EXPECT_EQ(b.data(), place);
  EXPECT_EQ(list(b), (std::vector<counted>{1, 2}));
}

TEST(ArrayBuilder, joinsANeighbour) {
  array<counted> a{1, 2, 3, 4};
  const counted* const place = a.data();
  array<counted> right = a.cut(1);
  array_builder<counted> b(std::move(a));
  const call_meter calls;
  b.append(std::move(right));
  EXPECT_EQ(calls.allocations(), 0u);
  EXPECT_TRUE(right.empty());
  EXPECT_EQ(b.data(), place);
  EXPECT_EQ(list(b), (std::vector<counted>{1, 2, 3, 4}));
  EXPECT_EQ(b.capacity(), 4u);
}

TEST(ArrayBuilder, movesTheElementsOfOtherArrays) {
  const leak_meter meter;
  array_builder<std::unique_ptr<int>> b;
  b.push_back(std::make_unique<int>(1));
  array<std::unique_ptr<int>> more(100);
  more[99] = std::make_unique<int>(2);
  b.append(std::move(more));
  b.append(array<std::unique_ptr<int>>());
  EXPECT_TRUE(more.empty());
  const auto a = b.build();
  EXPECT_EQ(a.size(), 101u);
  EXPECT_EQ(*a[100], 2);
  EXPECT_EQ(meter.bytes(), 101 * sizeof(void*));
}

TEST(ArrayBuilder, movesRelocatableElementsByTheirBytes) {
  const leak_meter meter;
  array_builder<relocatable> b;
  for (int i = 0; i < 100; ++i) b.emplace_back(i);
  b.append(array<relocatable>(30));
  EXPECT_EQ(meter.objects(), 130);
  EXPECT_EQ(b[99].value(), 99);
}

TEST(ArrayBuilder, popsAndClears) {
  const leak_meter meter;
  array_builder<counted> b;
  b.append({1, 2, 3});
  b.pop_back();
  EXPECT_EQ(list(b), (std::vector<counted>{1, 2}));
  const std::size_t room = b.capacity();
  b.clear();
  EXPECT_TRUE(b.empty());
  EXPECT_EQ(meter.objects(), 0);
  EXPECT_EQ(b.capacity(), room);
  b.push_back(4);
  EXPECT_EQ(b.back().value(), 4);
}

TEST(ArrayBuilder, isEmptyAfterAMove) {
  const leak_meter meter;
  array_builder<counted> a;
  a.push_back(1);
  array_builder<counted> b = std::move(a);
  EXPECT_TRUE(a.empty());
  EXPECT_EQ(a.capacity(), 0u);
  a.push_back(2);
  swap(a, b);
  EXPECT_EQ(a[0].value(), 1);
  a = std::move(b);
  EXPECT_EQ(a[0].value(), 2);
}

TEST(ArrayBuilder, alignsItsElements) {
  struct alignas(256) wide {
    int value = 0;
  };
  array_builder<wide> b;
  for (int i = 0; i < 20; ++i) {
    b.emplace_back();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b.data()) % 256, 0u);
  }
}

TEST(ArrayBuilder, givesBackRoomThatHoldsNoWholeElement) {
  const leak_meter meter;
  struct odd {
    char bytes[13];
  };
  array_builder<odd> b;
  for (int i = 0; i < 100; ++i) {
    b.emplace_back();
    EXPECT_EQ(meter.bytes(), b.capacity() * sizeof(odd));
  }
}

TEST(ArrayBuilder, saysWhenThereIsNoMemory) {
  array_builder<std::byte> b;
  b.append(full_heap::large, std::byte{1});
  const std::size_t room = b.capacity();
  EXPECT_THROW(b.reserve(array_builder<std::byte>::max_size() + 1), std::length_error);
  // Not a constant: the compiler would warn of it.
  const std::size_t endless = SIZE_MAX - room;
  EXPECT_THROW(b.append(endless, std::byte{1}), std::length_error);
  const full_heap full;
  EXPECT_THROW(b.reserve(4 * full_heap::large), std::bad_alloc);
  EXPECT_THROW(b.append(2 * full_heap::large, std::byte{2}), std::bad_alloc);
  EXPECT_EQ(b.size(), full_heap::large);
  EXPECT_EQ(b.capacity(), room);
}

RC_GTEST_PROP(ArrayBuilder, holdsWhatAVectorHolds, ()) {
  const leak_meter meter;
  array_builder<counted> b;
  std::vector<int> expected;
  const int steps = *rc::gen::inRange(1, 80);
  for (int step = 0; step < steps; ++step) {
    switch (*rc::gen::inRange(0, 6)) {
      case 0:
        b.emplace_back(step);
        expected.push_back(step);
        break;
      case 1: {
        const auto values = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 9));
        b.append(values);
        expected.insert(expected.end(), values.begin(), values.end());
        break;
      }
      case 2: {
        const auto values = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 9));
        b.append(array<counted>(values));
        expected.insert(expected.end(), values.begin(), values.end());
        break;
      }
      case 3:
        if (expected.empty()) break;
        b.pop_back();
        expected.pop_back();
        break;
      case 4: b.reserve(*rc::gen::inRange<std::size_t>(0, 200)); break;
      default: {
        // Out and in again, cut where the random generator says, and joined.
        array<counted> left = b.build();
        array<counted> right = left.cut(*rc::gen::inRange<std::size_t>(0, left.size() + 1));
        b = array_builder<counted>(std::move(left));
        b.append(std::move(right));
      }
    }
    RC_ASSERT(std::ranges::equal(b, expected, {}, &counted::value));
    RC_ASSERT(meter.bytes() == b.capacity() * sizeof(counted));
    RC_ASSERT(meter.objects() == static_cast<long>(expected.size()));
  }
}

}  // namespace
