// checked_places.hpp -- where runs were allocated and freed, as numbers.
//
// A place is a stack of return addresses. Equal stacks have one number, so a piece remembers
// two places in eight bytes. To walk a stack costs about a microsecond, so the walk is skipped
// where the last one from the same frame still holds: each return address stands where it stood.
//
//   numbered_places places;
//   const std::uint32_t here = places.here();      // 0: not known
//   places.print(2, here);
//
// All of it wants a lock held, that of checked mode or the recorder's (trace_recorder.hpp), but
// for walks that one thread has to itself.
#pragma once

#include <cstddef>
#include <cstdint>

#include "os/places.hpp"

namespace cleave::heap::checked {

// The last walks from each frame. Where the return addresses stand is the same for all calls of
// one depth of a recursion, as a rule; so what stands there now finds the walk that saw the same.
class stack_walks {
 public:
  static constexpr std::size_t depth = 16;
  static constexpr std::uint32_t unnumbered = UINT32_MAX;
  struct walk {
    std::uintptr_t from;
    const void* thread;
    std::size_t n;
    os::frame frames[depth];
    // Of a walk that was made just now: unnumbered. The caller sets it.
    std::uint32_t place;
  };

  // Once: room for n walks, a power of two, and as many frames. False if there is no memory.
  bool start(std::size_t n) noexcept;

  // The callers of the call in progress. Whoever has walks of its own needs no lock for it.
  walk& here() noexcept;

 private:
  // Where the last walk from a frame found its addresses.
  struct spot {
    std::uintptr_t from;
    const void* thread;
    std::size_t n;
    std::uintptr_t kept_at[depth];
  };

  static bool holds(const walk& w, std::uintptr_t from, const void* thread) noexcept;
  static std::size_t hash_at(const spot& s) noexcept;
  walk* group_of(const spot& s) noexcept;

  static constexpr std::size_t together = 4;

  walk* cache_ = nullptr;
  spot* spots_ = nullptr;
  std::size_t cached_ = 0;
};

class place_table {
 public:
  struct stack {
    std::size_t n;
    std::uintptr_t address[stack_walks::depth];
  };

  // Once. False if the system gives no memory.
  bool start() noexcept;

  // The place of a walk, a new one if there was none like it; 0 if there are too many.
  std::uint32_t number_of(const stack_walks::walk& w) noexcept;

  // How many there are: their numbers are 1 to count(). Each stays as it is.
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] const stack& operator[](std::size_t number) const noexcept {
    return stacks_[number];
  }
  void print(int descriptor, std::uint32_t place) const noexcept;

 private:
  static constexpr std::size_t most_places = std::size_t{1} << 16;

  std::size_t count_ = 0;
  stack* stacks_ = nullptr;
  std::uint32_t* by_hash_ = nullptr;
};

// What checked mode has: all threads together.
class numbered_places {
 public:
  bool start() noexcept { return table_.start() && walks_.start(std::size_t{1} << 12); }
  // The place of the call in progress; 0 if there are too many different ones.
  std::uint32_t here() noexcept {
    stack_walks::walk& w = walks_.here();
    if (w.place == stack_walks::unnumbered) w.place = table_.number_of(w);
    return w.place;
  }
  void print(int descriptor, std::uint32_t place) const noexcept {
    table_.print(descriptor, place);
  }

 private:
  stack_walks walks_;
  place_table table_;
};

}  // namespace cleave::heap::checked
