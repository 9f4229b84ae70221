#include "heap/start.hpp"
#include "heap/arenas.hpp"

#include <cleave/heap.hpp>

#include <atomic>
#include <mutex>

#include "heap/checked.hpp"
#include "heap/lock.hpp"
#include "heap/page_heap.hpp"
#include "heap/shown.hpp"
#include "heap/slab.hpp"
#include "heap/tables.hpp"
#include "heap/thread_cache.hpp"
#include "heap/told.hpp"
#include "heap/trace_recorder.hpp"
#include "os/thread.hpp"

namespace cleave::heap {
namespace {

constinit ranked_lock start_lock{rank::start};
constinit std::atomic<bool> has_started{false};
constinit std::atomic<bool> wants_handlers{true};
thread_local constinit bool handled = false;

void lock_everything() noexcept {
  if (lock_order::fork_depth == 0) {
    start_lock.lock();
    checked::lock();
    caches::lock();
    slabs::lock_all();
    arenas::lock_all();
    told::lock();
    tracing::lock();
  }
  ++lock_order::fork_depth;
}

void unlock_everything() noexcept {
  if (--lock_order::fork_depth != 0) return;
  tracing::unlock();
  told::unlock();
  arenas::unlock_all();
  slabs::unlock_all();
  caches::unlock();
  checked::unlock();
  start_lock.unlock();
}

// The child finds all locks free and the tables whole.
void unlock_in_child() noexcept {
  if (lock_order::fork_depth == 1) {
    page_heap::after_fork_in_child();
    caches::after_fork_in_child();
    checked::after_fork_in_child();
    tracing::after_fork_in_child();
    shown::after_fork_in_child();
  }
  unlock_everything();
}

// What the system calls around fork().
void handle_before() noexcept {
  // Relaxed: set when the heap starts; each fork needs one answer, which `handled` keeps.
  handled = wants_handlers.load(std::memory_order_relaxed);
  if (handled) lock_everything();
}
void handle_in_parent() noexcept {
  if (handled) unlock_everything();
}
void handle_in_child() noexcept {
  if (handled) unlock_in_child();
}

void handle_forks() noexcept {
  static constinit std::atomic<bool> done{false};
  // Relaxed: only one may go on, and it publishes nothing.
  if (!done.exchange(true, std::memory_order_relaxed)) {
    os::at_fork(handle_before, handle_in_parent, handle_in_child);
  }
}

// When the library is loaded: a fork that comes while another thread starts the heap must wait
// for it. Handlers that are there early also run last before a fork and first after it, when
// those of others have allocated what they need.
[[maybe_unused]] const bool forks_are_handled = (handle_forks(), true);

// Under the start lock.
bool start_now(const options& chosen) noexcept {
  if (!tables.start(chosen.reserve_bytes)) return false;
  page_heap::start(chosen);
  caches::start();
  checked::start();
  // Constructors of other files may come before the one above.
  handle_forks();
  wants_handlers.store(chosen.fork_handlers, std::memory_order_relaxed);
  // Release: whoever sees it sees the tables.
  has_started.store(true, std::memory_order_release);
  return true;
}

}  // namespace

bool start(const options& chosen) noexcept {
  {
    const std::lock_guard guard(start_lock);
    // Relaxed: under the lock that the writer held.
    if (has_started.load(std::memory_order_relaxed)) return false;
    if (!start_now(chosen)) return false;
  }
  shown::begin();
  return true;
}

// Acquire: pairs with start_now().
bool started() noexcept {
  return has_started.load(std::memory_order_acquire);
}

bool ensure_started() noexcept {
  // Acquire: pairs with start_now().
  if (has_started.load(std::memory_order_acquire)) [[likely]]
    return true;
  {
    const std::lock_guard guard(start_lock);
    if (has_started.load(std::memory_order_relaxed)) return true;
    if (!start_now(options{})) return false;
  }
  shown::begin();
  return true;
}

void before_fork() noexcept {
  lock_everything();
}

void after_fork_in_parent() noexcept {
  unlock_everything();
}

void after_fork_in_child() noexcept {
  unlock_in_child();
}

}  // namespace cleave::heap
