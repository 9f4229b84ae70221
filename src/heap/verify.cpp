// heap::verify(): the numbered invariants of all parts, and the sum that ties them together:
//
//   V1  bytes of run pages - their dead bytes
//       + bytes of slots - free and cached slots - their dead bytes
//       - what open units have not told = statistics::live
//
// In a child after fork() the caches of other threads are lost, and what these were in the middle
// of stays as it was: their slots and pages are in use for ever, so V1 is "at least", a page may
// be in use that is not backed, and a unit may be dead that nobody frees.

#include <cleave/heap.hpp>

#include <mutex>

#include "heap/arenas.hpp"
#include "heap/checked.hpp"
#include "heap/page_heap.hpp"
#include "heap/shelves.hpp"
#include "heap/slab.hpp"
#include "heap/start.hpp"
#include "heap/statistics.hpp"
#include "heap/tables.hpp"
#include "heap/thread_cache.hpp"
#include "heap/unit.hpp"

namespace cleave::heap {
namespace {

struct page_totals {
  std::size_t used = 0;  // pages that are not free in an arena
  std::size_t backed = 0;
  std::size_t dead = 0;  // dead bytes of pages that are no slabs
};

const char* check_pages(page_totals& sum) noexcept {
  for (std::size_t a = 0; a < arenas::seen(); ++a) {
    arena* const one = arenas::opened(a);
    if (one == nullptr) continue;
    const std::lock_guard guard(one->lock);
    if (const char* const wrong = one->check(caches::lost()); wrong != nullptr) return wrong;
    sum.used += one->pages() - one->first() - one->free_pages();
    sum.backed += one->backed_pages();
    for (std::size_t p = 0; p < one->pages(); ++p) {
      const auto page = static_cast<page_index>(a * arena_pages + p);
      // Relaxed: no other thread is inside.
      const std::uint16_t dead = tables.dead[page].load(std::memory_order_relaxed);
      if (dead >= page_size + caches::lost()) return "U3: a dead page was not freed";
      if (dead != 0 && (one->is_free(p) || tables.kind[page] != 0)) {
        return "U3: a page that holds no run has dead bytes";
      }
      if (one->is_free(p) && tables.kind[page] != 0) return "T2: a free page is still a slab";
      sum.dead += dead;
    }
  }
  return nullptr;
}

struct cache_totals {
  std::size_t pages = 0;
  std::size_t slot_bytes = 0;
  std::size_t untold = 0;
};

const char* check_cached_pages(const page_range& range) noexcept {
  for (std::uint32_t p = 0; p < range.n; ++p) {
    if (tables.dead[range.page + p].load(std::memory_order_relaxed) != 0) {
      return "M2: a cached page has dead bytes";
    }
    if (tables.kind[range.page + p] != 0) return "M2: a cached page is a slab";
  }
  return nullptr;
}

const char* check_range(const page_range& range, unsigned order) noexcept {
  if (range.n > 1u << order || (order > 0 && range.n <= 1u << (order - 1)))
    return "M2: a range has another order";
  if ((range.page & ((1u << order) - 1)) != 0) return "M2: a cached range is not aligned";
  return check_cached_pages(range);
}

const char* check_cache(const thread_cache& t, cache_totals& sum) noexcept {
  for (unsigned c = 0; c < class_count; ++c) {
    for (const std::uintptr_t* slot = t.bins[c].begin; slot != t.bins[c].top; ++slot) {
      const place in = place_of(*slot);
      if (in.kind != c + 1 || in.begin != *slot) return "M1: a cached slot is none of its class";
      const auto number = static_cast<std::size_t>(
          (*slot - tables.address_of(slab_of(tables.page_of(*slot))->page)) / slot_size(c));
      if ((slab_of(tables.page_of(*slot))->map()[number >> 6] >> (number & 63)) & 1) {
        return "M1: a cached slot is free in its slab too";
      }
      if (in.dead->load(std::memory_order_relaxed) != 0) return "M1: a cached slot has dead bytes";
    }
    sum.slot_bytes += t.cached_slots(c) * slot_size(c);
  }
  for (unsigned k = 0; k < cached_orders; ++k) {
    for (std::uint32_t i = 0; i < t.ranges[k].count; ++i) {
      const char* const wrong = check_range(t.ranges[k].range[i], k);
      if (wrong != nullptr) return wrong;
    }
  }
  for (const page_range* const apart : {&t.last, &t.feed}) {
    if (const char* const wrong = check_cached_pages(*apart); wrong != nullptr) return wrong;
  }
  sum.pages += t.cached_pages();
  const std::uint32_t untold = unit::untold(*t.unit);
  if (t.unit->state == cleave::detail::open_unit::phase::counting && untold == 0) {
    return "U2: a unit is counting with nothing to tell";
  }
  sum.untold += untold;
  return nullptr;
}

const char* check_all() noexcept {
  page_totals pages;
  if (const char* const wrong = check_pages(pages); wrong != nullptr) return wrong;
  slabs::totals slots;
  if (const char* const wrong = slabs::check(slots, caches::lost()); wrong != nullptr) return wrong;
  cache_totals cached;
  cached.pages = page_heap::cached_pages();
  const char* wrong = nullptr;
  shelves::for_each([&wrong](const page_range& range, unsigned order) {
    if (wrong == nullptr) wrong = check_range(range, order);
  });
  if (wrong != nullptr) return wrong;
  caches::for_each([&](const thread_cache& t) {
    if (wrong == nullptr) wrong = check_cache(t, cached);
  });
  if (wrong != nullptr) return wrong;
  if (pages.backed << page_bits != page_heap::held()) return "P1: held bytes are counted wrong";
  const std::size_t run_pages = pages.used - slots.pages - cached.pages;
  const std::size_t live = (run_pages << page_bits) - pages.dead + slots.slot_bytes -
                           slots.free_bytes - cached.slot_bytes - slots.dead_bytes - cached.untold;
  const bool right = caches::lost() ? live >= raw::live_bytes() : live == raw::live_bytes();
  if (!right) return "V1: live bytes are counted wrong";
  return nullptr;
}

}  // namespace

const char* first_wrong() noexcept {
  if (!ensure_started()) return nullptr;
  checked::verify();
  return check_all();
}

std::string verify() {
  const char* const wrong = first_wrong();
  return wrong == nullptr ? std::string() : std::string(wrong);
}

}  // namespace cleave::heap
