// arenas.hpp -- the arenas that are open, and of which kind each is.
//
//   for (std::size_t a = 0; a < arenas::seen(); ++a) {
//     if (arena* const one = arenas::opened(a)) ...one->lock...
//   }
//   arenas::open(3, {.huge = true, .node = 1});
//
// An arena is opened when no open one of the kind that is wanted has room, and stays open.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "heap/arena.hpp"
#include "heap/tables.hpp"

namespace cleave::heap::arenas {

// Once, after tables.start(): the system's own pages are 2^system_order of ours.
void start(unsigned system_order) noexcept;

// The pages of an arena; the last one may be shorter.
inline std::size_t pages_of(std::size_t a) noexcept {
  return std::min(arena_pages, tables.pages - a * arena_pages);
}

// False if it is open already, or the system refuses.
bool open(std::size_t a, arena::kind of) noexcept;
// The same with pages [first, end) only.
bool open(std::size_t a, arena::kind of, std::size_t first, std::size_t end) noexcept;

// Opened arenas are [0, seen()), except that some may not be open (yet).
std::size_t seen() noexcept;
arena* opened(std::size_t a) noexcept;  // nullptr if it is not

namespace detail {

// A bit for each arena that is shared.
extern constinit std::atomic<std::uint64_t> shared_bits[(most_arenas + 63) / 64];

}  // namespace detail

// Whether a page lies in an arena that is shared with a device.
inline bool is_shared(page_index page) noexcept {
  const std::size_t a = page >> arena_order;
  // Relaxed: whoever owns a run has it from a thread that saw its arena open.
  return ((detail::shared_bits[a / 64].load(std::memory_order_relaxed) >> (a & 63)) & 1) != 0;
}

// Around fork(): all their locks are held in between, and no arena is added.
void lock_all() noexcept;
void unlock_all() noexcept;

}  // namespace cleave::heap::arenas
