// shared.hpp -- memory of the heap that a device reaches too.
//
// It consists of arenas of a kind of their own (arena::kind). They are accessible and backed as a
// whole while a machine is open, and nothing in them goes back to the system then. Only the
// machine takes pages there; runs are freed by address like all others, and their pages go
// straight back to their arena: no thread keeps them, and no other request gets them.
//
//   shared::region all[4];
//   if (const std::size_t n = shared::open(1 << 26, all, 4); n != 0) {
//     const page_index p = shared::take(all[0], 25, 5);
//     shared::free_pages(p, 25);
//     shared::close(all, n);          // runs may be alive; their pages stay until they are freed
//   }
//
// A step of access at the begin of each such arena, and one at its end, is never anybody's. So
// no run there has a neighbour of another kind, which it could be joined with on its way back.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heap/arenas.hpp"
#include "heap/geometry.hpp"

namespace cleave::heap::shared {

// What a machine has of one arena.
struct region {
  page_index page = 0;
  std::size_t pages = 0;
};

inline constexpr page_index no_page = UINT32_MAX;

// The most pages of one.
inline constexpr std::size_t most_pages = arena_pages - (std::size_t{2} << commit_order);

enum class refusal : std::uint8_t { none, too_large, no_memory };

// Regions of `bytes` bytes together, in arenas that lie in a row, filled from the first on. How
// many; 0 if refused, and nothing is held then. Takes arenas that no one uses any more first.
// Requires: bytes is a multiple of the step of access.
std::size_t open(std::size_t bytes, region* regions, std::size_t most, refusal& why) noexcept;

// Gives what is free back to the system, now and from now on.
void close(const region* regions, std::size_t n) noexcept;

// n pages aligned to 2^order >= n; or, where no block is so large but pages in a row are free,
// those, aligned to 2^least. no_page if there are none.
page_index take(const region& from, std::size_t n, unsigned order, unsigned least) noexcept;

// Takes free blocks, the largest first, up to `most` of them, as ranges of the page and the count
// in ascending order, with neighbours joined. How many ranges.
std::size_t take_all(const region& from, region* ranges, std::size_t most) noexcept;

std::size_t free_pages(const region& of) noexcept;

// Pages that were taken are handed out, as a run of so many bytes: the rest of the last page is
// dead. Counted as an allocation.
void hand_out(page_index page, std::size_t bytes) noexcept;

// Pages in which nothing is live any more; counted as freed bytes of a run.
void free_range(page_index page, std::size_t n) noexcept;
// So many bytes of a page are dead, all of them at most. The last ones free it.
void free_bytes(page_index page, std::uint32_t bytes) noexcept;
// Pages that were taken and not handed out.
void put_back(page_index page, std::size_t n) noexcept;

}  // namespace cleave::heap::shared
