// value.hpp -- what values are: plain bits, and the two operations that count owners.
//
// Every value is trivially copyable, and copying its bits makes no new owner. The code
// that the compiler emits says where owners come and go:
//
//   keep(v);    // one more owner
//   drop(v);    // one owner less; the last one frees all that only v reaches
//
// A type with something to count specialises `ops`:
//
//   template <> struct ops<point> {
//     static constexpr bool plain = false;
//     static void keep(point& v) noexcept { runtime::keep(v.name); }
//     static void scan(point v, pile& dead) noexcept { runtime::scan(v.name, dead); }
//   };
//
// Invariants (tests/runtime/cell_test.cpp):
//   V1  keep() is called with the place where the one owner's bits lie: it may change them
//       (an array that gets a second owner becomes a shared one).
//   V2  scan() calls scan() of the parts of v itself, and never follows a pointer to
//       another cell: dropping needs no stack, however long the data is.
#pragma once

#include <cleave/detail/on_device.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace cleave::runtime {

using u32 = std::uint32_t;
using nat = std::uint64_t;  // at most nat_limit
using f32 = float;
using character = char32_t;  // any 32 bits
using unit = std::uint8_t;   // 0
using cmp = std::uint8_t;    // LT 0, EQ 1, GT 2

inline constexpr nat nat_limit = (nat{1} << 48) - 1;

// Sigma. (a, b, c) is pair<A, pair<B, C>>.
template <class A, class B>
struct pair {
  A fst;
  B snd;
};

struct header;

// Cells that nobody owns any more and that are still to be taken apart. They are linked
// through their own headers, so a pile costs no memory.
class pile {
 public:
  pile() noexcept = default;
  pile(const pile&) = delete;
  pile& operator=(const pile&) = delete;

  // Requires: the cell has no owner.
  inline void push(header* cell) noexcept;
  // Gives up the fields of all cells, of those that die by that too, and frees them.
  void work_off() noexcept {
    if (top_ != nullptr) take_apart();
  }

 private:
  void take_apart() noexcept;

  header* top_ = nullptr;
};

// Types without pointers. Others specialise this.
template <class T>
struct ops {
  static constexpr bool plain = true;
  // One more owner of v.
  CLEAVE_ON_DEVICE static void keep(T& /*v*/) noexcept {}
  // One owner of v less; what dies goes to the pile, or is freed if it holds no cells.
  CLEAVE_ON_DEVICE static void scan(T /*v*/, pile& /*dead*/) noexcept {}
};

template <class T>
inline constexpr bool is_plain = ops<T>::plain;

template <class T>
CLEAVE_ON_DEVICE inline void keep(T& v) noexcept {
  static_assert(std::is_trivially_copyable_v<T>);
  if constexpr (!is_plain<T>) ops<T>::keep(v);
}

template <class T>
CLEAVE_ON_DEVICE inline void scan(T v, pile& dead) noexcept {
  if constexpr (!is_plain<T>) ops<T>::scan(v, dead);
}

template <class T>
CLEAVE_ON_DEVICE inline void drop(T v) noexcept {
  if constexpr (!is_plain<T>) {
    pile dead;
    ops<T>::scan(v, dead);
#if !defined(__CUDA_ARCH__)
    // Kernels have no cells.
    dead.work_off();
#endif
  }
}

template <class A, class B>
struct ops<pair<A, B>> {
  static constexpr bool plain = is_plain<A> && is_plain<B>;
  CLEAVE_ON_DEVICE static void keep(pair<A, B>& v) noexcept {
    runtime::keep(v.fst);
    runtime::keep(v.snd);
  }
  CLEAVE_ON_DEVICE static void scan(pair<A, B> v, pile& dead) noexcept {
    runtime::scan(v.fst, dead);
    runtime::scan(v.snd, dead);
  }
};

}  // namespace cleave::runtime
