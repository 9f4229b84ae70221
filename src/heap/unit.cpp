#include "heap/unit.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace cleave::detail {

thread_local constinit open_unit this_unit{};

}  // namespace cleave::detail

namespace cleave::heap::unit {
namespace {

using phase = open_unit::phase;

void forget(open_unit& open) noexcept {
  open.state = phase::closed;
  set_row(open, open_unit::nowhere, open_unit::nowhere, open_unit::nowhere);
  open.left.store(0, std::memory_order_relaxed);
  open.at_entry.store(0, std::memory_order_relaxed);
}

// Adds to the counter; the one that completes the unit frees it.
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
  set_row(open, open_unit::nowhere, open_unit::nowhere, open_unit::nowhere);
}

// All that was not dead when the unit was opened has been freed by this thread.
void free_counted(thread_cache& t, open_unit& open) noexcept {
  const std::uint32_t freed = open.at_entry.load(std::memory_order_relaxed);
  const std::uintptr_t start = open.start;
  t.count_frees(freed, 0);
  // Relaxed: nobody else has a byte of the unit, and what was dead at the begin
  // was read with acquire. Whoever gets the unit next gets it through a lock.
  if (freed != open.size) place_of(start).dead->store(0, std::memory_order_relaxed);
  forget(open);
  free_whole(t, start, open.kind);
}

// Begins a row with a piece that is freed now. Requires: counting, no row.
void begin_row(thread_cache& t, open_unit& open, std::uintptr_t at, std::size_t bytes) noexcept {
  const std::uint32_t left = open.left.load(std::memory_order_relaxed);
  CLEAVE_CHECK(bytes <= left, "more bytes were freed than there are: freed twice?");
  set_row(open, at, at + bytes, std::min<std::uintptr_t>(open.start + open.size, at + left));
  if (bytes == left) {
    fold_row(open);
    free_counted(t, open);
  }
}

}  // namespace

void free_part(thread_cache& t, const place& in, std::uintptr_t at, std::uint32_t bytes) noexcept {
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
  open.kind = in.kind;
  open.start = in.begin;
  open.size = in.size;
  open.at_entry.store(in.size - dead, std::memory_order_relaxed);
  open.left.store(in.size - dead, std::memory_order_relaxed);
  begin_row(t, open, at, bytes);
}

bool free_in_open(thread_cache& t, std::uintptr_t at, std::size_t bytes) noexcept {
  open_unit& open = this_unit;
  if (open.state != phase::counting || at - open.start >= open.size ||
      bytes > open.start + open.size - at) {
    return false;
  }
  fold_row(open);
  begin_row(t, open, at, bytes);
  return true;
}

void free_to_limit(thread_cache& t) noexcept {
  open_unit& open = this_unit;
  const std::uintptr_t begin = open.begin.load(std::memory_order_relaxed);
  const std::uintptr_t limit = open.limit;
  if (open.state == phase::tentative) {
    const std::uint32_t kind = open.kind;
    set_row(open, open_unit::nowhere, open_unit::nowhere, open_unit::nowhere);
    // Only a thread with a cache opens units.
    t.tallies.freed_bytes.add(limit - begin);
    t.tallies.frees.add(1);
    if (tables.kind[tables.page_of(begin)] != kind) [[unlikely]] {
      return add_range(t, begin, limit - begin);
    }
    return t.give_slot(kind - 1, begin);
  }
  open.frontier.store(limit, std::memory_order_relaxed);
  fold_row(open);
  if (open.left.load(std::memory_order_relaxed) == 0) free_counted(t, open);
}

void close(thread_cache& t) noexcept {
  open_unit& open = this_unit;
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
