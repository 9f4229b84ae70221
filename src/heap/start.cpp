#include "heap/start.hpp"

#include <cleave/heap.hpp>

#include <atomic>
#include <mutex>

#include "heap/page_heap.hpp"
#include "heap/slab.hpp"
#include "heap/tables.hpp"
#include "heap/thread_cache.hpp"
#include "os/thread.hpp"

namespace cleave::heap {
namespace {

constinit std::mutex start_lock;
constinit std::atomic<bool> has_started{false};

// The order of locks: start, registry, classes, arenas. After fork() the child
// finds all of them free and the tables whole.
void before_fork() noexcept {
  start_lock.lock();
  caches::lock();
  slabs::lock_all();
  page_heap::lock_all();
}

void after_fork() noexcept {
  page_heap::unlock_all();
  slabs::unlock_all();
  caches::unlock();
  start_lock.unlock();
}

void after_fork_in_child() noexcept {
  page_heap::after_fork_in_child();
  caches::after_fork_in_child();
  after_fork();
}

// Under the start lock.
bool start_now(const options& chosen) noexcept {
  if (!tables.start(chosen.reserve_bytes)) return false;
  page_heap::start(chosen);
  caches::start();
  os::at_fork(before_fork, after_fork, after_fork_in_child);
  // Release: whoever sees it sees the tables.
  has_started.store(true, std::memory_order_release);
  return true;
}

}  // namespace

bool start(const options& chosen) noexcept {
  const std::lock_guard guard(start_lock);
  // Relaxed: under the lock that the writer held.
  if (has_started.load(std::memory_order_relaxed)) return false;
  return start_now(chosen);
}

// Acquire: pairs with start_now().
bool started() noexcept {
  return has_started.load(std::memory_order_acquire);
}

bool ensure_started() noexcept {
  // Acquire: pairs with start_now().
  if (has_started.load(std::memory_order_acquire)) [[likely]]
    return true;
  const std::lock_guard guard(start_lock);
  return has_started.load(std::memory_order_relaxed) || start_now(options{});
}

}  // namespace cleave::heap
