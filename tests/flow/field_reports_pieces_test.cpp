// field_reports_pieces_test.cpp -- pieces join again, are freed one by one, and
// stay inside their own bytes.
//
// Each suite is a row of the field reports: a complaint that users of other
// systems made in public, turned into a test.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cleave/heap.hpp>
#include <cleave/run.hpp>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "support/environment.hpp"
#include "support/memory.hpp"
#include "support/whole_heap.hpp"

namespace cleave::test {
namespace {

// ---- Row 6: pieces cannot be joined again, or only in O(n) (tokio-rs/bytes#287, #503, #183)

// Piece i and all that were joined to its right; `first` leads to the leftmost.
class joined_pieces {
 public:
  explicit joined_pieces(std::vector<run> pieces) : pieces_(std::move(pieces)) {
    first_.resize(pieces_.size());
    std::iota(first_.begin(), first_.end(), std::size_t{0});
  }

  // Joins the run that ends before piece `index` with the one that begins there.
  bool join_before(std::size_t index) {
    const std::size_t left = leftmost(index - 1);
    first_[index] = left;
    return pieces_[left].join(std::move(pieces_[index]));
  }

  run& front() { return pieces_.front(); }

 private:
  std::size_t leftmost(std::size_t index) {
    while (first_[index] != index) {
      first_[index] = first_[first_[index]];
      index = first_[index];
    }
    return index;
  }

  std::vector<run> pieces_;
  std::vector<std::size_t> first_;
};

TEST(FieldReport06, aMillionPiecesJoinInAnyOrderAndOneFreeReleasesThem) {
  std::mt19937_64 random(seed());
  const std::size_t count = by_build<std::size_t>(1'000'000, 100'000);
  std::vector<std::size_t> sizes(count);
  for (std::size_t& size : sizes) size = 1 + random() % 32;
  const std::size_t bytes = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
  run rest(bytes);
  std::byte* const begin = rest.data();
  for (std::size_t i = 0; i < bytes; ++i) begin[i] = static_cast<std::byte>(i % 251);

  const std::uint64_t allocations = heap::stats().allocations;
  std::vector<run> pieces;
  pieces.reserve(count);
  for (const std::size_t size : sizes) {
    run tail = rest.cut(size);
    pieces.push_back(std::move(rest));
    rest = std::move(tail);
  }
  ASSERT_TRUE(rest.empty());

  std::vector<std::size_t> order(count - 1);
  std::iota(order.begin(), order.end(), std::size_t{1});
  std::shuffle(order.begin(), order.end(), random);
  joined_pieces joined(std::move(pieces));
  for (const std::size_t index : order) ASSERT_TRUE(joined.join_before(index));

  EXPECT_EQ(joined.front().data(), begin);
  EXPECT_EQ(joined.front().size(), bytes);
  std::size_t moved = 0;
  for (std::size_t i = 0; i < bytes; ++i) moved += begin[i] != static_cast<std::byte>(i % 251);
  EXPECT_EQ(moved, 0U);
  EXPECT_EQ(heap::stats().allocations, allocations);

  const std::uint64_t frees = heap::stats().frees;
  joined.front() = run();
  EXPECT_EQ(heap::stats().frees, frees + 1);
  EXPECT_TRUE(heap_is_whole());
}

// ---- Row 7: wants one allocation cut in two, each freed separately (wg-allocators#105,
// rust#40708)

constexpr std::size_t largest = 4096;

// Every cut, or under a sanitizer those near the ends and each 61st, which
// differ from size to size.
bool is_tried(std::size_t size, std::size_t at) {
  return !sanitized || at < 3 || size - at < 3 || (at + size) % 61 == 0;
}

void cut_and_free(std::size_t size, std::size_t at, bool left_first) {
  std::byte* const begin = static_cast<std::byte*>(heap::allocate(size));
  if (left_first) heap::free(begin, at);
  heap::free(begin + at, size - at);
  if (!left_first) heap::free(begin, at);
}

TEST(FieldReport07, everySizeCutEverywhereIsFreedFromTheLeft) {
  for (std::size_t size = 1; size <= largest; ++size) {
    for (std::size_t at = 0; at <= size; ++at) {
      if (is_tried(size, at)) cut_and_free(size, at, true);
    }
    ASSERT_EQ(heap::live_bytes(), 0U) << "size " << size;
  }
  EXPECT_TRUE(heap_is_whole());
}

TEST(FieldReport07, everySizeCutEverywhereIsFreedFromTheRight) {
  for (std::size_t size = 1; size <= largest; ++size) {
    for (std::size_t at = 0; at <= size; ++at) {
      if (is_tried(size, at)) cut_and_free(size, at, false);
    }
    ASSERT_EQ(heap::live_bytes(), 0U) << "size " << size;
  }
  EXPECT_TRUE(heap_is_whole());
}

TEST(FieldReport07, arraysOfEveryElementSizeAreCutBetweenAllElements) {
  // Around each power of two, and primes.
  constexpr std::array<std::size_t, 18> counts{1,  2,   3,   4,   5,   7,    8,    9,    31,
                                               64, 127, 256, 509, 513, 1021, 1025, 2039, 4096};
  for (std::size_t element = 1; element <= 32; ++element) {
    for (const std::size_t count : counts) {
      for (std::size_t at = 0; at <= count; ++at) {
        if (is_tried(count, at)) cut_and_free(count * element, at * element, at % 2 == 0);
      }
    }
    ASSERT_EQ(heap::live_bytes(), 0U) << "elements of " << element << " bytes";
  }
  EXPECT_TRUE(heap_is_whole());
}

// Hands batches of runs from one thread to another; takes no more than a few in advance.
class conveyor {
 public:
  using batch = std::vector<heap::sized_pointer>;

  void put(batch&& sent) {
    std::unique_lock lock(lock_);
    changed_.wait(lock, [this] { return batches_.size() < 8; });
    batches_.push_back(std::move(sent));
    changed_.notify_all();
  }
  void close() {
    const std::lock_guard guard(lock_);
    closed_ = true;
    changed_.notify_all();
  }
  std::optional<batch> take() {
    std::unique_lock lock(lock_);
    changed_.wait(lock, [this] { return closed_ || !batches_.empty(); });
    if (batches_.empty()) return std::nullopt;
    batch taken = std::move(batches_.front());
    batches_.pop_front();
    changed_.notify_all();
    return taken;
  }

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<batch> batches_;
  bool closed_ = false;
};

TEST(FieldReport07, everySizeCutEverywhereIsFreedByTwoThreads) {
  conveyor belt;
  std::thread other([&belt] {
    while (const auto batch = belt.take()) {
      for (const heap::sized_pointer& piece : *batch) heap::free(piece.pointer, piece.bytes);
    }
  });
  // One thread's halves are freed while the other's stand, and the reverse.
  conveyor::batch theirs;
  conveyor::batch ours;
  const auto hand_over = [&] {
    belt.put(std::exchange(theirs, {}));
    for (const heap::sized_pointer& piece : ours) heap::free(piece.pointer, piece.bytes);
    ours.clear();
  };
  for (std::size_t size = 1; size <= largest; ++size) {
    for (std::size_t at = 0; at <= size; ++at) {
      if (!is_tried(size, at)) continue;
      std::byte* const begin = static_cast<std::byte*>(heap::allocate(size));
      heap::sized_pointer left{begin, at};
      heap::sized_pointer right{begin + at, size - at};
      if (at % 2 == 0) std::swap(left, right);
      ours.push_back(left);
      theirs.push_back(right);
      if (theirs.size() == 512) hand_over();
    }
  }
  hand_over();
  belt.close();
  other.join();
  EXPECT_EQ(heap::live_bytes(), 0U);
  EXPECT_TRUE(heap_is_whole());
}

// Two threads that start each round together.
class rendezvous {
 public:
  void meet() {
    // Acq_rel: what each did before the meeting, both see after it.
    const int arrival = arrived_.fetch_add(1, std::memory_order_acq_rel) + 1;
    const int full = (arrival + 1) / 2 * 2;
    while (arrived_.load(std::memory_order_acquire) < full) std::this_thread::yield();
  }

 private:
  std::atomic<int> arrived_ = 0;
};

TEST(FieldReport07, bothHalvesAreFreedByTwoThreadsAtTheSameTime) {
  constexpr std::size_t batch = 500;
  const int rounds = by_build(3000, 300);
  std::vector<heap::sized_pointer> runs(batch);
  rendezvous point;
  std::thread other([&] {
    for (int round = 0; round < rounds; ++round) {
      point.meet();
      for (const auto& [pointer, bytes] : runs) {
        heap::free(static_cast<std::byte*>(pointer) + bytes / 2, bytes - bytes / 2);
      }
      point.meet();
    }
  });
  for (int round = 0; round < rounds; ++round) {
    for (auto& [pointer, bytes] : runs) {
      bytes = 2 + static_cast<std::size_t>(round) * 13 % 6000;
      pointer = heap::allocate(bytes);
    }
    point.meet();
    for (const auto& [pointer, bytes] : runs) heap::free(pointer, bytes / 2);
    point.meet();
  }
  other.join();
  EXPECT_EQ(heap::live_bytes(), 0U);
  EXPECT_TRUE(heap_is_whole());
}

// ---- Row 9: slice code writes in front of the data (roc-lang/roc#6911)

// Everything that is done to the run between the guards.
void use_every_operation(run& middle) {
  const std::size_t bytes = middle.size();
  for (std::size_t at = 0; at <= bytes; at += std::max<std::size_t>(1, bytes / 97)) {
    run right = middle.cut(at);
    ASSERT_TRUE(middle.join(std::move(right)));
  }
  middle.shrink(bytes - bytes / 3);
  if (!middle.empty() && !middle.extend(bytes)) {
    ASSERT_EQ(middle.size(), bytes - bytes / 3);
  }
  run right = middle.cut(middle.size() / 2);
  right = run();
  heap::purge();
  heap::purge_expired();
  middle = run();
  heap::purge();
}

TEST(FieldReport09, noOperationTouchesThePagesBesideARun) {
  for (const std::size_t pages : {1U, 2U, 5U, 16U, 64U, 700U}) {
    const std::size_t bytes = pages * page_bytes;
    run before(bytes + 2 * page_bytes, page_bytes);
    run middle = before.cut(page_bytes);
    run after = middle.cut(bytes);
    ASSERT_EQ(mprotect(before.data(), page_bytes, PROT_NONE), 0);
    ASSERT_EQ(mprotect(after.data(), page_bytes, PROT_NONE), 0);
    // A read or write there ends the test with a signal.
    use_every_operation(middle);
    run again(bytes);
    touch(again.data(), bytes);
    ASSERT_EQ(mprotect(before.data(), page_bytes, PROT_READ | PROT_WRITE), 0);
    ASSERT_EQ(mprotect(after.data(), page_bytes, PROT_READ | PROT_WRITE), 0);
  }
  EXPECT_TRUE(heap_is_whole());
}

TEST(FieldReport09, noOperationChangesTheBytesBesideARun) {
  std::mt19937_64 random(seed());
  for (std::size_t round = 0; round < by_build<std::size_t>(4000, 400); ++round) {
    const std::size_t fence = 1 + random() % 48;
    const std::size_t bytes = 1 + random() % (round % 4 == 0 ? 40'000 : 600);
    run before(fence + bytes + fence);
    run middle = before.cut(fence);
    run after = middle.cut(bytes);
    std::memset(before.data(), 0xCA, before.size());
    std::memset(after.data(), 0xFE, after.size());
    std::memset(middle.data(), 0x11, middle.size());
    use_every_operation(middle);
    const auto is = [](const run& fenced, unsigned char colour) {
      return std::all_of(fenced.bytes().begin(), fenced.bytes().end(),
                         [colour](std::byte byte) { return byte == std::byte{colour}; });
    };
    ASSERT_TRUE(is(before, 0xCA)) << "in front of " << bytes << " bytes";
    ASSERT_TRUE(is(after, 0xFE)) << "behind " << bytes << " bytes";
  }
  EXPECT_TRUE(heap_is_whole());
}

}  // namespace
}  // namespace cleave::test
