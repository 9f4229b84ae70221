// lock.hpp -- the heap's locks, and the order in which a thread may take them.
//
//   constinit ranked_lock registry{rank::registry};
//   const std::lock_guard guard(registry);
//
// The order is that of `rank`. Outside of fork() a thread holds one lock at a time; start's also
// while the heap starts, checked mode's while a sanitizer is told, and that of the recording's
// file while a buffer is taken out of. Around fork() a thread
// takes all of them; while it has them, its own locking does nothing, so that handlers of others
// which allocate or free there do not wait for themselves.
//
// Invariants (checked builds check them at each lock and at each call of the system):
//   L1  A thread takes locks in the order of their ranks, and two of one rank only around fork().
//   L2  No lock is held over a call of the system, but start's while the heap starts, and that of
//       checked mode when its records grow. That of the recording's file is there for its writes.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/check.hpp"

namespace cleave::heap {

enum class rank : std::uint8_t {
  start,
  checked,
  registry,
  slabs,
  opening,
  arena,
  told,
  trace_file,
  trace_buffer,
  trace_places
};
inline constexpr unsigned ranks = 10;

namespace lock_order {

// How many times this thread has asked to hold everything, see start.cpp.
#if defined(__GNUC__)
extern thread_local constinit unsigned fork_depth __attribute__((tls_model("initial-exec")));
#else
extern thread_local constinit unsigned fork_depth;
#endif

#if defined(CLEAVE_CHECKED) && CLEAVE_CHECKED
// How many locks of each rank this thread holds.
extern thread_local constinit std::uint32_t held[ranks];

void taking(rank r) noexcept;
void released(rank r) noexcept;
// L2, for the callers of src/os.
void expect_none() noexcept;
#else
inline void taking(rank) noexcept {}
inline void released(rank) noexcept {}
inline void expect_none() noexcept {}
#endif

}  // namespace lock_order

class ranked_lock {
 public:
  constexpr explicit ranked_lock(rank r) noexcept : rank_(r) {}

  void lock() noexcept {
    if (lock_order::fork_depth != 0) return;
    lock_order::taking(rank_);
    mutex_.lock();
  }
  bool try_lock() noexcept {
    if (lock_order::fork_depth != 0) return true;
    if (!mutex_.try_lock()) return false;
    lock_order::taking(rank_);
    return true;
  }
  void unlock() noexcept {
    if (lock_order::fork_depth != 0) return;
    mutex_.unlock();
    lock_order::released(rank_);
  }

 private:
  base::mutex mutex_;
  rank rank_;
};

}  // namespace cleave::heap
