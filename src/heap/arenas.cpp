#include "heap/arenas.hpp"

#include <atomic>
#include <mutex>
#include <new>

#include "heap/lock.hpp"
#include "heap/transit.hpp"

namespace cleave::heap::arenas {
namespace {

constinit std::atomic<bool> is_open[most_arenas]{};
constinit ranked_lock opening{rank::opening};  // held while an arena is opened, which is rare
// One more than the last arena that was opened.
constinit std::atomic<std::size_t> end_of_opened{0};
constinit unsigned order_of_system = 0;

}  // namespace

constinit std::atomic<std::uint64_t> detail::shared_bits[(most_arenas + 63) / 64]{};

void start(unsigned system_order) noexcept {
  order_of_system = system_order;
}

bool open(std::size_t a, arena::kind of) noexcept {
  return open(a, of, 0, pages_of(a));
}

bool open(std::size_t a, arena::kind of, std::size_t first, std::size_t end) noexcept {
  if (opened(a) != nullptr) return false;
  // Who comes too late for the opening, and too early for the arena, looks again.
  const transit moving;
  // Before the lock, as all calls of the system; that two threads do it is harmless.
  const std::size_t bytes = tables.commit_arena(a);
  const std::lock_guard guard(opening);
  if (bytes == 0 || opened(a) != nullptr) return false;
  tables.count_accessible(bytes);
  (new (tables.arena_at + a) arena)->open(end, of, order_of_system, first);
  if (of.shared) {
    // Relaxed: see is_shared().
    detail::shared_bits[a / 64].fetch_or(std::uint64_t{1} << (a & 63), std::memory_order_relaxed);
  }
  tables.note_opened((a * arena_pages + pages_of(a)) << page_bits);
  // Release: whoever sees it open sees the arena made.
  is_open[a].store(true, std::memory_order_release);
  // Relaxed: under the lock. Release: pairs with seen(), so that the loop over them finds it.
  if (end_of_opened.load(std::memory_order_relaxed) <= a) {
    end_of_opened.store(a + 1, std::memory_order_release);
  }
  return true;
}

// Acquire in both: pairs with open().
std::size_t seen() noexcept {
  return end_of_opened.load(std::memory_order_acquire);
}

arena* opened(std::size_t a) noexcept {
  return is_open[a].load(std::memory_order_acquire) ? tables.arena_at + a : nullptr;
}

void lock_all() noexcept {
  // No arena is added until they are unlocked.
  opening.lock();
  for (std::size_t a = 0; a < seen(); ++a) {
    if (arena* const one = opened(a)) one->lock.lock();
  }
}

void unlock_all() noexcept {
  for (std::size_t a = seen(); a-- > 0;) {
    if (arena* const one = opened(a)) one->lock.unlock();
  }
  opening.unlock();
}

}  // namespace cleave::heap::arenas
