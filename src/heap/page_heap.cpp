#include "heap/page_heap.hpp"

#include <algorithm>
#include <atomic>
#include <new>

#include "base/bits.hpp"
#include "base/check.hpp"
#include "heap/arena.hpp"
#include "heap/purger.hpp"
#include "heap/tables.hpp"
#include "os/memory.hpp"

namespace cleave::heap::page_heap {
namespace {

enum class arena_state : std::uint8_t { unopened, opening, open };

// What a first fit may answer.
enum class outcome : std::uint8_t { taken, no_space, limit, refused };

struct attempt {
  outcome result = outcome::no_space;
  page_index page = no_page;
  std::size_t missing = 0;  // with `limit`: the pages that could not be backed
};

// Growth by less than this does not look at what lies idle.
constexpr std::size_t growth_that_looks = (std::size_t{1} << 20) / 4096;

constinit std::atomic<arena_state> states[most_arenas]{};
constinit std::atomic<std::size_t> seen{0};  // one more than the last arena that was opened
constinit std::atomic<std::size_t> held_bytes{0};
constinit std::atomic<std::size_t> peak_bytes{0};
constinit std::atomic<std::size_t> limit_bytes{SIZE_MAX};
constinit std::atomic<std::size_t> committed_bytes{0};
constinit bool want_huge_pages = false;

// How many calls have pages in transit, and how many have brought theirs back.
constinit std::atomic<std::uint32_t> transits{0};
constinit std::atomic<std::uint32_t> returns{0};

// Those of this thread, which are no reason for it to try again.
thread_local constinit std::uint32_t own_returns = 0;

// The large range that was freed last, whole, so that the next request of its
// size splits and merges nothing: the page in the high half, the count in the low.
constinit std::atomic<std::uint64_t> last_range{0};

constexpr std::uint64_t pack(page_index page, std::size_t n) noexcept {
  return std::uint64_t{page} << 32 | n;
}
constexpr page_index page_in(std::uint64_t range) noexcept {
  return static_cast<page_index>(range >> 32);
}
constexpr std::size_t count_in(std::uint64_t range) noexcept { return range & UINT32_MAX; }

class transit {
 public:
  // Acq_rel on both counters: a waiter that sees the return sees what it brought.
  transit() noexcept { transits.fetch_add(1, std::memory_order_acq_rel); }
  ~transit() {
    ++own_returns;
    returns.fetch_add(1, std::memory_order_acq_rel);
    transits.fetch_sub(1, std::memory_order_acq_rel);
    transits.notify_all();
  }
  transit(const transit&) = delete;
  transit& operator=(const transit&) = delete;
};

// Adds pages to what is held, unless that exceeds the limit.
bool add_held(std::size_t pages) noexcept {
  const std::size_t bytes = pages << page_bits;
  // Relaxed throughout: the numbers alone matter; they publish nothing.
  const std::size_t limit = limit_bytes.load(std::memory_order_relaxed);
  std::size_t now = held_bytes.load(std::memory_order_relaxed);
  do {
    if (bytes > limit || now > limit - bytes) return false;
  } while (!held_bytes.compare_exchange_weak(now, now + bytes, std::memory_order_relaxed));
  std::size_t peak = peak_bytes.load(std::memory_order_relaxed);
  while (peak < now + bytes &&
         !peak_bytes.compare_exchange_weak(peak, now + bytes, std::memory_order_relaxed)) {
  }
  return true;
}

void subtract_held(std::size_t pages) noexcept {
  // Relaxed: as in add_held().
  held_bytes.fetch_sub(pages << page_bits, std::memory_order_relaxed);
}

// Acquire and release in all exchanges: the range goes from thread to thread.
std::uint64_t take_last() noexcept {
  if (last_range.load(std::memory_order_relaxed) == 0) return 0;
  return last_range.exchange(0, std::memory_order_acq_rel);
}

void* address(std::size_t a, std::size_t page) noexcept {
  return reinterpret_cast<void*>(tables.base + a * arena_size + (page << page_bits));
}

page_index global(std::size_t a, std::size_t page) noexcept {
  return static_cast<page_index>(a * arena_pages + page);
}

std::size_t pages_of(std::size_t a) noexcept {
  return std::min(arena_pages, tables.pages - a * arena_pages);
}

// Opens an arena that is unopened. False if it is not, or the system refuses.
bool open(std::size_t a, bool huge) noexcept {
  arena_state expected = arena_state::unopened;
  // Acquire/release: whoever sees `open` sees the arena made.
  if (!states[a].compare_exchange_strong(expected, arena_state::opening,
                                         std::memory_order_acquire)) {
    return false;
  }
  if (!tables.commit_arena(a)) {
    states[a].store(arena_state::unopened, std::memory_order_release);
    return false;
  }
  (new (tables.arena_at + a) arena)->open(pages_of(a), huge);
  states[a].store(arena_state::open, std::memory_order_release);
  std::size_t known = seen.load(std::memory_order_relaxed);
  // Release: pairs with arenas_seen(), so that the loop over them finds it.
  while (known < a + 1 &&
         !seen.compare_exchange_weak(known, a + 1, std::memory_order_release,
                                     std::memory_order_relaxed)) {
  }
  return true;
}

std::size_t idle_everywhere() noexcept {
  std::size_t sum = 0;
  for (std::size_t a = 0; a < arenas_seen(); ++a) {
    if (const arena* const one = opened(a)) sum += one->idle_pages();
  }
  return sum;
}

// Returns idle memory of one arena, up to about `most` pages; how many pages it was.
std::size_t purge_arena(std::size_t a, bool expired, std::size_t most) noexcept {
  arena* const one = opened(a);
  if (one == nullptr || one->idle_pages() == 0) return 0;
  std::size_t returned = 0;
  arena::cursor cursor;
  while (returned < most) {
    const transit moving;
    arena::range block;
    arena::range part;
    {
      const std::lock_guard guard(one->lock);
      if (!one->take_idle(cursor, expired, block)) break;
      part = one->idle_part(block, block.page, expired);
    }
    while (part.n > 0) {
      const bool done = os::discard(address(a, part.page), part.n << page_bits);
      const std::lock_guard guard(one->lock);
      if (done) {
        const std::size_t cleared = one->clear_backed(part.page, part.n);
        subtract_held(cleared);
        returned += cleared;
      }
      part = one->idle_part(block, part.page + part.n, expired);
    }
    const std::lock_guard guard(one->lock);
    one->put_back(block);
  }
  if (expired) {
    const std::lock_guard guard(one->lock);
    one->forget_ages();
  }
  return returned;
}

std::size_t purge_all(bool expired, std::size_t most) noexcept {
  std::size_t returned = 0;
  for (std::size_t a = arenas_seen(); a-- > 0 && returned < most;) {
    returned += purge_arena(a, expired, most - returned);
  }
  return returned;
}

// Makes pages accessible that a call has taken out. False if the system refuses.
bool make_accessible(std::size_t a, arena& from, arena::range needed, arena::range roomy) noexcept {
  const auto commit = [a](arena::range r) {
    return os::commit(address(a, r.page), r.n << page_bits);
  };
  if (!commit(roomy)) {
    if (roomy.n == needed.n || !commit(needed)) return false;
    roomy = needed;
  }
  if (from.huge()) os::prefer_huge_pages(address(a, roomy.page), roomy.n << page_bits);
  std::size_t fresh = 0;
  {
    const std::lock_guard guard(from.lock);
    fresh = from.mark_accessible(roomy);
  }
  // Relaxed: a statistic, and the measure of the next step.
  committed_bytes.fetch_add(fresh << page_bits, std::memory_order_relaxed);
  return true;
}

template <typename F>
void for_each_part(page_index page, std::size_t n, F f) noexcept {
  while (n > 0) {
    const std::size_t a = page >> arena_order;
    const std::size_t first = page & (arena_pages - 1);
    const std::size_t part = std::min(n, arena_pages - first);
    f(a, first, part);
    page += static_cast<page_index>(part);
    n -= part;
  }
}

void give_to_arenas(page_index page, std::size_t n) noexcept {
  bool look = false;
  for_each_part(page, n, [&look](std::size_t a, std::size_t first, std::size_t part) {
    arena* const one = opened(a);
    CLEAVE_CHECK(one != nullptr, "free of memory that was never handed out");
    const std::lock_guard guard(one->lock);
    one->give(first, part);
    look |= one->every_64th();
  });
  if (look || n >= growth_that_looks) purger::freed();
}

// True if there was a range to give.
bool give_last() noexcept {
  const std::uint64_t last = take_last();
  if (last != 0) give_to_arenas(page_in(last), count_in(last));
  return last != 0;
}

// Gives memory to pages that this call has just taken out of an arena.
attempt settle(std::size_t a, arena& from, std::size_t page, std::size_t n,
               std::unique_lock<std::mutex>& guard) noexcept {
  const auto give_up = [&](outcome why, std::size_t missing) {
    if (!guard.owns_lock()) guard.lock();
    from.give(page, n);
    return attempt{why, no_page, missing};
  };
  if (const arena::range needed = from.inaccessible_in(page, n); needed.n > 0) {
    // Steps grow with what is in use, so their number stays small, and the
    // commit charge of what is not used yet stays under a quarter.
    // Relaxed: an estimate.
    const std::size_t room =
        std::min<std::size_t>(committed_bytes.load(std::memory_order_relaxed) / 4,
                              std::size_t{64} << 20) >>
        page_bits;
    const arena::range roomy = from.with_room(needed, room);
    const transit moving;
    guard.unlock();
    if (!make_accessible(a, from, needed, roomy)) return give_up(outcome::refused, n);
    guard.lock();
  }
  const std::size_t missing = from.unbacked_in(page, n);
  if (missing >= growth_that_looks && idle_pages() >= missing) {
    // To take as much new memory as already lies idle would let the idle part
    // grow without end when pieces are kept that break up the free blocks.
    const transit moving;
    guard.unlock();
    give_last();
    purge_all(false, missing);
    guard.lock();
  }
  if (missing > 0) {
    if (!add_held(missing)) return give_up(outcome::limit, missing);
    from.mark_backed(page, n);
  }
  return {outcome::taken, global(a, page), 0};
}

attempt take_in(std::size_t a, std::size_t n, unsigned order) noexcept {
  arena* const one = opened(a);
  if (one == nullptr || !one->may_have(order)) return {};
  std::unique_lock guard(one->lock);
  const std::size_t page = one->take(n, order);
  if (page == arena::none) return {};
  return settle(a, *one, page, n, guard);
}

// Takes whole consecutive arenas from `a` on, and the begin of the last one.
attempt take_row(std::size_t a, std::size_t n) noexcept {
  std::size_t taken = 0;
  attempt last{outcome::taken, global(a, 0), 0};
  while (taken < n && last.result == outcome::taken) {
    const std::size_t i = a + taken / arena_pages;
    const std::size_t part = std::min(arena_pages, n - taken);
    arena* one = opened(i);
    if (one == nullptr && open(i, want_huge_pages)) one = opened(i);
    last = {};
    if (one == nullptr) break;
    std::unique_lock guard(one->lock);
    if (!one->claim(0, part)) break;
    last = settle(i, *one, 0, part, guard);
    if (last.result == outcome::taken) taken += part;
  }
  if (taken < n) give(global(a, 0), taken);
  if (last.result == outcome::taken) last.page = global(a, 0);
  return last;
}

attempt take_large(std::size_t n) noexcept {
  attempt best;
  const std::size_t row = (n + arena_pages - 1) / arena_pages;
  for (std::size_t a = 0; a + row <= tables.arenas && n <= tables.pages - a * arena_pages; ++a) {
    const attempt tried = take_row(a, n);
    if (tried.result == outcome::taken) return tried;
    if (tried.result != outcome::no_space) best = tried;
    if (tried.result == outcome::limit) break;
  }
  return best;
}

attempt take_anywhere(std::size_t n, unsigned order) noexcept {
  if (n > arena_pages) return take_large(n);
  const bool huge = want_huge_pages && n >= std::size_t{1} << huge_order;
  attempt best;
  const auto good = [&](attempt tried) {
    if (tried.result != outcome::no_space) best = tried;
    return tried.result == outcome::taken || tried.result == outcome::limit;
  };
  for (const bool fitting : {true, false}) {
    for (std::size_t a = 0; a < arenas_seen(); ++a) {
      const arena* const one = opened(a);
      if (one == nullptr || (one->huge() == huge) != fitting) continue;
      if (good(take_in(a, n, order))) return best;
    }
    if (!fitting) break;
    for (std::size_t a = 0; a < tables.arenas; ++a) {
      if (pages_of(a) < std::size_t{1} << order || !open(a, huge)) continue;
      if (good(take_in(a, n, order))) return best;
      break;
    }
  }
  return best;
}

}  // namespace

void start(const options& chosen) noexcept {
  want_huge_pages = chosen.huge_pages && tables.arenas > 1;
  // Relaxed: nobody else is here yet.
  limit_bytes.store(chosen.held_limit, std::memory_order_relaxed);
  purger::start(chosen);
}

page_index take(std::size_t n, unsigned order) noexcept {
  if (n > tables.pages) return no_page;
  if (order >= cached_orders) {
    if (const std::uint64_t last = take_last(); last != 0) {
      const page_index page = page_in(last);
      const bool aligned = (page & ((std::uint64_t{1} << order) - 1)) == 0;
      // Twice the size is too good for it.
      if (aligned && count_in(last) >= n && count_in(last) / 2 < n) {
        if (count_in(last) > n) {
          give_to_arenas(page + static_cast<page_index>(n), count_in(last) - n);
        }
        return page;
      }
      give_to_arenas(page, count_in(last));
    }
  }
  // Each round either succeeds, fails for good, or has seen memory come back.
  for (int rounds = 0; rounds < 100; ++rounds) {
    // Acquire: see class transit.
    const std::uint32_t returned = returns.load(std::memory_order_acquire) - own_returns;
    const attempt tried = take_anywhere(n, order);
    if (tried.result == outcome::taken) return tried.page;
    if (give_last()) continue;
    if (tried.result != outcome::no_space) {
      // The limit, or the system, says no: what lies idle may be what is missing.
      if (purge_all(false, tried.missing) > 0) continue;
    }
    if (const std::uint32_t moving = transits.load(std::memory_order_acquire); moving != 0) {
      transits.wait(moving, std::memory_order_acquire);
      continue;
    }
    if (returns.load(std::memory_order_acquire) - own_returns == returned) break;
  }
  return no_page;
}

void give(page_index page, std::size_t n) noexcept {
  if (n < std::size_t{1} << cached_orders >> 1) {
    give_to_arenas(page, n);
    return;
  }
  // Two halves of a run meet again here.
  if (const std::uint64_t last = take_last(); last != 0) {
    if (page_in(last) + count_in(last) == page) {
      page = page_in(last);
      n += count_in(last);
    } else if (page + n == page_in(last)) {
      n += count_in(last);
    } else {
      give_to_arenas(page_in(last), count_in(last));
    }
  }
  if (const std::uint64_t other = last_range.exchange(pack(page, n), std::memory_order_acq_rel);
      other != 0) {
    give_to_arenas(page_in(other), count_in(other));
  }
}

bool claim(page_index page, std::size_t n) noexcept {
  give_last();
  std::size_t claimed = 0;
  bool whole = std::size_t{page} + n <= tables.pages;
  for_each_part(page, whole ? n : 0, [&](std::size_t a, std::size_t first, std::size_t part) {
    if (!whole) return;
    arena* one = opened(a);
    if (one == nullptr && open(a, want_huge_pages && part >= std::size_t{1} << huge_order)) {
      one = opened(a);
    }
    whole = one != nullptr;
    if (!whole) return;
    std::unique_lock guard(one->lock);
    whole = one->claim(first, part) && settle(a, *one, first, part, guard).result == outcome::taken;
    if (whole) claimed += part;
  });
  if (!whole && claimed > 0) give(page, claimed);
  return whole;
}

void purge() noexcept {
  give_last();
  purge_all(false, SIZE_MAX);
}

void purge_expired() noexcept {
  purge_all(true, SIZE_MAX);
  // From now on it has an age like all that is free.
  give_last();
}

// Relaxed in what follows: statistics.
std::size_t held() noexcept { return held_bytes.load(std::memory_order_relaxed); }

std::size_t idle_pages() noexcept { return idle_everywhere() + cached_pages(); }

std::size_t cached_pages() noexcept {
  return count_in(last_range.load(std::memory_order_relaxed));
}


void set_held_limit(std::size_t bytes) noexcept {
  limit_bytes.store(bytes, std::memory_order_relaxed);
  if (const std::size_t now = held(); now > bytes) {
    give_last();
    purge_all(false, (now - bytes + page_size - 1) >> page_bits);
  }
}

void add_statistics(statistics& s) noexcept {
  s.held = held();
  s.peak_held = peak_bytes.load(std::memory_order_relaxed);
  s.held_limit = limit_bytes.load(std::memory_order_relaxed);
  s.reserved = tables.pages << page_bits;
  s.committed = committed_bytes.load(std::memory_order_relaxed);
  s.metadata = tables.accessible_bytes();
  s.cached += cached_pages() << page_bits;
  s.system_calls = os::call_count();
  std::size_t row = 0;
  for (std::size_t a = 0; a < tables.arenas; ++a) {
    arena* const one = opened(a);
    if (one == nullptr) {
      // Never used: as open() would make it.
      std::size_t left = pages_of(a);
      row += left;
      for (unsigned k = orders; k-- > 0;) {
        if ((left >> k) & 1) ++s.free_blocks[k];
      }
      s.largest_free = std::max(s.largest_free, row << page_bits);
      continue;
    }
    const std::lock_guard guard(one->lock);
    s.free += one->free_pages() << page_bits;
    row = one->wholly_free() ? row + one->pages() : 0;
    s.largest_free = std::max(s.largest_free, row << page_bits);
    for (unsigned k = 0; k < orders; ++k) {
      const std::size_t blocks = one->free_blocks(k);
      s.free_blocks[k] += blocks;
      if (blocks > 0) s.largest_free = std::max(s.largest_free, page_size << k);
    }
  }
}

// Acquire in both: pairs with open().
std::size_t arenas_seen() noexcept { return seen.load(std::memory_order_acquire); }

arena* opened(std::size_t a) noexcept {
  const bool open_already = states[a].load(std::memory_order_acquire) == arena_state::open;
  return open_already ? tables.arena_at + a : nullptr;
}

void lock_all() noexcept {
  for (std::size_t a = 0; a < arenas_seen(); ++a) {
    if (arena* const one = opened(a)) one->lock.lock();
  }
}

void unlock_all() noexcept {
  for (std::size_t a = arenas_seen(); a-- > 0;) {
    if (arena* const one = opened(a)) one->lock.unlock();
  }
}

void after_fork_in_child() noexcept {
  // Calls of other threads do not exist here. What they had in transit is lost
  // to the child: at most the block that each was working on.
  transits.store(0, std::memory_order_relaxed);
  for (auto& state : states) {
    arena_state opening = arena_state::opening;
    state.compare_exchange_strong(opening, arena_state::unopened, std::memory_order_relaxed);
  }
  purger::after_fork_in_child();
}

}  // namespace cleave::heap::page_heap
