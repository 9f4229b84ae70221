// array_cut_test.cpp -- pieces: cut, join, the tree view, and what random use leaves.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cleave/array.hpp>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
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
using cleave::join;
using cleave::match;
using cleave::test::call_meter;
using cleave::test::counted;
using cleave::test::full_heap;
using cleave::test::leak_meter;

// [first, first + n).
array<int> count_from(int first, std::size_t n) {
  auto a = array<int>::for_overwrite(n);
  std::iota(a.begin(), a.end(), first);
  return a;
}

std::vector<int> list(const array<int>& a) {
  return {a.begin(), a.end()};
}

TEST(ArrayCut, keepsElementsInPlaceForEveryCut) {
  constexpr std::size_t n = 20;
  for (std::size_t c = 0; c <= n; ++c) {
    const leak_meter meter;
    array<int> left = count_from(0, n);
    int* const place = left.data();
    const array<int> right = left.cut(c);
    EXPECT_EQ(left.data(), place);
    EXPECT_EQ(right.data(), place + c);
    EXPECT_EQ(left.size(), c);
    EXPECT_EQ(right.size(), n - c);
    EXPECT_EQ(left, count_from(0, c));
    EXPECT_EQ(right, count_from(static_cast<int>(c), n - c));
  }
}

TEST(ArrayCut, refusesToCutBehindTheEnd) {
  array<int> a{1, 2};
  EXPECT_THROW((void)a.cut(3), std::out_of_range);
  EXPECT_THROW((void)a.cut(SIZE_MAX), std::out_of_range);
  EXPECT_EQ(list(a), (std::vector{1, 2}));
  array<int> none;
  EXPECT_THROW((void)none.cut(1), std::out_of_range);
  EXPECT_TRUE(none.cut(0).empty());
}

TEST(ArrayCut, destroysExactlyThePiece) {
  const leak_meter meter;
  array<counted> left{1, 2, 3};
  {
    const array<counted> right = left.cut(1);
    EXPECT_EQ(meter.objects(), 3);
  }
  EXPECT_EQ(meter.objects(), 1);
  EXPECT_EQ(meter.bytes(), sizeof(counted));
}

TEST(ArrayCut, anEmptyPieceOwnsNothing) {
  const leak_meter meter;
  array<int> left{1, 2};
  array<int> right = left.cut(2);
  left.clear();
  EXPECT_EQ(meter.bytes(), 0u);
  const array<int> more = right.cut(0);
  EXPECT_TRUE(more.empty());
}

TEST(ArrayHalves, giveTheSmallerHalfFirst) {
  for (const std::size_t n : {0u, 1u, 2u, 7u, 8u}) {
    array<int> a = count_from(0, n);
    int* const place = a.data();
    const auto [left, right] = std::move(a).halves();
    EXPECT_EQ(left.size(), n / 2);
    EXPECT_EQ(right.size(), n - n / 2);
    EXPECT_EQ(left.data(), place);
    EXPECT_EQ(right.data(), place + n / 2);
    EXPECT_TRUE(a.empty());
  }
}

TEST(ArrayJoin, restoresWhatWasCutWithoutTheHeap) {
  constexpr std::size_t n = 20;
  for (std::size_t c = 0; c <= n; ++c) {
    const leak_meter meter;
    array<int> left = count_from(0, n);
    int* const place = left.data();
    const call_meter calls;
    array<int> right = left.cut(c);
    EXPECT_TRUE(left.try_join_adjacent(std::move(right)));
    EXPECT_EQ(calls.allocations(), 0u);
    EXPECT_EQ(calls.frees(), 0u);
    EXPECT_TRUE(right.empty());
    EXPECT_EQ(left.data(), place);
    EXPECT_EQ(left, count_from(0, n));
  }
}

TEST(ArrayJoin, isTheIdentityWithAnEmptyArray) {
  for (std::size_t c : {0u, 2u, 4u}) {
    array<int> a = count_from(0, 4);
    array<int> cut_off = count_from(0, 4);
    array<int> rest = cut_off.cut(c);
    // Empty arrays of all origins: never filled, at the places of a cut, moved from.
    array<int> none;
    array<int> place = rest.cut(rest.size());
    array<int> moved_from{1};
    const array<int> taken(std::move(moved_from));
    int* const data = a.data();
    for (array<int>* empty : {&none, &place, &moved_from}) {
      a = join(std::move(a), std::move(*empty));
      a = join(std::move(*empty), std::move(a));
      EXPECT_TRUE(empty->empty());
      EXPECT_EQ(a.data(), data);
      EXPECT_EQ(a, count_from(0, 4));
    }
  }
}

TEST(ArrayJoin, joinsNeighboursOfAnyOrigin) {
  const leak_meter meter;
  const std::span<int> memory = count_from(0, 9).release();
  auto a = array<int>::adopt(memory.first(2));
  auto b = array<int>::adopt(memory.subspan(2, 3));
  auto c = array<int>::adopt(memory.subspan(5));
  EXPECT_FALSE(a.try_join_adjacent(std::move(c)));
  EXPECT_FALSE(b.try_join_adjacent(std::move(a)));
  EXPECT_EQ(a.size() + b.size() + c.size(), 9u);
  EXPECT_TRUE(b.try_join_adjacent(std::move(c)));
  EXPECT_TRUE(a.try_join_adjacent(std::move(b)));
  EXPECT_EQ(a.data(), memory.data());
  EXPECT_EQ(a, count_from(0, 9));
}

TEST(ArrayJoin, movesElementsThatAreNotNeighbours) {
  const leak_meter meter;
  array<counted> left{1, 2, 3};
  array<counted> right = left.cut(1);
  array<counted> swapped = join(std::move(right), std::move(left));
  EXPECT_TRUE(left.empty());
  EXPECT_TRUE(right.empty());
  EXPECT_EQ(swapped, (array<counted>{2, 3, 1}));
  EXPECT_EQ(meter.bytes(), 3 * sizeof(counted));

  array<std::unique_ptr<int>> a(1);
  array<std::unique_ptr<int>> b(1);
  a[0] = std::make_unique<int>(1);
  b[0] = std::make_unique<int>(2);
  b.join(std::move(a));
  EXPECT_EQ(*b[0], 2);
  EXPECT_EQ(*b[1], 1);
}

TEST(ArrayJoin, withItselfChangesNothing) {
  array<int> a{1, 2};
  array<int>& same = a;
  a.join(std::move(same));
  EXPECT_TRUE(a.try_join(std::move(same)));
  EXPECT_FALSE(a.try_join_adjacent(std::move(same)));
  EXPECT_EQ(list(a), (std::vector{1, 2}));
}

TEST(ArrayJoin, withoutMemoryChangesNothing) {
  array<std::byte> left(full_heap::large);
  array<std::byte> right = left.cut(full_heap::large / 2);
  std::byte* const place = right.data();
  const full_heap full;
  EXPECT_THROW(right.join(std::move(left)), std::bad_alloc);
  EXPECT_THROW((void)join(std::move(right), std::move(left)), std::bad_alloc);
  EXPECT_FALSE(right.try_join(std::move(left)));
  EXPECT_EQ(left.size(), full_heap::large / 2);
  EXPECT_EQ(right.size(), full_heap::large / 2);
  EXPECT_EQ(right.data(), place);
  EXPECT_TRUE(left.try_join(std::move(right)));
  EXPECT_EQ(left.size(), full_heap::large);
}

TEST(ArrayJoin, manyPiecesInRandomOrderMoveNothing) {
  const leak_meter meter;
  const std::size_t n = cleave::test::by_build<std::size_t>(200'000, 20'000);
  array<int> whole = count_from(0, n);
  int* const place = whole.data();
  const call_meter calls;
  // pieces[i] is the piece that begins with element i; each ends where the next begins.
  std::vector<array<int>> pieces(n);
  for (std::size_t i = n; i-- > 0;) pieces[i] = whole.cut(i);
  std::vector<std::size_t> seams(n - 1);
  std::iota(seams.begin(), seams.end(), std::size_t{1});
  std::mt19937_64 random(cleave::test::seed());
  std::shuffle(seams.begin(), seams.end(), random);
  // The first element of the piece that a lone element's index is in.
  std::vector<std::size_t> first(n);
  std::iota(first.begin(), first.end(), std::size_t{0});
  const auto begin_of = [&first](std::size_t i) {
    while (first[i] != i) i = first[i] = first[first[i]];
    return i;
  };
  for (const std::size_t seam : seams) {
    const std::size_t left = begin_of(seam - 1);
    ASSERT_TRUE(pieces[left].try_join_adjacent(std::move(pieces[seam])));
    first[seam] = left;
  }
  EXPECT_EQ(pieces[0].data(), place);
  EXPECT_EQ(pieces[0].size(), n);
  EXPECT_EQ(calls.allocations(), 0u);
  EXPECT_EQ(calls.frees(), 0u);
  pieces[0].clear();
  EXPECT_EQ(calls.frees(), 1u);
}

// --- The tree view ---

int sum(array<int> tree) {
  return match(
      std::move(tree), [](int value) { return value; },
      [](array<int> l, array<int> r) { return sum(std::move(l)) + sum(std::move(r)); });
}

array<int> twice(array<int> tree) {
  return match(
      std::move(tree),
      [](array<int> cell) {
        cell[0] *= 2;
        return cell;
      },
      [](array<int> l, array<int> r) {
        array<int> left = twice(std::move(l));
        array<int> right = twice(std::move(r));
        return join(std::move(left), std::move(right));
      });
}

TEST(ArrayMatch, visitsEveryLeafAndFreesEachCell) {
  const leak_meter meter;
  for (int n = 1; n <= 70; ++n) {
    EXPECT_EQ(sum(count_from(1, static_cast<std::size_t>(n))), n * (n + 1) / 2);
  }
}

TEST(ArrayMatch, rebuildsATreeInPlace) {
  for (const std::size_t n : {1u, 2u, 3u, 64u, 1000u}) {
    const leak_meter meter;
    array<int> a = count_from(0, n);
    int* const place = a.data();
    const call_meter calls;
    a = twice(std::move(a));
    EXPECT_EQ(calls.allocations(), 0u);
    EXPECT_EQ(calls.frees(), 0u);
    EXPECT_EQ(a.data(), place);
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(a[i], static_cast<int>(2 * i));
  }
}

TEST(ArrayMatch, refusesAnEmptyArray) {
  const auto leaf = [](int) { return 1; };
  const auto node = [](const array<int>&, const array<int>&) { return 2; };
  array<int> none;
  EXPECT_THROW((void)match(std::move(none), leaf, node), std::out_of_range);
  EXPECT_EQ(match(array{5}, leaf, node), 1);
  EXPECT_EQ(match(array{5, 6}, leaf, node), 2);
}

TEST(ArrayMatch, prefersToGiveTheCell) {
  const bool got_cell = match(
      array{5}, [](auto leaf) { return std::is_same_v<decltype(leaf), array<int>>; },
      [](const array<int>&, const array<int>&) { return false; });
  EXPECT_TRUE(got_cell);
}

TEST(ArrayMatch, leavesNothingBehindWhenACallbackThrows) {
  const leak_meter meter;
  const auto leaf = [](counted) -> int { throw std::runtime_error("leaf"); };
  const auto node = [](array<counted>, array<counted>) -> int { throw std::runtime_error("node"); };
  EXPECT_THROW((void)match(array<counted>{1}, leaf, node), std::runtime_error);
  EXPECT_THROW((void)match(array<counted>{1, 2}, leaf, node), std::runtime_error);
}

TEST(ArrayIntoValue, movesTheElementOutAndFreesTheCell) {
  const leak_meter meter;
  array<std::unique_ptr<int>> a(2);
  a[1] = std::make_unique<int>(7);
  array<std::unique_ptr<int>> last = a.cut(1);
  EXPECT_EQ(*std::move(last).into_value(), 7);
  EXPECT_TRUE(last.empty());
  EXPECT_EQ(meter.bytes(), sizeof(void*));
}

TEST(ArrayIntoValue, asksForExactlyOneElement) {
  array<int> two{1, 2};
  EXPECT_THROW((void)std::move(two).into_value(), std::out_of_range);
  EXPECT_EQ(two.size(), 2u);
  EXPECT_THROW((void)array<int>().into_value(), std::out_of_range);
}

// --- Random use, against vectors ---

// A piece, and what should be in it.
template <class T>
struct modelled {
  array<T> piece;
  std::vector<int> expected;
};

template <class T>
class pieces_in_random_use {
 public:
  void run() {
    const int steps = *rc::gen::inRange(1, 80);
    for (int step = 0; step < steps; ++step) {
      one_step();
      check();
    }
  }

 private:
  modelled<T>& any() { return pieces_[*rc::gen::inRange<std::size_t>(0, pieces_.size())]; }
  std::size_t up_to(std::size_t n) { return *rc::gen::inRange<std::size_t>(0, n + 1); }

  void make() {
    const std::size_t n = *rc::gen::weightedOneOf<std::size_t>(
        {{8, rc::gen::inRange<std::size_t>(0, 40)}, {1, rc::gen::inRange<std::size_t>(0, 4000)}});
    std::vector<int> values(n);
    std::iota(values.begin(), values.end(), next_);
    next_ += static_cast<int>(n);
    pieces_.push_back({array<T>(values.begin(), values.end()), std::move(values)});
  }
  void cut(modelled<T>& m, std::size_t at) {
    array<T> right = m.piece.cut(at);
    std::vector<int> expected(m.expected.begin() + static_cast<std::ptrdiff_t>(at),
                              m.expected.end());
    m.expected.resize(at);
    pieces_.push_back({std::move(right), std::move(expected)});
  }
  void join_any() {
    modelled<T>& left = any();
    modelled<T>& right = any();
    if (&left == &right) return;
    const bool neighbours = left.piece.end() == right.piece.begin() && !left.expected.empty() &&
                            !right.expected.empty();
    const T* const place = left.piece.data();
    left.piece.join(std::move(right.piece));
    RC_ASSERT(!neighbours || left.piece.data() == place);
    left.expected.insert(left.expected.end(), right.expected.begin(), right.expected.end());
    right.expected.clear();
  }
  void one_step() {
    if (pieces_.empty()) return make();
    switch (*rc::gen::inRange(0, 10)) {
      case 0: return make();
      case 1:
      case 2: {
        modelled<T>& m = any();
        return cut(m, up_to(m.expected.size()));
      }
      case 3:
      case 4: return join_any();
      case 5: {
        modelled<T>& m = any();
        m.expected.resize(up_to(m.expected.size()));
        return m.piece.shrink(m.expected.size());
      }
      case 6: {
        modelled<T>& m = any();
        m.expected.resize(m.expected.size() + up_to(30), 77);
        return m.piece.grow(m.expected.size(), T(77));
      }
      case 7: return any().piece.detach();
      case 8: std::swap(any(), pieces_.back()); return pieces_.pop_back();
      default: {
        modelled<T>& m = any();
        auto [left, right] = std::move(m.piece).halves();
        m.piece = right.clone();
        right = std::move(m.piece);
        m.piece = join(std::move(left), std::move(right));
      }
    }
  }
  static int number(const counted& c) { return c.value(); }
  static int number(int n) { return n; }
  void check() const {
    std::size_t bytes = 0;
    for (const modelled<T>& m : pieces_) {
      RC_ASSERT(std::ranges::equal(m.piece, m.expected, {}, [](const T& e) { return number(e); }));
      bytes += m.piece.size() * sizeof(T);
    }
    RC_ASSERT(meter_.bytes() == bytes);
    if constexpr (std::is_same_v<T, counted>) {
      RC_ASSERT(meter_.objects() == static_cast<long>(bytes / sizeof(T)));
    }
  }

  // First, so that it measures when the pieces are gone.
  leak_meter meter_;
  std::vector<modelled<T>> pieces_;
  int next_ = 0;
};

RC_GTEST_PROP(ArrayPieces, holdWhatVectorsHoldOfNumbers, ()) {
  pieces_in_random_use<int>().run();
}

RC_GTEST_PROP(ArrayPieces, holdWhatVectorsHoldOfObjects, ()) {
  pieces_in_random_use<counted>().run();
}

TEST(ArrayPieces, areDestroyedOnceByWhicheverThread) {
  const leak_meter meter;
  const std::uint64_t seed = cleave::test::seed();
  constexpr std::size_t threads = 4;
  const std::size_t rounds = cleave::test::by_build<std::size_t>(200, 20);
  for (std::size_t round = 0; round < rounds; ++round) {
    std::vector<array<counted>> hands;
    array<counted> rest(1000, 5);
    for (std::size_t t = 1; t < threads; ++t) hands.push_back(rest.cut(rest.size() / 2));
    hands.push_back(std::move(rest));
    std::vector<std::thread> workers;
    for (std::size_t t = 0; t < threads; ++t) {
      workers.emplace_back([mine = std::move(hands[t]), s = seed + round * threads + t]() mutable {
        std::mt19937_64 random(s);
        while (!mine.empty()) {
          array<counted> piece = mine.cut(random() % mine.size());
          if (random() % 4 == 0) mine.join(std::move(piece));
          if (random() % 4 == 0) mine = join(std::move(piece), std::move(mine));
        }
      });
    }
    for (std::thread& worker : workers) worker.join();
  }
}

}  // namespace
