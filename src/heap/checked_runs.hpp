// checked_runs.hpp -- what checked mode knows of each run: a map from addresses to pieces.
//
// A *piece* is a range of bytes that is live, or that was freed and waits in quarantine. Pieces
// do not overlap, and stand in lists by the 256 bytes that they begin in; a bitmap in levels
// says which lists are not empty. So a piece is found, also from its middle, in a few loads,
// put in and taken out. Its own memory comes from the system, never from the heap.
//
//   piece* const p = pieces.covering(address);       // nullptr: nobody owns it
//   pieces.insert(fresh);  pieces.erase(p);
//   for (piece* p = pieces.following(0); p != nullptr; p = pieces.following(p->begin + 1)) ...
//
// All functions want the lock of checked mode held.
//
// Invariants:
//   K1  Pieces do not overlap and are not empty.
//   K2  Every live byte of the heap lies in exactly one live piece.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cleave::heap::checked {

struct piece {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  // The allocation that it is a part of, and its number.
  std::uint64_t run = 0;
  std::uintptr_t run_begin = 0;
  std::size_t run_bytes = 0;
  // Places (see checked_places.hpp), and the child of fork() that allocated it.
  std::uint32_t allocated_at = 0;
  std::uint32_t freed_at = 0;
  std::uint32_t process = 0;
  bool live = true;
  // The redzone behind the allocation goes with this piece.
  bool has_redzone = false;
  piece* next_here = nullptr;
  piece* next_freed = nullptr;

  [[nodiscard]] std::size_t bytes() const noexcept { return end - begin; }
};

class piece_map {
 public:
  // For addresses in [base, base + bytes). Once. False if the system gives no memory.
  bool start(std::uintptr_t base, std::size_t bytes) noexcept;

  // Makes insert() possible near this address. False if the system gives no memory.
  bool prepare(std::uintptr_t address) noexcept;

  // A piece to fill in; nullptr if the system gives no memory.
  piece* make() noexcept;
  void discard(piece* p) noexcept;
  // True if the next n calls of make() succeed.
  bool has_spare(std::size_t n) noexcept;

  void insert(piece* p) noexcept;
  void erase(piece* p) noexcept;

  // The last piece that begins at or before the address; nullptr if there is none.
  piece* preceding(std::uintptr_t address) noexcept;
  // The first piece that begins at or behind the address.
  piece* following(std::uintptr_t address) noexcept;
  piece* covering(std::uintptr_t address) noexcept {
    piece* const p = preceding(address);
    return p != nullptr && address < p->end ? p : nullptr;
  }

 private:
  static constexpr unsigned list_bits = 8;
  static constexpr unsigned levels = 6;
  static constexpr std::size_t none = SIZE_MAX;
  // Lists and their bits become accessible in regions of this many addresses.
  static constexpr unsigned region_bits = 26;

  std::size_t number_of(std::uintptr_t address) const noexcept {
    return (address - base_) >> list_bits;
  }
  bool accessible(std::size_t list) const noexcept {
    const std::size_t region = list >> (region_bits - list_bits);
    return region < regions_ && open_[region] != 0;
  }
  std::uint64_t word(unsigned level, std::size_t w) const noexcept {
    return level != 0 || accessible(w * 64) ? bits_[level][w] : 0;
  }
  void set_bit(std::size_t list) noexcept;
  void clear_bit(std::size_t list) noexcept;
  // The nearest list that is not empty below `list`, or above it.
  std::size_t before(std::size_t list) const noexcept;
  std::size_t after(std::size_t list) const noexcept;

  std::uintptr_t base_ = 0;
  std::size_t regions_ = 0;
  piece** lists_ = nullptr;
  std::uint8_t* open_ = nullptr;
  std::uint64_t* bits_[levels] = {};
  std::size_t words_[levels] = {};
  piece* spare_ = nullptr;
  std::size_t spare_count_ = 0;
};

}  // namespace cleave::heap::checked
