// shared_unit_test.cpp -- the dead-byte counter of a unit that several threads free at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <cleave/heap.hpp>
#include <cstddef>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "heap/small_heap.hpp"
#include "support/environment.hpp"
#include "support/memory.hpp"

namespace cleave::heap {
namespace {

class SharedUnit : public test::SmallHeap {};

std::byte* made(std::size_t bytes) {
  return static_cast<std::byte*>(allocate(bytes));
}

// Frees the halves of many units from two threads at once. Each thread goes through
// them in its own direction, and takes the left halves in every other round.
void free_halves_from_both_sides(std::size_t bytes, std::size_t cut, std::size_t units) {
  constexpr std::size_t batch = 500;
  std::vector<std::byte*> runs(batch);
  std::barrier<> meet(2);
  std::thread second([&] {
    for (std::size_t round = 0; round < units / batch; ++round) {
      meet.arrive_and_wait();
      for (std::size_t i = 0; i < batch; ++i) {
        std::byte* const p = runs[round % 4 < 2 ? i : batch - 1 - i];
        round % 2 == 0 ? free(p + cut, bytes - cut) : free(p, cut);
      }
      meet.arrive_and_wait();
    }
  });
  for (std::size_t round = 0; round < units / batch; ++round) {
    for (auto& p : runs) p = made(bytes);
    EXPECT_EQ(live_bytes(), batch * bytes);
    meet.arrive_and_wait();
    for (std::size_t i = 0; i < batch; ++i) {
      std::byte* const p = runs[i];
      round % 2 == 0 ? free(p, cut) : free(p + cut, bytes - cut);
    }
    meet.arrive_and_wait();
    ASSERT_EQ(live_bytes(), 0U) << "in round " << round;
    if (round % 16 == 0) {
      ASSERT_EQ(verify(), "") << "in round " << round;
    }
  }
  second.join();
}

const std::size_t pairs = test::by_build(100'000, 20'000);

TEST_F(SharedUnit, pageIsFreedByTheLastOfTwoThreads) {
  free_halves_from_both_sides(4096, 2048, pairs);
}

TEST_F(SharedUnit, slotIsFreedByTheLastOfTwoThreads) {
  free_halves_from_both_sides(64, 32, pairs);
}

TEST_F(SharedUnit, slotWithSpareRoomIsFreedByTheLastOfTwoThreads) {
  free_halves_from_both_sides(100, 1, pairs);
}

TEST_F(SharedUnit, runOverAPageBorderIsFreedByTheLastOfTwoThreads) {
  free_halves_from_both_sides(9000, 4100, pairs / 4);
}

// Two pages in turn: each free closes one and opens the other, so that both threads
// add to both counters all the time.
TEST_F(SharedUnit, losesNoByteWhenTwoThreadsAddToItsCounterAtOnce) {
  constexpr int rounds = test::by_build(40, 10);
  std::byte* pages[2]{};
  std::barrier<> meet(2);
  const auto free_every_other_byte = [&pages](std::size_t first) {
    for (std::size_t i = first; i < 4096; i += 2) {
      free(pages[0] + i, 1);
      free(pages[1] + i, 1);
    }
    purge();
  };
  std::thread second([&] {
    for (int round = 0; round < rounds; ++round) {
      meet.arrive_and_wait();
      free_every_other_byte(1);
      meet.arrive_and_wait();
      // Does not end while the other looks: verify() wants to be alone.
      meet.arrive_and_wait();
    }
  });
  for (int round = 0; round < rounds; ++round) {
    for (auto& page : pages) page = made(4096);
    meet.arrive_and_wait();
    free_every_other_byte(0);
    meet.arrive_and_wait();
    EXPECT_EQ(live_bytes(), 0U) << "in round " << round;
    EXPECT_EQ(verify(), "") << "in round " << round;
    meet.arrive_and_wait();
  }
  second.join();
}

// Pieces of many units are dealt out to the threads, each piece to one of them.
TEST_F(SharedUnit, inManyPiecesIsFreedByTheLastOfThreeThreads) {
  std::mt19937_64 random(test::seed());
  constexpr std::size_t players = 3;
  struct piece {
    std::byte* begin;
    std::size_t bytes;
  };
  std::array<std::vector<piece>, players> hands;
  std::barrier<> meet(players + 1);
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < players; ++t) {
    threads.emplace_back([&, t] {
      for (;;) {
        meet.arrive_and_wait();
        if (stop) return;
        for (const piece one : hands[t]) free(one.begin, one.bytes);
        meet.arrive_and_wait();
      }
    });
  }
  for (int round = 0; round < test::by_build(60, 15); ++round) {
    for (auto& hand : hands) hand.clear();
    std::size_t live = 0;
    for (int i = 0; i < 200; ++i) {
      const std::size_t bytes = 1 + random() % (std::size_t{1} << random() % 15);
      std::byte* const p = made(bytes);
      live += bytes;
      for (std::size_t at = 0; at < bytes;) {
        const std::size_t part = std::min<std::size_t>(bytes - at, 1 + random() % (bytes / 3 + 1));
        hands[random() % players].push_back({p + at, part});
        at += part;
      }
    }
    ASSERT_EQ(live_bytes(), live);
    for (auto& hand : hands) std::shuffle(hand.begin(), hand.end(), random);
    meet.arrive_and_wait();
    meet.arrive_and_wait();
    ASSERT_EQ(live_bytes(), 0U) << "in round " << round;
    ASSERT_EQ(verify(), "") << "in round " << round;
  }
  stop = true;
  meet.arrive_and_wait();
  for (std::thread& one : threads) one.join();
}

// The bytes of a unit are handed over by its counter: what the thread that freed
// its part wrote comes before what the next owner writes. For the thread sanitizer.
TEST_F(SharedUnit, isNotUsedAgainBeforeTheLastWriteToIt) {
  std::vector<std::byte*> runs(1000);
  std::barrier<> meet(2);
  std::thread second([&] {
    for (int round = 0; round < 20; ++round) {
      meet.arrive_and_wait();
      for (std::byte* const p : runs) {
        std::memset(p + 24, 2, 24);
        free(p + 24, 24);
      }
      meet.arrive_and_wait();
    }
  });
  for (int round = 0; round < 20; ++round) {
    for (auto& p : runs) p = made(48);
    meet.arrive_and_wait();
    for (std::byte* const p : runs) {
      std::memset(p, 1, 24);
      free(p, 24);
      // Perhaps the one that was just freed from both sides.
      std::byte* const next = made(48);
      std::memset(next, 3, 48);
      free(next, 48);
    }
    meet.arrive_and_wait();
  }
  second.join();
  EXPECT_EQ(live_bytes(), 0U);
}

}  // namespace
}  // namespace cleave::heap
