// checked_places.hpp -- where runs were allocated and freed, as numbers.
//
// A place is a stack of return addresses. Equal stacks have one number, so a piece remembers
// two places in eight bytes. To walk a stack costs about a microsecond, so the walk is skipped
// where the last one from the same frame still holds: each return address stands where it stood.
//
//   const std::uint32_t here = places.here();      // 0: not known
//   places.print(2, here);
//
// All functions want the lock of checked mode held.
#pragma once

#include <cstddef>
#include <cstdint>

#include "os/places.hpp"

namespace cleave::heap::checked {

class place_table {
 public:
  // Once. False if the system gives no memory.
  bool start() noexcept;

  // The place of the call in progress; 0 if there are too many different ones.
  std::uint32_t here() noexcept;

  void print(int descriptor, std::uint32_t place) const noexcept;

 private:
  static constexpr std::size_t depth = 14;
  static constexpr std::size_t most_places = std::size_t{1} << 16;
  static constexpr std::size_t cached = std::size_t{1} << 12;

  struct stack {
    std::size_t n;
    std::uintptr_t address[depth];
  };
  struct walked {
    std::uintptr_t from;
    const void* thread;
    std::size_t n;
    os::frame frames[depth];
    std::uint32_t place;
  };

  static bool holds(const walked& w, std::uintptr_t from, const void* thread) noexcept;
  std::uint32_t number_of(const walked& w) noexcept;

  std::size_t count_ = 0;
  stack* stacks_ = nullptr;
  std::uint32_t* by_hash_ = nullptr;
  walked* cache_ = nullptr;
};

}  // namespace cleave::heap::checked
