#include "heap/unit.hpp"

#include "base/check.hpp"

namespace cleave::heap::unit {
namespace {

using cleave::detail::open_unit;
using cleave::detail::this_unit;

// Relaxed throughout this file where `left` and `at_entry` are concerned: this
// thread alone writes them; others read them for statistics.
void forget(open_unit& open) noexcept {
  open.begin = open_unit::nowhere;
  open.size = open_unit::least_size;
  open.left.store(0, std::memory_order_relaxed);
  open.at_entry.store(0, std::memory_order_relaxed);
}

// Relaxed: nobody else has a byte of the unit, and what was dead at the begin was
// read with acquire. Whoever gets the unit next gets it through a lock.
[[gnu::noinline]] void reset_counter(std::uintptr_t begin) noexcept {
  place_of(begin).dead->store(0, std::memory_order_relaxed);
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

// All that was not dead when the unit was opened has been freed by this thread.
[[gnu::noinline]] void free_open_unit(open_unit& open, std::uint64_t left) noexcept {
  thread_cache& t = *this_cache;
  const std::uint32_t freed = open.at_entry.load(std::memory_order_relaxed);
  const std::uintptr_t begin = open.begin;
  t.tallies.freed_bytes.add(freed);
  t.tallies.frees.add(left >> 32);
  if (freed != open.size) [[unlikely]] reset_counter(begin);
  forget(open);
  free_whole(t, begin, open.kind);
}

// The first piece in a slot that was opened tentatively.
[[gnu::noinline]] void open_for_good(open_unit& open, std::uint64_t left, void* pointer,
                                     std::size_t bytes) noexcept {
  if (tables.kind[tables.page_of(open.begin)] != open.kind) {
    forget(open);
    cleave::detail::free_elsewhere(pointer, bytes);
    return;
  }
  left &= ~tentative;
  open.left.store(left, std::memory_order_relaxed);
  if (static_cast<std::uint32_t>(left) == 0) free_open_unit(open, left);
}

}  // namespace

void free_part(thread_cache& t, const place& in, std::uint32_t bytes) noexcept {
  // Acquire: as in add_dead(), for what `left` then leaves out.
  const std::uint32_t dead = in.dead->load(std::memory_order_acquire);
  if (dead + bytes >= in.size || &t == &no_cache) {
    t.count_frees(bytes, 1);
    add_dead(t, in, bytes);
    return;
  }
  open_unit& open = this_unit;
  if (open.left.load(std::memory_order_relaxed) >> 32 != 0) close(t);
  open.begin = in.begin;
  open.size = in.size;
  open.kind = in.kind;
  open.at_entry.store(in.size - dead, std::memory_order_relaxed);
  open.left.store((std::uint64_t{1} << 32) | (in.size - dead - bytes), std::memory_order_relaxed);
}

void close(thread_cache& t) noexcept {
  open_unit& open = this_unit;
  const std::uint64_t left = open.left.load(std::memory_order_relaxed);
  const std::uint32_t freed = untold(open);
  const std::uintptr_t begin = open.begin;
  forget(open);
  if (left >> 32 == 0) return;
  t.count_frees(freed, left >> 32);
  add_dead(t, place_of(begin), freed);
}

}  // namespace cleave::heap::unit

namespace cleave::detail {

thread_local constinit open_unit this_unit{};

// heap::free() has subtracted a piece from the open unit, and `left` says that
// it was the first one of a tentative unit, or the last one of any.
void first_or_last_piece(void* pointer, std::size_t bytes) noexcept {
  using namespace cleave::heap;
  open_unit& open = this_unit;
  const std::uint64_t left = open.left.load(std::memory_order_relaxed);
  if ((left & unit::tentative) == 0) return unit::free_open_unit(open, left);
  // One piece, and the bit below the mark clear: it is set when `left` has passed below zero.
  if (left >> 30 == 6) return unit::open_for_good(open, left, pointer, bytes);
  check_failed(__FILE__, __LINE__, "more bytes were freed than there are: freed twice?");
}

}  // namespace cleave::detail
