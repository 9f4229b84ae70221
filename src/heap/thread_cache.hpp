// thread_cache.hpp -- what a thread keeps to itself: free slots, free pages, counts.
//
// A magazine of slots per class, filled and emptied in batches of half its
// room, and for each order of pages a few ranges. The range that was freed last
// is apart: what is freed beside it joins it. So two halves of a run that are
// freed one after the other, or all its pages in turn, merge without a lock,
// and a request of the first size takes them again. No page has an owner: when a
// thread ends, its cache is emptied and the next thread uses it. What is too much for
// it goes to the shelves, from where other threads take it (shelves.hpp). One that takes a
// range longer than it needs cuts the next ones of its runs from the rest, the feed.
//
//   thread_cache& t = *this_cache;      // or no_cache, which has no room at all
//   t.give_pages(page, 64);
//   page_index p = t.take_pages(64, 6);
//
// A thread that has not used the heap yet, or is past its end, has no_cache:
// everything goes straight to the central lists. So frees in late destructors
// work, and cost a lock.
//
// Invariants (verify() checks them):
//   M1  A cached slot is free in no slab's map and its dead bytes are zero.
//   M2  A cached range (page, n) of order k has 2^(k-1) < n <= 2^k pages, begins
//       at a multiple of 2^k, is backed, and its pages' dead bytes are zero. The
//       same, but for order and place, holds for the range that was freed last and
//       for the feed.
#pragma once

#include <atomic>
#include <cleave/heap.hpp>
#include <cstddef>
#include <cstdint>

#include "heap/geometry.hpp"
#include "heap/size_class.hpp"

namespace cleave::heap {

// A value that one thread writes and others may look at. Relaxed throughout:
// whoever looks wants a momentary value, and nothing is published through it.
template <class T>
class observed {
 public:
  constexpr observed() noexcept = default;
  constexpr observed(T value) noexcept : value_(value) {}
  constexpr observed(const observed& other) noexcept : value_(T(other)) {}
  observed& operator=(const observed& other) noexcept { return *this = T(other); }
  observed& operator=(T value) noexcept {
    value_.store(value, std::memory_order_relaxed);
    return *this;
  }
  constexpr operator T() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<T> value_{};
};

struct slot_bin {
  observed<std::uintptr_t*> top;  // one past the newest slot
  std::uintptr_t* begin = nullptr;
  std::uintptr_t* end = nullptr;
};

struct page_range {
  page_index page = 0;
  observed<std::uint32_t> n;
};

struct page_bin {
  static constexpr unsigned most = 8;
  observed<std::uint32_t> count;
  std::uint32_t room = 0;
  page_range range[most];
};

// A count with one writer, or, with add_shared(), several. Relaxed as above.
class tally {
 public:
  void add(std::uint64_t n) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  void add_shared(std::uint64_t n) noexcept { value_.fetch_add(n, std::memory_order_relaxed); }
  std::uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

struct counts {
  tally allocated_bytes;
  tally freed_bytes;
  tally allocations;
  tally frees;
  tally extensions;
};

namespace detail {

// How many slots of a class a thread keeps: 60 KiB of a class at most, 0.9 MiB in all.
constexpr unsigned slots_kept(unsigned c) noexcept {
#if defined(CLEAVE_TINY_HEAP)
  return c == 0 ? 4 : 2;
#else
  return slot_size(c) <= 256 ? 64 : slot_size(c) <= 1024 ? 32 : 16;
#endif
}

// How many ranges of an order: at most 7 MiB in all.
constexpr unsigned ranges_kept(unsigned order) noexcept {
#if defined(CLEAVE_TINY_HEAP)
  return order < 2 ? 2 : 1;
#else
  return order <= 5 ? 8 : order <= 7 ? 4 : 2;
#endif
}

constexpr unsigned all_slots_kept() noexcept {
  unsigned sum = 0;
  for (unsigned c = 0; c < class_count; ++c) sum += slots_kept(c);
  return sum;
}

}  // namespace detail

class thread_cache {
 public:
  constexpr thread_cache() noexcept = default;

  // Gives the bins their room: all_slots_kept() addresses. Not for no_cache.
  void open(std::uintptr_t* room) noexcept;

  // One slot when the bin is empty, after a refill; 0 if there is no memory.
  std::uintptr_t refill(unsigned c) noexcept;
  // One slot when the bin is full, after half of it went to the slabs.
  void spill(unsigned c, std::uintptr_t slot) noexcept;

  void give_slot(unsigned c, std::uintptr_t slot) noexcept {
    slot_bin& bin = bins[c];
    if (std::uintptr_t* const top = bin.top; top != bin.end) [[likely]] {
      *top = slot;
      bin.top = top + 1;
    } else {
      spill(c, slot);
    }
  }

  // The first n pages of the range that was freed last, if it has them and no
  // more than twice as many; else no_page. They are aligned to pages only.
  page_index take_last(std::size_t n) noexcept {
    const std::uint32_t have = last.n;
    if (have < n || have / 2 >= n) return UINT32_MAX;
    const page_index page = last.page;
    last.page += static_cast<page_index>(n);
    last.n = have - static_cast<std::uint32_t>(n);
    return page;
  }
  // n pages aligned to 2^order >= n; no_page if there is no memory. A range
  // that is cached may be longer: what is left of it stays here.
  // Where any place will do, the range that was freed last may be made longer.
  page_index take_pages(std::size_t n, unsigned order, bool anywhere = false) noexcept;
  // Pages of any number, at any place.
  void give_pages(page_index page, std::size_t n) noexcept {
    const std::uint32_t have = last.n;
    if (have != 0 && have + n <= most_last) [[likely]] {
      const bool behind = last.page + have == page;
      if (behind || page + n == last.page) {
        if (!behind) last.page = page;
        last.n = have + static_cast<std::uint32_t>(n);
        return;
      }
    }
    replace_last(page, n);
  }

  // Gives everything to the central lists. The counts stay.
  void flush() noexcept;

  std::size_t cached_slots(unsigned c) const noexcept {
    return static_cast<std::size_t>(bins[c].top - bins[c].begin);
  }
  std::size_t cached_pages() const noexcept;

  // Counting is apart from no_cache's, which many threads share.
  void count_allocation(std::size_t bytes) noexcept;
  void count_frees(std::size_t bytes, std::uint64_t pieces) noexcept;
  void count_extension(std::size_t bytes) noexcept;

  slot_bin bins[class_count];
  page_range last;
  page_range feed;
  counts tallies;
  page_bin ranges[cached_orders];
  cleave::detail::open_unit* unit = nullptr;
  thread_cache* next = nullptr;
  thread_cache* previous = nullptr;

 private:
  static constexpr std::size_t most_last = std::size_t{1} << (cached_orders - 1);

  static void count_for_others(std::size_t allocated, std::uint64_t allocations, std::size_t freed,
                               std::uint64_t frees) noexcept;
  // From the bin of this order.
  page_index take_kept(std::size_t n, unsigned order) noexcept;
  page_index take_from_feed(std::size_t n, unsigned order, bool anywhere) noexcept;
  // From the shelf of this order, with more for the bin; or from a larger one, as the feed.
  page_index take_from_shelves(std::size_t n, unsigned order) noexcept;
  // The range that was freed last and the free pages behind it, n in all, or no_page.
  page_index take_last_and_more(std::size_t n) noexcept;
  void replace_last(page_index page, std::size_t n) noexcept;
  void keep(page_index page, std::size_t n) noexcept;
  void keep_block(page_index page, unsigned order, std::uint32_t n) noexcept;
  // Gives the older half of a full bin away.
  void make_room(unsigned order) noexcept;

  std::uint32_t spills_ = 0;  // calls of make_room()
};

extern constinit thread_cache no_cache;

inline void thread_cache::count_allocation(std::size_t bytes) noexcept {
  if (this == &no_cache) [[unlikely]]
    return count_for_others(bytes, 1, 0, 0);
  tallies.allocated_bytes.add(bytes);
  tallies.allocations.add(1);
}

inline void thread_cache::count_frees(std::size_t bytes, std::uint64_t pieces) noexcept {
  if (this == &no_cache) [[unlikely]]
    return count_for_others(0, 0, bytes, pieces);
  tallies.freed_bytes.add(bytes);
  tallies.frees.add(pieces);
}

#if defined(__GNUC__)
// Initial-exec: one load on the hot path; eight bytes fit into any program's
// static thread storage, also when the library is loaded late.
extern thread_local constinit thread_cache* this_cache __attribute__((tls_model("initial-exec")));
#else
extern thread_local constinit thread_cache* this_cache;
#endif

namespace caches {

// The cache of this thread, made now if it has none. no_cache when there is no
// memory for one, or when the thread is past its end.
thread_cache& of_this_thread() noexcept;

// Once.
void start() noexcept;

// Calls f(cache) for each thread's cache, under the registry's lock.
template <typename F>
void for_each(F f) noexcept;

// What threads that have ended counted, and threads without a cache count.
counts& of_others() noexcept;

// Around fork(): the registry's lock is held in between; the child keeps the
// cache of its one thread. Others may be in the middle of a change, so what
// they hold is lost to the child.
void lock() noexcept;
void unlock() noexcept;
void after_fork_in_child() noexcept;

thread_cache* first() noexcept;  // under lock()

// True in a child after fork() if there were other threads: what they had is in use for ever.
bool lost() noexcept;

}  // namespace caches

template <typename F>
void caches::for_each(F f) noexcept {
  lock();
  for (thread_cache* t = first(); t != nullptr; t = t->next) f(*t);
  unlock();
}

}  // namespace cleave::heap
