// random_runs_test.cpp -- random operations on runs against a map of who owns what.
//
// Players make, cut, join, grow, shrink, free and exchange runs at random, and
// tell each step to the oracle, which watches ownership and content. Between
// rounds nobody plays, and the heap's own numbers must agree with the oracle's.
// Each round runs on new threads, so caches are handed back all the time.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cleave/heap.hpp>
#include <cleave/run.hpp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <random>
#include <stdexcept>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "support/environment.hpp"
#include "support/fresh_heap.hpp"
#include "support/interval_oracle.hpp"
#include "support/memory.hpp"
#include "support/whole_heap.hpp"

namespace cleave::test {
namespace {

// Runs on their way from one player to another.
class mailbox {
 public:
  void put(run&& sent) {
    const std::lock_guard guard(lock_);
    runs_.push_back(std::move(sent));
  }
  std::vector<run> take() {
    const std::lock_guard guard(lock_);
    return std::exchange(runs_, {});
  }

 private:
  std::mutex lock_;
  std::vector<run> runs_;
};

class player {
 public:
  player(int number, std::uint64_t seed, interval_oracle& oracle)
      : number_(number), random_(seed), oracle_(oracle) {}

  void send_to(player& other) { other_ = &other; }

  // One random operation.
  void step() {
    receive();
    const std::size_t dice = below(100);
    if (runs_.size() < 4 || (dice < 28 && runs_.size() < max_runs && bytes_ < max_bytes)) {
      make();
    } else if (dice < 48) {
      cut();
    } else if (dice < 68) {
      join();
    } else if (dice < 74) {
      extend();
    } else if (dice < 79) {
      shrink();
    } else if (dice < 84 && other_ != nullptr) {
      send();
    } else {
      drop();
    }
  }

  void drop_all() {
    receive();
    while (!runs_.empty()) drop();
  }

 private:
  static constexpr int on_the_way = -1;
  static constexpr std::size_t max_runs = 1500;
  static constexpr std::size_t max_bytes = 96_MiB;

  std::size_t below(std::size_t bound) { return random_() % bound; }
  std::size_t between(std::size_t low, std::size_t high) { return low + below(high - low + 1); }

  // Mostly small; half of them at most a byte from an edge of a size class or page,
  // and some just pages.
  std::size_t size() {
    if (below(16) == 0) return page_bytes * between(1, 4);
    const std::size_t dice = below(1000);
    const std::size_t low = dice < 700 ? 1 : dice < 950 ? 2048 : dice < 995 ? 32_KiB : 1_MiB;
    const std::size_t high = dice < 700 ? 2_KiB : dice < 950 ? 64_KiB : dice < 995 ? 1_MiB : 5_MiB;
    const std::size_t plain = between(low, high);
    if (below(2) == 0) return plain;
    // Eight edges per doubling below a page, whole pages above.
    std::size_t step = 8;
    while (plain >= step * 16 && step < page_bytes) step *= 2;
    const std::size_t edge = plain / step * step;
    return std::max<std::size_t>(1, edge + below(3)) - (edge > 0 ? 1 : 0);
  }

  std::size_t pick() { return below(runs_.size()); }

  void keep(run&& kept) {
    bytes_ += kept.size();
    places_[kept.data()] = runs_.size();
    runs_.push_back(std::move(kept));
  }

  run take(std::size_t index) {
    run taken = std::move(runs_[index]);
    bytes_ -= taken.size();
    places_.erase(taken.data());
    if (index + 1 < runs_.size()) {
      runs_[index] = std::move(runs_.back());
      places_[runs_[index].data()] = index;
    }
    runs_.pop_back();
    return taken;
  }

  void receive() {
    for (run& received : inbox_.take()) {
      oracle_.hand_over(received.data(), number_);
      keep(std::move(received));
    }
  }

  void expect(bool holds, const char* what) {
    if (!holds) throw broken_rule(what);
  }

  void make() {
    const std::size_t bytes = size();
    run made;
    if (below(8) == 0) {
      const heap::sized_pointer given = heap::try_allocate_at_least(bytes);
      expect(given.bytes >= bytes, "try_allocate_at_least() gave less");
      made = run::adopt(given.pointer, given.bytes);
    } else {
      const std::size_t alignment =
          below(4) == 0 ? std::size_t{1} << below(18) : heap::default_alignment;
      made = run(bytes, alignment);
      expect(reinterpret_cast<std::uintptr_t>(made.data()) % alignment == 0, "not aligned");
    }
    oracle_.insert(made.data(), made.size(), number_);
    keep(std::move(made));
  }

  void cut() {
    run left = take(pick());
    const std::size_t at = between(0, left.size());
    oracle_.cut(left.data(), at);
    run right = left.cut(at);
    if (!left.empty()) keep(std::move(left));
    if (!right.empty()) keep(std::move(right));
  }

  void join() {
    const std::size_t index = pick();
    const std::byte* const end = runs_[index].data() + runs_[index].size();
    if (!oracle_.neighbour(end, number_)) return;
    run left = take(index);
    run right = take(places_.at(end));
    oracle_.join(left.data(), right.data());
    expect(left.join(std::move(right)) && right.empty(), "neighbours do not join");
    keep(std::move(left));
  }

  void extend() {
    run grown = take(pick());
    const std::size_t before = grown.size();
    const std::size_t wanted = before + (below(2) == 0 ? below(64) : size());
    if (grown.extend(wanted)) {
      oracle_.extend(grown.data(), wanted);
    } else {
      expect(grown.size() == before, "a failed extend() changed the run");
    }
    keep(std::move(grown));
  }

  void shrink() {
    run shrunk = take(pick());
    const std::size_t bytes = between(0, shrunk.size());
    oracle_.shrink(shrunk.data(), bytes);
    shrunk.shrink(bytes);
    if (!shrunk.empty()) keep(std::move(shrunk));
  }

  void send() {
    run sent = take(pick());
    oracle_.hand_over(sent.data(), on_the_way);
    other_->inbox_.put(std::move(sent));
  }

  void drop() {
    run dropped = take(pick());
    oracle_.remove(dropped.data(), dropped.size());
  }

  int number_;
  std::mt19937_64 random_;
  interval_oracle& oracle_;
  player* other_ = nullptr;
  mailbox inbox_;
  std::vector<run> runs_;
  std::unordered_map<const std::byte*, std::size_t> places_;
  std::size_t bytes_ = 0;
};

// Lets `work(stop)` run on a thread, and reports what it throws.
template <typename Work>
std::thread playing(std::atomic<bool>& stop, Work work) {
  return std::thread([&stop, work = std::move(work)] {
    try {
      work();
    } catch (const std::exception& error) {
      stop = true;
      ADD_FAILURE() << error.what();
    }
  });
}

void expect_agreement(interval_oracle& oracle) {
  ASSERT_EQ(heap::live_bytes(), oracle.bytes());
  ASSERT_EQ(heap::stats().live, oracle.bytes());
  ASSERT_EQ(heap::verify(), "");
  ASSERT_NO_THROW(oracle.check_all());
}

// Memory is returned to the system while the players play.
heap::options short_delay() {
  heap::options options;
  options.purge_delay = std::chrono::milliseconds(20);
  return options;
}

// How often the whole heap is walked.
constexpr std::size_t pauses = by_build<std::size_t>(25, 10);

TEST(RandomRuns, ofOneThreadAgreeWithTheOracleAfterEachStep) {
  if (!start_heap(short_delay())) GTEST_SKIP() << own_process;
  interval_oracle oracle;
  player alone(0, seed(), oracle);
  const std::size_t total = steps(300'000, 15'000);
  try {
    for (std::size_t i = 1; i <= total; ++i) {
      alone.step();
      ASSERT_EQ(heap::live_bytes(), oracle.bytes()) << "after step " << i;
      if (i % (total / pauses + 1) == 0) expect_agreement(oracle);
      if (i % 10'007 == 0) heap::purge();
    }
    alone.drop_all();
  } catch (const std::exception& error) {
    FAIL() << error.what();
  }
  EXPECT_TRUE(heap_is_whole());
}

TEST(RandomRuns, thatTwoThreadsExchangeAgreeWithTheOracleInEachPause) {
  if (!start_heap(short_delay())) GTEST_SKIP() << own_process;
  interval_oracle oracle;
  const std::uint64_t first_seed = seed();
  player left(0, first_seed, oracle);
  player right(1, first_seed + 1, oracle);
  left.send_to(right);
  right.send_to(left);
  const std::size_t total = steps(1'000'000, 40'000);
  std::atomic<bool> stop = false;

  for (std::size_t round = 0; round < pauses && !stop; ++round) {
    const auto play = [&stop, total](player& who) {
      for (std::size_t i = 0; i < total / pauses / 2 && !stop; ++i) who.step();
    };
    std::thread one = playing(stop, [&] { play(left); });
    std::thread two = playing(stop, [&] { play(right); });
    one.join();
    two.join();
    if (!stop) expect_agreement(oracle);
    if (HasFatalFailure()) return;
  }
  if (stop) return;

  std::thread one = playing(stop, [&] { left.drop_all(); });
  one.join();
  std::thread two = playing(stop, [&] { right.drop_all(); });
  two.join();
  EXPECT_TRUE(heap_is_whole());
}

}  // namespace
}  // namespace cleave::test
