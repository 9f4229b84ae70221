// heap::stats() and live_bytes(): sums over threads, classes and arenas.

#include <cleave/heap.hpp>

#include <algorithm>

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
    s->cached += t.cached_pages() << page_bits;
  });
  sum.add(caches::of_others(), s);
  // A run may be allocated and freed by two threads between the looks at them.
  return sum.allocated > sum.freed ? sum.allocated - sum.freed : 0;
}

}  // namespace

std::size_t live_bytes() noexcept {
  return count_all(nullptr);
}

statistics stats() {
  statistics s;
  s.classes.resize(class_count);
  if (!ensure_started()) return s;
  s.live = count_all(&s);
  page_heap::add_statistics(s);
  for (unsigned c = 0; c < class_count; ++c) {
    const slabs::usage use = slabs::use_of(c);
    const std::size_t slots = use.slabs * size_classes[c].slots;
    s.classes[c] = {slot_size(c), use.slabs, slots, slots - use.free_slots};
  }
  caches::for_each([&](const thread_cache& t) {
    for (unsigned c = 0; c < class_count; ++c) {
      // A thread may have taken slots since its class was asked.
      s.classes[c].slots_used -= std::min(s.classes[c].slots_used, t.cached_slots(c));
    }
  });
  return s;
}

}  // namespace cleave::heap
