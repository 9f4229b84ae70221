// told_test.cpp -- what a sanitizer is told by several threads at once; a build for the address
// sanitizer sees the most.
#include <gtest/gtest.h>

#include <barrier>
#include <cleave/heap.hpp>
#include <cstddef>
#include <cstring>
#include <thread>
#include <vector>

#include "heap/small_heap.hpp"
#include "support/environment.hpp"

namespace cleave::heap {
namespace {

class Told : public test::SmallHeap {};

// The address sanitizer keeps one byte for each 8: of pieces shorter than that, several lie on
// one, and their owners tell of them at the same time.
TEST_F(Told, piecesThatMeetWithinEightBytesMayBeFreedAtOnce) {
  constexpr std::size_t piece = 3;
  constexpr std::size_t pieces = 24'000;
  const std::size_t rounds = test::steps(20, 200);
  std::byte* run = nullptr;
  // Two threads free two pieces of three; the third stays live and is written.
  const auto free_each_third = [&run](std::size_t first) {
    for (std::size_t i = first; i < pieces; i += 3) free(run + i * piece, piece);
  };
  std::barrier<> meet(2);
  std::thread second([&] {
    for (std::size_t round = 0; round < rounds; ++round) {
      meet.arrive_and_wait();
      free_each_third(1);
      meet.arrive_and_wait();
    }
  });
  for (std::size_t round = 0; round < rounds; ++round) {
    run = static_cast<std::byte*>(allocate(pieces * piece));
    meet.arrive_and_wait();
    free_each_third(0);
    meet.arrive_and_wait();
    for (std::size_t i = 2; i < pieces; i += 3) std::memset(run + i * piece, 0x5A, piece);
    free_each_third(2);
  }
  second.join();
  EXPECT_EQ(live_bytes(), 0U);
}

TEST_F(Told, aLivePieceStaysWritableWhileBothSidesOfItsEightBytesAreFreed) {
  constexpr std::size_t bytes = 99;
  constexpr std::size_t live = 3;
  constexpr std::size_t batch = 2000;
  const std::size_t rounds = test::steps(20, 200);
  std::vector<std::byte*> runs(batch);
  const auto cut = [](std::size_t i) { return 40 + i % 8; };
  std::barrier<> meet(2);
  std::thread second([&] {
    for (std::size_t round = 0; round < rounds; ++round) {
      meet.arrive_and_wait();
      for (std::size_t i = 0; i < batch; ++i) free(runs[i], cut(i));
      meet.arrive_and_wait();
    }
  });
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::byte*& run : runs) run = static_cast<std::byte*>(allocate(bytes));
    meet.arrive_and_wait();
    for (std::size_t i = 0; i < batch; ++i) {
      const std::size_t end = cut(i) + live;
      free(runs[i] + end, bytes - end);
      std::memset(runs[i] + cut(i), 0x5A, live);
    }
    meet.arrive_and_wait();
    for (std::size_t i = 0; i < batch; ++i) {
      std::memset(runs[i] + cut(i), 0x5B, live);
      free(runs[i] + cut(i), live);
    }
  }
  second.join();
  EXPECT_EQ(live_bytes(), 0U);
}

}  // namespace
}  // namespace cleave::heap
