// shelves.hpp -- ranges of pages on their way from threads that free to threads that make.
//
// Where one thread makes what another frees, the one's cache is always empty and the other's always
// full. What is too much for a full bin is put on the shelf of its order, a few ranges at a time,
// and who has none takes from there. So the pages go around without the lock of an arena, and
// are neither merged nor split on the way.
//
//   page_range overflow[4] = ...;                         // of order 4
//   unsigned put = shelves::put(4, overflow, 4);          // the rest goes to the arenas
//   page_range one = shelves::take(4, 16);                // one.n == 0 if there is none
//
// A shelf is a line of words, each with one range, that are taken and filled by single atomic
// operations: no lock, and a fork finds them whole. What lies there is free for all: page_heap
// takes all of it to the arenas before it says that there is no memory, before it takes new memory,
// and in each round of the purger, and so does a thread that ends. Together the shelves hold no
// more than one thread's bins.
//
// Invariants (verify() checks them):
//   H1  What holds for a cached range (M2) holds for one on the shelf of its order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
#include "heap/geometry.hpp"
#include "heap/packed_range.hpp"
#include "heap/thread_cache.hpp"

namespace cleave::heap::shelves {

// Puts the first of `count` ranges of this order on its shelf, as many as find room; how many.
unsigned put(unsigned order, const page_range* ranges, unsigned count) noexcept;

// A range of this order with n pages or more, near this thread.
page_range take(unsigned order, std::size_t n) noexcept;

// Bit k: there may be a range of order k.
std::uint32_t stocked() noexcept;

// Gives all of it back to the pages; whether there was anything.
bool give_back() noexcept;

// Whether there is none. Sees all that was put there before the caller learned of it.
bool empty() noexcept;

// All pages; a momentary value.
std::size_t pages() noexcept;

// Calls f(range, order) for each. Requires: no thread is inside.
template <typename F>
void for_each(F f) noexcept;

namespace detail {

inline constexpr unsigned most = page_bin::most;

// One line of the processor's cache each.
struct alignas(64) shelf {
  base::atomic<std::uint64_t> range[most];
};

extern constinit shelf all[cached_orders];

}  // namespace detail

template <typename F>
void for_each(F f) noexcept {
  for (unsigned k = 0; k < cached_orders; ++k) {
    for (const base::atomic<std::uint64_t>& place : detail::all[k].range) {
      // Relaxed: nobody changes it.
      const std::uint64_t found = place.load(std::memory_order_relaxed);
      if (found != 0) f(page_range{page_in(found), static_cast<std::uint32_t>(count_in(found))}, k);
    }
  }
}

}  // namespace cleave::heap::shelves
