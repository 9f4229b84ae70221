// midpoint.hpp -- views that find each other in one bitmap of midpoints.
//
// A block of 2^k words is aligned to its size, and so is every half of it. The
// address in the middle of a block belongs to that block alone, and its bit in
// one global bitmap says that one of the two halves is dead. Freeing a view flips
// its parent's bit; the second half to die finds the bit set, and goes on with
// the parent; the last one frees the root. So a view needs the size of its root
// and no count. Two halves of one parent join in place. A piece that would be
// more than 16 times smaller than its root is copied to a block of its own,
// which keeps the climbs short. A view that is kept pins its whole root.
//
// Blocks come from stacks of free blocks, one per size and thread, out of line. A
// thread keeps up to 4 MiB of each size; half of that goes to a stack for all threads
// when it is full, and comes from there when it is empty, under a lock.
//
// Invariants (tests/bench/midpoint_test.cpp):
//   P1  A bit is set if and only if exactly one half of its block is dead, and
//       the block itself is not a free root.
//   P2  With all views freed, every bit is 0 and every root is on one stack once.
//
// Limits: arrays of 2^k words up to 2^24, cut in the middle; 4 GiB in all.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <mutex>
#include <vector>

#include "strategies/memory.hpp"
#include "strategies/strategy.hpp"

namespace cleave::bench {

// The space, its bitmap, and the free blocks of the calling thread.
class midpoint_space {
 public:
  static constexpr std::size_t bytes = std::size_t{4} << 30;
  static constexpr std::size_t words = bytes / sizeof(word);
  // Blocks of one word to 2^24.
  static constexpr unsigned orders = 25;
  // The least block has 16 bytes, as everywhere else.
  static constexpr unsigned least_order = 2;

  static std::string prepare();
  // Returns the pages of this thread's free blocks, and of the bitmap where it is
  // empty, to the system. Requires: no other thread uses the space.
  static void purge();

  // A block of 2^order words, aligned to its size.
  static word* take(unsigned order) {
    stack& free = free_[order];
    if (free.count == 0) [[unlikely]]
      return fresh(order);
    return base_ + free.items[--free.count];
  }
  static void give(word* block, unsigned order) {
    stack& free = free_[order];
    if (free.count == free.capacity) [[unlikely]]
      make_room(free, order);
    free.items[free.count++] = static_cast<std::uint32_t>(block - base_);
  }

  // Flips the bit of the midpoint at this address; returns what it was.
  template <bool Atomic>
  static bool flip(const word* middle) {
    const auto index = static_cast<std::size_t>(middle - base_);
    const std::uint64_t bit = std::uint64_t{1} << (index % 64);
    if constexpr (Atomic) {
      // Release: our accesses to the half come before the other half's owner
      // frees the block. Acquire: theirs come before we do.
      std::atomic_ref<std::uint64_t> line(bitmap_[index / 64]);
      return (line.fetch_xor(bit, std::memory_order_acq_rel) & bit) != 0;
    } else {
      return ((bitmap_[index / 64] ^= bit) & bit) == 0;
    }
  }

  // For tests.
  static std::size_t bits_set();
  // Of this thread, and of all.
  static std::size_t free_blocks(unsigned order);

 private:
  struct stack {
    std::uint32_t* items;
    std::size_t count;
    std::size_t capacity;
  };

  struct farewell;
  // Blocks of one size that any thread may take. The lock guards `items`.
  struct depot {
    std::mutex lock;
    std::vector<std::uint32_t> items;
  };

  // How many free blocks a thread keeps.
  static constexpr std::size_t most_kept(unsigned order) {
    return std::max<std::size_t>(64, (std::size_t{1} << 20) >> order);
  }
  // A block where this thread has none: of those for all, or a new one.
  static word* fresh(unsigned order);
  static bool take_from_all(unsigned order);
  // Gives the `count` blocks on top to all.
  static void give_to_all(stack& free, unsigned order, std::size_t count);
  static void make_room(stack& free, unsigned order);

  inline static word* base_ = nullptr;
  inline static std::uint64_t* bitmap_ = nullptr;
  // The first word that no thread has taken.
  inline static std::atomic<std::size_t> next_{0};
  inline static thread_local constinit stack free_[orders]{};
  inline static std::array<depot, orders> for_all_;
};

// Without `Atomic` the bits are flipped by plain instructions: for one thread
// only, to show what the locked ones cost.
template <bool Atomic>
struct midpoint {
  // How much smaller than its root a view may be.
  static constexpr std::uint32_t cutoff = 16;

  struct array {
    word* data;
    std::uint32_t size;
    std::uint32_t root_size;
  };

  static std::string name() { return Atomic ? "midpoint" : "midpoint-plain"; }
  static std::string prepare() { return midpoint_space::prepare(); }
  static void purge() { midpoint_space::purge(); }

  static array make(std::size_t n) {
    const auto size = static_cast<std::uint32_t>(n);
    return {midpoint_space::take(order_of(size)), size, size};
  }

  static array halve(array& a) {
    const std::uint32_t half = a.size / 2;
    if (half * cutoff >= a.root_size) [[likely]] {
      a.size = half;
      return {a.data + half, half, a.root_size};
    }
    const array left = copy_of(a.data, half);
    const array right = copy_of(a.data + half, half);
    free(a);
    a = left;
    return right;
  }

  static array join(array left, array right) {
    // A view that lies in the lower half of its parent has its sibling to the
    // right; whatever begins there with the same size is that sibling.
    const auto offset = reinterpret_cast<std::uintptr_t>(left.data) / sizeof(word);
    if (left.data + left.size == right.data && left.size == right.size &&
        left.size < left.root_size && (offset & left.size) == 0) {
      return {left.data, left.size * 2, left.root_size};
    }
    const array whole = make(std::size_t{left.size} + right.size);
    std::memcpy(whole.data, left.data, left.size * sizeof(word));
    std::memcpy(whole.data + left.size, right.data, right.size * sizeof(word));
    free(left);
    free(right);
    return whole;
  }

  static void free(array a) {
    while (a.size != a.root_size) {
      // All sizes are powers of two and blocks are aligned, so the lower half of
      // a block is the one whose address has a zero bit at the half's size.
      const auto offset = reinterpret_cast<std::uintptr_t>(a.data) / sizeof(word);
      const bool upper = (offset & a.size) != 0;
      word* const middle = upper ? a.data : a.data + a.size;
      if (!midpoint_space::flip<Atomic>(middle)) return;
      a.data = middle - a.size;
      a.size *= 2;
    }
    midpoint_space::give(a.data, order_of(a.root_size));
  }

  static word* data(array& a) { return a.data; }
  static std::size_t size(const array& a) { return a.size; }

 private:
  static unsigned order_of(std::uint32_t size) {
    const auto order = static_cast<unsigned>(std::bit_width(size)) - 1;
    return order < midpoint_space::least_order ? midpoint_space::least_order : order;
  }
  static array copy_of(const word* from, std::uint32_t n) {
    const array made = make(n);
    std::memcpy(made.data, from, n * sizeof(word));
    return made;
  }
};
static_assert(strategy<midpoint<true>>);

}  // namespace cleave::bench
