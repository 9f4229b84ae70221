// shown.hpp -- the statistics, shown to `cleave top` while the process runs.
//
//   shown::begin();            // once, when the heap has started and no lock of it is held
//   shown::begin_again();      // now and then, for a child of fork()
//
// CLEAVE_TOP=1 in the environment asks for it (include/cleave/detail/shown.hpp). Without it the
// variable is read once, and nothing else happens.
#pragma once

#include <atomic>
#include <cstdint>

namespace cleave::heap::shown {

namespace detail {
enum class state : std::uint32_t { off, on, left_by_fork };
extern constinit std::atomic<state> now;
void try_again() noexcept;
}  // namespace detail

// Starts a thread that shows. A refusal of the system is a line on standard error.
void begin() noexcept;

// In a child of fork() that has not begun anew, what begin() does; else a load and a branch.
// No lock may be held.
inline void begin_again() noexcept {
  // Relaxed: a child of fork() begins with one thread, which has written it.
  if (detail::now.load(std::memory_order_relaxed) == detail::state::left_by_fork) [[unlikely]]
    detail::try_again();
}

void after_fork_in_child() noexcept;

}  // namespace cleave::heap::shown
