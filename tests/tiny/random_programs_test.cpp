// Long random programs over the tiny heap, with one thread and with two.

#include <gtest/gtest.h>

#include <latch>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "support/environment.hpp"
#include "tiny/tiny_model.hpp"

namespace cleave {
namespace {

using test::tiny_model;

TEST(RandomPrograms, keepEveryByteWithOneOwner) {
  tiny_model::start_heap();
  std::mt19937_64 random(test::seed());
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  tiny_model model;
  const std::size_t steps = test::steps(300'000, 30'000);
  for (std::size_t step = 0; step < steps; ++step) {
    const std::size_t n = model.pieces().size();
    const std::size_t i = n == 0 ? 0 : below(n);
    switch (n == 0 ? 0 : below(12)) {
      case 0:
      case 1:
      case 2: {
        const std::size_t most = std::size_t{1} << below(14);
        model.allocate(1 + below(most), std::size_t{1} << below(9), below(4) == 0);
        break;
      }
      case 3:
      case 4:
      case 5: model.cut(i, below(model.pieces()[i].bytes + 1)); break;
      case 6: model.join(i); break;
      case 7: model.extend(i, 1 + below(300)); break;
      case 8:
        if (below(20) == 0) heap::purge();
        break;
      default: model.free(i); break;
    }
    if (step % 500 == 0) model.expect_sound();
    if (testing::Test::HasFailure()) FAIL() << "step " << step;
  }
  model.free_all();
  model.expect_whole();
}

struct shared_piece {
  std::byte* data;
  std::size_t bytes;
};

// Two threads trade pieces, so that units are freed from both sides at once.
TEST(RandomPrograms, onTwoThreadsThatTradePiecesLoseNothing) {
  tiny_model::start_heap();
  const std::uint64_t seed = test::seed();
  const std::size_t steps = test::steps(400'000, 60'000);
  std::mutex lock;
  std::vector<shared_piece> shelf;
  std::latch begun(2);
  const auto work = [&](std::uint64_t own_seed) {
    begun.arrive_and_wait();
    std::mt19937_64 random(own_seed);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    std::vector<shared_piece> mine;
    for (std::size_t step = 0; step < steps; ++step) {
      const std::size_t kind = below(6);
      if (kind == 0) {
        const std::size_t bytes = 1 + below(std::size_t{1} << below(9));
        if (void* const p = heap::try_allocate(bytes, 8)) {
          mine.push_back({static_cast<std::byte*>(p), bytes});
        }
      } else if (kind == 1) {
        const std::lock_guard guard(lock);
        if (below(2) == 0 && !mine.empty()) {
          shelf.push_back(mine.back());
          mine.pop_back();
        } else if (!shelf.empty()) {
          mine.push_back(shelf.back());
          shelf.pop_back();
        }
      } else if (!mine.empty()) {
        std::swap(mine[below(mine.size())], mine.back());
        shared_piece& last = mine.back();
        if (kind < 4 && last.bytes > 1) {
          const std::size_t at = 1 + below(last.bytes - 1);
          const shared_piece right{last.data + at, last.bytes - at};
          last.bytes = at;
          mine.push_back(right);
        } else {
          // A write by each owner: the thread sanitizer sees an early reuse.
          std::memset(last.data, 0xDB, last.bytes);
          heap::free(last.data, last.bytes);
          mine.pop_back();
        }
      }
    }
    for (const shared_piece& p : mine) heap::free(p.data, p.bytes);
    heap::purge();
  };
  std::thread first(work, seed);
  std::thread second(work, seed + 1);
  first.join();
  second.join();
  for (const shared_piece& p : shelf) heap::free(p.data, p.bytes);
  tiny_model().expect_whole();
}

}  // namespace
}  // namespace cleave
