// heap::extend() and kept_by(): what lies dead around a run.
//
// extend(): a run takes the free bytes to its right, or nothing changes.
//
// Bytes are free if they are dead in the run's last unit, and the whole pages
// behind it stand free. A counter does not say where its dead bytes are, so the
// last unit counts only if the run owns all of it that is not dead.

#include <cleave/heap.hpp>

#include <algorithm>

#include "base/check.hpp"
#include "heap/checked.hpp"
#include "heap/page_heap.hpp"
#include "heap/tables.hpp"
#include "heap/thread_cache.hpp"
#include "heap/unit.hpp"

namespace cleave::heap {
namespace {

// Takes whole pages, and leaves the rest of the last one dead.
bool claim_pages(thread_cache& t, page_index first, std::size_t bytes) noexcept {
  const std::size_t n = (bytes + page_size - 1) >> page_bits;
  if (!page_heap::claim(first, n)) {
    // They may be free, but kept by this thread.
    unit::close(t);
    if (t.cached_pages() == 0) return false;
    t.flush();
    if (!page_heap::claim(first, n)) return false;
  }
  if (const std::size_t rest = bytes & (page_size - 1); rest != 0) {
    // Relaxed: the page is new, nobody else knows it.
    tables.dead[first + n - 1].store(static_cast<std::uint16_t>(page_size - rest),
                                     std::memory_order_relaxed);
  }
  return true;
}

}  // namespace

bool extend(void* pointer, std::size_t bytes, std::size_t new_bytes) noexcept {
  const auto p = reinterpret_cast<std::uintptr_t>(pointer);
  if (bytes == 0 || new_bytes < bytes) return false;
  if (this_cache == &no_cache && checked::watching()) [[unlikely]] {
    return checked::extend(p, bytes, new_bytes);
  }
  if (!raw::extend(p, bytes, new_bytes)) return false;
  cleave::detail::handed_out(static_cast<std::byte*>(pointer) + bytes, new_bytes - bytes);
  return true;
}

bool raw::extend(std::uintptr_t p, std::size_t bytes, std::size_t new_bytes) noexcept {
  CLEAVE_CHECK(tables.may_hold_run(p, bytes), "extend of memory outside the heap");
  const std::size_t more = new_bytes - bytes;
  if (more == 0) return true;
  if (more > tables.address_of(static_cast<page_index>(tables.pages)) - (p + bytes)) return false;
  thread_cache& t = caches::of_this_thread();
  const place last = place_of(p + bytes - 1);
  const std::uintptr_t unit_end = last.begin + last.size;
  const std::size_t room = unit_end - (p + bytes);
  std::uint32_t dead = 0;
  std::size_t inside = 0;
  if (room > 0) {
    // What this thread has freed in the unit must be in its counter first.
    unit::close(t);
    // Acquire: the bytes that we take over were last written by who freed them.
    dead = last.dead->load(std::memory_order_acquire);
    const std::size_t own = p + bytes - std::max(p, last.begin);
    if (dead + own != last.size) return false;
    inside = std::min(room, more);
  }
  if (more > inside) {
    // Slots have no free pages behind them.
    if (last.kind != 0 || !claim_pages(t, tables.page_of(unit_end - 1) + 1, more - inside)) {
      return false;
    }
  }
  // Relaxed: all of the unit that is not dead is ours.
  if (inside > 0) {
    last.dead->store(static_cast<std::uint16_t>(dead - inside), std::memory_order_relaxed);
  }
  t.count_extension(more);
  return true;
}

std::size_t kept_by(const void* pointer, std::size_t bytes) noexcept {
  const auto p = reinterpret_cast<std::uintptr_t>(pointer);
  if (bytes == 0) return 0;
  CLEAVE_CHECK(tables.may_hold_run(p, bytes), "a run outside the heap was asked for");
  unit::close(caches::of_this_thread());
  // The dead rest of the unit at `at`, if the run owns all of it that is not dead.
  const auto rest_of = [&](std::uintptr_t at) -> std::size_t {
    const place in = place_of(at);
    const std::size_t own = std::min(p + bytes, in.begin + in.size) - std::max(p, in.begin);
    // Relaxed: an estimate that nothing depends on.
    const std::size_t dead = in.dead->load(std::memory_order_relaxed);
    return dead + own == in.size ? dead : 0;
  };
  const std::size_t first = rest_of(p);
  const bool one_unit = place_of(p).begin == place_of(p + bytes - 1).begin;
  return bytes + first + (one_unit ? 0 : rest_of(p + bytes - 1));
}

}  // namespace cleave::heap
