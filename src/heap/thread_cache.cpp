#include "heap/thread_cache.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <new>

#include "base/bits.hpp"
#include "base/check.hpp"
#include "heap/arenas.hpp"
#include "heap/checked.hpp"
#include "heap/lock.hpp"
#include "heap/page_heap.hpp"
#include "heap/purger.hpp"
#include "heap/shelves.hpp"
#include "heap/slab.hpp"
#include "heap/tables.hpp"
#include "heap/trace_recorder.hpp"
#include "heap/unit.hpp"
#include "os/thread.hpp"

namespace cleave::heap {

constinit thread_cache no_cache;
thread_local constinit thread_cache* this_cache = &no_cache;

void thread_cache::open(std::uintptr_t* room) noexcept {
  std::uintptr_t* at = room;
  for (unsigned c = 0; c < class_count; ++c) {
    bins[c] = {at, at, at + detail::slots_kept(c)};
    at += detail::slots_kept(c);
  }
  for (unsigned k = 0; k < cached_orders; ++k) ranges[k].room = detail::ranges_kept(k);
}

std::uintptr_t thread_cache::refill(unsigned c) noexcept {
  slot_bin& bin = bins[c];
  if (bin.begin == bin.end) {
    std::uintptr_t one = 0;
    return slabs::take(c, &one, 1) == 1 ? one : 0;
  }
  const auto half = static_cast<unsigned>(bin.end - bin.begin + 1) / 2;
  const unsigned got = slabs::take(c, bin.begin, half);
  if (got == 0) return 0;
  // The lowest address comes out first, so that neighbours are handed out in order.
  std::reverse(bin.begin, bin.begin + got);
  bin.top = bin.begin + got - 1;
  return bin.begin[got - 1];
}

void thread_cache::spill(unsigned c, std::uintptr_t slot) noexcept {
  slot_bin& bin = bins[c];
  const auto half = static_cast<unsigned>(bin.end - bin.begin + 1) / 2;
  if (half > 0) {
    // The oldest go; the newest are still in the processor's cache.
    slabs::give(c, bin.begin, half);
    std::uintptr_t* top = bin.top;
    top = std::copy(bin.begin + half, top, bin.begin);
    *top = slot;
    bin.top = top + 1;
    return;
  }
  slabs::give(c, &slot, 1);
}

page_index thread_cache::take_pages(std::size_t n, unsigned order, bool anywhere) noexcept {
  const bool small = order < cached_orders;
  page_index page = page_heap::no_page;
  if (small) page = take_kept(n, order);
  if (small && page == page_heap::no_page) page = take_from_feed(n, order, anywhere);
  if (anywhere && page == page_heap::no_page) page = take_last_and_more(n);
  if (small && page == page_heap::no_page) page = take_from_shelves(n, order);
  return page != page_heap::no_page ? page : page_heap::take(n, order);
}

page_index thread_cache::take_kept(std::size_t n, unsigned order) noexcept {
  page_bin& bin = ranges[order];
  for (std::uint32_t i = bin.count; i-- > 0;) {
    const page_range found = bin.range[i];
    if (found.n < n) continue;
    bin.count = bin.count - 1;
    bin.range[i] = bin.range[bin.count];
    if (found.n > n) keep(found.page + static_cast<page_index>(n), found.n - n);
    return found.page;
  }
  return page_heap::no_page;
}

page_index thread_cache::take_from_feed(std::size_t n, unsigned order, bool anywhere) noexcept {
  const page_index page = feed.page;
  const std::uint32_t have = feed.n;
  if (have < n || (!anywhere && (page & ((page_index{1} << order) - 1)) != 0)) {
    return page_heap::no_page;
  }
  feed = {page + static_cast<page_index>(n), have - static_cast<std::uint32_t>(n)};
  return page;
}

page_index thread_cache::take_from_shelves(std::size_t n, unsigned order) noexcept {
  if (this == &no_cache) return page_heap::no_page;
  for (std::uint32_t larger = shelves::stocked() >> order; larger != 0; larger &= larger - 1) {
    const unsigned k = order + static_cast<unsigned>(std::countr_zero(larger));
    const page_range found = shelves::take(k, n);
    if (found.n == 0) continue;
    const page_index rest = found.page + static_cast<page_index>(n);
    if (k > order) {
      const page_range before = feed;
      feed = {rest, found.n - static_cast<std::uint32_t>(n)};
      if (before.n != 0) keep(before.page, before.n);
      return found.page;
    }
    if (found.n > n) keep(rest, found.n - n);
    // Several at a time: the line that the shelf is does not come again for each.
    for (page_bin& bin = ranges[order]; bin.count < bin.room / 2;) {
      const page_range more = shelves::take(order, n);
      if (more.n == 0) break;
      bin.range[bin.count] = more;
      bin.count = bin.count + 1;
    }
    return found.page;
  }
  return page_heap::no_page;
}

// A run of which a piece at the front was kept leaves less than the next one of its size
// needs. Behind it there is often room, and most of its memory is used again.
page_index thread_cache::take_last_and_more(std::size_t n) noexcept {
  const page_index page = last.page;
  const std::uint32_t have = last.n;
  if (have >= n || have < n - have || !page_heap::claim_listed(page + have, n - have)) {
    return page_heap::no_page;
  }
  last.n = 0;
  return page;
}

void thread_cache::keep_block(page_index page, unsigned order, std::uint32_t n) noexcept {
  // A full block merges with the newest of its order when they are buddies:
  // the halves of one run, freed one after the other.
  while (order < cached_orders && n == 1u << order) {
    page_bin& bin = ranges[order];
    if (bin.count == 0) break;
    const page_range newest = bin.range[bin.count - 1];
    if (newest.n != n || newest.page != (page ^ n)) break;
    bin.count = bin.count - 1;
    page &= ~n;
    n *= 2;
    ++order;
  }
  if (order >= cached_orders || ranges[order].room == 0) {
    page_heap::give(page, n);
    return;
  }
  page_bin& bin = ranges[order];
  if (bin.count == bin.room) make_room(order);
  bin.range[bin.count] = {page, n};
  bin.count = bin.count + 1;
}

void thread_cache::make_room(unsigned order) noexcept {
  page_bin& bin = ranges[order];
  const std::uint32_t half = (bin.room + 1) / 2;
  {
    page_heap::giving rest;
    for (std::uint32_t i = shelves::put(order, bin.range, half); i < half; ++i) {
      rest.give(bin.range[i].page, bin.range[i].n);
    }
  }
  std::copy(bin.range + half, bin.range + bin.count, bin.range);
  bin.count = bin.count - half;
  // What lies on a shelf is to go back to the system like all that is free. Last, since a round may
  // run here.
  purger::freed(++spills_ % 64 == 0);
}

void thread_cache::replace_last(page_index page, std::size_t n) noexcept {
  if (n > most_last || this == &no_cache || arenas::is_shared(page)) {
    page_heap::give(page, n);
    return;
  }
  CLEAVE_CHECK(page - last.page >= last.n, "pages were freed twice");
  const page_range before = last;
  last = {page, static_cast<std::uint32_t>(n)};
  if (before.n != 0) keep(before.page, before.n);
}

// Sorts a range into the bins.
void thread_cache::keep(page_index page, std::size_t n) noexcept {
  while (n > 0) {
    const unsigned above = base::ceil_log2(n);
    // What would bypass the bins anyway goes in one piece, and what is far away to its node.
    if (above >= cached_orders || !page_heap::is_near(page)) {
      page_heap::give(page, n);
      return;
    }
    // A range of an uneven number of pages stays one when it lies well, so
    // that the same request finds it again.
    if ((page & ((page_index{1} << above) - 1)) == 0) {
      keep_block(page, above, static_cast<std::uint32_t>(n));
      return;
    }
    const unsigned order =
        std::min(base::floor_log2(n), static_cast<unsigned>(std::countr_zero(page)));
    keep_block(page, order, 1u << order);
    page += 1u << order;
    n -= std::size_t{1} << order;
  }
}

void thread_cache::flush() noexcept {
  for (unsigned c = 0; c < class_count; ++c) {
    slot_bin& bin = bins[c];
    if (bin.top == bin.begin) continue;
    const auto n = static_cast<unsigned>(bin.top - bin.begin);
    bin.top = bin.begin;
    slabs::give(c, bin.begin, n);
  }
  page_heap::giving all;
  for (page_range* const apart : {&last, &feed}) {
    if (apart->n != 0) all.give(apart->page, apart->n);
    *apart = {};
  }
  for (page_bin& bin : ranges) {
    while (bin.count > 0) {
      bin.count = bin.count - 1;
      const page_range newest = bin.range[bin.count];
      all.give(newest.page, newest.n);
    }
  }
}

std::size_t thread_cache::cached_pages() const noexcept {
  std::size_t sum = last.n + feed.n;
  for (const page_bin& bin : ranges) {
    for (std::uint32_t i = 0; i < bin.count; ++i) sum += bin.range[i].n;
  }
  return sum;
}

void thread_cache::count_for_others(std::size_t allocated, std::uint64_t allocations,
                                    std::size_t freed, std::uint64_t frees) noexcept {
  counts& others = caches::of_others();
  others.allocated_bytes.add_shared(allocated);
  others.allocations.add_shared(allocations);
  others.freed_bytes.add_shared(freed);
  others.frees.add_shared(frees);
}

void thread_cache::count_extension(std::size_t bytes) noexcept {
  if (this != &no_cache) {
    tallies.allocated_bytes.add(bytes);
    tallies.extensions.add(1);
  } else {
    caches::of_others().allocated_bytes.add_shared(bytes);
    caches::of_others().extensions.add_shared(1);
  }
}

namespace caches {
namespace {

constinit ranked_lock registry_lock{rank::registry};
constinit thread_cache* live = nullptr;
constinit thread_cache* unused = nullptr;
constinit counts others;
// A thread has no cache before its end is sure to be noticed, and none after it.
thread_local constinit bool without_cache = false;
constinit bool others_lost = false;

void add_to_others(const thread_cache& t) noexcept {
  const counts& more = t.tallies;
  // Relaxed: see open_unit.
  const std::uint64_t reuses = t.unit->reuses.load(std::memory_order_relaxed);
  others.allocated_bytes.add_shared(more.allocated_bytes.get());
  others.freed_bytes.add_shared(more.freed_bytes.get());
  others.allocations.add_shared(more.allocations.get() + reuses);
  others.frees.add_shared(more.frees.get() + reuses);
  others.extensions.add_shared(more.extensions.get());
}

// The last act of a thread, after its thread-local objects are gone.
void leave() noexcept {
  tracing::thread_ends();
  thread_cache& t = *this_cache;
  without_cache = true;
  if (&t == &no_cache) return;
  unit::close(t);
  t.flush();
  // Nothing of it is to keep the pages of others from merging.
  shelves::give_back();
  this_cache = &no_cache;
  const std::lock_guard guard(registry_lock);
  add_to_others(t);
  (t.previous != nullptr ? t.previous->next : live) = t.next;
  if (t.next != nullptr) t.next->previous = t.previous;
  t.next = unused;
  unused = &t;
}

}  // namespace

thread_cache& of_this_thread() noexcept {
  if (this_cache != &no_cache || without_cache || checked::watching()) return *this_cache;
  // The system may allocate here to note it, from this very heap.
  without_cache = true;
  if (!os::arm_thread_exit()) return no_cache;
  without_cache = false;
  void* place = nullptr;
  {
    const std::lock_guard guard(registry_lock);
    place = unused;
    if (unused != nullptr) unused = unused->next;
  }
  // The bins' room lies behind the cache, and becomes resident as it is used.
  constexpr std::size_t room = detail::all_slots_kept() * sizeof(std::uintptr_t);
  if (place == nullptr) place = tables.allocate(sizeof(thread_cache) + room);
  if (place == nullptr) return no_cache;
  thread_cache* const t = new (place) thread_cache;
  t->open(reinterpret_cast<std::uintptr_t*>(t + 1));
  t->unit = &cleave::detail::this_unit;
  {
    const std::lock_guard guard(registry_lock);
    t->next = live;
    if (live != nullptr) live->previous = t;
    live = t;
  }
  this_cache = t;
  return *t;
}

void start() noexcept {
  os::at_thread_exit(leave);
}

counts& of_others() noexcept {
  return others;
}

void lock() noexcept {
  registry_lock.lock();
}

void unlock() noexcept {
  registry_lock.unlock();
}

void after_fork_in_child() noexcept {
  thread_cache* const mine = this_cache == &no_cache ? nullptr : this_cache;
  // Threads without a cache may have been in the middle of something as well.
  if (checked::watching()) others_lost = true;
  for (thread_cache* t = live; t != nullptr; t = t->next) {
    if (t == mine) continue;
    others_lost = true;
    add_to_others(*t);
    // What its open unit has not told is freed all the same.
    others.freed_bytes.add_shared(unit::untold(*t->unit));
  }
  live = mine;
  if (mine != nullptr) mine->next = mine->previous = nullptr;
}

thread_cache* first() noexcept {
  return live;
}

bool lost() noexcept {
  return others_lost;
}

}  // namespace caches
}  // namespace cleave::heap
