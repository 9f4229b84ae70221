// size_class.hpp -- the sizes of slots: which class serves a size, and where slots begin.
//
//   const unsigned c = class_for(100, 16);      // the class of 112 bytes
//   slot_size(c) == 112;
//   slot_number(c, 300) == 2;                   // byte 300 of a slab lies in slot 2
//
// Up to 128 bytes there is a class for each multiple of 8 (to 64) and of 16.
// Above, each class is the largest size for which a slab, shared out among its
// slots, wastes at most an eighth of the smallest request that the class
// serves (docs/decisions/0003-size-classes.md). Powers of two are always classes.
//
// Invariants (static_asserts below and tests/heap/size_class_test.cpp):
//   C1  Slot sizes grow, are multiples of 8, and are below a page.
//   C2  Above 128 bytes: slab_size / slots_per_slab <= 1.125 * smallest request.
//   C3  slot_number(c, offset) == offset / slot_size(c) for every offset in a slab.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/bits.hpp"
#include "heap/geometry.hpp"

namespace cleave::heap {

namespace detail {

constexpr std::size_t class_after(std::size_t size) noexcept {
  if (size < 64) return size + 8;
  if (size < 128) return size + 16;
  const std::size_t power = std::size_t{1} << (base::floor_log2(size) + 1);
  // The smallest request is size + 1; its share of the slab may be 9/8 of it.
  std::size_t next = size + 16;
  for (std::size_t s = next; s <= power; s += 16) {
    if (slab_size * 8 <= (slab_size / s) * 9 * (size + 1)) next = s;
  }
  return next;
}

constexpr unsigned count_classes() noexcept {
  unsigned n = 0;
  for (std::size_t s = 16; s < page_size; s = class_after(s)) ++n;
  return n;
}

}  // namespace detail

inline constexpr unsigned class_count = detail::count_classes();

struct size_class {
  std::uint32_t size = 0;
  std::uint32_t slots = 0;       // in one slab
  std::uint32_t reciprocal = 0;  // ceil(2^32 / size): divides offsets in a slab exactly
};

inline constexpr std::array<size_class, class_count> size_classes = [] {
  std::array<size_class, class_count> table{};
  std::size_t s = 16;
  for (auto& entry : table) {
    entry.size = static_cast<std::uint32_t>(s);
    entry.slots = static_cast<std::uint32_t>(slab_size / s);
    entry.reciprocal = static_cast<std::uint32_t>(((std::uint64_t{1} << 32) + s - 1) / s);
    s = detail::class_after(s);
  }
  return table;
}();

inline constexpr std::size_t largest_slot = size_classes[class_count - 1].size;

// The class for each size in steps of 8 bytes.
inline constexpr std::array<std::uint8_t, largest_slot / 8 + 1> class_table = [] {
  std::array<std::uint8_t, largest_slot / 8 + 1> table{};
  unsigned c = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    while (size_classes[c].size < i * 8) ++c;
    table[i] = static_cast<std::uint8_t>(c);
  }
  return table;
}();

constexpr std::size_t slot_size(unsigned c) noexcept { return size_classes[c].size; }

// Requests of up to this size find a class whatever their alignment, up to 16.
inline constexpr std::size_t largest_aligned_slot = largest_slot / 16 * 16;

// The class whose slots hold `bytes` bytes, or class_count if there is none.
// Slots of 24, 40 and 56 bytes are aligned to 8, so a request aligned to 16 is
// rounded past them. Requires: bytes <= largest_slot; alignment <= 16.
constexpr unsigned class_for(std::size_t bytes, std::size_t alignment) noexcept {
  const std::size_t rounded = alignment > 8 ? base::align_up(bytes, 16) : base::align_up(bytes, 8);
  return rounded <= largest_slot ? class_table[rounded / 8] : class_count;
}

// The slot in which a byte of a slab lies; it may be the rest behind the last slot.
constexpr std::uint32_t slot_number(unsigned c, std::uint32_t offset) noexcept {
  return static_cast<std::uint32_t>((std::uint64_t{offset} * size_classes[c].reciprocal) >> 32);
}

static_assert(class_count < 255);
static_assert(largest_slot < page_size);

}  // namespace cleave::heap
