// page_heap.hpp -- all arenas together: which one serves, what is held, what goes back.
//
//   const page_index p = page_heap::take(25, 5);   // 25 pages aligned to 32, or no_page
//   page_heap::give(p, 25);
//
// Large runs that want huge pages and small ones live in different arenas, so
// that the wish for huge pages is one property of a whole arena and costs no
// mappings. So is the node of memory, where the machine has several: a thread takes pages
// from arenas of the node that it runs on, and touches them first. Runs larger than an arena take
// consecutive arenas.
//
// No lock is held over a call of the system (heap/lock.hpp): what a call works on is taken out
// first, is nobody's while it lasts ("in transit", heap/transit.hpp), and an allocation that
// finds nothing meanwhile waits for it to come back.
//
// Arenas that a device shares (shared.hpp) are none of those that serve here. Their pages come
// back here like all others and go to them at once.
//
// Invariants (verify() in verify.cpp checks them when no thread is inside):
//   P1  held() is the sum of backed pages of all arenas, in bytes, and never
//       exceeds the limit by an allocation.
//   P2  Pages in transit belong to the thread that took them out.
#pragma once

#include <cleave/heap.hpp>
#include <cstddef>
#include <cstdint>

#include "heap/geometry.hpp"

namespace cleave::heap {
class arena;
}

namespace cleave::heap::page_heap {

inline constexpr page_index no_page = UINT32_MAX;

// Once, after tables.start().
void start(const options& chosen) noexcept;

// n pages aligned to 2^order pages, where 2^order >= n unless n exceeds an
// arena. Accessible and backed. Error: no_page, everything unchanged.
page_index take(std::size_t n, unsigned order) noexcept;

// n pages, aligned to pages only, at the begin of the last arena: where that is
// shorter than the others, it may have them and yet no block that holds them.
page_index take_short_arena(std::size_t n) noexcept;

// Whether the page's arena is of the node that this thread runs on. About 20 ns, or nothing
// where there is one node. Requires: the page's arena is open, and the caller has seen that.
bool is_near(page_index page) noexcept;

// Whether arenas may ask for huge pages.
bool may_want_huge() noexcept;

// Pages that nobody uses any more, also over the borders of arenas.
void give(page_index page, std::size_t n) noexcept;

// Gives several ranges back, each as give() does, under one lock as long as small ones that
// follow each other lie in one arena. Between two gives the thread calls nothing else.
class giving {
 public:
  giving() noexcept = default;
  giving(const giving&) = delete;
  giving& operator=(const giving&) = delete;
  ~giving() { end(); }

  void give(page_index page, std::size_t n) noexcept;

 private:
  void end() noexcept;

  arena* locked_ = nullptr;
  bool look_ = false;
};

// Takes exactly these pages if all are free.
bool claim(page_index page, std::size_t n) noexcept;
// The same without the pages that wait here for a request of their size.
bool claim_listed(page_index page, std::size_t n) noexcept;

// Returns all idle memory to the system, or what is older than the delay.
void purge() noexcept;
void purge_expired() noexcept;
// Returns the idle memory of one arena.
void purge_arena_of(page_index page) noexcept;

std::size_t held() noexcept;
// Backed pages that are free: what a purge could return.
std::size_t idle_pages() noexcept;
// Pages that wait here for a request of their size.
std::size_t cached_pages() noexcept;
void set_held_limit(std::size_t bytes) noexcept;
// What has been made accessible, in bytes.
std::size_t committed() noexcept;

// Adds the page heap's part.
void add_statistics(statistics& s) noexcept;

// What was held by others is lost to the child; under arenas::lock_all().
void after_fork_in_child() noexcept;

}  // namespace cleave::heap::page_heap
