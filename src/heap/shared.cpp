#include "heap/shared.hpp"

#include <algorithm>
#include <mutex>

#include "base/bits.hpp"
#include "base/check.hpp"
#include "heap/checked.hpp"
#include "heap/lock.hpp"
#include "heap/page_heap.hpp"
#include "heap/start.hpp"
#include "heap/tables.hpp"
#include "heap/thread_cache.hpp"
#include "heap/told.hpp"
#include "heap/unit.hpp"

namespace cleave::heap::shared {
namespace {

constexpr std::size_t step = std::size_t{1} << commit_order;

arena& arena_of(page_index page) noexcept {
  return *arenas::opened(page >> arena_order);
}

page_index global(std::size_t a, std::size_t page) noexcept {
  return static_cast<page_index>(a * arena_pages + page);
}

// What an arena can have, without a step at each end.
std::size_t room_in(std::size_t a) noexcept {
  const std::size_t pages = arenas::pages_of(a);
  return pages > 2 * step ? base::align_down(pages - 2 * step, step) : 0;
}

// How many pages of a region the arena could have: none if others use it.
std::size_t usable(std::size_t a) noexcept {
  arena* const one = arenas::opened(a);
  if (one == nullptr) return room_in(a);
  if (!one->of().shared) return 0;
  const std::lock_guard guard(one->lock);
  return !one->is_pinned() && one->wholly_free() && one->backed_pages() == 0 ? room_in(a) : 0;
}

// Pins the arena with so many pages and no memory yet. False if others were faster.
bool pin(std::size_t a, std::size_t pages) noexcept {
  const arena::kind wanted{.huge = page_heap::may_want_huge(), .node = 0, .shared = true};
  if (arenas::opened(a) == nullptr) arenas::open(a, wanted, step, step + pages);
  arena* const one = arenas::opened(a);
  if (one == nullptr || !one->of().shared) return false;
  const std::lock_guard guard(one->lock);
  if (one->is_pinned() || !one->wholly_free() || one->backed_pages() != 0) return false;
  if (one->pages() != step + pages) one->resize(step + pages);
  one->pin(true);
  return true;
}

void unpin(const region& of) noexcept {
  arena& one = arena_of(of.page);
  const std::lock_guard guard(one.lock);
  one.pin(false);
}

// Puts memory behind all of it.
bool back(const region& of) noexcept {
  if (!page_heap::claim_listed(of.page, of.pages)) return false;
  if (told::memcheck()) {
    // It hears nothing of what kernels do.
    told::readable(reinterpret_cast<void*>(tables.address_of(of.page)), of.pages << page_bits);
  }
  put_back(of.page, of.pages);
  return true;
}

// The first of arenas in a row that have room for so many pages, or none.
std::size_t find_row(std::size_t pages, std::size_t most) noexcept {
  // The first arena is the program's.
  for (std::size_t a = 1; a < tables.arenas; ++a) {
    std::size_t found = 0;
    for (std::size_t i = a; i < tables.arenas && i - a < most; ++i) {
      const std::size_t here = usable(i);
      found += here;
      if (found >= pages) return a;
      if (here == 0) break;
    }
  }
  return tables.arenas;
}

}  // namespace

std::size_t open(std::size_t bytes, region* regions, std::size_t most, refusal& why) noexcept {
  why = refusal::no_memory;
  if (!ensure_started()) return 0;
  const std::size_t pages = bytes >> page_bits;
  // Others may open the arenas of a row that was found; there are only so many.
  for (;;) {
    std::size_t a = find_row(pages, most);
    if (a == tables.arenas) {
      why = refusal::too_large;
      return 0;
    }
    std::size_t n = 0;
    std::size_t left = pages;
    bool whole = true;
    for (; whole && left > 0; ++a) {
      const std::size_t part = std::min(left, room_in(a));
      // A row may have been taken in between, or the system refuses the tables.
      if (usable(a) == 0 || !pin(a, part)) {
        whole = false;
        break;
      }
      regions[n++] = {global(a, step), part};
      left -= part;
    }
    if (!whole) {
      for (std::size_t i = 0; i < n; ++i) unpin(regions[i]);
      if (usable(a) != 0) return 0;
      continue;
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (back(regions[i])) continue;
      close(regions, n);
      return 0;
    }
    why = refusal::none;
    return n;
  }
}

void close(const region* regions, std::size_t n) noexcept {
  for (std::size_t i = 0; i < n; ++i) {
    unpin(regions[i]);
    page_heap::purge_arena_of(regions[i].page);
  }
}

page_index take(const region& from, std::size_t n, unsigned order, unsigned least) noexcept {
  arena& one = arena_of(from.page);
  const std::size_t a = from.page >> arena_order;
  const std::lock_guard guard(one.lock);
  if (one.free_pages() < n) return no_page;
  if (const std::size_t page = one.take(n, order); page != arena::none) return global(a, page);
  const std::size_t grid = std::size_t{1} << least;
  const std::size_t end = one.pages();
  for (std::size_t p = base::align_up(one.first(), grid); p + n <= end;) {
    const std::size_t found = one.free_from(p, n);
    if (found == n && one.claim(p, n)) return global(a, p);
    p = base::align_up(p + found + 1, grid);
  }
  return no_page;
}

std::size_t take_all(const region& from, region* ranges, std::size_t most) noexcept {
  std::size_t n = 0;
  {
    arena& one = arena_of(from.page);
    const std::size_t a = from.page >> arena_order;
    const std::lock_guard guard(one.lock);
    for (unsigned order = orders; order-- > 0;) {
      const std::size_t pages = std::size_t{1} << order;
      while (n < most && one.free_blocks(order) > 0) {
        ranges[n++] = {global(a, one.take(pages, order)), pages};
      }
    }
  }
  std::sort(ranges, ranges + n, [](const region& l, const region& r) { return l.page < r.page; });
  std::size_t joined = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (joined > 0 && ranges[joined - 1].page + ranges[joined - 1].pages == ranges[i].page) {
      ranges[joined - 1].pages += ranges[i].pages;
    } else {
      ranges[joined++] = ranges[i];
    }
  }
  return joined;
}

std::size_t free_pages(const region& of) noexcept {
  arena& one = arena_of(of.page);
  const std::lock_guard guard(one.lock);
  return one.free_pages();
}

void hand_out(page_index page, std::size_t bytes) noexcept {
  if (const std::size_t rest = bytes & (page_size - 1); rest != 0) {
    // Relaxed: the page is new, nobody else knows it.
    tables.dead[page + (bytes >> page_bits)].store(static_cast<std::uint16_t>(page_size - rest),
                                                   std::memory_order_relaxed);
  }
  caches::of_this_thread().count_allocation(bytes);
  checked::shared_allocated(bytes);
}

void free_range(page_index page, std::size_t n) noexcept {
  caches::of_this_thread().count_frees(n << page_bits, 1);
  checked::shared_freed(n << page_bits, 1);
  page_heap::give(page, n);
}

void free_bytes(page_index page, std::uint32_t bytes) noexcept {
  if (bytes == 0) return;
  CLEAVE_CHECK(bytes <= page_size, "more bytes were freed than there are: freed twice?");
  thread_cache& t = caches::of_this_thread();
  t.count_frees(bytes, 1);
  checked::shared_freed(bytes, 1);
  unit::add_dead(t, place_of(tables.address_of(page)), bytes);
}

void put_back(page_index page, std::size_t n) noexcept {
  page_heap::give(page, n);
}

}  // namespace cleave::heap::shared
