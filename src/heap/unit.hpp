// unit.hpp -- parts of pages and slots: dead bytes, and the unit a thread has open.
//
// A *unit* is a page that runs are made of, or a slot. Its counter holds its
// dead bytes: those freed, and those that were never handed out because the
// run ended before the unit did. Whoever brings the counter to the size of the
// unit resets it and frees the unit as a whole.
//
// Adding to the counter is a locked operation, and the counter is shared. So
// a thread keeps the unit that it is freeing now *open*, counts by itself, and
// adds once when it closes the unit:
//
//   unit::free_part(t, at, 16);       // opens the unit; heap::free() goes on in it
//   unit::close(t);                   // adds what this thread freed
//
// Why that is right. When it opens the unit, the thread has freed some bytes
// that are not in the counter yet. So the counter cannot reach the size
// without this thread, the unit cannot be freed or used again, and it stays
// what it is until closed. `left` is the size less what was dead at the begin and less what
// this thread freed. Bytes that others free meanwhile stay in `left`. So if `left`
// comes to zero, this thread freed every byte that was not dead when it looked:
// no one else holds a byte, or has a contribution that is not counted, and the
// unit is freed without a locked operation. Else close() adds, and the last to
// add sees the size.
//
// A slot that is handed out whole is opened too, *tentatively*: its pieces often
// come back soon. Then nothing has been freed, and the slot may be freed by
// another thread, even become something else. So the first piece that is freed
// in it looks whether the page still is a slab of its class: if so, the slot is
// a slot now, whatever happened meanwhile, and the thread owns a part of it. `left` then
// begins with the full size, as if nothing was dead; if something is, it does
// not come to zero and close() does what is right.
//
// Invariants (tests/heap/unit_test.cpp; modelled in tests/tiny/):
//   U1  dead + open contributions of all threads + bytes in live runs = size.
//   U2  An open unit that is not tentative has at least one byte that was
//       freed and is not counted.
//   U3  A unit that is freed as a whole has the counter 0.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "heap/slab.hpp"
#include "heap/tables.hpp"
#include "heap/thread_cache.hpp"

namespace cleave::heap {

// Where a byte lies.
struct place {
  std::uintptr_t begin = 0;
  std::uint32_t size = 0;
  std::uint32_t kind = 0;  // as in tables.kind
  std::atomic<std::uint16_t>* dead = nullptr;
};

inline place place_of(std::uintptr_t address) noexcept {
  const page_index page = tables.page_of(address);
  const std::uint32_t kind = tables.kind[page];
  if (kind == 0) {
    return {base::align_down(address, page_size), page_size, 0, tables.dead + page};
  }
  const size_class& c = size_classes[kind - 1];
  // The reservation is aligned to slabs.
  const auto offset = static_cast<std::uint32_t>(address & (slab_size - 1));
  const std::uint32_t number = slot_number(kind - 1, offset);
  const std::uint32_t inside = offset - number * c.size;
  std::uintptr_t begin = address - inside;
  if (inside == 0) {
    // The same value, but the processor need not wait for the division: small
    // runs are allocated and freed in chains through this address.
    begin = address;
#if defined(__GNUC__)
    asm("" : "+r"(begin));
#endif
  }
  return {begin, c.size, kind, slab_of(page)->dead(kind - 1) + number};
}

namespace unit {

// Marks `left` while nothing has been freed.
inline constexpr std::uint64_t tentative = std::uint64_t{1} << 31;

// A free of less than a unit, wholly inside it, that the open unit does not hold.
void free_part(thread_cache& t, const place& in, std::uint32_t bytes) noexcept;

// Opens a slot that has just been handed out, if nothing else is open.
inline void open_tentatively(std::uintptr_t begin, std::uint32_t size, unsigned c) noexcept {
  cleave::detail::open_unit& open = cleave::detail::this_unit;
  // Relaxed, here and below: see open_unit.
  if (open.left.load(std::memory_order_relaxed) >> 32 != 0) return;
  open.begin = begin;
  open.size = size;
  open.kind = c + 1;
  open.at_entry.store(size, std::memory_order_relaxed);
  open.left.store(tentative | size, std::memory_order_relaxed);
}

// The bytes that this thread has freed in its open unit and not counted.
inline std::uint32_t untold(const cleave::detail::open_unit& open) noexcept {
  const std::uint64_t left = open.left.load(std::memory_order_relaxed) & (tentative - 1);
  return open.at_entry.load(std::memory_order_relaxed) - static_cast<std::uint32_t>(left);
}

// Adds what the open unit's thread has freed. Nothing is open afterwards.
void close(thread_cache& t) noexcept;

// Frees a whole unit; its counter is zero.
inline void free_whole(thread_cache& t, std::uintptr_t begin, std::uint32_t kind) noexcept {
  if (kind != 0) {
    t.give_slot(kind - 1, begin);
  } else {
    t.give_pages(tables.page_of(begin), 1);
  }
}

}  // namespace unit
}  // namespace cleave::heap
