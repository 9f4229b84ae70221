// trace_recorder.hpp -- records what happens in the heap, when CLEAVE_TRACE names a file.
//
// As in checked mode no thread gets a cache then, so that all traffic takes the slow ways, where
// checked.cpp calls these (docs/decisions/0017-a-recording-takes-the-paths-without-a-cache.md).
// The reader of the file is include/cleave/trace.hpp.
//
//   tracing::freed(p, bytes);              // before the heap takes it
//   void* p = raw::allocate(bytes, 16);
//   tracing::allocated(p, bytes);          // after the heap gave it
//
// Each thread encodes its events into a buffer of its own, of two halves. A helper thread writes
// what is there every 100 ms; who fills a half before it comes writes that one. So a killed
// process loses what its threads did in the last 100 ms, 64 KiB of each at most. Memory is bounded
// by the number of threads, and no event is dropped unless there is no memory for a buffer; then
// it is counted.
//
// Invariants:
//   T1  The events of a thread have times that rise, and stand in the file in their order.
//   T2  Sorted by time, no two live pieces overlap: a free is stamped before the heap takes
//       the memory, an allocation after it was given.
//   T3  In the file a place stands before the events that name it.
#pragma once

#include <cleave/heap.hpp>
#include <cstddef>
#include <cstdint>

namespace cleave::heap::tracing {

// Whether a recording goes on. Relaxed: it ends some time after it is said to.
inline bool on() noexcept {
  return cleave::detail::is_traced.load(std::memory_order_relaxed);
}

// Once, under the start lock, when the tables are there. True if all is to be recorded.
bool start() noexcept;

// The following do nothing when no recording goes on.
void allocated(std::uintptr_t p, std::size_t bytes) noexcept;
void freed(std::uintptr_t p, std::size_t bytes) noexcept;
void extended(std::uintptr_t p, std::size_t bytes, std::size_t new_bytes) noexcept;
void purged(std::size_t bytes) noexcept;
void collected(std::size_t live, std::size_t reclaimed, bool all) noexcept;
void forgot(std::uintptr_t p, std::size_t bytes) noexcept;

// When an armed thread ends: what it recorded is written.
void thread_ends() noexcept;
// Writes all that threads have recorded, and the end.
void finish() noexcept;

// Around fork(): the locks are held in between. The child records to a file of its own if the
// name has a %p, else no more.
void lock() noexcept;
void unlock() noexcept;
void after_fork_in_child() noexcept;

}  // namespace cleave::heap::tracing
