// block.hpp -- where small objects lie: 64 KiB at a multiple of 64 KiB.
//
//   [ header | object object object ...     | unused ]
//     ^ block   each: one word, then fields  ^ top
//
// The address of a field leads to its block by a mask. What a store or a visit has to
// know, it reads there: no table, no comparison with the bounds of a generation.
//
// Two bitmaps have one bit for each word of the block. `remembered` has the fields of old
// objects that may refer to young ones: exactly these are roots of a young collection,
// whether their object is alive or not. `marks` has the objects that stay where they are,
// in a collection that has no memory to copy them to.
//
// Invariants (walk.cpp checks them):
//   B1  A field of an old object that refers to a young object has its bit in `remembered`,
//       and its block stands in the list of dirty blocks.
//   B2  Outside of collections nothing is condemned, and no bit of `marks` is set.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cleave/collector/arrays.hpp>
#include <cleave/collector/ref.hpp>
#include <cleave/collector/value.hpp>
#include <cstddef>
#include <cstdint>
#include <new>

namespace cleave::gc::detail {

class heap_state;

using word = std::uintptr_t;

inline constexpr std::size_t word_bytes = sizeof(word);
inline constexpr std::size_t map_words = block_bytes / word_bytes / 64;

// Sixty-four bits of a map, for the words from `first` on: calls function(address) for each
// bit, and clears the bit if that returns false. Returns whether any of them is left.
template <class Function>
bool filter_part(std::atomic<std::uint64_t>& part, word* first, Function& function) noexcept {
  // Acquire: a thread of this collection may just have set a bit, behind its field.
  const std::uint64_t set = part.load(std::memory_order_acquire);
  std::uint64_t gone = 0;
  for (std::uint64_t left = set; left != 0; left &= left - 1) {
    const auto bit = static_cast<unsigned>(std::countr_zero(left));
    if (!function(first + bit)) gone |= std::uint64_t{1} << bit;
  }
  if (gone != 0) part.fetch_and(~gone, std::memory_order_relaxed);
  return set != gone;
}

struct block : block_front {
  // How many collections its objects have survived; `tenure` in the old generation.
  std::uint8_t age = 0;
  // An object of it could not be moved in this collection.
  std::atomic<bool> keeps{false};
  // It stands in the list of dirty blocks.
  std::atomic<bool> dirty{false};
  heap_state* owner = nullptr;
  block* next = nullptr;
  block* next_dirty = nullptr;
  block* next_gray = nullptr;
  // The end of its objects, and how far a collection has looked at them.
  word top = 0;
  word scan = 0;
  std::array<std::atomic<std::uint64_t>, map_words> remembered{};
  std::array<std::atomic<std::uint64_t>, map_words> marks{};

  [[nodiscard]] word begin() const noexcept { return reinterpret_cast<word>(this) + sizeof(block); }
  [[nodiscard]] word end() const noexcept { return reinterpret_cast<word>(this) + block_bytes; }

  // True if the bit was not set. Where not said otherwise, accesses to the maps are relaxed:
  // they are read when the threads have stopped, which orders everything.
  static bool set(std::array<std::atomic<std::uint64_t>, map_words>& map, word address) noexcept {
    const word index = (address & (block_bytes - 1)) / word_bytes;
    const std::uint64_t bit = std::uint64_t{1} << (index & 63);
    std::atomic<std::uint64_t>& part = map[index >> 6];
    if ((part.load(std::memory_order_relaxed) & bit) != 0) return false;
    // Release: who sees the bit sees the field (filter_part).
    return (part.fetch_or(bit, std::memory_order_release) & bit) == 0;
  }
  static bool has(const std::array<std::atomic<std::uint64_t>, map_words>& map,
                  word address) noexcept {
    const word index = (address & (block_bytes - 1)) / word_bytes;
    return (map[index >> 6].load(std::memory_order_relaxed) >> (index & 63) & 1) != 0;
  }
  static void clear(std::array<std::atomic<std::uint64_t>, map_words>& map) noexcept {
    for (auto& part : map) part.store(0, std::memory_order_relaxed);
  }
  // Calls function(address) for each bit, and clears the bit if that returns false.
  // Returns whether any bit is left. Other threads may set bits meanwhile.
  template <class Function>
  bool filter(std::array<std::atomic<std::uint64_t>, map_words>& map, Function function) noexcept {
    bool any = false;
    for (std::size_t i = 0; i < map_words; ++i) {
      any = filter_part(map[i], reinterpret_cast<word*>(this) + i * 64, function) || any;
    }
    return any;
  }
};

static_assert(sizeof(block) % word_bytes == 0 && sizeof(block) < block_bytes / 16);

inline block* block_of(word address) noexcept {
  return reinterpret_cast<block*>(address & ~word{block_bytes - 1});
}

// The header of an object: its type, with the low bit set. During a collection also
// `kept`, when it stays where it is, and `seen` when its fields were looked at there; or,
// with the low bit clear, where it went.
inline constexpr word type_tag = 1;
inline constexpr word kept_tag = 2;
inline constexpr word seen_tag = 4;

inline word& header_of(word object) noexcept {
  return reinterpret_cast<word*>(object)[-1];
}
inline const type& type_in(word header) noexcept {
  return *reinterpret_cast<const type*>(header & ~word{7});
}

// How the library looks into arrays.
struct array_access {
  static array_front& front(word object) noexcept {
    return *reinterpret_cast<array_front*>(object);
  }
  static bool large(word object) noexcept { return front(object).large(); }
  static std::size_t count(word object) noexcept { return front(object).count(); }
  static word* words(word object) noexcept { return static_cast<word*>(front(object).start()); }
  static std::atomic<payload*>& held(word object) noexcept { return front(object).payload_; }
  // Relaxed, all of them: see array_front.
  static void set_inline(void* object, std::size_t count) noexcept {
    auto* const made = static_cast<array_front*>(object);
    ::new (static_cast<void*>(&made->size_)) std::atomic<std::uint64_t>(count);
  }
  static void set_large(void* object, std::size_t count, void* data, payload* held) noexcept {
    auto* const made = static_cast<array_front*>(object);
    set_inline(object, count | array_front::large_bit);
    ::new (static_cast<void*>(&made->data_)) std::atomic<void*>(data);
    ::new (static_cast<void*>(&made->payload_)) std::atomic<payload*>(held);
  }
  static void resize(word object, std::size_t count) noexcept {
    front(object).size_.store(count | array_front::large_bit, std::memory_order_relaxed);
  }
  static void empty(word object) noexcept {
    resize(object, 0);
    front(object).data_.store(nullptr, std::memory_order_relaxed);
    front(object).payload_.store(nullptr, std::memory_order_relaxed);
  }
  static constexpr std::size_t front_bytes = sizeof(std::uint64_t);
  static constexpr std::size_t proxy_bytes = sizeof(array_front);
};

// The size of an array that holds its elements, without header.
inline std::size_t inline_bytes(std::size_t element_bytes) noexcept {
  return array_access::front_bytes + ((element_bytes + 7) & ~std::size_t{7});
}

// The size of an object without header.
inline std::size_t size_of(const type& of, word object) noexcept {
  if (of.layout == type::kind::object) return of.bytes;
  if (array_access::large(object)) return array_access::proxy_bytes;
  const std::size_t count = array_access::count(object);
  return inline_bytes(of.layout == type::kind::bytes ? count : count * word_bytes);
}

}  // namespace cleave::gc::detail
