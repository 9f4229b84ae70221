#include "heap/slab.hpp"
#include "heap/arenas.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <new>
#include <optional>

#include "base/atomic.hpp"
#include "base/check.hpp"
#include "heap/lock.hpp"
#include "heap/page_heap.hpp"
#include "heap/transit.hpp"

namespace cleave::heap::slabs {
namespace {

// Each class has a line of its own, so that classes do not disturb each other.
struct alignas(64) central {
  ranked_lock lock{rank::slabs};
  slab* partial = nullptr;  // slabs with a free slot
  slab* unused = nullptr;   // descriptors without a slab
  unsigned empty = 0;       // slabs of the list that are wholly free
  std::size_t count = 0;
};

constinit central classes[class_count];

void link(central& of, slab* s) noexcept {
  s->previous = nullptr;
  s->next = of.partial;
  if (of.partial != nullptr) of.partial->previous = s;
  of.partial = s;
}

void unlink(central& of, slab* s) noexcept {
  (s->previous != nullptr ? s->previous->next : of.partial) = s->next;
  if (s->next != nullptr) s->next->previous = s->previous;
}

// Makes a slab of new pages. False if there is no memory; nothing has changed.
bool make(unsigned c) noexcept {
  central& of = classes[c];
  slab* s = nullptr;
  {
    const std::lock_guard guard(of.lock);
    s = of.unused;
    if (s != nullptr) of.unused = s->next;
  }
  if (s == nullptr) s = static_cast<slab*>(tables.allocate(slab::bytes(c)));
  if (s == nullptr) return false;
  const page_index page = page_heap::take(slab_pages, slab_order);
  const std::lock_guard guard(of.lock);
  new (s) slab;
  if (page == page_heap::no_page) {
    s->next = of.unused;
    of.unused = s;
    return false;
  }
  const std::uint32_t slots = size_classes[c].slots;
  s->page = page;
  s->free_count = slots;
  std::fill_n(s->map(), slab::map_words(c), ~std::uint64_t{0});
  if (slots % 64 != 0) s->map()[slots / 64] = (std::uint64_t{1} << slots % 64) - 1;
  tables.slab_at[page >> slab_order] =
      static_cast<std::uint32_t>((reinterpret_cast<std::uintptr_t>(s) - tables.pool) / 64);
  std::fill_n(tables.kind + page, slab_pages, static_cast<std::uint8_t>(c + 1));
  tables.mark_slab(page, true);
  link(of, s);
  ++of.empty;
  ++of.count;
  return true;
}

// Takes a wholly free slab out of its class. Requires the lock; the caller
// gives the pages back after it has let go of the lock.
page_index dissolve(central& of, slab* s) noexcept {
  const page_index page = s->page;
  unlink(of, s);
  --of.empty;
  --of.count;
  std::fill_n(tables.kind + page, slab_pages, std::uint8_t{0});
  tables.mark_slab(page, false);
  s->next = of.unused;
  of.unused = s;
  return page;
}

unsigned take_from(central& of, slab* s, unsigned c, std::uintptr_t* slots, unsigned n) noexcept {
  base::touched(s);
  const std::size_t size = slot_size(c);
  const std::uintptr_t base = tables.address_of(s->page);
  const auto* const dead = s->dead(c);
  if (s->free_count == size_classes[c].slots) --of.empty;
  unsigned got = 0;
  for (std::size_t w = 0; got < n && s->free_count > 0; ++w) {
    std::uint64_t& word = s->map()[w];
    while (word != 0 && got < n) {
      const auto b = static_cast<std::size_t>(std::countr_zero(word));
      word &= word - 1;
      // A slot of which a part was freed again lies here with that part counted, and its next
      // owner's first piece would free all of it. Relaxed: it was 0 when it came, under the lock.
      CLEAVE_CHECK(dead[w * 64 + b].load(std::memory_order_relaxed) == 0, "bytes were freed twice");
      slots[got++] = base + (w * 64 + b) * size;
      --s->free_count;
    }
  }
  if (s->free_count == 0) unlink(of, s);
  return got;
}

}  // namespace

unsigned take(unsigned c, std::uintptr_t* slots, unsigned n) noexcept {
  central& of = classes[c];
  for (;;) {
    {
      const std::lock_guard guard(of.lock);
      unsigned got = 0;
      while (got < n && of.partial != nullptr) {
        got += take_from(of, of.partial, c, slots + got, n - got);
      }
      if (got > 0) return got;
    }
    if (!make(c)) return 0;
  }
}

void give(unsigned c, const std::uintptr_t* slots, unsigned n) noexcept {
  central& of = classes[c];
  for (unsigned i = 0; i < n;) {
    page_index whole = page_heap::no_page;
    {
      const std::lock_guard guard(of.lock);
      while (i < n && whole == page_heap::no_page) {
        const page_index page = tables.page_of(slots[i]);
        slab* const s = slab_of(page);
        const auto offset = static_cast<std::uint32_t>(slots[i] - tables.address_of(s->page));
        const std::uint32_t number = slot_number(c, offset);
        const std::uint64_t bit = std::uint64_t{1} << (number & 63);
        CLEAVE_CHECK((s->map()[number >> 6] & bit) == 0, "a slot was freed twice");
        base::touched(s);
        s->map()[number >> 6] |= bit;
        if (s->free_count++ == 0) link(of, s);
        if (s->free_count == size_classes[c].slots && ++of.empty > kept_empty) {
          whole = dissolve(of, s);
        }
        ++i;
      }
    }
    if (whole != page_heap::no_page) page_heap::give(whole, slab_pages);
  }
}

void purge() noexcept {
  for (unsigned c = 0; c < class_count; ++c) {
    central& of = classes[c];
    for (;;) {
      // Another thread that is short of memory may look for just this slab.
      std::optional<transit> moving;
      page_index whole = page_heap::no_page;
      {
        const std::lock_guard guard(of.lock);
        slab* s = of.empty > 0 ? of.partial : nullptr;
        while (s != nullptr && s->free_count != size_classes[c].slots) s = s->next;
        if (s != nullptr) {
          moving.emplace();
          whole = dissolve(of, s);
        }
      }
      if (whole == page_heap::no_page) break;
      page_heap::give(whole, slab_pages);
    }
  }
}

usage use_of(unsigned c) noexcept {
  central& of = classes[c];
  const std::lock_guard guard(of.lock);
  usage sum{of.count, 0};
  for (const slab* s = of.partial; s != nullptr; s = s->next) sum.free_slots += s->free_count;
  return sum;
}

void lock_all() noexcept {
  for (central& of : classes) of.lock.lock();
}

void unlock_all() noexcept {
  for (unsigned c = class_count; c-- > 0;) classes[c].lock.unlock();
}

const char* check(totals& sum, bool lost) noexcept {
  std::size_t listed[class_count]{};
  for (unsigned c = 0; c < class_count; ++c) {
    central& of = classes[c];
    const std::lock_guard guard(of.lock);
    unsigned empty = 0;
    const slab* before = nullptr;
    for (const slab* s = of.partial; s != nullptr; before = s, s = s->next) {
      if (s->previous != before) return "S2: the list of slabs is damaged";
      if (s->free_count == 0) return "S2: a full slab is listed";
      if (tables.kind[s->page] != c + 1) return "S2: a slab of another class is listed";
      empty += s->free_count == size_classes[c].slots ? 1 : 0;
      ++listed[c];
    }
    if (empty != of.empty) return "S4: the count of empty slabs is wrong";
    if (empty > kept_empty) return "S4: too many empty slabs are kept";
  }
  std::size_t found[class_count]{};
  for (page_index page = 0; page < tables.pages; page += slab_pages) {
    const std::size_t a = page >> arena_order;
    if (arenas::opened(a) == nullptr) {
      page += static_cast<page_index>(arena_pages - slab_pages);
      continue;
    }
    if (tables.kind[page] == 0) continue;
    const unsigned c = tables.kind[page] - 1u;
    slab* const s = slab_of(page);
    if (s->page != page) return "S1: a slab's descriptor names other pages";
    for (std::size_t p = 0; p < slab_pages; ++p) {
      if (tables.kind[page + p] != c + 1) return "T2: the pages of a slab differ in kind";
    }
    std::uint32_t free_slots = 0;
    for (std::uint32_t i = 0; i < size_classes[c].slots; ++i) {
      const bool is_free = (s->map()[i >> 6] >> (i & 63)) & 1;
      // Relaxed: no other thread is inside.
      const std::uint16_t dead = s->dead(c)[i].load(std::memory_order_relaxed);
      if (is_free && dead != 0) return "S3: a free slot has dead bytes";
      if (dead >= slot_size(c) + lost) return "S3: a dead slot was not freed";
      free_slots += is_free ? 1 : 0;
      sum.dead_bytes += dead;
    }
    if (free_slots != s->free_count) return "S1: a slab's count of free slots is wrong";
    found[c] += free_slots > 0 ? 1 : 0;
    sum.free_bytes += free_slots * slot_size(c);
    sum.slot_bytes += size_classes[c].slots * slot_size(c);
    sum.pages += slab_pages;
  }
  for (unsigned c = 0; c < class_count; ++c) {
    if (found[c] != listed[c]) return "S2: a slab with free slots is not listed";
  }
  return nullptr;
}

}  // namespace cleave::heap::slabs
