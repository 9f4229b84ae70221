// copy.hpp -- a new array for every cut and every join.
//
// What a runtime does whose arrays have no parts: both halves are allocated and
// filled, and the whole is freed.
#pragma once

#include <cstring>

#include "strategies/memory.hpp"
#include "strategies/strategy.hpp"

namespace cleave::bench {

template <class Memory>
struct copy {
  struct array {
    word* data;
    std::size_t size;
  };

  static std::string name() { return "copy" + std::string(Memory::suffix); }
  static std::string prepare() { return Memory::prepare(); }
  static void purge() { Memory::purge(); }

  static array make(std::size_t n) {
    return {static_cast<word*>(Memory::allocate(n * sizeof(word))), n};
  }
  static array halve(array& a) {
    const std::size_t half = a.size / 2;
    const array left = copy_of(a.data, half);
    const array right = copy_of(a.data + half, half);
    free(a);
    a = left;
    return right;
  }
  static array join(array left, array right) {
    const array whole = make(left.size + right.size);
    std::memcpy(whole.data, left.data, left.size * sizeof(word));
    std::memcpy(whole.data + left.size, right.data, right.size * sizeof(word));
    free(left);
    free(right);
    return whole;
  }
  static void free(array a) { Memory::release(a.data, a.size * sizeof(word)); }
  static word* data(array& a) { return a.data; }
  static std::size_t size(const array& a) { return a.size; }

 private:
  static array copy_of(const word* from, std::size_t n) {
    const array made = make(n);
    std::memcpy(made.data, from, n * sizeof(word));
    return made;
  }
};
static_assert(strategy<copy<c_malloc>>);

}  // namespace cleave::bench
