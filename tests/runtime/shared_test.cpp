// shared_test.cpp -- several handles to one array, and atomics from several threads.
#include <cleave/runtime/shared.hpp>

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "runtime/cells.hpp"
#include "runtime/runs.hpp"
#include "support/environment.hpp"

namespace {

using namespace cleave::test;
using namespace cleave::runtime;

TEST(Fork, givesTwoHandlesToTheSameSlots) {
  EXPECT_TRUE(leaves_nothing([] {
    auto [h, k] = Array_fork(Array_new<u32>(2, 0));
    h = Array_set(h, 1, 5U);
    EXPECT_EQ(Array_get(k, 1).snd, 5u);
    EXPECT_EQ(Array_size(k).snd, 4u);
    drop(h);
    EXPECT_EQ(Array_get(k, 1).snd, 5u);
    drop(k);
  }));
}

TEST(Fork, ofAHandleIsOneMore) {
  EXPECT_TRUE(leaves_nothing([] {
    auto [h, k] = Array_fork(Array_new<u32>(2, 0));
    auto [m, n] = Array_fork(k);
    h = Array_set(h, 0, 8U);
    drop(h);
    drop(m);
    EXPECT_EQ(Array_get(n, 0).snd, 8u);
    drop(n);
  }));
}

TEST(Join, givesBackTheOneOwner) {
  EXPECT_TRUE(leaves_nothing([] {
    const auto a = Array_new<u32>(2, 0);
    auto [h, k] = Array_fork(a);
    const auto whole = Array_join(h, k);
    EXPECT_FALSE(whole.is_shared());
    const auto [l, r] = cut(whole);
    EXPECT_EQ(l.data, a.data);
    EXPECT_EQ(r.data, a.data + 2);
    drop(l);
    drop(r);
  }));
}

TEST(Join, ofTwoOfThreeStaysShared) {
  EXPECT_TRUE(leaves_nothing([] {
    auto [h, k] = Array_fork(Array_new<u32>(2, 0));
    auto [m, n] = Array_fork(k);
    const auto joined = Array_join(h, m);
    EXPECT_TRUE(joined.is_shared());
    drop(joined);
    drop(n);
  }));
}

TEST(Join, ofStrangersDropsTheSecond) {
  EXPECT_TRUE(leaves_nothing([] {
    const auto a = Array_join(Array_new<u32>(1, 1), Array_new<u32>(5, 2));
    EXPECT_EQ(Array_size(a).snd, 2u);
    EXPECT_EQ(Array_get(a, 0).snd, 1u);
    drop(a);
  }));
}

TEST(MatchOnAHandle, copies) {
  EXPECT_TRUE(leaves_nothing([] {
    auto [h, k] = Array_fork(Array_new<u32>(1, 3));
    auto [l, r] = cut(h);
    k = Array_set(k, 0, 4U);
    EXPECT_EQ(Array_get(l, 0).snd, 3u);
    l = Array_set(l, 0, 5U);
    EXPECT_EQ(Array_get(k, 0).snd, 4u);
    drop(l);
    drop(r);
    drop(k);
  }));
}

TEST(MatchOnAHandle, sharesTheElements) {
  EXPECT_TRUE(leaves_nothing([] {
    const list l = counting(3);
    auto [h, k] = Array_fork(leaf(l));
    void* token = &h;
    const list x = open_leaf(h, token);
    EXPECT_EQ(token, nullptr);
    EXPECT_EQ(x.cell(), l.cell());
    EXPECT_EQ(l.cell()->count, 2u);
    drop(k);
    drop(x);
  }));
}

TEST(MatchOnAHandle, thatIsTheLastCutsInPlace) {
  EXPECT_TRUE(leaves_nothing([] {
    const auto a = Array_new<u32>(1, 3);
    auto [h, k] = Array_fork(a);
    drop(h);
    const auto [l, r] = cut(k);
    EXPECT_EQ(l.data, a.data);
    drop(l);
    drop(r);
  }));
}

TEST(NodeOfHandles, copies) {
  EXPECT_TRUE(leaves_nothing([] {
    auto [h, k] = Array_fork(Array_new<u32>(1, 3));
    auto [m, n] = Array_fork(k);
    auto both = node(h, m);
    n = Array_set(n, 0, 4U);
    for (u32 i = 0; i < 4; ++i) EXPECT_EQ(Array_get(both, i).snd, 3u);
    drop(both);
    drop(n);
  }));
}

TEST(CloneOfAHandle, isIndependent) {
  EXPECT_TRUE(leaves_nothing([] {
    auto [h, k] = Array_fork(Array_new<u32>(1, 3));
    auto [same, copy] = Array_clone(h);
    same = Array_set(same, 0, 9U);
    EXPECT_EQ(Array_get(k, 0).snd, 9u);
    EXPECT_EQ(Array_get(copy, 0).snd, 3u);
    drop(same);
    drop(k);
    drop(copy);
  }));
}

TEST(OwnOfAHandle, copiesOnlyIfOthersSeeTheSlots) {
  EXPECT_TRUE(leaves_nothing([] {
    const auto a = Array_new<u32>(1, 3);
    auto [h, k] = Array_fork(a);
    const auto copy = Array_own_raw(h);
    EXPECT_NE(copy.data, a.data);
    const auto same = Array_own_raw(k);
    EXPECT_EQ(same.data, a.data);
    EXPECT_FALSE(same.is_shared());
    drop(copy);
    drop(same);
  }));
}

// Each in one thread and with the instructions for several.
void atomics_give_the_old_value() {
  auto a = Array_new<u32>(1, 12);
  const auto expect = [&a](pair<cleave::runtime::array<u32>, u32> done, u32 old, u32 now) {
    a = done.fst;
    EXPECT_EQ(done.snd, old);
    EXPECT_EQ(Array_get(a, 1).snd, now);
    EXPECT_EQ(Array_get(a, 0).snd, 12u);
  };
  expect(Array_atomic_add(a, 3, 4294967295), 12, 11);
  expect(Array_atomic_min(a, 1, 5), 11, 5);
  expect(Array_atomic_min(a, 1, 6), 5, 5);
  expect(Array_atomic_max(a, 1, 4), 5, 5);
  expect(Array_atomic_max(a, 1, 14), 5, 14);
  expect(Array_atomic_and(a, 1, 7), 14, 6);
  expect(Array_atomic_or(a, 1, 9), 6, 15);
  expect(Array_atomic_xor(a, 1, 10), 15, 5);
  expect(Array_atomic_exch(a, 1, 100), 5, 100);
  expect(Array_atomic_cas(a, 1, 99, 1), 100, 100);
  expect(Array_atomic_cas(a, 1, 100, 1), 100, 1);
  drop(a);
  auto [f, old] = Array_atomic_fadd(Array_new<f32>(0, 1.5F), 7, 2.25F);
  EXPECT_EQ(old, 1.5F);
  EXPECT_EQ(Array_get(f, 0).snd, 3.75F);
  drop(f);
}

TEST(Atomics, giveTheOldValue) {
  EXPECT_TRUE(leaves_nothing([] { atomics_give_the_old_value(); }));
  EXPECT_TRUE(leaves_nothing(2, [] { atomics_give_the_old_value(); }));
}

TEST(Atomics, loseNothingBetweenThreads) {
  EXPECT_TRUE(leaves_nothing(4, [] {
    constexpr u32 rounds = by_build<u32>(100'000, 5'000);
    auto [a, whole] = Array_fork(Array_new<u32>(2, 0));
    auto [f, all] = Array_fork(Array_new<f32>(0, 0));
    std::vector<std::thread> threads;
    for (u32 t = 0; t < 4; ++t) {
      auto [mine, rest] = Array_fork(a);
      a = rest;
      auto [mine_too, rest_too] = Array_fork(f);
      f = rest_too;
      threads.emplace_back([t, h = mine, g = mine_too]() mutable {
        for (u32 i = 0; i < rounds; ++i) {
          h = Array_atomic_add(h, 0, 1).fst;
          h = Array_atomic_max(h, 1, 4 * i + t).fst;
          h = Array_atomic_xor(h, 2, 1U << t).fst;
          // A counter of compare and exchange.
          for (u32 guess = 0;;) {
            const auto [same, seen] = Array_atomic_cas(h, 3, guess, guess + 1);
            h = same;
            if (seen == guess) break;
            guess = seen;
          }
          g = Array_atomic_fadd(g, 0, 1).fst;
        }
        drop(h);
        drop(g);
      });
    }
    for (std::thread& one : threads) one.join();
    whole = Array_join(whole, a);
    all = Array_join(all, f);
    EXPECT_EQ(Array_get(whole, 0).snd, 4 * rounds);
    EXPECT_EQ(Array_get(whole, 1).snd, 4 * (rounds - 1) + 3);
    EXPECT_EQ(Array_get(whole, 2).snd, 0u);
    EXPECT_EQ(Array_get(whole, 3).snd, 4 * rounds);
    EXPECT_EQ(Array_get(all, 0).snd, static_cast<f32>(4 * rounds));
    drop(whole);
    drop(all);
  }));
}

TEST(Handles, arePassedBetweenThreads) {
  EXPECT_TRUE(leaves_nothing(4, [] {
    constexpr u32 rounds = by_build<u32>(20'000, 1'000);
    for (u32 round = 0; round < rounds / 100; ++round) {
      auto a = Array_new<u32>(1, round);
      std::vector<std::thread> threads;
      for (int t = 0; t < 3; ++t) {
        auto [mine, rest] = Array_fork(a);
        a = rest;
        threads.emplace_back([h = mine] { drop(h); });
      }
      drop(a);
      for (std::thread& one : threads) one.join();
    }
  }));
}

}  // namespace
