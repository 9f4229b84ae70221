// array_test.cpp -- arrays as containers: making, reading, comparing, moving, sizes.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cleave/array.hpp>
#include <cmath>
#include <compare>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <forward_list>
#include <iterator>
#include <list>
#include <memory>
#include <numeric>
#include <ranges>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "array/counted.hpp"

namespace {

using cleave::array;
using cleave::test::alive;
using cleave::test::counted;
using cleave::test::full_heap;
using cleave::test::leak_meter;
using cleave::test::relocatable;

static_assert(sizeof(array<int>) == 2 * sizeof(void*) &&
              sizeof(array<std::string>) == 2 * sizeof(void*));
static_assert(std::movable<array<int>> && !std::copyable<array<int>>);
static_assert(std::is_nothrow_move_constructible_v<array<std::string>>);
static_assert(std::is_nothrow_move_assignable_v<array<std::string>>);
static_assert(std::ranges::contiguous_range<array<int>>);
static_assert(std::ranges::contiguous_range<const array<int>>);
static_assert(std::ranges::sized_range<array<int>> && !std::ranges::view<array<int>>);
static_assert(std::same_as<decltype(array(3, 1.5)), array<double>>);
static_assert(std::same_as<decltype(array{1, 2}), array<int>>);
static_assert(std::same_as<decltype(array(std::declval<std::list<char>>())), array<char>>);
static_assert(std::three_way_comparable<array<int>, std::strong_ordering>);
static_assert(std::three_way_comparable<array<double>, std::partial_ordering>);
static_assert(!std::three_way_comparable<array<relocatable>>);
static_assert(std::convertible_to<array<int>&, std::span<int>>);
static_assert(std::convertible_to<const array<int>&, std::span<const int>>);
static_assert(!std::convertible_to<const array<int>&, std::span<int>>);
static_assert(!std::convertible_to<int, array<int>>);

// An array of an element type that is not yet complete.
struct tree {
  int value = 0;
  array<tree> children;
  friend bool operator==(const tree&, const tree&) = default;
};

struct alignas(4096) page_aligned {
  int value = 0;
};

template <class T>
std::vector<T> list(const array<T>& a) {
  return {a.begin(), a.end()};
}

bool aligned(const void* p, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(p) % alignment == 0;
}

// Leaves memory that is not zero for the next allocation of this size.
void make_dirty(std::size_t bytes) {
  auto dirt = array<unsigned char>::for_overwrite(bytes);
  std::memset(dirt.data(), 0xEE, bytes);
}

TEST(Array, isEmptyAtFirst) {
  const array<int> a;
  EXPECT_TRUE(a.empty());
  EXPECT_EQ(a.size(), 0u);
  EXPECT_EQ(a.begin(), a.end());
  EXPECT_EQ(a.rbegin(), a.rend());
  EXPECT_TRUE(a.span().empty());
}

TEST(Array, valueInitialises) {
  for (const std::size_t n : {1u, 3u, 100u, 5000u}) {
    make_dirty(n * sizeof(int));
    EXPECT_EQ(list(array<int>(n)), std::vector<int>(n, 0));
  }
}

TEST(Array, ownsExactlyItsBytes) {
  const leak_meter meter;
  for (const std::size_t n : {0u, 1u, 5u, 1000u, 100'000u}) {
    const array<std::uint32_t> a(n);
    EXPECT_EQ(meter.bytes(), 4 * n);
  }
}

TEST(Array, isMadeOfCopies) {
  EXPECT_EQ(list(array<int>(3, 7)), (std::vector{7, 7, 7}));
  EXPECT_EQ(list(array<std::string>(2, "ab")), (std::vector<std::string>{"ab", "ab"}));
  EXPECT_TRUE(array<int>(0, 7).empty());
}

TEST(Array, isMadeOfAList) {
  EXPECT_EQ(list(array{3, 1, 2}), (std::vector{3, 1, 2}));
}

TEST(Array, isMadeOfIterators) {
  const std::forward_list<int> numbers{4, 5, 6};
  EXPECT_EQ(list(array<int>(numbers.begin(), numbers.end())), (std::vector{4, 5, 6}));
  EXPECT_TRUE(array<int>(numbers.end(), numbers.end()).empty());
}

TEST(Array, isMadeOfARange) {
  EXPECT_EQ(list(array(std::list<int>{1, 2})), (std::vector{1, 2}));
  const std::array<short, 2> shorts{8, 9};
  EXPECT_EQ(list(array<long>(shorts)), (std::vector<long>{8, 9}));
  EXPECT_EQ(list(array(std::span(shorts))), (std::vector<short>{8, 9}));
}

TEST(Array, isMadeOfARangeThatIsReadOnce) {
  const leak_meter meter;
  std::vector<int> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::stringstream text;
  for (const int n : numbers) text << n << ' ';
  const array<int> a{std::istream_iterator<int>(text), std::istream_iterator<int>()};
  EXPECT_EQ(list(a), numbers);
  EXPECT_EQ(meter.bytes(), numbers.size() * sizeof(int));
}

TEST(Array, takesMoveOnlyElementsFromMoveIterators) {
  std::vector<std::unique_ptr<int>> source;
  source.push_back(std::make_unique<int>(5));
  const array<std::unique_ptr<int>> a(std::make_move_iterator(source.begin()),
                                      std::make_move_iterator(source.end()));
  EXPECT_EQ(*a[0], 5);
  EXPECT_EQ(source[0], nullptr);
}

TEST(Array, forOverwriteLeavesNumbersAndConstructsObjects) {
  auto numbers = array<int>::for_overwrite(10);
  EXPECT_EQ(numbers.size(), 10u);
  const leak_meter meter;
  const auto objects = array<counted>::for_overwrite(10);
  EXPECT_EQ(meter.objects(), 10);
}

TEST(Array, holdsWhatItsAlignmentAsks) {
  for (const std::size_t n : {1u, 2u, 3u}) {
    array<page_aligned> a(n);
    EXPECT_TRUE(aligned(a.data(), 4096));
    array<page_aligned> last = a.cut(n - 1);
    EXPECT_TRUE(aligned(last.data(), 4096));
    last.grow(5);
    EXPECT_TRUE(aligned(last.data(), 4096));
  }
  EXPECT_TRUE(aligned(array<std::max_align_t>(1).data(), alignof(std::max_align_t)));
}

TEST(Array, holdsArraysOfItsOwnKind) {
  const leak_meter meter;
  tree root{1, array<tree>(3)};
  root.children[2] = tree{2, array<tree>(2)};
  root.children.grow(100);
  EXPECT_EQ(root.children[2].children.size(), 2u);
  EXPECT_EQ(root, root);
  const array<tree> taken = std::move(root.children[2].children);
  EXPECT_EQ(taken.size(), 2u);
}

TEST(Array, refusesMoreThanAnObjectCanHold) {
  const leak_meter meter;
  constexpr std::size_t too_many = array<int>::max_size() + 1;
  EXPECT_THROW((void)array<int>(too_many), std::length_error);
  EXPECT_THROW((void)array<int>(too_many, 1), std::length_error);
  EXPECT_THROW((void)array<int>::for_overwrite(SIZE_MAX / 4 + 2), std::length_error);
  EXPECT_TRUE(array<int>::try_make(too_many).empty());
  array<int> a{1};
  EXPECT_THROW(a.grow(too_many), std::length_error);
  EXPECT_FALSE(a.extend(too_many));
  EXPECT_EQ(list(a), std::vector{1});
}

TEST(Array, saysWhenThereIsNoMemory) {
  const leak_meter meter;
  array<std::byte> a(full_heap::large);
  const full_heap full;
  EXPECT_THROW((void)array<std::byte>(2 * full_heap::large), std::bad_alloc);
  EXPECT_TRUE(array<std::byte>::try_make(2 * full_heap::large).empty());
  EXPECT_TRUE(array<std::byte>::try_for_overwrite(2 * full_heap::large).empty());
  EXPECT_TRUE(a.try_clone().empty());
  EXPECT_THROW((void)a.clone(), std::bad_alloc);
  EXPECT_EQ(a.size(), full_heap::large);
}

TEST(Array, triesToMakeWhatTheOthersMake) {
  make_dirty(400);
  EXPECT_EQ(list(array<int>::try_make(100)), std::vector<int>(100));
  EXPECT_EQ(array<int>::try_for_overwrite(100).size(), 100u);
  EXPECT_EQ(list(array{1, 2}.try_clone()), (std::vector{1, 2}));
  EXPECT_TRUE(array<int>::try_make(0).empty());
}

TEST(Array, givesItsElements) {
  array<int> a{1, 2, 3};
  const array<int>& c = a;
  EXPECT_EQ(a[1], 2);
  EXPECT_EQ(c[1], 2);
  EXPECT_EQ(a.front(), 1);
  EXPECT_EQ(c.back(), 3);
  EXPECT_EQ(&c.at(2), a.data() + 2);
  EXPECT_THROW((void)c.at(3), std::out_of_range);
  EXPECT_THROW((void)a.at(SIZE_MAX), std::out_of_range);
  a.at(0) = 10;
  a.back() = 30;
  EXPECT_EQ(list(a), (std::vector{10, 2, 30}));
}

TEST(Array, worksWithAlgorithms) {
  array<int> a{3, 1, 2};
  std::ranges::sort(a);
  EXPECT_EQ(list(a), (std::vector{1, 2, 3}));
  EXPECT_EQ(std::vector<int>(a.crbegin(), a.crend()), (std::vector{3, 2, 1}));
  *a.rbegin() = 9;
  EXPECT_EQ(std::accumulate(a.cbegin(), a.cend(), 0), 12);
  const std::span<int> all = a;
  EXPECT_EQ(all.data(), a.data());
  EXPECT_EQ(all.size(), 3u);
}

TEST(Array, fillsAndAssigns) {
  array<std::string> a(2, "x");
  a.fill("y");
  EXPECT_EQ(list(a), (std::vector<std::string>{"y", "y"}));
  a.assign(3, a[0]);
  EXPECT_EQ(list(a), (std::vector<std::string>{"y", "y", "y"}));
  a.assign({"p", "q"});
  EXPECT_EQ(list(a), (std::vector<std::string>{"p", "q"}));
  const std::list<const char*> words{"r"};
  a.assign(words.begin(), words.end());
  EXPECT_EQ(list(a), (std::vector<std::string>{"r"}));
  a = {"s"};
  EXPECT_EQ(list(a), (std::vector<std::string>{"s"}));
}

TEST(Array, comparesByElementsThenByLength) {
  EXPECT_EQ((array{1, 2}), (array{1, 2}));
  EXPECT_NE((array{1, 2}), (array{1, 2, 3}));
  EXPECT_NE((array{1, 2}), (array{1, 3}));
  EXPECT_LT((array{1, 2}), (array{1, 2, 0}));
  EXPECT_LT((array{1, 9}), (array{2}));
  EXPECT_GT((array{2}), array<int>());
  EXPECT_EQ((array{std::nan("")} <=> array{1.0}), std::partial_ordering::unordered);
}

TEST(Array, comparesElementsThatHaveOnlyLess) {
  struct length {
    std::string text;
    bool operator<(const length& other) const { return text.size() < other.text.size(); }
  };
  const array<length> a{{"ab"}};
  const array<length> b{{"cd"}};
  const array<length> c{{"efg"}};
  EXPECT_EQ(a <=> b, std::weak_ordering::equivalent);
  EXPECT_EQ(a <=> c, std::weak_ordering::less);
  EXPECT_EQ(c <=> a, std::weak_ordering::greater);
}

TEST(Array, leavesAnEmptyArrayWhenMoved) {
  const leak_meter meter;
  array<int> a{1, 2};
  const int* const place = a.data();
  array<int> b = std::move(a);
  EXPECT_TRUE(a.empty());
  EXPECT_EQ(b.data(), place);
  a = array{5};
  EXPECT_EQ(list(a), std::vector{5});
  a = std::move(b);
  EXPECT_TRUE(b.empty());
  EXPECT_EQ(list(a), (std::vector{1, 2}));
  EXPECT_EQ(meter.bytes(), 2 * sizeof(int));
}

TEST(Array, survivesMovingToItself) {
  array<int> a{1, 2};
  array<int>& same = a;
  a = std::move(same);
  EXPECT_EQ(list(a), (std::vector{1, 2}));
}

TEST(Array, swaps) {
  array<int> a{1};
  array<int> b{2, 3};
  swap(a, b);
  EXPECT_EQ(list(a), (std::vector{2, 3}));
  EXPECT_EQ(list(b), std::vector{1});
}

TEST(Array, destroysItsElementsFirstToLast) {
  struct speaker {
    std::vector<int>* heard;
    int name;
    ~speaker() { heard->push_back(name); }
  };
  std::vector<int> heard;
  {
    const array<speaker> speakers = [&] {
      auto made = array<speaker>::for_overwrite(3);
      for (int i = 0; i < 3; ++i) {
        made[static_cast<std::size_t>(i)].heard = &heard;
        made[static_cast<std::size_t>(i)].name = i;
      }
      return made;
    }();
  }
  EXPECT_EQ(heard, (std::vector{0, 1, 2}));
}

TEST(Array, cloneIsASecondArray) {
  array<int> a{1, 2};
  const array<int> b = a.clone();
  EXPECT_EQ(a, b);
  EXPECT_NE(a.data(), b.data());
  a[0] = 9;
  EXPECT_EQ(b[0], 1);
  EXPECT_TRUE(array<int>().clone().empty());
}

TEST(Array, releasesWhatAdoptTakes) {
  const leak_meter meter;
  array<counted> a{1, 2, 3};
  const std::span<counted> raw = a.release();
  EXPECT_TRUE(a.empty());
  EXPECT_EQ(meter.objects(), 3);
  const auto front = array<counted>::adopt(raw.first(1));
  const auto back = array<counted>::adopt(raw.subspan(1));
  EXPECT_EQ(front[0].value(), 1);
  EXPECT_EQ(back[1].value(), 3);
}

TEST(ArraySize, shrinkDestroysAndFreesTheTail) {
  const leak_meter meter;
  array<counted> a{1, 2, 3, 4};
  const counted* const place = a.data();
  EXPECT_THROW(a.shrink(5), std::out_of_range);
  EXPECT_EQ(a.size(), 4u);
  a.shrink(1);
  EXPECT_EQ(a.data(), place);
  EXPECT_EQ(list(a), std::vector<counted>{1});
  EXPECT_EQ(meter.bytes(), sizeof(counted));
  a.clear();
  EXPECT_TRUE(a.empty());
  EXPECT_EQ(meter.bytes(), 0u);
}

TEST(ArraySize, growAddsValueInitialisedElements) {
  const leak_meter meter;
  array<int> a{1};
  make_dirty(4000);
  a.grow(1000);
  std::vector<int> expected(1000);
  expected[0] = 1;
  EXPECT_EQ(list(a), expected);
  EXPECT_EQ(meter.bytes(), 4000u);
  EXPECT_THROW(a.grow(999), std::out_of_range);
  a.grow(1000);
  EXPECT_EQ(a.size(), 1000u);
  array<int> b;
  b.grow(2, 7);
  EXPECT_EQ(list(b), (std::vector{7, 7}));
}

TEST(ArraySize, growMayCopyAnElementOfItsOwn) {
  array<std::string> a{"a string that is too long to stand in its object"};
  for (std::size_t n = 2; n < 200; n += n) a.grow(n, a[0]);
  for (const std::string& s : a) EXPECT_EQ(s, a[0]);
}

TEST(ArraySize, growKeepsThePlaceWhenTheMemoryToTheRightIsFree) {
  array<int> a(100'000, 3);
  const int* const place = a.data();
  a.shrink(10);
  ASSERT_TRUE(a.extend(20'000));
  EXPECT_EQ(a.data(), place);
  EXPECT_EQ(a[9], 3);
  EXPECT_EQ(a[10], 0);
  a.grow(50'000, 4);
  EXPECT_EQ(a.data(), place);
  EXPECT_EQ(a[49'999], 4);
}

TEST(ArraySize, growMovesWhenTheMemoryToTheRightIsTaken) {
  const leak_meter meter;
  array<counted> a{1, 2, 3, 4};
  const array<counted> taken = a.cut(2);
  const counted* const place = a.data();
  EXPECT_FALSE(a.extend(3));
  EXPECT_EQ(a.size(), 2u);
  a.grow(3);
  EXPECT_NE(a.data(), place);
  EXPECT_EQ(list(a), (std::vector<counted>{1, 2, 0}));
  EXPECT_EQ(list(taken), (std::vector<counted>{3, 4}));
}

TEST(ArraySize, resizeGoesBothWays) {
  array<int> a{1, 2, 3};
  a.resize(1);
  a.resize(3, 8);
  a.resize(4);
  EXPECT_EQ(list(a), (std::vector{1, 8, 8, 0}));
  a.resize(0);
  EXPECT_TRUE(a.empty());
  EXPECT_FALSE(a.extend(1));
  EXPECT_TRUE(a.extend(0));
}

TEST(ArraySize, relocatableElementsMoveByTheirBytes) {
  const leak_meter meter;
  array<relocatable> a(2);
  array<relocatable> b(1);
  a.grow(1000);
  b.grow(3);
  a.join(std::move(b));
  a.detach();
  EXPECT_EQ(meter.objects(), 1003);
}

TEST(ArrayDetach, movesASmallPieceToMemoryOfItsOwn) {
  const leak_meter meter;
  array<counted> whole(4096, 5);
  array<counted> piece = whole.cut(4000);
  piece.shrink(4);
  const counted* const place = piece.data();
  piece.detach();
  EXPECT_NE(piece.data(), place);
  EXPECT_EQ(list(piece), std::vector<counted>(4, 5));
  EXPECT_EQ(meter.bytes(), 4004 * sizeof(counted));
}

TEST(ArrayDetach, leavesLargeAndEmptyPieces) {
  array<int> large(array<int>::detach_limit, 1);
  const int* const place = large.data();
  large.detach();
  EXPECT_EQ(large.data(), place);
  array<int> empty;
  empty.detach();
  EXPECT_TRUE(empty.empty());
  array<std::array<char, 2000>> wide(1);
  const void* const wide_place = wide.data();
  wide.detach();
  EXPECT_EQ(wide.data(), wide_place);
}

}  // namespace
