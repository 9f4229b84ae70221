// drop_pieces.hpp -- arrays of arrays are dropped without recursion, and without a stack.
//
// The way back is kept in the arrays themselves. On the way down from an element, the handle of
// the array below is not needed any more: its place holds the way back to the array above, and
// how much is left to do there. What lies before it is freed at once, since any piece may be.
//
//   a   [freed ... | way back, 3 left | to do | to do | to do]
//                     b   [freed | way back, 1 left | to do]
//                                  c   [...]                     // where the work is
#pragma once

#include <cleave/detail/on_device.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace cleave::device {

template <class T>
struct piece;

}  // namespace cleave::device

namespace cleave::detail::on_device {

// An element that holds arrays of its own kind says how many, and where:
//
//   struct tree {
//     static constexpr unsigned pieces = 2;
//     CLEAVE_ON_DEVICE device::piece<tree>& piece_at(unsigned k) { return k == 0 ? left : right; }
//     ...
//   };
template <class T>
concept linked = requires(T& element) {
  T::pieces;
  { element.piece_at(0u) } -> std::same_as<device::piece<T>&>;
};

// An element that holds other arrays frees them.
template <class T, class Lane>
concept holding = requires(T& element, Lane& by) { element.free_parts(by); };

template <class T>
struct is_piece : std::false_type {};
template <class T>
struct is_piece<device::piece<T>> : std::true_type {};

// Frees [from, to) of an array.
template <class Lane, class T>
CLEAVE_ON_DEVICE void free_elements(Lane& by, T* from, T* to) noexcept {
  by.free(from, static_cast<std::size_t>(to - from) * sizeof(T));
}

// What is left to do of an array above, in the place of a handle.
struct way_back {
  void* above = nullptr;  // the place in the array above that one, or nullptr
  // Elements from this one on; how far its place is behind its begin; which of its places.
  std::uint64_t left = 0;
};

template <class Lane, linked T>
CLEAVE_ON_DEVICE void drop_linked(Lane& by, device::piece<T> whole) noexcept {
  static_assert(sizeof(device::piece<T>) == sizeof(way_back) && T::pieces < 256);
  T* begin = whole.data;  // what is not freed yet
  T* end = begin + whole.size;
  T* at = begin;
  unsigned k = 0;
  device::piece<T>* above = nullptr;
  for (;;) {
    if (at == end) {
      free_elements(by, begin, end);
      if (above == nullptr) return;
      // Back to the element whose array is gone now.
      const auto where = *above;
      const std::uint64_t kept = static_cast<std::uint64_t>(where.size);
      auto* const element = reinterpret_cast<std::byte*>(above) - ((kept >> 8) & 0xffff);
      begin = at = reinterpret_cast<T*>(element);
      end = begin + (kept >> 24);
      k = static_cast<unsigned>(kept & 0xff) + 1;
      above = reinterpret_cast<device::piece<T>*>(where.data);
    } else if (k == 0) {
      if constexpr (holding<T, Lane>) at->free_parts(by);
    }
    if (at == end) continue;
    for (; k < T::pieces && at->piece_at(k).size == 0; ++k) {
    }
    if (k == T::pieces) {
      ++at;
      k = 0;
      continue;
    }
    device::piece<T>& place = at->piece_at(k);
    const device::piece<T> below = place;
    bool more = at + 1 != end;
    for (unsigned j = k + 1; j < T::pieces && !more; ++j) more = at->piece_at(j).size != 0;
    if (more) {
      free_elements(by, begin, at);
      const auto offset = static_cast<std::uint64_t>(reinterpret_cast<std::byte*>(&place) -
                                                     reinterpret_cast<std::byte*>(at));
      place.data = reinterpret_cast<T*>(above);
      place.size =
          static_cast<std::size_t>(static_cast<std::uint64_t>(end - at) << 24 | offset << 8 | k);
      above = &place;
    } else {
      free_elements(by, begin, end);
    }
    begin = at = below.data;
    end = begin + below.size;
    k = 0;
  }
}

template <class Lane, class T>
CLEAVE_ON_DEVICE void drop(Lane& by, device::piece<T> whole) noexcept {
  if (whole.size == 0) return;
  if constexpr (linked<T>) {
    drop_linked(by, whole);
  } else {
    // Arrays in arrays of other kinds: as deep as the type says.
    for (std::size_t i = 0; i < whole.size; ++i) {
      if constexpr (is_piece<T>::value) drop(by, whole.data[i]);
      if constexpr (holding<T, Lane>) whole.data[i].free_parts(by);
    }
    by.free(static_cast<void*>(whole.data), whole.size * sizeof(T));
  }
}

}  // namespace cleave::detail::on_device
