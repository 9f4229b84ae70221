#include "heap/page_heap.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include "base/bits.hpp"
#include "base/check.hpp"
#include "heap/arenas.hpp"
#include "heap/held.hpp"
#include "heap/lock.hpp"
#include "heap/packed_range.hpp"
#include "heap/purger.hpp"
#include "heap/shelves.hpp"
#include "heap/tables.hpp"
#include "heap/transit.hpp"
#include "os/memory.hpp"
#include "os/nodes.hpp"

namespace cleave::heap::page_heap {
namespace {

// What a first fit may answer.
enum class outcome : std::uint8_t { taken, no_space, limit, refused };

struct attempt {
  outcome result = outcome::no_space;
  page_index page = no_page;
  std::size_t missing = 0;  // with `limit`: the pages that could not be backed
};

// Growth adds up to this many pages before it looks at what lies idle.
constexpr std::size_t growth_that_looks = (std::size_t{1} << 20) / 4096;

constinit std::atomic<std::size_t> committed_bytes{0};
constinit std::atomic<std::size_t> grown{0};  // pages of new memory since the last look
constinit bool want_huge_pages = false;
constinit unsigned system_order = 0;  // the system's own pages are 2^this of ours
constinit unsigned nodes = 1;         // of memory

// The large range that was freed last, whole, so that the next request of its
// size splits and merges nothing: the page in the high half, the count in the low.
constinit base::atomic<std::uint64_t> last_range{0};

// Acquire and release in all exchanges: the range goes from thread to thread. The caller is in
// transit, and whoever finds no range here must see that (acquire in the look).
std::uint64_t take_last() noexcept {
  return last_range.exchange(0, std::memory_order_acq_rel);
}
bool has_last() noexcept {
  return last_range.load(std::memory_order_acquire) != 0;
}
// The same for all that waits for a request of its size.
bool has_waiting() noexcept {
  return has_last() || !shelves::empty();
}

void* address(std::size_t a, std::size_t page) noexcept {
  return reinterpret_cast<void*>(tables.base + a * arena_size + (page << page_bits));
}

page_index global(std::size_t a, std::size_t page) noexcept {
  return static_cast<page_index>(a * arena_pages + page);
}

// Whether a run is to lie in huge pages: it fills those that it touches to
// eight ninths, so that what is held stays within 9/8 of what is used.
bool wants_huge(std::size_t n) noexcept {
  constexpr std::size_t extent = std::size_t{1} << huge_order;
  return want_huge_pages && n >= extent && base::align_up(n, extent) * 8 <= n * 9;
}

unsigned near() noexcept {
  return nodes > 1 ? os::current_node() : 0;
}

// The arena that a run of n pages belongs in.
arena::kind kind_for(std::size_t n) noexcept {
  return {wants_huge(n), static_cast<std::uint16_t>(near())};
}

std::size_t idle_everywhere() noexcept {
  std::size_t sum = 0;
  for (std::size_t a = 0; a < arenas::seen(); ++a) {
    const arena* const one = arenas::opened(a);
    if (one != nullptr && !one->is_pinned()) sum += one->idle_pages();
  }
  return sum;
}

// Returns idle memory of one arena, up to about `most` pages; how many pages it was.
std::size_t purge_arena(std::size_t a, bool expired, std::size_t most) noexcept {
  arena* const one = arenas::opened(a);
  if (one == nullptr || one->idle_pages() == 0) return 0;
  std::size_t returned = 0;
  arena::cursor cursor;
  while (returned < most) {
    const transit moving;
    arena::range block;
    arena::range part;
    {
      const std::lock_guard guard(one->lock);
      if (one->is_pinned() || !one->take_idle(cursor, expired, block)) break;
      part = one->idle_part(block, block.page, expired);
    }
    while (part.n > 0) {
      lock_order::expect_none();
      const bool done = os::discard(address(a, part.page), part.n << page_bits);
      const std::lock_guard guard(one->lock);
      if (done) {
        const std::size_t cleared = one->clear_backed(part.page, part.n);
        held::subtract(cleared);
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
  for (std::size_t a = arenas::seen(); a-- > 0 && returned < most;) {
    returned += purge_arena(a, expired, most - returned);
  }
  return purger::noted(returned);
}

// Makes pages of one arena accessible that a call has taken out. False if the system refuses.
bool make_accessible(std::size_t a, std::size_t page, std::size_t n) noexcept {
  arena& from = *arenas::opened(a);
  arena::range needed;
  arena::range roomy;
  {
    const std::lock_guard guard(from.lock);
    needed = from.inaccessible_in(page, n);
    if (needed.n == 0) return true;
    // Steps grow with what is in use, so their number stays small, and the commit charge of
    // what is not used yet stays under a quarter. Relaxed: an estimate.
    const std::size_t most = std::size_t{64} << 20;
    const std::size_t in_use = committed_bytes.load(std::memory_order_relaxed);
    roomy = from.with_room(needed, std::min(in_use / 4, most) >> page_bits);
  }
  lock_order::expect_none();
  const auto commit = [a](arena::range r) {
    return os::commit(address(a, r.page), r.n << page_bits);
  };
  if (!commit(roomy)) {
    if (roomy.n == needed.n || !commit(needed)) return false;
    roomy = needed;
  }
  if (from.of().huge) os::prefer_huge_pages(address(a, roomy.page), roomy.n << page_bits);
  const std::lock_guard guard(from.lock);
  // Relaxed: a statistic, and the measure of the next step.
  committed_bytes.fetch_add(from.mark_accessible(roomy) << page_bits, std::memory_order_relaxed);
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

// Others may be the range that was freed last.
bool goes_to_arenas(page_index page, std::size_t n) noexcept {
  return n < std::size_t{1} << cached_orders >> 1 || arenas::is_shared(page);
}

void give_to_arenas(page_index page, std::size_t n) noexcept {
  bool look = false;
  for_each_part(page, n, [&look](std::size_t a, std::size_t first, std::size_t part) {
    arena* const one = arenas::opened(a);
    CLEAVE_CHECK(one != nullptr, "free of memory that was never handed out");
    const std::lock_guard guard(one->lock);
    one->give(first, part);
    look |= one->every_64th();
  });
  purger::freed(look || n >= growth_that_looks);
}

bool give_waiting() noexcept {
  if (!has_waiting()) return false;
  const transit moving;
  const bool any = shelves::give_back();
  const std::uint64_t last = take_last();
  if (last != 0) give_to_arenas(page_in(last), count_in(last));
  return any || last != 0;
}

// The range of all threads for a request of about its size; the rest goes to the arenas.
page_index take_last_for(std::size_t n, unsigned order) noexcept {
  // Twice the size is too good for it.
  const auto fits = [n, order](std::uint64_t range) {
    return (page_in(range) & ((std::uint64_t{1} << order) - 1)) == 0 && count_in(range) >= n &&
           count_in(range) / 2 < n && is_near(page_in(range));
  };
  // In one step when nothing is left over. A guess; acquire: that its arena is open was written
  // before. The exchange is acquire as in take_last().
  std::uint64_t last = last_range.load(std::memory_order_acquire);
  if (count_in(last) == n && fits(last) &&
      last_range.compare_exchange_strong(last, 0, std::memory_order_acq_rel,
                                         std::memory_order_relaxed)) {
    return page_in(last);
  }
  const transit moving;
  last = take_last();
  if (last == 0) return no_page;
  if (!fits(last)) {
    give_to_arenas(page_in(last), count_in(last));
    return no_page;
  }
  const page_index rest = page_in(last) + static_cast<page_index>(n);
  if (count_in(last) > n) give_to_arenas(rest, count_in(last) - n);
  return page_in(last);
}

// The pages that a first touch of these would take from the system.
std::size_t missing_in(page_index page, std::size_t n) noexcept {
  std::size_t sum = 0;
  for_each_part(page, n, [&sum](std::size_t a, std::size_t first, std::size_t part) {
    const std::lock_guard guard(arenas::opened(a)->lock);
    const arena::range all = arenas::opened(a)->backing_of(first, part);
    sum += arenas::opened(a)->unbacked_in(all.page, all.n);
  });
  return sum;
}

// Counts the pages as held, of which about `missing` are not yet; how many the limit allows.
std::size_t back(page_index page, std::size_t n, std::size_t missing) noexcept {
  // For all parts at once, so that what cannot be handed out is never held.
  if (!held::add(missing)) return 0;
  std::size_t done = 0;
  bool within = true;
  for_each_part(page, n, [&](std::size_t a, std::size_t first, std::size_t part) {
    arena& one = *arenas::opened(a);
    const std::lock_guard guard(one.lock);
    const arena::range all = one.backing_of(first, part);
    const std::size_t fresh = one.unbacked_in(all.page, all.n);
    // Neighbours in the same huge pages may have gone or come since the count.
    within = within && (fresh <= missing || held::add(fresh - missing));
    if (!within) return;
    one.mark_backed(first, part);
    missing -= std::min(fresh, missing);
    done += part;
  });
  held::subtract(missing);
  return done;
}

// Returns the memory of the system's pages among those that this call has taken out.
void unback(page_index page, std::size_t n) noexcept {
  const std::size_t end = base::align_down(page + n, std::size_t{1} << system_order);
  page = static_cast<page_index>(base::align_up(page, std::size_t{1} << system_order));
  if (page >= end) return;
  for_each_part(page, end - page, [](std::size_t a, std::size_t first, std::size_t part) {
    if (!os::discard(address(a, first), part << page_bits)) return;
    const std::lock_guard guard(arenas::opened(a)->lock);
    held::subtract(arenas::opened(a)->clear_backed(first, part));
  });
}

// Idle memory would grow without end where pieces are kept that break up the free blocks. So
// as much of it goes back as is taken anew, in steps that small requests do not pay for.
void offset_growth(std::size_t missing) noexcept {
  // Relaxed: a sum that decides only when memory is returned.
  if (grown.fetch_add(missing, std::memory_order_relaxed) + missing < growth_that_looks) return;
  const std::size_t sum = grown.exchange(0, std::memory_order_relaxed);
  if (idle_pages() * 2 < sum) return;
  give_waiting();
  purge_all(false, sum);
}

// Gives memory to pages that this call has taken out; gives them back if there is none.
attempt settle(page_index page, std::size_t n) noexcept {
  const transit moving;
  const auto give_up = [page, n](outcome why, std::size_t missing) {
    give_to_arenas(page, n);
    return attempt{why, no_page, missing};
  };
  bool accessible = true;
  for_each_part(page, n, [&](std::size_t a, std::size_t first, std::size_t part) {
    accessible = accessible && make_accessible(a, first, part);
  });
  if (!accessible) return give_up(outcome::refused, n);
  const std::size_t missing = missing_in(page, n);
  offset_growth(missing);
  if (const std::size_t backed = back(page, n, missing); backed < n) {
    unback(page, backed);
    return give_up(outcome::limit, missing);
  }
  return {outcome::taken, page, 0};
}

attempt take_in(std::size_t a, std::size_t n, unsigned order) noexcept {
  arena* const one = arenas::opened(a);
  if (one == nullptr || !one->may_have(order)) return {};
  page_index page = no_page;
  std::optional<transit> moving;
  // Small requests look at the last range before they take new memory. Else it would grow
  // without end where one thread makes what another frees.
  for (bool may_look = order < cached_orders; !moving; may_look = false) {
    std::unique_lock guard(one->lock);
    const std::size_t found = one->take(n, order);
    if (found == arena::none) return {};
    page = global(a, found);
    if (one->unbacked_in(found, n) == 0) return {outcome::taken, page, 0};
    if (may_look && has_waiting()) {
      one->put_back({found, n});
      guard.unlock();
      give_waiting();
    } else {
      // Under the lock: who finds the pages gone must see that they may come back.
      moving.emplace();
    }
  }
  return settle(page, n);
}

// Takes exactly these pages, which may lie in several arenas, or none.
attempt take_exactly(page_index page, std::size_t n) noexcept {
  const transit moving;
  const arena::kind wanted = kind_for(n);
  std::size_t claimed = 0;
  bool whole = true;
  for_each_part(page, n, [&](std::size_t a, std::size_t first, std::size_t part) {
    if (!whole) return;
    if (arenas::opened(a) == nullptr) arenas::open(a, wanted);
    arena* const one = arenas::opened(a);
    // What is shared has no neighbours of another kind, and nobody comes from outside.
    whole = one != nullptr &&
            (!one->of().shared || (first >= one->first() && first + part <= one->pages()));
    if (!whole) return;
    const std::lock_guard guard(one->lock);
    whole = one->claim(first, part);
    if (whole) claimed += part;
  });
  if (whole) return settle(page, n);
  give_to_arenas(page, claimed);
  return {};
}

// How many pages from the begin of an arena on are free, counted up to n of them.
std::size_t free_at_begin(std::size_t a, std::size_t n) noexcept {
  arena* const one = arenas::opened(a);
  if (one == nullptr) return std::min(n, arenas::pages_of(a));
  if (one->of().shared) return 0;
  const std::lock_guard guard(one->lock);
  return one->free_from(0, n);
}

// Takes whole consecutive arenas, and the begin of the last one.
attempt take_large(std::size_t n) noexcept {
  attempt best;
  for (std::size_t a = 0; a < tables.arenas && n <= tables.pages - a * arena_pages;) {
    // Looks before it claims, so that a row that is interrupted costs little.
    std::size_t i = a;
    std::size_t found = 0;
    while (found == (i - a) * arena_pages && found < n) found += free_at_begin(i++, n - found);
    if (found < n) {
      a = i;
      continue;
    }
    const attempt tried = take_exactly(global(a, 0), n);
    if (tried.result == outcome::taken || tried.result == outcome::limit) return tried;
    if (tried.result != outcome::no_space) best = tried;
    ++a;
  }
  return best;
}

attempt take_anywhere(std::size_t n, unsigned order) noexcept {
  if (n > arena_pages) return take_large(n);
  const arena::kind wanted = kind_for(n);
  attempt best;
  const auto good = [&](attempt tried) {
    if (tried.result != outcome::no_space) best = tried;
    return tried.result == outcome::taken || tried.result == outcome::limit;
  };
  const auto found_open = [&](auto fits) {
    for (std::size_t a = 0; a < arenas::seen(); ++a) {
      const arena* const one = arenas::opened(a);
      if (one == nullptr || one->of().shared) continue;
      if (fits(one->of()) && good(take_in(a, n, order))) return true;
    }
    return false;
  };
  if (found_open([wanted](arena::kind of) { return of == wanted; })) return best;
  for (std::size_t a = 0; a < tables.arenas; ++a) {
    if (arenas::pages_of(a) < std::size_t{1} << order || !arenas::open(a, wanted)) continue;
    if (good(take_in(a, n, order))) return best;
    break;
  }
  // No address space is left for an arena of its own: first what is near, then anything.
  if (found_open(
          [wanted](arena::kind of) { return of.node == wanted.node && of.huge != wanted.huge; })) {
    return best;
  }
  found_open([wanted](arena::kind of) { return of.node != wanted.node; });
  return best;
}

}  // namespace

void start(const options& chosen) noexcept {
  want_huge_pages = chosen.huge_pages && tables.arenas > 1;
  system_order = base::floor_log2(std::max(os::page_bytes(), page_size) >> page_bits);
  nodes = os::node_count();
  arenas::start(system_order);
  held::set_limit(chosen.held_limit);
  purger::start(chosen);
}

bool may_want_huge() noexcept {
  return want_huge_pages;
}

bool is_near(page_index page) noexcept {
  return nodes == 1 || arenas::opened(page >> arena_order)->of().node == near();
}

page_index take(std::size_t n, unsigned order) noexcept {
  // What can never fit does not open arenas first; held::add() decides the rest.
  if (n > tables.pages || n > held::limit() >> page_bits) return no_page;
  if (order >= cached_orders && has_last()) {
    if (const page_index page = take_last_for(n, order); page != no_page) return page;
  }
  // Each round either succeeds, fails for good, or has seen memory come back.
  for (int rounds = 0; rounds < 1000; ++rounds) {
    const sighting before;
    const attempt tried = take_anywhere(n, order);
    if (tried.result == outcome::taken) return tried.page;
    if (give_waiting()) continue;
    if (tried.result != outcome::no_space) {
      // The limit, or the system, says no: what lies idle may be what is missing.
      if (purge_all(false, tried.missing) > 0) continue;
    }
    if (!before.look_again()) break;
  }
  return no_page;
}

page_index take_short_arena(std::size_t n) noexcept {
  const std::size_t a = tables.arenas - 1;
  const std::size_t there = arenas::pages_of(a);
  return n <= there && there < arena_pages ? take_exactly(global(a, 0), n).page : no_page;
}

void giving::give(page_index page, std::size_t n) noexcept {
  const std::size_t a = page >> arena_order;
  if (!goes_to_arenas(page, n) || (page + n - 1) >> arena_order != a) {
    end();
    page_heap::give(page, n);
    return;
  }
  arena* const one = arenas::opened(a);
  CLEAVE_CHECK(one != nullptr, "free of memory that was never handed out");
  if (one != locked_) end();
  if (locked_ == nullptr) (locked_ = one)->lock.lock();
  one->give(page & (arena_pages - 1), n);
  look_ |= one->every_64th();
}

void giving::end() noexcept {
  if (locked_ == nullptr) return;
  std::exchange(locked_, nullptr)->lock.unlock();
  purger::freed(std::exchange(look_, false));
}

void give(page_index page, std::size_t n) noexcept {
  if (goes_to_arenas(page, n)) {
    give_to_arenas(page, n);
    return;
  }
  // Release: as in take_last(). Relaxed: then nothing was read but that there is a range.
  if (std::uint64_t none = 0; last_range.compare_exchange_strong(
          none, pack(page, n), std::memory_order_acq_rel, std::memory_order_relaxed)) {
    purger::freed();
    return;
  }
  // Two halves of a run meet again here.
  const transit moving;
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
  purger::freed();
}

bool claim(page_index page, std::size_t n) noexcept {
  give_waiting();
  return claim_listed(page, n);
}

bool claim_listed(page_index page, std::size_t n) noexcept {
  if (n > tables.pages || page > tables.pages - n) return false;
  return take_exactly(page, n).result == outcome::taken;
}

void purge() noexcept {
  // Relaxed: as in offset_growth().
  grown.store(0, std::memory_order_relaxed);
  give_waiting();
  purge_all(false, SIZE_MAX);
}

void purge_expired() noexcept {
  purge_all(true, SIZE_MAX);
  // From now on it has an age like all that is free.
  give_waiting();
}

void purge_arena_of(page_index page) noexcept {
  purger::noted(purge_arena(page >> arena_order, false, SIZE_MAX));
}

// Relaxed in what follows: statistics.
std::size_t held() noexcept {
  return held::bytes();
}

std::size_t idle_pages() noexcept {
  return idle_everywhere() + cached_pages();
}

std::size_t cached_pages() noexcept {
  return count_in(last_range.load(std::memory_order_relaxed)) + shelves::pages();
}

void set_held_limit(std::size_t bytes) noexcept {
  held::set_limit(bytes);
  if (const std::size_t now = held(); now > bytes) {
    give_waiting();
    purge_all(false, (now - bytes + page_size - 1) >> page_bits);
  }
}

std::size_t committed() noexcept {
  return committed_bytes.load(std::memory_order_relaxed);
}

void after_fork_in_child() noexcept {
  // Calls of other threads do not exist here. What they had in transit is lost
  // to the child: at most the block that each was working on.
  forget_transits();
  std::size_t backed = 0;
  for (std::size_t a = 0; a < arenas::seen(); ++a) {
    if (const arena* const one = arenas::opened(a)) backed += one->backed_pages();
  }
  held::set(backed);
  purger::after_fork_in_child();
}

}  // namespace cleave::heap::page_heap
