// arena.hpp -- the free pages of one arena, as a buddy system without links.
//
// A free block is 2^k pages aligned to its size; its buddy is its number XOR
// its size. For each order there is one set of free blocks, a bitmap with
// summaries, so freeing touches no free memory, the lowest block comes first,
// and 64 MiB of pages need 4 KiB of tables (docs/decisions/0002-bitmaps-for-free-blocks.md).
//
//   arena& a = ...;                          // 2^arena_order pages, all free
//   std::lock_guard guard(a.lock);
//   std::size_t p = a.take(25, 5);           // 25 pages, aligned to 32; 7 stay free
//   a.give(p, 10);  a.give(p + 10, 15);      // merged with all their free neighbours
//
// An arena also knows which of its pages the system may have memory behind
// (backed), which can be accessed at all (in steps of 2^commit_order pages), and
// in which chunks something was freed lately. It makes no system call: page_heap
// does, outside the lock.
//
// Page numbers are relative to the arena. All functions want `lock` held;
// none fails except by saying so.
//
// Invariants (check() tests them):
//   B1  A free block of order k lies at a multiple of 2^k, inside the arena.
//   B2  Free blocks do not overlap.
//   B3  Two buddies are never both free: they are one block of the next order.
//   B4  free_pages() is the sum of all free blocks.
//   B5  backed_pages() is the number of backed pages; a backed page is accessible.
//   B6  A page that is not free is backed, unless it is in transit to or from page_heap.
//   B7  idle_pages() is the number of free pages that are backed.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/index_set.hpp"
#include "heap/geometry.hpp"
#include "heap/lock.hpp"

namespace cleave::heap {

namespace detail {

constexpr std::size_t words(std::size_t bits) noexcept {
  return (bits + 63) / 64;
}

// The words that the free sets of all orders need together.
constexpr std::size_t leaf_sum() noexcept {
  std::size_t sum = 0;
  for (unsigned k = 0; k < orders; ++k) sum += base::index_set::leaf_words(arena_pages >> k);
  return sum;
}
constexpr std::size_t middle_sum() noexcept {
  std::size_t sum = 0;
  for (unsigned k = 0; k < orders; ++k) sum += base::index_set::middle_words(arena_pages >> k);
  return sum;
}

}  // namespace detail

class arena {
 public:
  // On zeroed memory only: new (zeroed) arena.
  arena() noexcept {}

  static constexpr std::size_t none = SIZE_MAX;

  // What it is for.
  struct kind {
    bool huge = false;       // runs that want huge pages
    std::uint16_t node = 0;  // threads near this node of memory
    bool shared = false;     // a device, and nobody else (shared.hpp)
    friend bool operator==(kind, kind) = default;
  };

  // Once, before the first use: pages [first, pages) are free, nothing is accessible. Those below
  // `first` are nobody's. The system's own pages are 2^system_order of ours, at most a chunk.
  void open(std::size_t pages, kind of, unsigned system_order = 0, std::size_t first = 0) noexcept;

  // The same arena with another end. Requires: wholly_free(), and nothing is backed.
  void resize(std::size_t pages) noexcept;

  // While it is pinned, no memory goes back to the system. May be asked without the lock.
  void pin(bool yes) noexcept { pinned_.store(yes, std::memory_order_relaxed); }
  bool is_pinned() const noexcept {
    // Relaxed: a hint without the lock, and exact under it.
    return pinned_.load(std::memory_order_relaxed);
  }

  // Takes n pages aligned to 2^order >= n pages; the rest of the block stays free.
  // The fullest fit with the lowest address; or, where memory is missing there, the next that
  // is the first of its order and has it. O(order), and O(order * n / 64) in the second case.
  // `none` if there is no such block.
  std::size_t take(std::size_t n, unsigned order) noexcept;

  // How many pages from this one on are free, counted up to n of them. O(blocks in them).
  std::size_t free_from(std::size_t page, std::size_t n) const noexcept;

  // Takes exactly [page, page + n), if all of it is free. O(blocks in it).
  bool claim(std::size_t page, std::size_t n) noexcept;

  // Frees [page, page + n) and merges. O(log n + merges).
  void give(std::size_t page, std::size_t n) noexcept;

  // Whether a block of this order may be found. May be asked without the lock;
  // the answer then is as old as the last call that has ended.
  bool may_have(unsigned order) const noexcept {
    // It is set when a call ends, since a block that is being split or merged is in no set
    // meanwhile. Acquire: who does not take the lock because of it sees why there is nothing,
    // for example that blocks are in transit (transit.hpp).
    return (orders_.load(std::memory_order_acquire) >> order) != 0;
  }

  std::size_t pages() const noexcept { return pages_; }
  std::size_t first() const noexcept { return first_; }
  kind of() const noexcept { return kind_; }
  std::size_t free_pages() const noexcept { return free_; }
  std::size_t backed_pages() const noexcept { return backed_count_; }
  // Memory that is held for nothing: backed pages that are free. A hint without the lock.
  std::size_t idle_pages() const noexcept {
    // Relaxed: a hint that decides only when memory is returned.
    return idle_.load(std::memory_order_relaxed);
  }
  // Counts a call that changed the arena; true for every 64th.
  bool every_64th() noexcept { return (++changes_ & 63) == 0; }
  bool wholly_free() const noexcept { return free_ == pages_ - first_; }
  std::size_t free_blocks(unsigned order) const noexcept {
    return sets_[order].count(arena_pages >> order);
  }

  // How many pages of the range are not backed.
  std::size_t unbacked_in(std::size_t page, std::size_t n) const noexcept;
  // What the first touch of a range may put memory behind: all of the system's pages, or with
  // huge pages all of those, that it lies in.
  struct range {
    std::size_t page = 0;
    std::size_t n = 0;
  };
  range backing_of(std::size_t page, std::size_t n) const noexcept;
  // Marks backing_of() a range that the caller has taken out.
  void mark_backed(std::size_t page, std::size_t n) noexcept;
  // Of pages that the caller has taken out; how many were backed.
  std::size_t clear_backed(std::size_t page, std::size_t n) noexcept;

  // The part of [page, page + n) that must be made accessible first, rounded
  // to commit steps; {0, 0} if there is none.
  range inaccessible_in(std::size_t page, std::size_t n) const noexcept;
  // The same with room for growth behind it, up to `more` pages.
  range with_room(range wanted, std::size_t more) const noexcept;
  // Returns how many pages became accessible that were not.
  std::size_t mark_accessible(range made) noexcept;

  // Takes out the next free block, the largest first, that has something to
  // return to the system: backed pages, and with `expired` only in chunks where
  // nothing was freed since forget_ages(). The caller returns the parts of it,
  // clears them, and gives the block back.
  struct cursor {
    unsigned orders_left = orders;
    std::size_t block = 0;
  };
  bool take_idle(cursor& at, bool expired, range& block) noexcept;
  // The next part, at or after `from`, of a block that take_idle() took.
  range idle_part(range block, std::size_t from, bool expired) const noexcept;
  // Gives back what take_idle() took, without making it recent.
  void put_back(range block) noexcept;
  void forget_ages() noexcept;

  // nullptr, or the invariant that does not hold.
  const char* check(bool lost = false) const noexcept;
  bool is_free(std::size_t page) const noexcept { return block_over(page) != none; }

  ranked_lock lock{rank::arena};

 private:
  static constexpr std::size_t page_words = detail::words(arena_pages);
  static constexpr std::size_t chunk_words = detail::words(arena_pages >> chunk_order);
  static constexpr std::size_t step_words = detail::words(arena_pages >> commit_order);

  void insert(std::size_t page, unsigned order) noexcept;
  void erase(std::size_t page, unsigned order) noexcept;
  // Adds aligned blocks that cover [page, page + n) and have no free buddies.
  void insert_range(std::size_t page, std::size_t n) noexcept;
  void merge_range(std::size_t page, std::size_t n) noexcept;
  void give_block(std::size_t page, unsigned order) noexcept;
  // The order of the free block that covers a page, or none.
  std::size_t block_over(std::size_t page) const noexcept;
  void touch(std::size_t page, std::size_t n) noexcept;
  std::size_t backed_in(std::size_t page, std::size_t n) const noexcept {
    return n - unbacked_in(page, n);
  }
  std::size_t free_unbacked_in(std::size_t page, std::size_t n) const noexcept;
  // Pages have left the sets, or come back to them: what is known of them follows.
  void count_taken(std::size_t page, std::size_t n) noexcept;
  void count_given(std::size_t page, std::size_t n) noexcept;
  // Relaxed: written under the lock only, see idle_pages().
  void add_idle(std::size_t n) noexcept {
    idle_.store(idle_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  void subtract_idle(std::size_t n) noexcept {
    idle_.store(idle_.load(std::memory_order_relaxed) - n, std::memory_order_relaxed);
  }
  std::uint64_t returnable(std::size_t word, bool expired) const noexcept;

  std::uint32_t listed_ = 0;               // bit k: there is a free block of order k
  base::atomic<std::uint32_t> orders_{0};  // the same, for those without the lock
  std::atomic<std::size_t> idle_{0};
  std::atomic<bool> pinned_{false};
  std::uint64_t changes_ = 0;
  std::size_t pages_ = 0;
  std::size_t first_ = 0;
  std::size_t free_ = 0;
  std::size_t backed_count_ = 0;
  kind kind_;
  std::uint8_t system_order_ = 0;
  std::uint8_t together_ = 0;  // a touch puts memory behind this order of pages
  base::index_set sets_[orders];
  // Not initialised: an arena is made on memory that the system has zeroed, and
  // writing zeros would make 100 KiB of tables resident for nothing.
  std::uint64_t full_[detail::words(page_words)];  // bit w: all 64 pages of word w are backed
  std::uint64_t accessible_[step_words];
  std::uint64_t middle_[detail::middle_sum()];
  std::uint64_t recent_[chunk_words];
  std::uint64_t backed_[page_words];
  std::uint64_t leaf_[detail::leaf_sum()];
};

}  // namespace cleave::heap
