// threads_test.cpp -- threads that stop, are away, help, and forget at the same time.
#include <cleave/collector.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

#include "collector/objects.hpp"
#include "support/environment.hpp"
#include "support/waiting.hpp"

namespace cleave {
namespace {

using gc::byte_array;
using gc::extent;
using gc::local;
using gc::release;
using test::node;

// A tree of 2^depth - 1 nodes.
local<node> tree(gc::mutator& m, unsigned depth, std::uint64_t seed) {
  if (depth == 0) return local<node>(m);
  const local<node> left = tree(m, depth - 1, 2 * seed);
  const local<node> right = tree(m, depth - 1, 2 * seed + 1);
  return m.make<node>(left, right, seed);
}

std::uint64_t count(const node* n, std::uint64_t seed) {
  if (n == nullptr) return 0;
  EXPECT_EQ(n->number, seed);
  return 1 + count(n->left.get(), 2 * seed) + count(n->right.get(), 2 * seed + 1);
}

TEST(Threads, makeTreesAtTheSameTime) {
  gc::collector c(test::small());
  std::vector<std::thread> threads;
  for (std::uint64_t t = 1; t <= 4; ++t) {
    threads.emplace_back([&, t] {
      gc::mutator m(c);
      const local<node> kept = tree(m, 10, t);
      for (std::uint64_t i = 0; i < test::by_build(10u, 3u); ++i) {
        const local<node> scratch = tree(m, 10, i + 100u);
        EXPECT_EQ(count(scratch.get(), i + 100u), 1023u);
      }
      EXPECT_EQ(count(kept.get(), t), 1023u);
    });
  }
  for (std::thread& one : threads) one.join();
  EXPECT_GT(c.stats().young_collections, 0u);
}

TEST(Threads, aThreadThatIsAwayIsNotWaitedFor) {
  gc::collector c(test::small());
  std::latch is_away(1), may_return(1);
  std::thread other([&] {
    gc::mutator m(c);
    const local<node> mine = m.make<node>(5u);
    {
      const gc::blocking away(m);
      is_away.count_down();
      may_return.wait();
    }
    EXPECT_EQ(mine->number, 5u);
  });
  is_away.wait();
  gc::mutator m(c);
  // With the other thread not moving at all.
  m.collect(extent::all);
  m.collect(extent::young);
  may_return.count_down();
  const gc::blocking away(m);
  other.join();
}

// More threads than the nursery has blocks: who collects must not find it used up again.
TEST(Threads, thatAreMoreThanTheNurseryHasBlocksAllGoOn) {
  gc::options chosen = test::small();
  chosen.nursery = 65536;
  chosen.debug.verify = false;
  gc::collector c(chosen);
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&] {
      gc::mutator m(c);
      for (std::uint64_t i = 0; i < test::by_build(200'000u, 40'000u); ++i) {
        ASSERT_EQ(m.make<node>(i)->number, i);
      }
    });
  }
  for (std::thread& one : threads) one.join();
}

TEST(Threads, oneForgetsAndTheOthersLearnIt) {
  gc::collector c(test::small());
  gc::mutator m(c);
  for (int round = 0; round < test::by_build(200, 40); ++round) {
    const gc::global<byte_array> shared(c, m.make_bytes_for_overwrite(5'000));
    std::atomic<int> done{0}, already{0};
    std::latch ready(3);
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&] {
        gc::mutator mine(c);
        const local<byte_array> a(mine, shared);
        {
          const gc::blocking away(mine);
          ready.arrive_and_wait();
        }
        const release answer = mine.forget(a);
        if (answer == release::done) ++done;
        if (answer == release::already) ++already;
      });
    }
    const gc::blocking away(m);
    for (std::thread& one : threads) one.join();
    EXPECT_EQ(done, 1);
    EXPECT_EQ(already, 2);
  }
  EXPECT_EQ(c.stats().large_young + c.stats().large_old, 0u);
}

TEST(Threads, sharedOldObjectsRememberTheStoresOfAll) {
  gc::collector c(test::small());
  gc::mutator m(c);
  constexpr std::size_t width = 64, threads_count = 4;
  // Each thread has its own elements of two arrays, one inline and one with a payload.
  const gc::global<gc::ref_array<node>> near(c, m.make_refs<node>(threads_count * 7));
  const gc::global<gc::ref_array<node>> far(c, m.make_refs<node>(threads_count * width));
  EXPECT_FALSE(near->is_large());
  EXPECT_TRUE(far->is_large());
  m.collect(extent::young);
  m.collect(extent::young);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < threads_count; ++t) {
    threads.emplace_back([&, t] {
      gc::mutator mine(c);
      for (std::uint64_t i = 0; i < test::by_build(5'000u, 1'000u); ++i) {
        const local<node> made = mine.make<node>(i);
        far->set(t * width + i % width, made);
        near->set(t * 7 + i % 7, made);
        for (std::uint64_t k = 0; k < 20; ++k) (void)mine.make<node>(k);
        ASSERT_EQ((*far.get())[t * width + i % width]->number, i);
        if (i >= 6) {
          ASSERT_EQ((*near.get())[t * 7 + (i - 6) % 7]->number, i - 6);
        }
      }
    });
  }
  {
    const gc::blocking away(m);
    for (std::thread& one : threads) one.join();
  }
  EXPECT_EQ(c.verify(m), "");
}

// Deep lists and wide trees, with threads that only wait: they help.
TEST(Threads, thatWaitHelpToCollect) {
  gc::options chosen = test::small();
  chosen.nursery = std::size_t{2} << 20;
  gc::collector c(chosen);
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      gc::mutator m(c);
      // Relaxed: only the loop's end.
      while (!stop.load(std::memory_order_relaxed)) {
        m.safepoint();
        std::this_thread::yield();
      }
    });
  }
  {
    gc::mutator m(c);
    const local<node> kept = tree(m, 14, 1);
    for (int i = 0; i < test::by_build(20, 5); ++i) {
      m.collect(i % 3 == 0 ? extent::all : extent::young);
      const local<node> more = tree(m, 10, 3);
      EXPECT_EQ(count(more.get(), 3), 1023u);
    }
    EXPECT_TRUE(test::wait_until([&] {
      m.collect(extent::all);
      return c.stats().copied_by_helpers > 0;
    }));
    EXPECT_EQ(count(kept.get(), 1), (1u << 14) - 1);
  }
  stop = true;
  for (std::thread& one : threads) one.join();
}

TEST(Threads, globalsAndLendsMayEndWhileAway) {
  gc::collector c(test::small());
  gc::mutator m(c);
  std::latch lent(1);
  std::thread other([&] {
    gc::mutator mine(c);
    auto g = std::make_unique<gc::global<node>>(c, mine.make<node>(1u));
    auto l = std::make_unique<gc::lend>(mine, mine.make_bytes(1'000));
    const gc::blocking away(mine);
    lent.count_down();
    g.reset();
    l.reset();
  });
  lent.wait();
  for (int i = 0; i < 10; ++i) m.collect(extent::all);
  const gc::blocking away(m);
  other.join();
}

}  // namespace
}  // namespace cleave
