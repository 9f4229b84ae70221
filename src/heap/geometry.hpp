// geometry.hpp -- the sizes that the heap is made of.
//
// One reservation of pages, cut into arenas of 2^arena_order pages. A slab is
// 2^slab_order pages. The tests build the same sources a second time with tiny
// sizes (CLEAVE_TINY_HEAP), so that short programs reach every state.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cleave::heap {

#if defined(CLEAVE_TINY_HEAP)
inline constexpr unsigned page_bits = 6;
inline constexpr unsigned arena_order = 6;
inline constexpr unsigned slab_order = 2;
inline constexpr unsigned commit_order = 4;
inline constexpr unsigned chunk_order = 1;
inline constexpr unsigned huge_order = 4;
inline constexpr unsigned cached_orders = 3;
#else
inline constexpr unsigned page_bits = 12;
inline constexpr unsigned arena_order = 18;   // 1 GiB
inline constexpr unsigned slab_order = 4;     // 64 KiB
inline constexpr unsigned commit_order = 10;  // access is given in steps of 4 MiB
inline constexpr unsigned chunk_order = 4;    // ages are kept for 64 KiB together
inline constexpr unsigned huge_order = 9;     // 2 MiB: from here on huge pages are wanted
inline constexpr unsigned cached_orders = 9;  // threads keep blocks of up to 1 MiB
#endif

inline constexpr std::size_t page_size = std::size_t{1} << page_bits;
inline constexpr std::size_t arena_pages = std::size_t{1} << arena_order;
inline constexpr std::size_t arena_size = arena_pages << page_bits;
inline constexpr unsigned orders = arena_order + 1;
inline constexpr std::size_t slab_pages = std::size_t{1} << slab_order;
inline constexpr std::size_t slab_size = slab_pages << page_bits;

// Reservations are no larger than this many arenas: 4 TiB, or 2 GiB where addresses have 32 bits.
inline constexpr std::size_t most_arenas = sizeof(std::size_t) > 4 ? 4096 : 2;

// The number of a page, counted from the begin of the reservation.
using page_index = std::uint32_t;

// A dead-byte counter holds less than a page or slot, and no slot exceeds a page.
static_assert(page_size <= 4096, "dead-byte counters are 16 bits wide");
static_assert(slab_size <= 65536, "slot offsets are 16 bits wide");
static_assert(cached_orders <= commit_order && chunk_order <= slab_order);

}  // namespace cleave::heap
