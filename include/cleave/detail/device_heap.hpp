// device_heap.hpp -- the heap as the lanes of a kernel see it.
//
// A machine is handed extents, large runs of whole pages of its shared memory. Lanes carve runs
// out of them and free any runs of shared memory, whoever made them. Nothing records how memory
// was handed out here either.
//
//   block_cache cache;                           // one per block; on CUDA in its own fast memory
//   void* p = allocate(state, cache, 1000, 16);  // nullptr if nothing fits
//   free(state, cache, p, 1000);
//   close(state, cache);                         // the block has ended
//
// A block keeps a few free runs, each packed into one word that is exchanged as a whole: what is
// left of the chunk that it took last, and what its lanes freed. Runs that it has no room for, or
// leaves behind, wait for other blocks in `spare`. What has no room there either is counted dead,
// byte by byte; a page that the device counts dead as a whole is put on a list of free pages, from
// which lanes take when there is nothing else.
//
// Host and device share no atomic word. The host has its dead-byte counters, the device has its
// own, in memory local to it, and a log of those that it has begun. At the next synchronise() the
// host, alone then, adds one to the other, so a page is free when the two sums together make a
// page. If the device's alone does, then the host's is zero, and the page is the device's to use.
//
// Invariants (while no kernel runs):
//   D1  A page whose `dead` is not 0 is in the log by itself, once.
//   D2  A byte of an extent is in a live run, in one packed word, not yet used in its extent,
//       counted in `dead`, or in a range of the log: in one of them.
//   D3  The log has no more than two entries for each page: by itself, and in a range.
//   D4  A page on the list of free pages has all its bytes counted in `dead`.
#pragma once

#include <cleave/detail/on_device.hpp>
#include <cstddef>
#include <cstdint>

namespace cleave::detail::on_device {

inline constexpr std::size_t page_bytes = 4096;
// What a block takes at a time.
inline constexpr std::size_t chunk_bytes = 65536;
// Longer runs of dead pages are noted as a whole, and not page by page.
inline constexpr std::size_t most_by_page = 65536;
// Runs are carved in these steps.
inline constexpr std::size_t step = 8;

struct extent {
  std::uint32_t page = 0;  // counted from the begin of the machine's memory
  std::uint32_t pages = 0;
  std::uint32_t used = 0;  // from the begin
};

// What the lanes of all blocks share; in memory local to the device.
struct device_state {
  static constexpr std::uint32_t logged_once = std::uint32_t{1} << 31;
  static constexpr std::uint32_t most_extents = 256;
  static constexpr std::uint32_t spares = 64;

  std::uintptr_t begin = 0;  // of the machine's memory
  std::uint64_t pages = 0;   // from there on, holes included
  // For each page its dead bytes, and `logged_once` from the first time on that it had some.
  std::uint32_t* dead = nullptr;
  std::uint32_t* next = nullptr;  // of a free page: the one below it, plus 1; or 0
  // Each a page, and in the high half how many of them were freed whole, or 0: look at `dead`.
  std::uint64_t* log = nullptr;
  // The free page on top, plus 1, or 0; in the high half how often that has changed, so that who
  // looks at it and then replaces it is not deceived by one that was away meanwhile.
  std::uint64_t free_pages = 0;
  std::uint32_t logged = 0;
  std::uint32_t extents = 0;
  std::uint32_t current = 0;  // extents before this one are used up
  std::uint32_t failed = 0;   // the code of the first failure
  std::uint64_t detail = 0;
  std::uint64_t spare[spares] = {};
  extent extent_at[most_extents] = {};
};

// A free run in one word: the begin in the high bits, the size in the low ones, both in steps;
// 0 is none.
struct packed {
  static constexpr unsigned size_bits = 28;  // 2 GiB

  CLEAVE_ON_DEVICE static std::uint64_t of(const device_state& state, std::uintptr_t begin,
                                           std::uintptr_t end) noexcept {
    if (begin == end) return 0;
    return static_cast<std::uint64_t>((begin - state.begin) / step) << size_bits |
           static_cast<std::uint64_t>((end - begin) / step);
  }
  CLEAVE_ON_DEVICE static std::uintptr_t begin(const device_state& state,
                                               std::uint64_t word) noexcept {
    return state.begin + static_cast<std::uintptr_t>(word >> size_bits) * step;
  }
  CLEAVE_ON_DEVICE static std::size_t bytes(std::uint64_t word) noexcept {
    return static_cast<std::size_t>(word & ((std::uint64_t{1} << size_bits) - 1)) * step;
  }
};

struct block_cache {
  static constexpr unsigned runs = 8;
  std::uint64_t run[runs];
};

CLEAVE_ON_DEVICE inline std::uintptr_t up(std::uintptr_t at, std::size_t alignment) noexcept {
  return (at + alignment - 1) & ~static_cast<std::uintptr_t>(alignment - 1);
}

// The first failure stays. Nobody reads the detail before the kernel has ended.
CLEAVE_ON_DEVICE inline void fail(device_state& state, std::uint32_t code,
                                  std::uint64_t detail) noexcept {
  std::uint32_t none = 0;
  if (replace(state.failed, none, code)) state.detail = detail;
}

CLEAVE_ON_DEVICE inline void note(device_state& state, std::uint64_t page,
                                  std::uint64_t pages) noexcept {
  // No two lanes get the same place, and there is one for each (D3), unless something was freed
  // twice, of which the number tells the host.
  const std::uint32_t at = add(state.logged, 1u);
  if (at < 2 * state.pages) state.log[at] = pages << 32 | page;
}

CLEAVE_ON_DEVICE inline void push_page(device_state& state, std::uint64_t page) noexcept {
  std::uint64_t top = peek(state.free_pages);
  do {
    poke(state.next[page], static_cast<std::uint32_t>(top));
  } while (!replace(state.free_pages, top, ((top >> 32) + 1) << 32 | (page + 1)));
}

// Takes a free page, as a packed word, or 0.
CLEAVE_ON_DEVICE inline std::uint64_t pop_page(device_state& state) noexcept {
  // What lies below a page was written before it was on top.
  std::uint64_t top = look(state.free_pages);
  for (;;) {
    const auto number = static_cast<std::uint32_t>(top);
    if (number == 0) return 0;
    // It may be another's by now; then the count has changed, and what is read here is not used.
    const std::uint32_t below = peek(state.next[number - 1]);
    if (!replace(state.free_pages, top, ((top >> 32) + 1) << 32 | below)) continue;
    poke(state.dead[number - 1], device_state::logged_once);
    const std::uintptr_t begin = state.begin + std::uintptr_t{number - 1} * page_bytes;
    return packed::of(state, begin, begin + page_bytes);
  }
}

// Acquire and release: who completes the page takes it over from all the others.
CLEAVE_ON_DEVICE inline void add_dead(device_state& state, std::uint64_t page,
                                      std::uint32_t bytes) noexcept {
  const std::uint32_t before = add_ordered(state.dead[page], bytes);
  if (before == 0) note(state, page, 0);
  if ((before & ~device_state::logged_once) + bytes == page_bytes) push_page(state, page);
}

// [begin, begin + bytes) is dead: the host's from the next synchronise() on, unless the device
// finds use for a whole page before.
CLEAVE_ON_DEVICE inline void count_dead(device_state& state, std::uintptr_t begin,
                                        std::size_t bytes) noexcept {
  while (bytes > 0) {
    const std::size_t offset = static_cast<std::size_t>(begin - state.begin);
    const std::uint64_t page = offset / page_bytes;
    const std::size_t inside = offset % page_bytes;
    std::size_t part = page_bytes - inside < bytes ? page_bytes - inside : bytes;
    if (part == page_bytes && bytes >= most_by_page) {
      part = bytes / page_bytes * page_bytes;
      note(state, page, part / page_bytes);
    } else {
      add_dead(state, page, static_cast<std::uint32_t>(part));
    }
    begin += part;
    bytes -= part;
  }
}

// A run that no block has room for waits for another block, or is dead.
CLEAVE_ON_DEVICE inline void spill(device_state& state, std::uint64_t word) noexcept {
  constexpr std::size_t least = 256;
  constexpr std::uint32_t looks = 4;
  if (packed::bytes(word) >= least) {
    const auto from =
        static_cast<std::uint32_t>((word >> packed::size_bits) / (chunk_bytes / step));
    for (std::uint32_t i = 0; i < looks; ++i) {
      std::uint64_t& place = state.spare[(from + i) % device_state::spares];
      std::uint64_t none = 0;
      if (peek(place) == 0 && replace(place, none, word)) return;
    }
    word = exchange(state.spare[from % device_state::spares], word);
  }
  if (word != 0) count_dead(state, packed::begin(state, word), packed::bytes(word));
}

// Puts a free run among those of the block, joined with its neighbours there.
CLEAVE_ON_DEVICE inline void keep(device_state& state, block_cache& cache,
                                  std::uint64_t word) noexcept {
  if (word == 0) return;
  std::uint64_t* smallest = nullptr;
  std::size_t least = packed::bytes(word);
  std::uint64_t* empty = nullptr;
  for (std::uint64_t& place : cache.run) {
    std::uint64_t other = peek(place);
    if (other == 0) {
      empty = &place;
      continue;
    }
    const std::uintptr_t begin = packed::begin(state, word);
    const std::uintptr_t there = packed::begin(state, other);
    if (there + packed::bytes(other) == begin || begin + packed::bytes(word) == there) {
      if (!replace(place, other, std::uint64_t{0})) continue;
      const std::uintptr_t first = there < begin ? there : begin;
      word = packed::of(state, first, first + packed::bytes(word) + packed::bytes(other));
      empty = &place;
      continue;
    }
    if (packed::bytes(other) < least) {
      least = packed::bytes(other);
      smallest = &place;
    }
  }
  std::uint64_t none = 0;
  if (empty != nullptr && replace(*empty, none, word)) return;
  if (smallest != nullptr) word = exchange(*smallest, word);
  if (word != 0) spill(state, word);
}

// Whether a run of `bytes`, aligned, fits into a free one; where it begins.
CLEAVE_ON_DEVICE inline bool fits(const device_state& state, std::uint64_t word, std::size_t bytes,
                                  std::size_t alignment, std::uintptr_t& at) noexcept {
  const std::uintptr_t begin = packed::begin(state, word);
  const std::size_t room = packed::bytes(word);
  at = up(begin, alignment);
  const std::size_t gap = static_cast<std::size_t>(at - begin);
  return gap <= room && bytes <= room - gap;
}

// The part of a free run that is taken belongs to nobody else; what lies around it is dead.
CLEAVE_ON_DEVICE inline void* carve(device_state& state, std::uint64_t word, std::uintptr_t at,
                                    std::size_t bytes) noexcept {
  const std::uintptr_t begin = packed::begin(state, word);
  count_dead(state, begin, static_cast<std::size_t>(at - begin));
  count_dead(state, at + bytes, static_cast<std::size_t>(up(at + bytes, step) - (at + bytes)));
  return reinterpret_cast<void*>(at);
}

CLEAVE_ON_DEVICE inline std::uint64_t rest_of(const device_state& state, std::uint64_t word,
                                              std::uintptr_t at, std::size_t bytes) noexcept {
  return packed::of(state, up(at + bytes, step), packed::begin(state, word) + packed::bytes(word));
}

// Whole pages of the extents, or 0.
CLEAVE_ON_DEVICE inline std::uint64_t take_pages(device_state& state, std::size_t bytes) noexcept {
  const auto pages = static_cast<std::uint32_t>((bytes + page_bytes - 1) / page_bytes);
  for (std::uint32_t e = peek(state.current); e < state.extents; ++e) {
    extent& from = state.extent_at[e];
    std::uint32_t used = peek(from.used);
    while (from.pages - used >= pages) {
      if (!replace(from.used, used, used + pages)) continue;
      const std::uintptr_t begin = state.begin + (std::uintptr_t{from.page} + used) * page_bytes;
      return packed::of(state, begin, begin + std::uintptr_t{pages} * page_bytes);
    }
    // A guess that only moves over what is used up: a failure means that others have moved it.
    std::uint32_t here = e;
    if (used == from.pages) replace(state.current, here, e + 1);
  }
  return 0;
}

// A free run of this size at least that no block has, or 0.
CLEAVE_ON_DEVICE inline std::uint64_t take_spare(device_state& state, std::size_t bytes,
                                                 std::size_t alignment) noexcept {
  for (std::uint64_t& place : state.spare) {
    std::uint64_t word = peek(place);
    std::uintptr_t at = 0;
    if (word == 0 || !fits(state, word, bytes, alignment, at)) continue;
    if (replace(place, word, std::uint64_t{0})) return word;
  }
  return 0;
}

// O(1) and the looks at what is free. nullptr if nothing fits; nothing has changed then.
CLEAVE_ON_DEVICE inline void* allocate(device_state& state, block_cache& cache, std::size_t bytes,
                                       std::size_t alignment) noexcept {
  std::uintptr_t at = 0;
  if (bytes == 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return nullptr;
  if (bytes > state.pages * page_bytes || alignment > state.pages * page_bytes) return nullptr;
  for (std::uint64_t& place : cache.run) {
    std::uint64_t word = peek(place);
    while (word != 0 && fits(state, word, bytes, alignment, at)) {
      if (replace(place, word, rest_of(state, word, at, bytes)))
        return carve(state, word, at, bytes);
    }
  }
  const std::size_t most = bytes + (alignment > page_bytes ? alignment - page_bytes : 0);
  std::uint64_t word = take_spare(state, bytes, alignment);
  if (word == 0 && most < chunk_bytes) word = take_pages(state, chunk_bytes);
  if (word == 0) word = take_pages(state, most);
  if (word == 0 && most <= page_bytes) word = pop_page(state);
  if (word == 0) return nullptr;
  fits(state, word, bytes, alignment, at);
  keep(state, cache, rest_of(state, word, at, bytes));
  return carve(state, word, at, bytes);
}

// Requires: the caller owns [begin, begin + bytes), which lies in the machine's memory.
CLEAVE_ON_DEVICE inline void free(device_state& state, block_cache& cache, std::uintptr_t begin,
                                  std::size_t bytes) noexcept {
  const std::uintptr_t end = begin + bytes;
  const std::uintptr_t first = up(begin, step);
  const std::uintptr_t last = end & ~static_cast<std::uintptr_t>(step - 1);
  if (first >= last) return count_dead(state, begin, bytes);
  count_dead(state, begin, static_cast<std::size_t>(first - begin));
  count_dead(state, last, static_cast<std::size_t>(end - last));
  keep(state, cache, packed::of(state, first, last));
}

// What a block that has ended kept goes to others. Requires: none of its lanes is left.
CLEAVE_ON_DEVICE inline void close(device_state& state, block_cache& cache) noexcept {
  for (std::uint64_t& place : cache.run) {
    if (const std::uint64_t word = exchange(place, std::uint64_t{0}); word != 0) spill(state, word);
  }
}

}  // namespace cleave::detail::on_device
