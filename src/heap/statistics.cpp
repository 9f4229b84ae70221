// heap::stats() and live_bytes(): sums over threads, classes and arenas.

#include "heap/statistics.hpp"

#include <algorithm>

#include "heap/checked.hpp"
#include "heap/page_heap.hpp"
#include "heap/slab.hpp"
#include "heap/start.hpp"
#include "heap/thread_cache.hpp"
#include "heap/unit.hpp"

namespace cleave::heap {
namespace {

struct sums {
  std::uint64_t allocated = 0;
  std::uint64_t freed = 0;

  void add(const counts& c, statistics* s) noexcept {
    allocated += c.allocated_bytes.get();
    freed += c.freed_bytes.get();
    if (s == nullptr) return;
    s->allocations += c.allocations.get();
    s->frees += c.frees.get();
    s->extensions += c.extensions.get();
  }
};

// The counts of all threads, with what their open units have not told yet.
std::size_t count_all(statistics* s) noexcept {
  sums sum;
  caches::for_each([&](const thread_cache& t) {
    sum.add(t.tallies, s);
    sum.freed += unit::untold(*t.unit);
    if (s == nullptr) return;
    // Relaxed: see open_unit.
    const std::uint64_t reuses = t.unit->reuses.load(std::memory_order_relaxed);
    s->allocations += reuses;
    s->frees += reuses;
    // A tentative row began without a call that counted it.
    const bool tentative = t.unit->whole.load(std::memory_order_relaxed) != unit::open_unit::none;
    if (tentative && unit::row_bytes(*t.unit) != 0) ++s->frees;
    s->cached += t.cached_pages() << page_bits;
  });
  sum.add(caches::of_others(), s);
  // A run may be allocated and freed by two threads between the looks at them.
  return static_cast<std::size_t>(sum.allocated > sum.freed ? sum.allocated - sum.freed : 0);
}

// In checked mode what the program has, without redzones and quarantine.
std::size_t live_in(statistics* s) noexcept {
  const std::size_t below = count_all(s);
  if (!checked::recording()) return below;
  const checked::totals sum = checked::count();
  if (s != nullptr) {
    s->allocations = sum.allocations;
    s->frees = sum.frees;
    s->extensions = sum.extensions;
  }
  return sum.live;
}

}  // namespace

std::size_t live_bytes() noexcept {
  return live_in(nullptr);
}

std::size_t raw::live_bytes() noexcept {
  return count_all(nullptr);
}

void sum_up(statistics& s, class_statistics* classes) noexcept {
  if (!ensure_started()) return;
  s.live = live_in(&s);
  page_heap::add_statistics(s);
  for (unsigned c = 0; c < class_count; ++c) {
    const slabs::usage use = slabs::use_of(c);
    const std::size_t slots = use.slabs * size_classes[c].slots;
    classes[c] = {slot_size(c), use.slabs, slots, slots - use.free_slots};
  }
  caches::for_each([&](const thread_cache& t) {
    for (unsigned c = 0; c < class_count; ++c) {
      // A thread may have taken slots since its class was asked.
      classes[c].slots_used -= std::min(classes[c].slots_used, t.cached_slots(c));
    }
    // A slot that waits in the open unit.
    const std::uint32_t kind = t.unit->kind.load(std::memory_order_relaxed);
    if (kind != 0 && unit::is_filled(*t.unit)) {
      std::size_t& used = classes[kind - 1].slots_used;
      if (used > 0) --used;
    }
  });
}

statistics stats() {
  statistics s;
  s.classes.resize(class_count);
  sum_up(s, s.classes.data());
  return s;
}

}  // namespace cleave::heap
