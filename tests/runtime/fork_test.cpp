// fork_test.cpp -- parallel values: complete, in order with one thread, several threads else.
#include <cleave/runtime/fork.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "runtime/cells.hpp"
#include "runtime/runs.hpp"
#include "runtime/threads.hpp"
#include "support/environment.hpp"

namespace {

using namespace cleave::test;
using namespace cleave::runtime;

// A tree that is a chain: each left side waits until its right side has begun, which then
// another thread has taken. How many links were left when forks were not wanted any more.
u32 chain(u32 links) {
  if (links == 0 || !fork_wanted()) return links;
  std::atomic<bool> begun{false};
  u32 left = 0;
  forked(
      [&] {
        while (!begun) std::this_thread::yield();
      },
      [&] {
        begun = true;
        left = chain(links - 1);
      });
  return left;
}

u32 fibonacci(u32 n) {
  if (n < 2) return n;
  u32 a = 0;
  u32 b = 0;
  if (!fork_wanted()) {
    a = fibonacci(n - 1);
    b = fibonacci(n - 2);
  } else {
    forked([=, &a] { a = fibonacci(n - 1); }, [=, &b] { b = fibonacci(n - 2); });
  }
  return a + b;
}

constexpr u32 fibonacci_argument = by_build<u32>(25, 18);
constexpr u32 fibonacci_value = by_build<u32>(75025, 2584);

TEST(Forked, inOneThreadCallsInOrder) {
  EXPECT_TRUE(leaves_nothing(1, [] {
    EXPECT_FALSE(fork_wanted());
    std::vector<int> order;
    forked([&] { order.push_back(1); }, [&] { order.push_back(2); }, [&] { order.push_back(3); });
    EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
  }));
}

TEST(Forked, givesTheSameWithAnyNumberOfThreads) {
  for (const std::size_t threads : {1U, 2U, 3U, 8U}) {
    EXPECT_TRUE(
        leaves_nothing(threads, [] { EXPECT_EQ(fibonacci(fibonacci_argument), fibonacci_value); }));
  }
}

TEST(Forked, callsAllBeforeItReturns) {
  EXPECT_TRUE(leaves_nothing(3, [] {
    for (int round = 0; round < 100; ++round) {
      std::atomic<int> calls{0};
      const auto call = [&] { ++calls; };
      forked(call, call);
      forked(call, call, call);
      forked(call, call, call, call, call, call, call);
      EXPECT_EQ(calls, 12);
    }
  }));
}

TEST(Forked, goesOnWhereOtherThreadsTakeTheWork) {
  EXPECT_TRUE(leaves_nothing(2, [] { EXPECT_EQ(chain(100), 0U); }));
}

TEST(Forked, usesSeveralThreads) {
  EXPECT_TRUE(leaves_nothing(2, [] {
    // Each waits for the other one, so they are at work at the same time.
    std::atomic<int> here{0};
    const auto meet = [&] {
      ++here;
      while (here < 2) std::this_thread::yield();
    };
    forked(meet, meet);
    EXPECT_EQ(here, 2);
  }));
}

void go_down(int levels, std::atomic<int>& deepest, int at = 0) {
  if (levels == 0) return;
  if (!fork_wanted()) {
    int seen = deepest;
    while (seen < at && !deepest.compare_exchange_weak(seen, at)) {
    }
    return;
  }
  forked([&] { go_down(levels - 1, deepest, at + 1); },
         [&] { go_down(levels - 1, deepest, at + 1); });
}

TEST(Forked, leavesLowerLevelsInOrder) {
  EXPECT_TRUE(leaves_nothing(2, [] {
    std::atomic<int> deepest{0};
    std::atomic<int> here{0};
    std::atomic<bool> done{false};
    const auto arrive = [&] {
      ++here;
      while (here < 2) std::this_thread::yield();
    };
    // The other thread waits, so nobody takes what is forked here and levels do not go on.
    forked(
        [&] {
          arrive();
          go_down(40, deepest);
          done = true;
        },
        [&] {
          arrive();
          while (!done) std::this_thread::yield();
        });
    EXPECT_LE(deepest, 8);
    EXPECT_TRUE(fork_wanted());
  }));
}

TEST(Forked, handsValuesBetweenThreads) {
  EXPECT_TRUE(leaves_nothing(2, [] {
    for (int round = 0; round < by_build(200, 20); ++round) {
      list l = counting(50);
      keep(l);
      list a = nil();
      list b = nil();
      forked([=, &a] { a = con(1, l); }, [=, &b] { b = con(2, l); });
      EXPECT_EQ(numbers(a).size(), 51u);
      EXPECT_EQ(numbers(b).size(), 51u);
      drop(a);
      drop(b);
    }
  }));
}

TEST(Workers, haveLargeStacks) {
  EXPECT_TRUE(leaves_nothing(2, [] {
    // Both at work at the same time, so one of them is on a worker's stack.
    std::atomic<int> here{0};
    std::atomic<int> used{0};
    const auto use_stack = [&, mine = std::this_thread::get_id()] {
      ++here;
      while (here < 2) std::this_thread::yield();
      if (std::this_thread::get_id() == mine) return;
      constexpr std::size_t bytes = std::size_t{64} << 20;
      auto* const space = static_cast<volatile char*>(__builtin_alloca(bytes));
      for (std::size_t i = bytes; i > 4096; i -= 4096) space[i - 1] = 1;
      ++used;
    };
    forked(use_stack, use_stack);
    EXPECT_EQ(used, 1);
  }));
}

TEST(Team, endsItsThreads) {
  // Each team has threads of its own; all they kept is back after each.
  for (int round = 0; round < 5; ++round) {
    EXPECT_TRUE(leaves_nothing(4, [] {
      forked([] { drop(counting(1000)); }, [] { drop(counting(1000)); },
             [] { drop(counting(1000)); }, [] { drop(counting(1000)); });
    }));
    EXPECT_FALSE(many_threads);
  }
}

}  // namespace
