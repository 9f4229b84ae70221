// array_exceptions_test.cpp -- when an element throws, all is as it was.
//
// Each operation runs again and again with the 1st, 2nd, 3rd... construction
// throwing, until it gets through: there is no place left where it could throw.
#include <gtest/gtest.h>

#include <cleave/array.hpp>
#include <cleave/array_builder.hpp>
#include <cleave/shared_array.hpp>
#include <cstddef>
#include <forward_list>
#include <iterator>
#include <sstream>
#include <utility>
#include <vector>

#include "array/counted.hpp"

namespace {

using cleave::array;
using cleave::array_builder;
using cleave::shared_array;
using cleave::test::brittle;
using cleave::test::counted;
using cleave::test::leak_meter;
using cleave::test::throw_after;
using cleave::test::thrown_on_purpose;
using cleave::test::usage;

// Calls work() with ever later throws. Returns how often it threw; after each time
// unchanged() is asked.
template <class Work, class Unchanged>
long throws_of(Work work, Unchanged unchanged) {
  for (long constructions = 0;; ++constructions) {
    const usage more;
    bool threw = false;
    {
      const throw_after guard(constructions);
      try {
        work();
      } catch (const thrown_on_purpose&) {
        threw = true;
      }
    }
    if (!threw) return constructions;
    unchanged();
    EXPECT_EQ(more.objects(), 0) << "after " << constructions << " constructions";
    EXPECT_EQ(more.bytes(), 0u) << "after " << constructions << " constructions";
  }
}

constexpr auto nothing = [] {};

template <class T>
std::vector<int> list(const T& elements) {
  std::vector<int> values;
  for (const auto& element : elements) values.push_back(element.value());
  return values;
}

TEST(ArrayExceptions, makingLeaksNothing) {
  const leak_meter whole_test;
  const std::forward_list<int> numbers{1, 2, 3};
  const array<counted> source{1, 2, 3};
  EXPECT_EQ(throws_of([] { array<counted> a(3); }, nothing), 3);
  // The value to copy is one more.
  EXPECT_EQ(throws_of([] { array<counted> a(3, counted(7)); }, nothing), 4);
  EXPECT_EQ(throws_of([] { auto a = array<counted>::for_overwrite(3); }, nothing), 3);
  EXPECT_EQ(throws_of([&] { array<counted> a(numbers); }, nothing), 3);
  EXPECT_EQ(throws_of([&] { auto a = source.clone(); }, nothing), 3);
  EXPECT_EQ(throws_of(
                [] {
                  std::istringstream text("1 2 3 4 5 6 7 8 9");
                  using numbers_in = std::istream_iterator<int>;
                  array<counted> a{numbers_in(text), numbers_in()};
                },
                nothing),
            9);
}

TEST(ArrayExceptions, growInNewMemoryChangesNothing) {
  array<brittle> a{1, 2, 3, 4};
  const array<brittle> taken = a.cut(2);
  const brittle* const place = a.data();
  // Three more, and copies of two, since a move might throw.
  EXPECT_EQ(throws_of(
                [&] {
                  a.grow(5);
                  a.shrink(2);
                },
                [&] {
                  EXPECT_EQ(a.data(), place);
                  EXPECT_EQ(list(a), (std::vector{1, 2}));
                }),
            5);
}

TEST(ArrayExceptions, growInPlaceChangesNothing) {
  array<counted> a(20'000, 1);
  a.shrink(2);
  const counted* const place = a.data();
  EXPECT_EQ(throws_of(
                [&] {
                  ASSERT_TRUE(a.extend(5));
                  a.shrink(2);
                },
                [&] {
                  EXPECT_EQ(a.data(), place);
                  EXPECT_EQ(list(a), (std::vector{1, 1}));
                }),
            3);
  EXPECT_EQ(a.data(), place);
}

TEST(ArrayExceptions, joinChangesNeitherArray) {
  const leak_meter whole_test;
  array<brittle> left{1, 2, 3};
  array<brittle> right = left.cut(1);
  const long throws = throws_of([&] { right.join(std::move(left)); },
                                [&] {
                                  EXPECT_EQ(list(left), std::vector{1});
                                  EXPECT_EQ(list(right), (std::vector{2, 3}));
                                });
  EXPECT_EQ(throws, 3);
  EXPECT_EQ(list(right), (std::vector{2, 3, 1}));
  EXPECT_TRUE(left.empty());
}

TEST(ArrayExceptions, joinOfNothrowElementsConstructsByMoveAlone) {
  array<counted> left{1, 2, 3};
  array<counted> right = left.cut(1);
  EXPECT_EQ(throws_of([&] { right.join(std::move(left)); }, nothing), 0);
  EXPECT_EQ(list(right), (std::vector{2, 3, 1}));
}

TEST(ArrayExceptions, intoValueKeepsTheElement) {
  array<brittle> a{5};
  EXPECT_EQ(throws_of([&] { const brittle value = std::move(a).into_value(); },
                      [&] { EXPECT_EQ(list(a), std::vector{5}); }),
            1);
  EXPECT_TRUE(a.empty());
}

// What holds whenever a builder refused: its elements are there, and it owns its room
// and no more. The room itself may have grown.
template <class Append>
long refusals_of(array_builder<brittle>& b, Append append) {
  const std::vector<int> expected = list(b);
  const std::size_t room_before = b.capacity();
  const usage more;
  for (long constructions = 0;; ++constructions) {
    const throw_after guard(constructions);
    try {
      append();
      return constructions;
    } catch (const thrown_on_purpose&) {
      EXPECT_EQ(list(b), expected);
      EXPECT_EQ(more.objects(), 0);
      EXPECT_EQ(more.bytes(), (b.capacity() - room_before) * sizeof(brittle));
    }
  }
}

// A builder of `n` ones without room, and with the memory behind it taken.
struct hemmed_in {
  explicit hemmed_in(std::size_t n) {
    array<brittle> start(2 * n, brittle(1));
    taken = start.cut(n);
    builder = array_builder<brittle>(std::move(start));
  }
  array<brittle> taken;
  array_builder<brittle> builder;
};

TEST(ArrayBuilderExceptions, pushBackChangesNothing) {
  const leak_meter whole_test;
  for (const std::size_t n : {1u, 2u, 30u}) {
    hemmed_in in(n);
    const brittle value(2);
    // The copy of the value, and those of the elements that go to new memory.
    EXPECT_EQ(refusals_of(in.builder, [&] { in.builder.push_back(value); }),
              static_cast<long>(n + 1));
    EXPECT_EQ(in.builder.size(), n + 1);
    EXPECT_EQ(in.builder.back(), value);
  }
}

TEST(ArrayBuilderExceptions, appendOfARangeChangesNothing) {
  const leak_meter whole_test;
  hemmed_in in(10);
  const std::vector<int> more(100, 7);
  EXPECT_EQ(refusals_of(in.builder, [&] { in.builder.append(more); }), 110);
  EXPECT_EQ(in.builder.size(), 110u);
}

TEST(ArrayBuilderExceptions, appendOfAnArrayChangesNeither) {
  const leak_meter whole_test;
  hemmed_in in(10);
  array<brittle> more(100, brittle(8));
  EXPECT_EQ(refusals_of(in.builder,
                        [&] {
                          EXPECT_EQ(list(more), std::vector<int>(100, 8));
                          in.builder.append(std::move(more));
                        }),
            110);
  EXPECT_EQ(in.builder.size(), 110u);
  EXPECT_EQ(in.builder.back().value(), 8);
  EXPECT_TRUE(more.empty());
}

TEST(SharedArrayExceptions, writeAndIntoArrayKeepTheOwner) {
  const leak_meter whole_test;
  shared_array<counted> a = share(array<counted>{1, 2, 3});
  shared_array<counted> b = a;
  const auto unchanged = [&] {
    EXPECT_EQ(b.data(), a.data());
    EXPECT_EQ(a.use_count(), 2u);
    EXPECT_EQ(list(b), (std::vector{1, 2, 3}));
  };
  EXPECT_EQ(throws_of([&] { const auto own = std::move(b).into_array(); }, unchanged), 3);
  EXPECT_TRUE(b.empty());
  b = a;
  EXPECT_EQ(throws_of([&] { b.write()[0] = a[1]; }, unchanged), 3);
  EXPECT_EQ(list(b), (std::vector{2, 2, 3}));
}

}  // namespace
