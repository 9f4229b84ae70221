// tables.hpp -- the reservation and the tables about it, as plain global pointers.
//
// One reservation holds the pages that runs live in; a second one holds what
// the heap knows about them, so that no run can overwrite it and free memory
// is never touched. Tables are made accessible arena by arena.
//
//   const page_index p = tables.page_of(pointer);      // requires tables.holds(pointer)
//   tables.kind[p]              // 0: pages of runs, or free; else 1 + size class of its slab
//   tables.dead[p]              // dead bytes of the page, where runs are made of pages
//   tables.slab_at[p >> slab_order]                    // the slab's descriptor, as an offset
//
// Invariants:
//   T1  The pointers are set once, before the first run is handed out.
//   T2  kind and slab_at of a page change only while no run lies in it, so
//       whoever owns a run reads them without synchronisation.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
#include "base/bits.hpp"
#include "heap/geometry.hpp"

namespace cleave::heap {

class arena;

class table_set {
 public:
  constexpr table_set() noexcept = default;

  // Reserves both. Halves `reserve_bytes` until the system agrees.
  // Error: false, nothing is kept. Called once, under the start lock.
  bool start(std::size_t reserve_bytes) noexcept;

  // Makes the tables of one arena accessible. How many bytes that is, or 0 if
  // the system refuses. Repeating it is harmless.
  std::size_t commit_arena(std::size_t a) noexcept;

  // Zeroed memory for descriptors, aligned to 64 bytes; never given back here:
  // the callers keep lists of what they no longer use. nullptr if refused.
  void* allocate(std::size_t bytes) noexcept;

  bool holds(std::uintptr_t address) const noexcept { return address - base < pages << page_bits; }
  // Whether [p, p + bytes) lies in arenas that were opened, where runs may be.
  bool may_hold_run(std::uintptr_t p, std::size_t bytes) const noexcept {
    // Relaxed: whoever owns a run has it from a thread that saw its arena open.
    const std::size_t whole = opened_bytes.load(std::memory_order_relaxed);
    const std::uintptr_t offset = p - base;
    return offset < whole && bytes <= whole - offset;
  }
  page_index page_of(std::uintptr_t address) const noexcept {
    return static_cast<page_index>((address - base) >> page_bits);
  }
  std::uintptr_t address_of(page_index page) const noexcept {
    return base + (std::uintptr_t{page} << page_bits);
  }
  // One bit per slab, so that a free of many pages sees at once whether slabs
  // lie in between, and one per word of those bits, so that it looks only at words that have
  // ever had one. Returns how many of the pages come before the first slab.
  // Relaxed: by T2 the bits of pages that the caller owns do not change, and those that are set
  // were set, in both, before the slab was handed out.
  std::size_t pages_before_slab(page_index page, std::size_t n) const noexcept {
    const std::size_t first = page >> slab_order;
    const std::size_t end = ((page + n - 1) >> slab_order) + 1;
    std::uint64_t word = is_slab[first / 64].load(std::memory_order_relaxed) >> (first & 63)
                                                                                    << (first & 63);
    for (std::size_t w = first / 64;;) {
      if (word != 0) {
        const std::size_t found = w * 64 + static_cast<std::size_t>(std::countr_zero(word));
        if (found >= end) return n;
        return found << slab_order > page ? (found << slab_order) - page : 0;
      }
      w = next_with_slabs(w + 1, (end + 63) / 64);
      if (w * 64 >= end) return n;
      word = is_slab[w].load(std::memory_order_relaxed);
    }
  }
  bool slab_in(page_index page, std::size_t n) const noexcept {
    const std::size_t first = page >> slab_order;
    const std::size_t last = (page + n - 1) >> slab_order;
    if (first / 64 != last / 64) return pages_before_slab(page, n) != n;
    const std::uint64_t row = is_slab[first / 64].load(std::memory_order_relaxed) >> (first & 63);
    return (row << (63 - (last - first))) != 0;
  }
  void mark_slab(page_index page, bool yes) noexcept {
    const std::size_t i = page >> slab_order;
    const std::uint64_t bit = std::uint64_t{1} << (i & 63);
    // Relaxed: as above; locked, since slabs of other threads share the word.
    if (yes) {
      is_slab[i / 64].fetch_or(bit, std::memory_order_relaxed);
      // Never cleared: others may have set a bit in the word just then.
      had_slabs_[i / 4096].fetch_or(std::uint64_t{1} << (i / 64 & 63), std::memory_order_relaxed);
    } else {
      is_slab[i / 64].fetch_and(~bit, std::memory_order_relaxed);
    }
  }
  // By one thread at a time.
  void note_opened(std::size_t end) noexcept {
    // Relaxed: as above.
    if (end > opened_bytes.load(std::memory_order_relaxed)) {
      opened_bytes.store(end, std::memory_order_relaxed);
    }
  }
  void count_accessible(std::size_t bytes) noexcept {
    // Relaxed: a statistic.
    committed_.fetch_add(bytes, std::memory_order_relaxed);
  }
  std::size_t accessible_bytes() const noexcept {
    // Relaxed: a statistic.
    return committed_.load(std::memory_order_relaxed);
  }

  std::uintptr_t base = 0;
  std::size_t pages = 0;
  // Up to the end of the last arena that was opened. No run lies beyond.
  std::atomic<std::size_t> opened_bytes{0};
  std::size_t arenas = 0;
  std::uint8_t* kind = nullptr;
  base::atomic<std::uint16_t>* dead = nullptr;
  std::uint32_t* slab_at = nullptr;
  std::atomic<std::uint64_t>* is_slab = nullptr;
  arena* arena_at = nullptr;
  // Descriptors are named by their distance from here, in units of 64 bytes.
  std::uintptr_t pool = 0;

 private:
  // The words of is_slab that have ever had a bit.
  static constexpr std::size_t slab_groups =
      std::max<std::size_t>((most_arenas * arena_pages >> slab_order) / 4096, 1);

  // The first word in [w, end) that has ever had a slab, or one that is not below `end`.
  // Relaxed: see pages_before_slab().
  std::size_t next_with_slabs(std::size_t w, std::size_t end) const noexcept {
    if (w >= end) return end;
    std::uint64_t group = had_slabs_[w / 64].load(std::memory_order_relaxed) >> (w & 63)
                                                                                    << (w & 63);
    while (group == 0) {
      w = (w | 63) + 1;
      if (w >= end) return end;
      group = had_slabs_[w / 64].load(std::memory_order_relaxed);
    }
    return (w & ~std::size_t{63}) + static_cast<std::size_t>(std::countr_zero(group));
  }

  std::atomic<std::uint64_t> had_slabs_[slab_groups]{};
  std::size_t pool_size_ = 0;
  std::atomic<std::size_t> pool_next_{0};
  std::atomic<std::size_t> pool_accessible_{0};
  std::atomic<std::size_t> committed_{0};
};

extern constinit table_set tables;

}  // namespace cleave::heap
