// What the page heap adds to heap::stats(): sums over the arenas.

#include <algorithm>
#include <array>
#include <mutex>

#include "heap/arenas.hpp"
#include "heap/held.hpp"
#include "heap/page_heap.hpp"
#include "heap/tables.hpp"
#include "os/memory.hpp"

namespace cleave::heap::page_heap {

void add_statistics(statistics& s) noexcept {
  s.held = held();
  s.peak_held = held::peak();
  s.held_limit = held::limit();
  s.reserved = tables.pages << page_bits;
  s.committed = committed();
  s.metadata = tables.accessible_bytes();
  s.cached += cached_pages() << page_bits;
  s.system_calls = os::call_count();
  std::size_t row = 0;
  for (std::size_t a = 0; a < tables.arenas; ++a) {
    std::size_t lead = arenas::pages_of(a);
    std::array<std::size_t, orders> blocks{};
    if (arena* const one = arenas::opened(a)) {
      const std::lock_guard guard(one->lock);
      s.free += one->free_pages() << page_bits;
      if (one->of().shared) {
        // Free to a device alone.
        row = 0;
        continue;
      }
      lead = one->free_from(0, lead);
      for (unsigned k = 0; k < orders; ++k) blocks[k] = one->free_blocks(k);
    } else {
      // Never used: as arenas::open() would make it.
      for (unsigned k = 0; k < orders; ++k) blocks[k] = (lead >> k) & 1;
    }
    for (unsigned k = 0; k < orders; ++k) {
      s.free_blocks[k] += blocks[k];
      if (blocks[k] > 0) s.largest_free = std::max(s.largest_free, page_size << k);
    }
    // Several arenas, the last one in part, or the short arena at the end.
    if (row > 0 || arenas::pages_of(a) < arena_pages) {
      s.largest_free = std::max(s.largest_free, (row + lead) << page_bits);
    }
    row = lead == arena_pages ? row + lead : 0;
  }
}

}  // namespace cleave::heap::page_heap
