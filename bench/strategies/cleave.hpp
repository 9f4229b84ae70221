// cleave.hpp -- this library, in two ways of using it.
#pragma once

#include <cleave/array.hpp>
#include <cleave/heap.hpp>
#include <cstring>

#include "strategies/strategy.hpp"

namespace cleave::bench {

// As a C++ program does: an owner that frees its piece when it goes.
struct cleave_array {
  using array = cleave::array<word>;

  static std::string name() { return "cleave"; }
  static std::string prepare() { return {}; }
  static void purge() { heap::purge(); }

  static array make(std::size_t n) { return array::for_overwrite(n); }
  static array halve(array& a) { return a.cut(a.size() / 2); }
  static array join(array left, array right) {
    return cleave::join(std::move(left), std::move(right));
  }
  static void free(array) {}
  static word* data(array& a) { return a.data(); }
  static std::size_t size(const array& a) { return a.size(); }
};
static_assert(strategy<cleave_array>);

// As a compiler of another language does, which knows itself when a piece dies:
// a plain pointer and size, which pass in registers, and heap::free().
struct cleave_run {
  struct array {
    word* data;
    std::size_t size;
  };

  static std::string name() { return "cleave-run"; }
  static std::string prepare() { return {}; }
  static void purge() { heap::purge(); }

  static array make(std::size_t n) {
    return {static_cast<word*>(heap::allocate(n * sizeof(word), alignof(word))), n};
  }
  static array halve(array& a) {
    const std::size_t half = a.size / 2;
    const array right{a.data + half, a.size - half};
    a.size = half;
    return right;
  }
  static array join(array left, array right) {
    if (left.data + left.size == right.data) [[likely]] {
      return {left.data, left.size + right.size};
    }
    const array whole = make(left.size + right.size);
    std::memcpy(whole.data, left.data, left.size * sizeof(word));
    std::memcpy(whole.data + left.size, right.data, right.size * sizeof(word));
    free(left);
    free(right);
    return whole;
  }
  static void free(array a) { heap::free(a.data, a.size * sizeof(word)); }
  static word* data(array& a) { return a.data; }
  static std::size_t size(const array& a) { return a.size; }
};
static_assert(strategy<cleave_run>);

}  // namespace cleave::bench
