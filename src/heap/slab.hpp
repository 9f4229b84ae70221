// slab.hpp -- slabs of equal slots, and the central list that threads trade with.
//
// A slab is 2^slab_order pages cut into slots of one class. Which slots are
// free stands in a bitmap out of line, beside the slots' dead-byte counters, so
// free slots are never touched. Threads take and give slots in batches; a page
// has no owner, and a slab whose slots are all free goes back to the pages.
//
//   std::uintptr_t slots[32];
//   const unsigned got = slabs::take(c, slots, 32);   // 0: no memory
//   slabs::give(c, slots, got);
//
// Invariants (verify() checks them):
//   S1  free_count is the number of set bits in the slab's map.
//   S2  A slab is in its class's list exactly if free_count > 0.
//   S3  A free slot has no dead bytes; a slot in use has fewer than its size.
//   S4  At most `kept_empty` slabs of a class are wholly free.
#pragma once

#include <atomic>
#include <cleave/heap.hpp>
#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
#include "heap/geometry.hpp"
#include "heap/size_class.hpp"
#include "heap/tables.hpp"

namespace cleave::heap {

// The descriptor of one slab; behind it lie the map and the counters.
struct slab {
  slab* next = nullptr;
  slab* previous = nullptr;
  page_index page = 0;
  std::uint32_t free_count = 0;

  static constexpr std::size_t map_words(unsigned c) noexcept {
    return (size_classes[c].slots + 63) / 64;
  }
  static constexpr std::size_t bytes(unsigned c) noexcept {
    return sizeof(slab) + map_words(c) * 8 + size_classes[c].slots * sizeof(std::uint16_t);
  }
  std::uint64_t* map() noexcept { return reinterpret_cast<std::uint64_t*>(this + 1); }
  base::atomic<std::uint16_t>* dead(unsigned c) noexcept {
    return reinterpret_cast<base::atomic<std::uint16_t>*>(map() + map_words(c));
  }
};
static_assert(sizeof(base::atomic<std::uint16_t>) == 2);

inline slab* slab_of(page_index page) noexcept {
  return reinterpret_cast<slab*>(tables.pool +
                                 std::uintptr_t{tables.slab_at[page >> slab_order]} * 64);
}

namespace slabs {

inline constexpr unsigned kept_empty = 1;

// Up to n free slots, at least one. 0 if there is no memory.
unsigned take(unsigned c, std::uintptr_t* slots, unsigned n) noexcept;

// Slots that are free as a whole, their counters zero.
void give(unsigned c, const std::uintptr_t* slots, unsigned n) noexcept;

// Gives wholly free slabs back to the pages.
void purge() noexcept;

struct usage {
  std::size_t slabs = 0;
  std::size_t free_slots = 0;
};
usage use_of(unsigned c) noexcept;

// Around fork(): all class locks are held in between.
void lock_all() noexcept;
void unlock_all() noexcept;

// nullptr, or the invariant that does not hold; with `lost` threads may have been stopped in the
// middle of a free. Adds what the slots hold:
// free slots, and the dead bytes of those in use.
struct totals {
  std::size_t free_bytes = 0;
  std::size_t dead_bytes = 0;
  std::size_t slot_bytes = 0;
  std::size_t pages = 0;
};
const char* check(totals& sum, bool lost = false) noexcept;

}  // namespace slabs
}  // namespace cleave::heap
