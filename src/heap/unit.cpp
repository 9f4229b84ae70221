#include "heap/unit.hpp"

#include "base/check.hpp"

namespace cleave::detail {

thread_local constinit open_unit this_unit{};

// heap::free() has brought `left` to zero.
void close_whole_unit() noexcept {
  using namespace cleave::heap;
  open_unit& open = this_unit;
  thread_cache& t = *this_cache;
  const std::uint64_t left = open.left.load(std::memory_order_relaxed);
  const std::uint32_t freed = open.at_entry.load(std::memory_order_relaxed);
  const std::uintptr_t begin = open.begin;
  const std::uint64_t size = open.size;
  open.size = 0;
  // Relaxed: only this thread writes these.
  open.left.store(0, std::memory_order_relaxed);
  open.at_entry.store(0, std::memory_order_relaxed);
  t.count_frees(freed, left >> 32);
  const std::uint32_t kind = tables.kind[tables.page_of(begin)];
  // Relaxed: nobody else has a byte of the unit, and what was dead at the begin
  // was read with acquire. Whoever gets the unit next gets it through a lock.
  if (freed != size) place_of(begin).dead->store(0, std::memory_order_relaxed);
  unit::free_whole(t, begin, kind);
}

}  // namespace cleave::detail

namespace cleave::heap::unit {
namespace {

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

}  // namespace

void free_whole(thread_cache& t, std::uintptr_t begin, std::uint32_t kind) noexcept {
  if (kind != 0) {
    t.give_slot(kind - 1, begin);
  } else {
    t.give_pages(tables.page_of(begin), 1);
  }
}

void free_part(thread_cache& t, const place& in, std::uint32_t bytes) noexcept {
  // Acquire: as in add_dead(), for what `left` then leaves out.
  const std::uint32_t dead = in.dead->load(std::memory_order_acquire);
  if (dead + bytes >= in.size || &t == &no_cache) {
    t.count_frees(bytes, 1);
    add_dead(t, in, bytes);
    return;
  }
  cleave::detail::open_unit& open = cleave::detail::this_unit;
  if (open.size != 0) close(t);
  // Relaxed: this thread alone writes them; others read them for statistics.
  open.begin = in.begin;
  open.size = in.size;
  open.at_entry.store(in.size - dead, std::memory_order_relaxed);
  open.left.store((std::uint64_t{1} << 32) | (in.size - dead - bytes), std::memory_order_relaxed);
}

void close(thread_cache& t) noexcept {
  cleave::detail::open_unit& open = cleave::detail::this_unit;
  if (open.size == 0) return;
  // Relaxed: as in free_part().
  const std::uint64_t left = open.left.load(std::memory_order_relaxed);
  const std::uint32_t freed =
      open.at_entry.load(std::memory_order_relaxed) - static_cast<std::uint32_t>(left);
  open.size = 0;
  open.left.store(0, std::memory_order_relaxed);
  open.at_entry.store(0, std::memory_order_relaxed);
  t.count_frees(freed, left >> 32);
  add_dead(t, place_of(open.begin), freed);
}

}  // namespace cleave::heap::unit
