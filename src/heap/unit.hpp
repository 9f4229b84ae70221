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
//   unit::free_part(t, in, at, 16);   // opens the unit; heap::free() goes on in it
//   unit::close(t);                   // adds what this thread freed
//
// Why that is right. An open unit that is *counting* has bytes that the thread
// has freed and that are not in the counter yet. So the counter cannot reach
// the size without this thread, the unit cannot be freed or used again, and it
// stays what it is until closed. `left` is the size less what was dead at the
// begin and less what this thread freed. Bytes that others free meanwhile stay
// in `left`. So if `left` comes to zero, this thread freed every byte that was
// not dead when it looked: no one else holds a byte, or has a contribution that
// is not counted, and the unit is freed without a locked operation. Else
// close() adds, and the last to add sees the size.
//
// What is freed in order, upwards or downwards, is not even counted: the row
// [begin, frontier) just grows, up to `limit` and down to `floor`, where it
// meets an end of the unit or `left`. A run smaller than the smallest slot is
// taken from the end of the row, so that a leaf which is freed and made again
// comes back to its place.
//
// A slot that is handed out whole is opened too, *tentatively*, with an empty
// row at its begin: its pieces often come back soon, and in order. The slot may
// be freed by another thread, even become part of something else, while the row
// is empty; from the first byte on, it cannot. So nothing is concluded from the
// row before it is closed, and then the page is asked what it is now: either the
// row fills a unit, or its bytes are freed like any others. The same holds for a
// unit of which everything was taken back. A row that fills its slot stays as it is
// until the thread allocates again: a run of just this size gets it, since its
// bytes belong to this thread whatever the page is by now.
//
// A page that a device shares is never open: its bytes must not be taken back from a row.
//
// Invariants (tests/heap/unit_test.cpp; modelled in tests/tiny/):
//   U1  dead + open contributions of all threads + bytes in live runs = size.
//   U2  A unit that is counting has at least one byte that was freed and is not
//       in its counter.
//   U3  A unit that is freed as a whole has the counter 0.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
#include "heap/slab.hpp"
#include "heap/tables.hpp"
#include "heap/thread_cache.hpp"

namespace cleave::heap {

// Where a byte lies.
struct place {
  std::uintptr_t begin = 0;
  std::uint32_t size = 0;
  std::uint32_t kind = 0;  // as in tables.kind
  base::atomic<std::uint16_t>* dead = nullptr;
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

static_assert(size_classes[0].size == cleave::detail::smallest_slot);

using cleave::detail::open_unit;
using cleave::detail::this_unit;

// Relaxed wherever the open unit's atomics are concerned: see open_unit.
inline std::uintptr_t row_bytes(const open_unit& open) noexcept {
  return open.frontier.load(std::memory_order_relaxed) - open.begin.load(std::memory_order_relaxed);
}

// Whether this thread has freed the byte, and nobody can have it since.
inline bool is_in_row(const open_unit& open, std::uintptr_t at) noexcept {
  return at - open.begin.load(std::memory_order_relaxed) < row_bytes(open);
}

// The row is closed downwards, but for what free() does out of line.
inline void set_row(open_unit& open, std::uintptr_t begin, std::uintptr_t end, std::uintptr_t floor,
                    std::uintptr_t limit) noexcept {
  open.begin.store(begin, std::memory_order_relaxed);
  open.frontier.store(end, std::memory_order_relaxed);
  open.floor = floor;
  open.limit = limit;
  open.down = open_unit::nowhere;
}

inline void clear_row(open_unit& open) noexcept {
  constexpr std::uintptr_t nowhere = open_unit::nowhere;
  set_row(open, nowhere, nowhere, nowhere, nowhere);
  open.whole.store(open_unit::none, std::memory_order_relaxed);
}

// True if a unit is open tentatively and all of the run has been freed.
inline bool is_filled(const open_unit& open) noexcept {
  return row_bytes(open) == open.whole.load(std::memory_order_relaxed);
}

// A piece was freed at the begin, and more may follow below it. Where nothing is counted both
// ends may move. Where the unit is counting, `left` bounds the row: downwards from where the
// frontier is now, so that must not move meanwhile.
inline void open_downwards(open_unit& open) noexcept {
  if (open.state == open_unit::phase::tentative) {
    open.down = open.floor - 1;
    return;
  }
  const std::uintptr_t end = open.frontier.load(std::memory_order_relaxed);
  open.down = std::max<std::uintptr_t>(open.start, end - open.left.load(std::memory_order_relaxed));
  open.limit = end;
}

// Frees the open unit. Requires: is_filled().
void free_filled(thread_cache& t, open_unit& open) noexcept;

// Opens a slot of which the first `bytes` have just been handed out, unless bytes wait
// to be counted.
inline void open_tentatively(std::uintptr_t slot, std::size_t bytes, unsigned c) noexcept {
  open_unit& open = this_unit;
  if (open.state == open_unit::phase::counting || row_bytes(open) != 0) return;
  open.state = open_unit::phase::tentative;
  open.kind.store(c + 1, std::memory_order_relaxed);
  set_row(open, slot, slot, slot, slot + bytes + 1);
  open.whole.store(bytes, std::memory_order_relaxed);
}

// The bytes that this thread has freed in its open unit and not counted. Another
// thread may see the values of two moments; what cannot be is then no bytes.
inline std::uint32_t untold(const open_unit& open) noexcept {
  const std::uint64_t counted = std::uint64_t{open.at_entry.load(std::memory_order_relaxed)} -
                                open.left.load(std::memory_order_relaxed);
  const std::uint64_t bytes = counted + row_bytes(open);
  return bytes <= page_size ? static_cast<std::uint32_t>(bytes) : 0;
}

// The last `bytes` bytes of the row, live again; 0 if it has none that fit. For what
// detail::reuse() leaves: the row of a unit that is counting.
std::uintptr_t take_back(std::size_t bytes, std::size_t alignment) noexcept;

// A free of less than a unit, wholly inside it, that lies in no open unit.
void free_part(thread_cache& t, const place& in, std::uintptr_t at, std::uint32_t bytes) noexcept;

// Frees a unit that is counting if the row has all that is left; else sets the
// limit to where it will have.
void row_began_lower(thread_cache& t, open_unit& open) noexcept;

// Frees a piece of the unit that is counting, and begins its row anew there.
void begin_row_in_open(thread_cache& t, std::uintptr_t at, std::size_t bytes) noexcept;

// True if the piece lay in the open unit, but not where the row goes on, and
// has been freed.
inline bool free_in_open(thread_cache& t, std::uintptr_t at, std::size_t bytes) noexcept {
  const open_unit& open = this_unit;
  // No bytes are none of any unit's.
  if (open.state != open_unit::phase::counting || at - open.start >= open.size ||
      bytes - 1 >= open.start + open.size - at) {
    return false;
  }
  begin_row_in_open(t, at, bytes);
  return true;
}

// True if the piece brings the row of a unit that is counting to its limit, or is
// the first one of a unit that is open tentatively, and has been freed.
inline bool free_to_edge(thread_cache& t, std::uintptr_t at, std::size_t bytes) noexcept {
  open_unit& open = this_unit;
  if (open.state == open_unit::phase::counting) {
    if (at != open.frontier.load(std::memory_order_relaxed) || bytes != open.limit - at) {
      return false;
    }
    open.frontier.store(open.limit, std::memory_order_relaxed);
    row_began_lower(t, open);
    return true;
  }
  if (row_bytes(open) != 0 || at < open.floor || at >= open.limit || bytes >= open.limit - at) {
    return false;
  }
  set_row(open, at, at + bytes, open.floor, open.limit);
  open_downwards(open);
  return true;
}

// Bytes of a unit that is not open here are dead; the one that completes the unit frees it.
// Does not count them.
void add_dead(thread_cache& t, const place& in, std::uint32_t bytes) noexcept;

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
