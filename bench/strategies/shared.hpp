// shared.hpp -- views over one counted buffer.
//
// The count stands in front of the elements and is changed atomically, since
// views may move between threads. A handle is 16 bytes: buffer, offset, size. The
// owner of the only view takes the short way, with no locked operation.
#pragma once

#include <atomic>
#include <cstring>
#include <new>

#include "strategies/memory.hpp"
#include "strategies/strategy.hpp"

namespace cleave::bench {

struct shared {
  struct alignas(16) buffer {
    std::atomic<std::uint64_t> views;
    std::uint64_t bytes;
    word* elements() { return reinterpret_cast<word*>(this + 1); }
  };
  struct array {
    buffer* root;
    std::uint32_t offset;
    std::uint32_t length;
  };

  static std::string name() { return "shared"; }
  static std::string prepare() { return {}; }
  static void purge() { c_malloc::purge(); }

  static array make(std::size_t n) {
    const std::size_t bytes = sizeof(buffer) + n * sizeof(word);
    auto* const root = new (c_malloc::allocate(bytes)) buffer{{1}, bytes};
    return {root, 0, static_cast<std::uint32_t>(n)};
  }
  static array halve(array& a) {
    // The holder of the only view is alone, so a plain store is enough. Relaxed
    // otherwise: a new view is made from one that keeps the buffer alive.
    if (a.root->views.load(std::memory_order_relaxed) == 1) {
      a.root->views.store(2, std::memory_order_relaxed);
    } else {
      a.root->views.fetch_add(1, std::memory_order_relaxed);
    }
    a.length /= 2;
    return {a.root, a.offset + a.length, a.length};
  }
  static array join(array left, array right) {
    if (left.root == right.root && left.offset + left.length == right.offset) [[likely]] {
      free(right);
      return {left.root, left.offset, left.length + right.length};
    }
    array whole = make(std::size_t{left.length} + right.length);
    std::memcpy(data(whole), data(left), left.length * sizeof(word));
    std::memcpy(data(whole) + left.length, data(right), right.length * sizeof(word));
    free(left);
    free(right);
    return whole;
  }
  static void free(array a) {
    // Acquire and release: the last one frees after the others' accesses.
    if (a.root->views.load(std::memory_order_acquire) == 1 ||
        a.root->views.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      c_malloc::release(a.root, a.root->bytes);
    }
  }
  static word* data(array& a) { return a.root->elements() + a.offset; }
  static std::size_t size(const array& a) { return a.length; }
};
static_assert(strategy<shared>);

}  // namespace cleave::bench
