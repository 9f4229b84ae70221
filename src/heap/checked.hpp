// checked.hpp -- the checked mode: every allocation and free looked at, on request.
//
// With CLEAVE_CHECK=1 in the environment when the heap starts, no thread gets a cache. So all
// traffic takes the ways that threads without a cache take anyway, and these come here. The heap
// below is the same; it is given runs that are longer by a redzone, and gets freed memory later.
// A recording with CLEAVE_TRACE (trace_recorder.hpp) comes the same way, with or without checks.
//
//   if (checked::watching()) return checked::allocate(bytes, alignment);   // on slow ways only
//
// Kept are: every live piece and where it was allocated; freed pieces, filled with a pattern, in
// a quarantine of bounded size, and where they were freed (checked_runs.hpp). What is found is
// reported (checked_report.hpp) and ends the process. Under Valgrind's memcheck the same ways
// are taken to tell it of each run, also without the variable (told.hpp).
//
// One lock guards all of it, and no other lock is taken while it is held.
#pragma once

#include <cleave/heap.hpp>
#include <cstddef>
#include <cstdint>

namespace cleave::heap::checked {

namespace detail {
// Written once, under the start lock, before a run exists.
extern constinit bool is_watching;
extern constinit bool is_recording;
}  // namespace detail

// Whether traffic comes here; whether it is checked and not only told to a tool.
inline bool watching() noexcept {
  return detail::is_watching;
}
inline bool recording() noexcept {
  return detail::is_recording;
}

// Once, after tables.start(), under the start lock.
void start() noexcept;

// As heap::try_allocate(), free() and extend(), when watching.
void* allocate(std::size_t bytes, std::size_t alignment) noexcept;
void free(std::uintptr_t p, std::size_t bytes) noexcept;
bool extend(std::uintptr_t p, std::size_t bytes, std::size_t new_bytes) noexcept;

// See cleave/detail/elements.hpp.
void used_when_empty(std::uintptr_t place, const char* where) noexcept;

// The following do nothing, or give 0, when not recording.

// Reports what is live in pieces that this process allocated; returns if nothing is.
void report_live() noexcept;
// Empties the quarantine.
void purge() noexcept;
// Looks at all redzones and at all of the quarantine.
void verify() noexcept;

// Shared memory is not watched (shared.hpp); its runs count all the same.
void shared_allocated(std::size_t bytes) noexcept;
void shared_freed(std::size_t bytes, std::uint64_t pieces) noexcept;

struct totals {
  std::size_t live = 0;
  std::uint64_t allocations = 0;
  std::uint64_t frees = 0;
  std::uint64_t extensions = 0;
};
totals count() noexcept;

// Around fork(): the lock is held in between.
void lock() noexcept;
void unlock() noexcept;
void after_fork_in_child() noexcept;

}  // namespace cleave::heap::checked

// The heap below checked mode.
namespace cleave::heap::raw {

void* allocate(std::size_t bytes, std::size_t alignment) noexcept;
void free(std::uintptr_t p, std::size_t bytes) noexcept;
bool extend(std::uintptr_t p, std::size_t bytes, std::size_t new_bytes) noexcept;
std::size_t live_bytes() noexcept;

}  // namespace cleave::heap::raw
