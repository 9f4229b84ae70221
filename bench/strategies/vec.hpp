// vec.hpp -- what a C++ user writes: the left half stays in its std::vector.
//
// The right half is copied to a new vector and the left one is resized, which
// frees nothing. A join appends to the left vector, which still has the room.
// The allocator leaves new elements uninitialised, since no other strategy fills
// them with zeros either.
#pragma once

#include <cstring>
#include <vector>

#include "strategies/memory.hpp"
#include "strategies/strategy.hpp"

namespace cleave::bench {

template <class T, class Memory>
struct uninitialised_allocator {
  using value_type = T;

  uninitialised_allocator() noexcept = default;
  template <class U>
  explicit uninitialised_allocator(const uninitialised_allocator<U, Memory>&) noexcept {}

  static T* allocate(std::size_t n) { return static_cast<T*>(Memory::allocate(n * sizeof(T))); }
  static void deallocate(T* pointer, std::size_t n) noexcept {
    Memory::release(pointer, n * sizeof(T));
  }
  template <class U>
  static void construct(U*) noexcept {}

  bool operator==(const uninitialised_allocator&) const noexcept { return true; }
};

template <class Memory>
struct vec {
  using array = std::vector<word, uninitialised_allocator<word, Memory>>;

  static std::string name() { return "vec" + std::string(Memory::suffix); }
  static std::string prepare() { return Memory::prepare(); }
  static void purge() { Memory::purge(); }

  static array make(std::size_t n) { return array(n); }
  static array halve(array& a) {
    const std::size_t half = a.size() / 2;
    array right(half);
    std::memcpy(right.data(), a.data() + half, half * sizeof(word));
    a.resize(half);
    return right;
  }
  static array join(array left, array right) {
    const std::size_t at = left.size();
    left.resize(at + right.size());
    std::memcpy(left.data() + at, right.data(), right.size() * sizeof(word));
    return left;
  }
  static void free(array) {}
  static word* data(array& a) { return a.data(); }
  static std::size_t size(const array& a) { return a.size(); }
};
static_assert(strategy<vec<c_malloc>>);

}  // namespace cleave::bench
