#include "heap/unit.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "heap/arenas.hpp"

namespace cleave::detail {

thread_local constinit open_unit this_unit{};

}  // namespace cleave::detail

namespace cleave::heap::unit {
namespace {

using phase = open_unit::phase;

void forget(open_unit& open) noexcept {
  open.state = phase::closed;
  clear_row(open);
  // In this order, and before the bytes are counted as freed: who reads meanwhile may miss them,
  // and never has them twice.
  open.at_entry.store(0, std::memory_order_relaxed);
  open.left.store(0, std::memory_order_relaxed);
}

bool is_shared(const place& in) noexcept {
  return in.kind == 0 && arenas::is_shared(tables.page_of(in.begin));
}

// Frees any bytes without opening a unit.
void add_range(thread_cache& t, std::uintptr_t at, std::size_t bytes) noexcept {
  while (bytes > 0) {
    const place in = place_of(at);
    const std::size_t part = std::min<std::size_t>(bytes, in.begin + in.size - at);
    add_dead(t, in, static_cast<std::uint32_t>(part));
    at += part;
    bytes -= part;
  }
}

// The row becomes part of what was counted. Requires: counting.
void fold_row(open_unit& open) noexcept {
  const auto row = static_cast<std::uint32_t>(row_bytes(open));
  const std::uint32_t left = open.left.load(std::memory_order_relaxed);
  CLEAVE_CHECK(row <= left, "more bytes were freed than there are: freed twice?");
  open.left.store(left - row, std::memory_order_relaxed);
  clear_row(open);
}

// All that was not dead when the unit was opened has been freed by this thread.
void free_counted(thread_cache& t, open_unit& open) noexcept {
  const std::uint32_t freed = open.at_entry.load(std::memory_order_relaxed);
  const std::uintptr_t start = open.start;
  // Relaxed: nobody else has a byte of the unit, and what was dead at the begin
  // was read with acquire. Whoever gets the unit next gets it through a lock.
  if (freed != open.size) place_of(start).dead->store(0, std::memory_order_relaxed);
  forget(open);
  t.count_frees(freed, 0);
  free_whole(t, start, open.kind.load(std::memory_order_relaxed));
}

// Begins a row with a piece that is freed now. Requires: counting, no row.
void begin_row(thread_cache& t, open_unit& open, std::uintptr_t at, std::size_t bytes) noexcept {
  const std::uint32_t left = open.left.load(std::memory_order_relaxed);
  CLEAVE_CHECK(bytes <= left, "more bytes were freed than there are: freed twice?");
  set_row(open, at, at + bytes, std::max<std::uintptr_t>(open.start, at + bytes - left),
          std::min<std::uintptr_t>(open.start + open.size, at + left));
  if (bytes == left) free_counted(t, open);
}

}  // namespace

void add_dead(thread_cache& t, const place& in, std::uint32_t bytes) noexcept {
  // Acquire: if the rest is dead already, its owners' last writes come before
  // the unit's next use.
  const std::uint32_t before = in.dead->load(std::memory_order_acquire);
  CLEAVE_CHECK(before + bytes <= in.size, "more bytes were freed than there are: freed twice?");
  if (before + bytes != in.size) {
    // Acq_rel: release, so that our writes to the bytes come before their next
    // use; acquire, in case this is the last part after all.
    const std::uint32_t found =
        in.dead->fetch_add(static_cast<std::uint16_t>(bytes), std::memory_order_acq_rel);
    if (found + bytes != in.size) return;
  }
  // Relaxed: nobody else has a byte of this unit.
  in.dead->store(0, std::memory_order_relaxed);
  free_whole(t, in.begin, in.kind);
}

void free_filled(thread_cache& t, open_unit& open) noexcept {
  const std::uintptr_t begin = open.floor;
  const std::size_t size = row_bytes(open);
  const std::uint32_t kind = open.kind.load(std::memory_order_relaxed);
  forget(open);
  // Only a thread with a cache opens units.
  t.tallies.freed_bytes.add(size);
  t.tallies.frees.add(1);
  // The rest of the slot may be dead, or may never have been a part of the run.
  const std::size_t unit = kind == 0 ? page_size : slot_size(kind - 1);
  if (size != unit || tables.kind[tables.page_of(begin)] != kind) return add_range(t, begin, size);
  free_whole(t, begin, kind);
}

void free_part(thread_cache& t, const place& in, std::uintptr_t at, std::uint32_t bytes) noexcept {
  if (is_shared(in)) {
    t.count_frees(bytes, 0);
    add_dead(t, in, bytes);
    return;
  }
  open_unit& open = this_unit;
  // Acquire: as in add_dead(), for what `left` then leaves out.
  std::uint32_t dead = in.dead->load(std::memory_order_acquire);
  if (dead + bytes < in.size && open.state != phase::closed) {
    close(t);
    // A row that has just been closed may have lain in this very unit.
    dead = in.dead->load(std::memory_order_acquire);
  }
  if (dead + bytes >= in.size || &t == &no_cache) {
    t.count_frees(bytes, 0);
    add_dead(t, in, bytes);
    return;
  }
  open.state = phase::counting;
  open.kind.store(in.kind, std::memory_order_relaxed);
  open.start = in.begin;
  open.size = in.size;
  open.at_entry.store(in.size - dead, std::memory_order_relaxed);
  open.left.store(in.size - dead, std::memory_order_relaxed);
  begin_row(t, open, at, bytes);
}

void row_began_lower(thread_cache& t, open_unit& open) noexcept {
  const std::uint32_t left = open.left.load(std::memory_order_relaxed);
  CLEAVE_CHECK(row_bytes(open) <= left, "more bytes were freed than there are: freed twice?");
  if (row_bytes(open) == left) return free_counted(t, open);
  open.limit = std::min<std::uintptr_t>(open.start + open.size,
                                        open.begin.load(std::memory_order_relaxed) + left);
  open.down = open_unit::nowhere;
}

void begin_row_in_open(thread_cache& t, std::uintptr_t at, std::size_t bytes) noexcept {
  fold_row(this_unit);
  begin_row(t, this_unit, at, bytes);
}

std::uintptr_t take_back(std::size_t bytes, std::size_t alignment) noexcept {
  open_unit& open = this_unit;
  if (row_bytes(open) < bytes) return 0;
  const std::uintptr_t at = open.frontier.load(std::memory_order_relaxed) - bytes;
  if ((at & (alignment - 1)) != 0) return 0;
  open.frontier.store(at, std::memory_order_relaxed);
  if (open.state == phase::counting && untold(open) == 0) {
    // With nothing to tell, the unit is not kept from changing any more (U2).
    forget(open);
    open.state = phase::tentative;
    set_row(open, at, at, open.start, open.start + open.size + 1);
    open.whole.store(open.size, std::memory_order_relaxed);
  }
  // The bytes leave what was freed and not told, so they need no other count.
  this_cache->count_allocation(0);
  return at;
}

void close(thread_cache& t) noexcept {
  open_unit& open = this_unit;
  if (is_filled(open)) return free_filled(t, open);
  const std::uintptr_t begin = open.begin.load(std::memory_order_relaxed);
  const std::uintptr_t start = open.start;
  const std::uint32_t freed = untold(open);
  const bool counting = open.state == phase::counting;
  forget(open);
  if (freed == 0) return;
  // A tentative row began without a call that counted it.
  t.count_frees(freed, counting ? 0 : 1);
  add_range(t, counting ? start : begin, freed);
}

}  // namespace cleave::heap::unit
