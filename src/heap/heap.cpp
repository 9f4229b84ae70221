// The doors of include/cleave/heap.hpp: allocate, free, extend, start, purge.

#include <cleave/detail/raise.hpp>
#include <cleave/heap.hpp>

#include <algorithm>
#include <mutex>
#include <new>

#include "base/bits.hpp"
#include "base/check.hpp"
#include "heap/checked.hpp"
#include "heap/page_heap.hpp"
#include "heap/slab.hpp"
#include "heap/start.hpp"
#include "heap/tables.hpp"
#include "heap/thread_cache.hpp"
#include "heap/unit.hpp"

namespace cleave::heap {
namespace {

// Not std::has_single_bit: without the processor's instruction that is a call.
bool is_power_of_two(std::size_t n) noexcept {
  return n != 0 && (n & (n - 1)) == 0;
}

std::size_t pages_for(std::size_t bytes) noexcept {
  return (bytes + page_size - 1) >> page_bits;
}

// Gives what a thread keeps, and slabs that nobody uses, to the pages.
void give_back_caches(thread_cache& t) noexcept {
  unit::close(t);
  t.flush();
  slabs::purge();
}

// What lies behind a new run in its unit is dead. Nobody else can know the
// unit yet, so a plain store will do (relaxed).
void set_spare(const place& in, std::size_t spare) noexcept {
  in.dead->store(static_cast<std::uint16_t>(spare), std::memory_order_relaxed);
}

// The class that serves a request with a large alignment, or class_count. Slots
// begin at multiples of their size in a slab that is aligned to its own.
unsigned aligned_class_for(std::size_t bytes, std::size_t alignment) noexcept {
  if (bytes > largest_slot) return class_count;
  unsigned c = class_for(bytes, default_alignment);
  while (c < class_count && slot_size(c) % alignment != 0) ++c;
  return c < class_count && slot_size(c) <= 2 * bytes ? c : class_count;
}

// A slot when this thread has none at hand.
[[gnu::noinline]] std::uintptr_t slot_slowly(unsigned c, std::size_t bytes) noexcept {
  if (!ensure_started()) return 0;
  thread_cache& t = caches::of_this_thread();
  const std::uintptr_t slot = t.refill(c);
  if (slot != 0) t.count_allocation(bytes);
  return slot;
}

std::uintptr_t take_slot(unsigned c, std::size_t bytes) noexcept {
  thread_cache& t = *this_cache;
  slot_bin& bin = t.bins[c];
  std::uintptr_t* const top = bin.top;
  if (top == bin.begin) [[unlikely]]
    return slot_slowly(c, bytes);
  // Only this thread's own cache ever holds a slot, so it is not no_cache.
  t.tallies.allocated_bytes.add(bytes);
  t.tallies.allocations.add(1);
  bin.top = top - 1;
  return top[-1];
}

// Hands out pages of which the owner gets the first `bytes`.
std::uintptr_t own_pages(thread_cache& t, page_index page, std::size_t bytes) noexcept {
  t.count_allocation(bytes);
  if (const std::size_t rest = bytes & (page_size - 1); rest != 0) {
    set_spare(place_of(tables.address_of(page) + bytes), page_size - rest);
  }
  return tables.address_of(page);
}

// Pages for a run of `bytes`, or of the whole pages that hold them.
[[gnu::noinline]] std::uintptr_t take_run(std::size_t bytes, std::size_t alignment,
                                          bool whole_pages) noexcept {
  thread_cache* t = this_cache;
  if (t == &no_cache) [[unlikely]] {
    if (!ensure_started()) return 0;
    t = &caches::of_this_thread();
  }
  if (bytes > tables.pages << page_bits) return 0;
  const std::size_t n = pages_for(bytes);
  const unsigned order =
      base::ceil_log2(std::max(n, std::max<std::size_t>(alignment >> page_bits, 1)));
  page_index page = t->take_pages(n, order, alignment <= page_size);
  if (page == page_heap::no_page) {
    // What this thread keeps for later may be just what is missing now.
    give_back_caches(*t);
    page = page_heap::take(n, order);
    if (page == page_heap::no_page && alignment <= page_size) page = page_heap::take_short_arena(n);
    if (page == page_heap::no_page) return 0;
  }
  return own_pages(*t, page, whole_pages ? n << page_bits : bytes);
}

struct found_run {
  std::uintptr_t address = 0;
  std::size_t bytes = 0;
};

// A run with all the room that rounding gives (`at_least`), or exactly `bytes`.
found_run find_run(std::size_t bytes, std::size_t alignment, bool at_least) noexcept {
  unsigned c = class_count;
  if (alignment <= default_alignment) {
    if (bytes <= largest_slot) c = class_for(bytes, alignment);
  } else if (alignment <= slab_size / 2) {
    c = aligned_class_for(bytes, alignment);
  }
  if (c < class_count) {
    const std::size_t size = slot_size(c);
    const std::size_t owned = at_least ? size : bytes;
    std::uintptr_t p = take_slot(c, owned);
    if (p == 0 && ensure_started()) {
      // As in take_run(): a last try with everything this thread has given back.
      give_back_caches(*this_cache);
      p = slot_slowly(c, owned);
    }
    if (p != 0 && owned != size) set_spare(place_of(p), size - owned);
    return {p, p == 0 ? 0 : owned};
  }
  const std::uintptr_t p = take_run(bytes, alignment, at_least);
  const std::size_t owned = at_least ? pages_for(bytes) << page_bits : bytes;
  return {p, p == 0 ? 0 : owned};
}

// Frees a whole unit, or a part of one; `pieces` frees are counted.
void free_inside(thread_cache& t, const place& in, std::uintptr_t p, std::size_t bytes,
                 std::uint64_t pieces) noexcept {
  if (bytes == in.size) {
    t.count_frees(bytes, pieces);
    unit::free_whole(t, p, in.kind);
    return;
  }
  if (pieces != 0) t.count_frees(0, pieces);
  if (!unit::free_in_open(t, p, bytes)) {
    unit::free_part(t, in, p, static_cast<std::uint32_t>(bytes));
  }
}

// Frees a run that spans units: parts at both ends, whole slots and pages between.
[[gnu::noinline]] void free_across(thread_cache& t, std::uintptr_t p, std::size_t bytes) noexcept {
  const std::uintptr_t end = p + bytes;
  while (p < end) {
    const place in = place_of(p);
    const std::size_t part = std::min<std::size_t>(end - p, in.begin + in.size - p);
    if (in.kind != 0 || part != page_size) {
      free_inside(t, in, p, part, 0);
      p += part;
      continue;
    }
    // Whole pages up to the end or the next slab, and the last one too when
    // all but our part of it is dead.
    const page_index first = tables.page_of(p);
    const std::size_t most = (end - p) >> page_bits;
    std::size_t n = tables.pages_before_slab(first, most);
    std::size_t freed = n << page_bits;
    const std::size_t rest = end - p - freed;
    if (n == most && rest != 0 && tables.kind[first + n] == 0) {
      const place last = place_of(p + freed);
      // Acquire: see unit::add_dead().
      if (last.dead->load(std::memory_order_acquire) + rest == page_size) {
        last.dead->store(0, std::memory_order_relaxed);
        freed += rest;
        ++n;
      }
    }
    t.count_frees(freed, 0);
    t.give_pages(first, n);
    p += freed;
  }
}

void free_below(thread_cache& t, std::uintptr_t p, std::size_t bytes) noexcept {
  CLEAVE_CHECK(tables.may_hold_run(p, bytes), "free of memory outside the heap");
  const place in = place_of(p);
  if (bytes <= in.begin + in.size - p) {
    free_inside(t, in, p, bytes, 1);
  } else {
    t.count_frees(0, 1);
    free_across(t, p, bytes);
  }
}

[[gnu::noinline]] void free_anywhere(std::uintptr_t p, std::size_t bytes) noexcept {
  thread_cache* t = this_cache;
  if (t == &no_cache) [[unlikely]] {
    if (checked::watching()) return checked::free(p, bytes);
    t = &caches::of_this_thread();
  }
  free_below(*t, p, bytes);
}

// More than a page: most often whole pages, of which none is a slab.
void free_large(std::uintptr_t p, std::size_t bytes) noexcept {
  thread_cache& t = *this_cache;
  if (!tables.may_hold_run(p, bytes) || ((p | bytes) & (page_size - 1)) != 0 || &t == &no_cache ||
      tables.slab_in(tables.page_of(p), bytes >> page_bits)) {
    return free_anywhere(p, bytes);
  }
  t.tallies.freed_bytes.add(bytes);
  t.tallies.frees.add(1);
  t.give_pages(tables.page_of(p), bytes >> page_bits);
}

// The first run of a thread, and all in checked mode.
[[gnu::noinline]] void* allocate_without_cache(std::size_t bytes, std::size_t alignment) noexcept {
  if (!ensure_started()) return nullptr;
  return checked::watching() ? checked::allocate(bytes, alignment)
                             : raw::allocate(bytes, alignment);
}

// Any run but the one that detail::reuse() finds.
void* allocate_anywhere(std::size_t bytes, std::size_t alignment) noexcept {
  // A bit for each of the alignments 1, 2, 4, 8 and 16.
  constexpr unsigned small_alignments = 0x10116;
  if (bytes - 1 < largest_aligned_slot && alignment <= default_alignment &&
      ((small_alignments >> alignment) & 1) != 0) [[likely]] {
    if (bytes < size_classes[0].size) {
      if (const std::uintptr_t p = unit::take_back(bytes, alignment); p != 0) {
        return reinterpret_cast<void*>(p);
      }
    }
    thread_cache& t = *this_cache;
    if (unit::open_unit& open = unit::this_unit; unit::is_filled(open)) unit::free_filled(t, open);
    const unsigned c = class_for(bytes, alignment);
    slot_bin& bin = t.bins[c];
    if (std::uintptr_t* const top = bin.top; top != bin.begin) [[likely]] {
      const std::uintptr_t p = top[-1];
      bin.top = top - 1;
      t.tallies.allocated_bytes.add(bytes);
      t.tallies.allocations.add(1);
      const std::uint32_t size = size_classes[c].size;
      if (bytes != size) set_spare(place_of(p), size - bytes);
      unit::open_tentatively(p, bytes, c);
      return reinterpret_cast<void*>(p);
    }
  }
  if (bytes == 0 || alignment > max_alignment || !is_power_of_two(alignment)) return nullptr;
  thread_cache& t = *this_cache;
  if (&t == &no_cache) [[unlikely]]
    return allocate_without_cache(bytes, alignment);
  if (bytes > largest_slot && bytes <= std::size_t{t.last.n} << page_bits &&
      alignment <= page_size) {
    // A run like the one that was freed last.
    const page_index page = t.take_last(pages_for(bytes));
    if (page != page_heap::no_page) {
      return reinterpret_cast<void*>(own_pages(t, page, bytes));
    }
  }
  return reinterpret_cast<void*>(find_run(bytes, alignment, false).address);
}

}  // namespace

void* raw::allocate(std::size_t bytes, std::size_t alignment) noexcept {
  return reinterpret_cast<void*>(find_run(bytes, alignment, false).address);
}

void raw::free(std::uintptr_t p, std::size_t bytes) noexcept {
  free_below(*this_cache, p, bytes);
}

sized_pointer try_allocate_at_least(std::size_t bytes, std::size_t alignment) noexcept {
  if (bytes == 0 || alignment > max_alignment || !is_power_of_two(alignment)) return {};
  if (this_cache == &no_cache && ensure_started() && checked::watching()) [[unlikely]] {
    // A redzone behind the bytes that were asked for tells more than the room would help.
    void* const p = checked::allocate(bytes, alignment);
    return {p, p == nullptr ? 0 : bytes};
  }
  const found_run found = find_run(bytes, alignment, true);
  return {cleave::detail::handed_out(reinterpret_cast<void*>(found.address), found.bytes),
          found.bytes};
}

bool contains(const void* pointer) noexcept {
  return tables.holds(reinterpret_cast<std::uintptr_t>(pointer));
}

void purge() noexcept {
  if (!ensure_started()) return;
  checked::purge();
  give_back_caches(*this_cache);
  page_heap::purge();
}

void purge_expired() noexcept {
  if (ensure_started()) page_heap::purge_expired();
}

void set_held_limit(std::size_t bytes) noexcept {
  if (!ensure_started()) return;
  if (page_heap::held() > bytes) give_back_caches(*this_cache);
  page_heap::set_held_limit(bytes);
}

}  // namespace cleave::heap

namespace cleave::detail {

void* try_allocate_elsewhere(std::size_t bytes, std::size_t alignment) noexcept {
  return heap::allocate_anywhere(bytes, alignment);
}

void* allocate_elsewhere(std::size_t bytes, std::size_t alignment) {
  void* const p = heap::allocate_anywhere(bytes, alignment);
  if (p == nullptr && bytes != 0) raise<std::bad_alloc>();
  return p;
}

// heap::free() of anything but a piece that goes on a row upwards.
namespace {

[[gnu::noinline]] void free_slowly(std::uintptr_t p, std::size_t bytes) noexcept {
  // A unit that is larger has no row yet.
  if (bytes >= heap::page_size) return heap::free_large(p, bytes);
  // No piece at all says nothing of the direction.
  if (bytes == 0) return;
  open_unit& open = this_unit;
  // Relaxed: see open_unit.
  if (p + bytes == open.begin.load(std::memory_order_relaxed) && p >= open.floor) {
    open.begin.store(p, std::memory_order_relaxed);
    if (open.state == open_unit::phase::counting)
      heap::unit::row_began_lower(*heap::this_cache, open);
    if (open.state != open_unit::phase::closed) heap::unit::open_downwards(open);
    return;
  }
  CLEAVE_CHECK(!heap::unit::is_in_row(open, p), "bytes were freed twice");
  heap::thread_cache& t = *heap::this_cache;
  if (heap::unit::free_to_edge(t, p, bytes)) return;
  // Asked here too, before the tables are.
  if (heap::unit::free_in_open(t, p, bytes)) return t.count_frees(0, 1);
  heap::free_anywhere(p, bytes);
}

}  // namespace

void free_elsewhere(void* pointer, std::size_t bytes) noexcept {
  const auto p = reinterpret_cast<std::uintptr_t>(pointer);
  open_unit& open = this_unit;
  // What was made last is often freed first: rows grow downwards as well. Relaxed: see open_unit.
  if (p + bytes == open.begin.load(std::memory_order_relaxed) && p > open.down) {
    open.begin.store(p, std::memory_order_relaxed);
    return;
  }
  free_slowly(p, bytes);
}

}  // namespace cleave::detail
