// array_test.cpp -- arrays against a std::vector, cuts and joins, and what they cost.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <memory>
#include <numeric>
#include <vector>

#include "runtime/cells.hpp"
#include "runtime/runs.hpp"

namespace {

using namespace cleave::test;
using namespace cleave::runtime;

array<u32> counting_array(nat depth) {
  array<u32> a = Array_new<u32>(depth, 0);
  for (u32 i = 0; i < a.size(); ++i) a = Array_set(a, i, i);
  return a;
}

template <class T>
std::vector<T> slots(cleave::runtime::array<T> a) {
  return std::vector<T>(a.data, a.data + a.size());
}

std::vector<u32> range(u32 from, u32 to) {
  std::vector<u32> all(to - from);
  std::iota(all.begin(), all.end(), from);
  return all;
}

TEST(ArrayNew, hasTwoToTheDepthSlots) {
  EXPECT_TRUE(leaves_nothing([] {
    for (nat depth = 0; depth <= 12; ++depth) {
      const auto a = Array_new<u32>(depth, 7);
      EXPECT_EQ(slots(a), std::vector<u32>(std::size_t{1} << depth, 7));
      EXPECT_EQ(Array_size(a).snd, u32{1} << depth);
      drop(a);
    }
  }));
}

TEST(ArrayNew, stopsPastTheDeepestSize) {
  const outcome end = run_alone([] { drop(Array_new<u32>(32, 7)); });
  EXPECT_EQ(end.exit_code, 1);
  EXPECT_EQ(end.error, "bend: an array past the deepest block class 31\n");
}

TEST(ArrayNew, stopsWithoutMemory) {
  // Up to the deepest size: that one would have 8 GiB.
  const outcome end = run_alone([] {
    cleave::heap::set_held_limit(std::size_t{1} << 20);
    drop(Array_new<u32>(31, 7));
  });
  EXPECT_EQ(end.exit_code, 1);
  EXPECT_EQ(end.error, "bend: out of memory: run again with a bigger span, as in --gpu 8GB\n");
}

TEST(ArrayNew, countsOneOwnerForEachSlot) {
  EXPECT_TRUE(leaves_nothing([] {
    const list l = counting(2);
    const auto a = Array_new(4, l);
    EXPECT_EQ(l.cell()->count, 16u);
    drop(a);
  }));
}

TEST(ArrayIndex, wraps) {
  EXPECT_TRUE(leaves_nothing([] {
    auto a = counting_array(3);
    for (const u32 i : {0U, 7U, 8U, 4294967295U, 2147483652U}) {
      auto [same, x] = Array_get(a, i);
      EXPECT_EQ(x, i % 8);
      a = same;
    }
    a = Array_set(a, 13, 99U);
    EXPECT_EQ(slots(a), (std::vector<u32>{0, 1, 2, 3, 4, 99, 6, 7}));
    drop(a);
    const auto one = Array_new<u32>(0, 5);
    EXPECT_EQ(Array_get(one, 4294967295U).snd, 5u);
    drop(one);
  }));
}

TEST(ArraySwap, givesTheOldElement) {
  EXPECT_TRUE(leaves_nothing([] {
    auto [a, zero] = Array_swap(Array_new(1, nil()), 1, counting(3));
    EXPECT_TRUE(zero.is_small());
    auto [b, l] = Array_swap(a, 3, nil());
    EXPECT_EQ(numbers(l), range(0, 3));
    drop(l);
    drop(b);
  }));
}

TEST(ArraySet, dropsTheOldElement) {
  EXPECT_TRUE(leaves_nothing([] {
    auto a = Array_new(2, nil());
    for (u32 i = 0; i < 100; ++i) a = Array_set(a, i, counting(i));
    EXPECT_EQ(numbers(a.data[3]), range(0, 99));
    drop(a);
  }));
}

TEST(ArrayGet, sharesABoxedElement) {
  EXPECT_TRUE(leaves_nothing([] {
    auto [a, l] = Array_get(Array_new(0, counting(3)), 0);
    EXPECT_EQ(l.cell(), a.data[0].cell());
    EXPECT_EQ(l.cell()->count, 2u);
    drop(a);
    EXPECT_EQ(numbers(l), range(0, 3));
    drop(l);
  }));
}

TEST(ArrayOfArrays, isFreedWithThem) {
  EXPECT_TRUE(leaves_nothing([] {
    auto a = Array_new(2, Array_new<u32>(0, 1));
    for (u32 i = 0; i < 4; ++i) a = Array_set(a, i, counting_array(i));
    auto [b, inner] = Array_swap(a, 3, Array_new<u32>(0, 0));
    EXPECT_EQ(slots(inner), range(0, 8));
    drop(inner);
    drop(b);
  }));
}

TEST(Cut, isArithmetic) {
  EXPECT_TRUE(leaves_nothing([] {
    const auto a = counting_array(4);
    const auto [l, r] = cut(a);
    EXPECT_EQ(l.data, a.data);
    EXPECT_EQ(r.data, a.data + 8);
    EXPECT_EQ(slots(l), range(0, 8));
    EXPECT_EQ(slots(r), range(8, 16));
    // Each is freed by itself, in any order.
    drop(r);
    drop(l);
  }));
}

TEST(Node, ofNeighboursIsArithmetic) {
  EXPECT_TRUE(leaves_nothing([] {
    const auto a = counting_array(4);
    const auto [l, r] = cut(a);
    const auto joined = node(l, r);
    EXPECT_EQ(joined.data, a.data);
    EXPECT_EQ(slots(joined), range(0, 16));
    drop(joined);
  }));
}

TEST(Node, ofStrangersCopiesBoth) {
  EXPECT_TRUE(leaves_nothing([] {
    const auto [l, r] = cut(counting_array(4));
    // Neighbours, but the wrong way round.
    const auto joined = node(r, l);
    std::vector<u32> expected = range(8, 16);
    for (const u32 x : range(0, 8)) expected.push_back(x);
    EXPECT_EQ(slots(joined), expected);
    drop(joined);
  }));
  EXPECT_TRUE(leaves_nothing([] {
    const auto joined = node(Array_new(1, counting(2)), Array_new(1, counting(3)));
    EXPECT_EQ(numbers(joined.data[1]), range(0, 2));
    EXPECT_EQ(numbers(joined.data[2]), range(0, 3));
    EXPECT_EQ(joined.data[2].cell()->count, 2u);
    drop(joined);
  }));
}

TEST(Node, stopsForUnequalHalves) {
  for (void (*const program)() : {
           +[] { drop(node(Array_new<u32>(1, 0), Array_new<u32>(2, 0))); },
           +[] {
             // Neighbours.
             const auto [l, r] = cut(Array_new<u32>(3, 0));
             const auto [rl, rr] = cut(r);
             drop(rr);
             drop(node(l, rl));
           },
       }) {
    const outcome end = run_alone(program);
    EXPECT_EQ(end.exit_code, 1);
    EXPECT_EQ(end.error, "bend: runtime fail-stop\n");
  }
}

TEST(Leaf, isWrittenInPlace) {
  EXPECT_TRUE(leaves_nothing([] {
    void* token = nullptr;
    const auto a = leaf<u32>(5);
    const u32 x = open_leaf(a, token);
    EXPECT_EQ(x, 5u);
    EXPECT_EQ(token, a.data);
    const auto b = leaf<u32>(x + 1, token);
    EXPECT_EQ(b.data, a.data);
    EXPECT_EQ(open_leaf(b), 6u);
    free_leaf<u32>(nullptr);
  }));
}

TEST(Leaf, movesItsElementOut) {
  EXPECT_TRUE(leaves_nothing([] {
    const list l = open_leaf(leaf(counting(3)));
    EXPECT_EQ(l.cell()->count, 1u);
    EXPECT_EQ(numbers(l), range(0, 3));
    drop(l);
  }));
}

u32 sum_of(cleave::runtime::array<u32> a) {
  if (a.is_leaf()) return open_leaf(a);
  const auto [l, r] = cut(a);
  return sum_of(l) + sum_of(r);
}

TEST(Match, downToTheLeavesFreesAll) {
  EXPECT_TRUE(leaves_nothing([] { EXPECT_EQ(sum_of(counting_array(12)), 4096u * 4095 / 2); }));
}

TEST(Views, readWithoutOwning) {
  EXPECT_TRUE(leaves_nothing([] {
    const auto a = counting_array(3);
    EXPECT_EQ(slots(left_half(a)), range(0, 4));
    EXPECT_EQ(slots(right_half(right_half(a))), range(6, 8));
    const auto own = copy_of_view(right_half(a));
    drop(a);
    EXPECT_EQ(slots(own), range(4, 8));
    drop(own);
  }));
}

TEST(Clone, isIndependent) {
  EXPECT_TRUE(leaves_nothing([] {
    auto [a, b] = Array_clone(counting_array(2));
    a = Array_set(a, 0, 77U);
    EXPECT_EQ(slots(a), (std::vector<u32>{77, 1, 2, 3}));
    EXPECT_EQ(slots(b), range(0, 4));
    drop(a);
    drop(b);
  }));
  EXPECT_TRUE(leaves_nothing([] {
    auto [a, b] = Array_clone(Array_new(1, counting(2)));
    EXPECT_EQ(a.data[0].cell()->count, 4u);
    drop(a);
    EXPECT_EQ(numbers(b.data[1]), range(0, 2));
    drop(b);
  }));
}

// What Base makes of the raw functions.
template <class U, class T, class F>
cleave::runtime::array<U> map(cleave::runtime::array<T> from, F f) {
  auto [a, b] = Array_map_start_raw<T, U>(Array_own_raw(from));
  const u32 n = a.size();
  for (u32 i = 0; i < n; ++i) {
    auto [rest, x] = Array_take_raw(a, i);
    a = rest;
    b = Array_put_raw(b, i, f(x));
  }
  return Array_map_end_raw(a, b);
}

TEST(Map, staysInPlaceWhereSizesAgree) {
  EXPECT_TRUE(leaves_nothing([] {
    const auto a = counting_array(5);
    const auto b = map<f32>(a, [](u32 x) { return static_cast<f32>(x) / 2; });
    EXPECT_EQ(static_cast<void*>(b.data), static_cast<void*>(a.data));
    EXPECT_EQ(b.data[5], 2.5F);
    drop(b);
  }));
}

TEST(Map, changesTheSizeOfElements) {
  EXPECT_TRUE(leaves_nothing([] {
    const auto lists = map<list>(counting_array(4), [](u32 x) { return counting(x); });
    EXPECT_EQ(numbers(lists.data[9]), range(0, 9));
    const auto lengths = map<u32>(lists, [](list l) {
      const auto n = static_cast<u32>(numbers(l).size());
      drop(l);
      return n;
    });
    EXPECT_EQ(slots(lengths), range(0, 16));
    drop(lengths);
  }));
}

TEST(End, freesTheBlockAlone) {
  EXPECT_TRUE(leaves_nothing([] {
    auto [a, l] = Array_take_raw(leaf(counting(2)), 0);
    EXPECT_EQ(Array_end_raw(a, 9U), 9u);
    EXPECT_EQ(numbers(l), range(0, 2));
    drop(l);
  }));
}

// Arrays of one program and what is in them.
class model {
 public:
  void step() {
    switch (*rc::gen::inRange(0, 8)) {
      case 0:
      case 1: make(); break;
      case 2: change(); break;
      case 3:
      case 4: cut_one(); break;
      case 5: join_two(); break;
      case 6: fork_one(); break;
      default: drop_one(); break;
    }
  }
  void check() const {
    for (const piece& one : pieces_) {
      RC_ASSERT(slots(one.array) == *one.expected);
    }
  }
  void drop_all() {
    while (!pieces_.empty()) drop_one();
  }

 private:
  // Handles of one array expect the same.
  struct piece {
    cleave::runtime::array<u32> array;
    std::shared_ptr<std::vector<u32>> expected;
  };
  using contents = std::vector<u32>;

  void add(cleave::runtime::array<u32> a, contents expected) {
    pieces_.push_back({a, std::make_shared<contents>(std::move(expected))});
  }
  piece take() {
    const auto at = *rc::gen::inRange<std::size_t>(0, pieces_.size());
    const piece one = pieces_[at];
    pieces_.erase(pieces_.begin() + static_cast<std::ptrdiff_t>(at));
    return one;
  }

  void make() {
    const nat depth = *rc::gen::inRange<nat>(0, 7);
    const u32 value = *rc::gen::arbitrary<u32>();
    add(Array_new(depth, value), contents(std::size_t{1} << depth, value));
  }
  void change() {
    if (pieces_.empty()) return;
    piece one = take();
    const u32 i = *rc::gen::arbitrary<u32>();
    const u32 value = *rc::gen::arbitrary<u32>();
    const auto [a, old] = Array_swap(one.array, i, value);
    u32& slot = (*one.expected)[i % one.expected->size()];
    RC_ASSERT(old == slot);
    slot = value;
    pieces_.push_back({a, one.expected});
  }
  void cut_one() {
    if (pieces_.empty()) return;
    const piece one = take();
    if (one.array.is_leaf()) return add(leaf(open_leaf(one.array)), *one.expected);
    const auto [l, r] = cut(one.array);
    const auto half = static_cast<std::ptrdiff_t>(one.expected->size() / 2);
    add(l, contents(one.expected->begin(), one.expected->begin() + half));
    add(r, contents(one.expected->begin() + half, one.expected->end()));
  }
  void join_two() {
    if (pieces_.size() < 2) return;
    const piece l = take();
    // The next one of the same size, which is the other half if they were just cut.
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const piece r = pieces_[i];
      if (r.array.depth() != l.array.depth() || l.array.depth() > 9) continue;
      pieces_.erase(pieces_.begin() + static_cast<std::ptrdiff_t>(i));
      contents both = *l.expected;
      both.insert(both.end(), r.expected->begin(), r.expected->end());
      return add(node(l.array, r.array), both);
    }
    pieces_.push_back(l);
  }
  void fork_one() {
    if (pieces_.empty()) return;
    const piece one = take();
    const auto [h, k] = Array_fork(one.array);
    pieces_.push_back({h, one.expected});
    pieces_.push_back({k, one.expected});
  }
  void drop_one() {
    if (!pieces_.empty()) drop(take().array);
  }

  std::vector<piece> pieces_;
};

TEST(Arrays, agreeWithVectors) {
  EXPECT_TRUE(leaves_nothing([] {
    EXPECT_TRUE(rc::check("cuts, joins, writes and forks", [] {
      model all;
      const int steps = *rc::gen::inRange(1, 60);
      for (int i = 0; i < steps; ++i) {
        all.step();
        all.check();
      }
      all.drop_all();
    }));
  }));
}

}  // namespace
