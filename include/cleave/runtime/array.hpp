// array.hpp -- Array<T>, section 6 of the language: 2^d slots in one block.
//
// An array is a value of two words: where its slots are, and its depth d. It has one owner,
// so it is written in place, and cut and joined by arithmetic that the heap is not told of;
// any piece is freed on its own. An array that was forked has a counted control block too
// (shared.hpp); it is read and written the same way, and copied where others are cut.
//
//   array<u32> a = Array_new<u32>(3, 7);                // eight slots
//   a = Array_set<u32>(a, 9, 1);                        // slot 1: indices wrap
//   auto [l, r] = cut(a);                               // case ANode{l, r}
//   a = node(l, r);                                     // ANode{l, r}: no byte moves
//
// Invariants (tests/runtime/array_test.cpp):
//   A1  A block of depth d is a run of sizeof(T) << d bytes of the heap.
//   A2  meta's low 8 bits are the depth, at most 31; what is above is the address of the
//       control block, 0 if the array has one owner.
//   A3  All handles of one control block have the same data and depth.
#pragma once

#include <cleave/runtime/cell.hpp>

// Set for programs with kernels: 1 for the host device, 2 for CUDA.
#ifndef CLEAVE_PROGRAM_DEVICE
#  define CLEAVE_PROGRAM_DEVICE 0
#endif
#if CLEAVE_PROGRAM_DEVICE
#  include <cleave/runtime/lane.hpp>
#endif

namespace cleave::runtime {

inline constexpr u32 deepest_array = 31;

template <class T>
struct array {
  T* data;
  std::uint64_t meta;

  [[nodiscard]] constexpr u32 depth() const noexcept { return static_cast<u32>(meta & 0xff); }
  // How many slots.
  [[nodiscard]] constexpr u32 size() const noexcept { return u32{1} << depth(); }
  // The slot that an index means.
  [[nodiscard]] constexpr u32 wrap(u32 i) const noexcept { return i & ((u32{1} << depth()) - 1); }
  [[nodiscard]] constexpr bool is_leaf() const noexcept { return depth() == 0; }
  [[nodiscard]] constexpr bool is_shared() const noexcept { return meta > 0xff; }
  // Requires: is_shared().
  [[nodiscard]] header* control() const noexcept {
    return reinterpret_cast<header*>(static_cast<std::uintptr_t>(meta >> 8));
  }
};

namespace detail {

template <class T>
[[nodiscard]] constexpr std::size_t block_bytes(u32 depth) noexcept {
  return sizeof(T) << depth;
}

template <class T>
[[nodiscard]] CLEAVE_ON_DEVICE inline T* new_block(u32 depth) noexcept {
#if CLEAVE_PROGRAM_DEVICE
  if (device::lane* const by = current_lane(); by != nullptr) {
    return static_cast<T*>(take_of(*by, block_bytes<T>(depth), alignof(T)));
  }
#endif
#if !defined(__CUDA_ARCH__)
  count(&program_counts::arrays_made);
  return static_cast<T*>(take_run(block_bytes<T>(depth), alignof(T)));
#endif
}

template <class T>
CLEAVE_ON_DEVICE inline void free_block(T* data, u32 depth) noexcept {
#if CLEAVE_PROGRAM_DEVICE
  if (device::lane* const by = current_lane(); by != nullptr) {
    return by->free(data, block_bytes<T>(depth));
  }
#endif
#if !defined(__CUDA_ARCH__)
  heap::free(data, block_bytes<T>(depth));
#endif
}

// New owners of n elements, in another place.
template <class T>
CLEAVE_ON_DEVICE inline void copy_elements(T* to, T* from, std::size_t n) noexcept {
  if constexpr (!is_plain<T>) {
    for (std::size_t i = 0; i < n; ++i) keep(from[i]);
  }
  std::memcpy(static_cast<void*>(to), from, n * sizeof(T));
}

// A copy of the slots from `first` on, 2^depth of them, with owners of its own.
template <class T>
[[nodiscard]] CLEAVE_ON_DEVICE inline array<T> copy_of(array<T> a, std::size_t first,
                                                       u32 depth) noexcept {
  T* const data = new_block<T>(depth);
  copy_elements(data, a.data + first, std::size_t{1} << depth);
  return {data, depth};
}

// The array of a handle that is the last one.
template <class T>
[[nodiscard]] CLEAVE_ON_DEVICE inline array<T> alone(array<T> a) noexcept {
  free_cell(a.control(), sizeof(header));
  return {a.data, a.depth()};
}

}  // namespace detail

template <class T>
struct ops<array<T>> {
  static constexpr bool plain = false;

  CLEAVE_ON_DEVICE static void keep(array<T>& a) noexcept {
#if defined(__CUDA_ARCH__)
    static_cast<void>(a);
    stop(message::fail_stop);
#else
    if (a.is_shared()) return add_owner(a.control());
    auto* const control = static_cast<header*>(detail::take_cell(sizeof(header)));
    *control = {2, 0};
    a.meta |= static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(control)) << 8;
#endif
  }

  CLEAVE_ON_DEVICE static void scan(array<T> a, [[maybe_unused]] pile& dead) noexcept {
#if !defined(__CUDA_ARCH__)
    if (a.is_shared()) {
      if (!remove_owner(a.control())) return;
      a = detail::alone(a);
    }
#endif
    if constexpr (!is_plain<T>) {
      const std::size_t n = a.size();
      for (std::size_t i = 0; i < n; ++i) runtime::scan(a.data[i], dead);
    }
    detail::free_block(a.data, a.depth());
  }
};

// ---- Section 6.2 -------------------------------------------------------------------

// O(2^d). Stops if d > 31. Consumes v.
template <class T>
[[nodiscard]] CLEAVE_ON_DEVICE inline array<T> Array_new(nat depth, T v) noexcept {
  if (depth > deepest_array) stop(message::deep_array);
  const auto d = static_cast<u32>(depth);
  T* const data = detail::new_block<T>(d);
  const std::size_t n = std::size_t{1} << d;
  if constexpr (!is_plain<T>) {
    // First of all owners: keep() may change v.
    for (std::size_t i = 1; i < n; ++i) keep(v);
  }
  for (std::size_t i = 0; i < n; ++i) data[i] = v;
  return {data, d};
}

template <class T>
[[nodiscard]] CLEAVE_ON_DEVICE inline pair<array<T>, u32> Array_size(array<T> a) noexcept {
  return {a, a.size()};
}

// With the slot itself: for loops that know where it is.
template <class T>
[[nodiscard]] CLEAVE_ON_DEVICE inline pair<array<T>, T> Array_get_slot(array<T> a,
                                                                       T& slot) noexcept {
  keep(slot);
  return {a, slot};
}
template <class T>
[[nodiscard]] CLEAVE_ON_DEVICE inline array<T> Array_set_slot(array<T> a, T& slot, T v) noexcept {
  [[maybe_unused]] const T old = slot;
  slot = v;
  drop(old);
  return a;
}
template <class T>
[[nodiscard]] CLEAVE_ON_DEVICE inline pair<array<T>, T> Array_swap_slot(array<T> a, T& slot,
                                                                        T v) noexcept {
  const T old = slot;
  slot = v;
  return {a, old};
}

template <class T>
[[nodiscard]] CLEAVE_ON_DEVICE inline pair<array<T>, T> Array_get(array<T> a, u32 i) noexcept {
  return Array_get_slot(a, a.data[a.wrap(i)]);
}

template <class T>
[[nodiscard]] CLEAVE_ON_DEVICE inline array<T> Array_set(array<T> a, u32 i, T v) noexcept {
  return Array_set_slot(a, a.data[a.wrap(i)], v);
}

template <class T>
[[nodiscard]] CLEAVE_ON_DEVICE inline pair<array<T>, T> Array_swap(array<T> a, u32 i,
                                                                   T v) noexcept {
  return Array_swap_slot(a, a.data[a.wrap(i)], v);
}

// (a, an independent copy); elements get one more owner.
template <class T>
[[nodiscard]] CLEAVE_ON_DEVICE inline pair<array<T>, array<T>> Array_clone(array<T> a) noexcept {
  return {a, detail::copy_of(a, 0, a.depth())};
}

// ---- ALeaf and ANode ---------------------------------------------------------------

// One of the halves of an array that this code only reads, and that is not written
// meanwhile: a view, whose slots somebody else owns. Requires: !a.is_leaf().
template <class T>
[[nodiscard]] constexpr array<T> left_half(array<T> a) noexcept {
  return {a.data, u32{a.depth() - 1}};
}
template <class T>
[[nodiscard]] constexpr array<T> right_half(array<T> a) noexcept {
  return {a.data + a.size() / 2, u32{a.depth() - 1}};
}

// ALeaf{x}, in the memory of a leaf that was taken apart, or in new memory.
template <class T>
[[nodiscard]] CLEAVE_ON_DEVICE inline array<T> leaf(T x, void* token = nullptr) noexcept {
  T* data = static_cast<T*>(token);
  if (data == nullptr) {
    data = detail::new_block<T>(0);
  } else {
    count(&program_counts::cells_rebuilt);
  }
  *data = x;
  return {data, 0};
}

// case ALeaf{x}: consumes the array. `token` gets its memory, nullptr if others have it.
// Requires: a.is_leaf().
template <class T>
[[nodiscard]] CLEAVE_ON_DEVICE inline T open_leaf(array<T> a, void*& token) noexcept {
  if (a.is_shared()) [[unlikely]] {
    // Kept before the handle is given up, since then the element might die.
    keep(*a.data);
    const T x = *a.data;
    drop(a);
    token = nullptr;
    return x;
  }
  token = a.data;
  return *a.data;
}

// The token of a leaf was not needed.
template <class T>
CLEAVE_ON_DEVICE inline void free_leaf(void* token) noexcept {
  if (token != nullptr) detail::free_block(static_cast<T*>(token), 0);
}

// The same, freeing the memory.
template <class T>
[[nodiscard]] CLEAVE_ON_DEVICE inline T open_leaf(array<T> a) noexcept {
  void* token = nullptr;
  const T x = open_leaf(a, token);
  free_leaf<T>(token);
  return x;
}

namespace detail {

template <class T>
[[gnu::noinline]] CLEAVE_ON_DEVICE pair<array<T>, array<T>> cut_shared(array<T> a) noexcept {
  if (unique(a.control())) {
    a = alone(a);
    return {left_half(a), right_half(a)};
  }
  const u32 depth = a.depth() - 1;
  count(&program_counts::bytes_copied, block_bytes<T>(a.depth()));
  const pair<array<T>, array<T>> made{copy_of(a, 0, depth),
                                      copy_of(a, std::size_t{1} << depth, depth)};
  drop(a);
  return made;
}

// The elements of a go to `to`, and a is gone.
template <class T>
CLEAVE_ON_DEVICE inline void move_elements(T* to, array<T> a) noexcept {
  const std::size_t n = a.size();
  count(&program_counts::bytes_copied, n * sizeof(T));
  if (a.is_shared()) {
    copy_elements(to, a.data, n);
    drop(a);
  } else {
    std::memcpy(static_cast<void*>(to), a.data, n * sizeof(T));
    free_block(a.data, a.depth());
  }
}

template <class T>
[[gnu::noinline]] CLEAVE_ON_DEVICE array<T> node_of_strangers(array<T> l, array<T> r) noexcept {
  if (l.depth() != r.depth()) stop(message::fail_stop);
  if (l.depth() == deepest_array) stop(message::deep_array);
  T* const data = new_block<T>(l.depth() + 1);
  const u32 depth = l.depth() + 1;
  const std::size_t half = l.size();
  move_elements(data, l);
  move_elements(data + half, r);
  cleave::detail::tell_copy(data, block_bytes<T>(depth), block_bytes<T>(depth));
  return {data, depth};
}

}  // namespace detail

// case ANode{l, r}: consumes the array. O(1); a shared one is copied. Requires: !a.is_leaf().
template <class T>
[[nodiscard]] CLEAVE_ON_DEVICE inline pair<array<T>, array<T>> cut(array<T> a) noexcept {
  if (a.is_shared()) [[unlikely]] {
    return detail::cut_shared(a);
  }
  cleave::detail::tell_cut(a.data, detail::block_bytes<T>(a.depth()),
                           detail::block_bytes<T>(a.depth() - 1));
  return {left_half(a), right_half(a)};
}

// ANode{l, r}. O(1) for neighbours in memory, else O(n): both are copied into a new block.
// Stops if they differ in size.
template <class T>
[[nodiscard]] CLEAVE_ON_DEVICE inline array<T> node(array<T> l, array<T> r) noexcept {
  // Equal and without a control block: so they are of one depth, too.
  if (l.meta == r.meta && l.meta < deepest_array && l.data + l.size() == r.data) [[likely]] {
    cleave::detail::tell_join(l.data, detail::block_bytes<T>(l.depth() + 1),
                              detail::block_bytes<T>(l.depth()));
    return {l.data, l.meta + 1};
  }
  return detail::node_of_strangers(l, r);
}

// ---- Raw: for the flat walks in Base. Indices are in range. ---------------------------

// The array itself if it has one owner, else a copy of its own.
template <class T>
[[nodiscard]] CLEAVE_ON_DEVICE inline array<T> Array_own_raw(array<T> a) noexcept {
  if (!a.is_shared()) [[likely]] {
    return a;
  }
  if (unique(a.control())) return detail::alone(a);
  const array<T> own = detail::copy_of(a, 0, a.depth());
  drop(a);
  return own;
}

// Moves an element out; its slot is dead. As bytes, since Array.map has arrays of two types
// over one block. Requires: a has one owner.
template <class T>
[[nodiscard]] CLEAVE_ON_DEVICE inline pair<array<T>, T> Array_take_raw(array<T> a, u32 i) noexcept {
  pair<array<T>, T> taken;
  taken.fst = a;
  std::memcpy(static_cast<void*>(&taken.snd), a.data + i, sizeof(T));
  return taken;
}

// Writes a dead slot.
template <class T>
[[nodiscard]] CLEAVE_ON_DEVICE inline array<T> Array_put_raw(array<T> a, u32 i, T v) noexcept {
  std::memcpy(static_cast<void*>(a.data + i), &v, sizeof(T));
  return a;
}

// Frees the block. Requires: all slots are dead.
template <class T, class R>
[[nodiscard]] CLEAVE_ON_DEVICE inline R Array_end_raw(array<T> a, R r) noexcept {
  detail::free_block(a.data, a.depth());
  return r;
}

namespace detail {
template <class T, class U>
inline constexpr bool same_slots = sizeof(T) == sizeof(U) && alignof(T) == alignof(U);
}

// (a, b): b has dead slots, of a's block if elements of both types have one size. Requires:
// a has one owner.
template <class T, class U>
[[nodiscard]] CLEAVE_ON_DEVICE inline pair<array<T>, array<U>> Array_map_start_raw(
    array<T> a) noexcept {
  if constexpr (detail::same_slots<T, U>) {
    return {a, {reinterpret_cast<U*>(a.data), a.meta}};
  } else {
    return {a, {detail::new_block<U>(a.depth()), a.meta}};
  }
}

// Frees a's block unless it is b's. Requires: all slots of a are dead, all of b are written.
template <class T, class U>
[[nodiscard]] CLEAVE_ON_DEVICE inline array<U> Array_map_end_raw([[maybe_unused]] array<T> a,
                                                                 array<U> b) noexcept {
  if constexpr (!detail::same_slots<T, U>) detail::free_block(a.data, a.depth());
  return b;
}

}  // namespace cleave::runtime
