// transit.hpp -- pages that are out of sight for a moment, and how others wait for them.
//
// No lock is held over a call of the system, nor over a step from one place of free pages to
// another. What such a step works on is in no place meanwhile, so a request that comes just
// then might say "out of memory" though there is enough. So whoever takes pages out that he
// may bring back counts himself first, and a request that finds nothing looks at the count.
//
//   { const transit moving; take out; ...; bring back; }
//
//   for (;;) {
//     const sighting before;
//     look for pages;  if found, return them
//     if (!before.look_again()) return nothing;      // waits while something is in transit
//   }
//
// Why that is enough. Pages were free when the request began and nobody has been given them.
// If the request did not see them, then someone had taken them out, and had counted himself
// before he did (acquire and release: whoever misses the pages sees the count). Either he is
// still counted, and the request waits, or he has returned, and the number of returns tells so.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"

namespace cleave::heap {

namespace detail {

// How many are in transit in the low half, how many have returned in the high half.
extern constinit base::atomic<std::uint64_t> traffic;

// The returns of this thread, which are no reason for it to look again.
extern thread_local constinit std::uint32_t own_returns;

}  // namespace detail

class transit {
 public:
  // Acq_rel in both: whoever sees the return sees what it brought.
  transit() noexcept { detail::traffic.fetch_add(1, std::memory_order_acq_rel); }
  ~transit() {
    ++detail::own_returns;
    constexpr std::uint64_t returned = (std::uint64_t{1} << 32) - 1;
    detail::traffic.fetch_add(returned, std::memory_order_acq_rel);
    detail::traffic.notify_all();
  }
  transit(const transit&) = delete;
  transit& operator=(const transit&) = delete;
};

class sighting {
 public:
  // Acquire: as in transit.
  sighting() noexcept : returns_(others(detail::traffic.load(std::memory_order_acquire))) {}

  // False if nothing was in transit since this was made, but for the thread's own. Else waits
  // until what is in transit now is there, in part at least.
  bool look_again() const noexcept {
    const std::uint64_t now = detail::traffic.load(std::memory_order_acquire);
    if (static_cast<std::uint32_t>(now) == 0) return others(now) != returns_;
    detail::traffic.wait(now, std::memory_order_acquire);
    return true;
  }

 private:
  static std::uint32_t others(std::uint64_t traffic) noexcept {
    return static_cast<std::uint32_t>(traffic >> 32) - detail::own_returns;
  }

  std::uint32_t returns_;
};

// In a child after fork(): nobody else is there to return.
inline void forget_transits() noexcept {
  // Relaxed: the child has one thread.
  detail::traffic.store(0, std::memory_order_relaxed);
}

}  // namespace cleave::heap
