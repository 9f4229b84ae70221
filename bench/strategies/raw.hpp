// raw.hpp -- the lower bound: plain spans into one buffer, nothing is freed.
//
// Cut and join are the additions that any interface of this kind needs, with
// no check and no heap. Every array is the same buffer, so a workload that holds
// two arrays at once cannot use it.
#pragma once

#include <sys/mman.h>

#include "strategies/strategy.hpp"

namespace cleave::bench {

struct raw {
  // In words.
  static constexpr std::size_t largest = std::size_t{1} << 20;

  struct array {
    word* data;
    std::size_t size;
  };

  static std::string name() { return "raw"; }

  static std::string prepare() {
    if (buffer_ != nullptr) return {};
    // Twice the size, so that the buffer can begin at 2 MiB and lie in huge pages.
    constexpr std::size_t bytes = largest * sizeof(word);
    constexpr std::size_t huge = std::size_t{2} << 20;
    void* const got =
        mmap(nullptr, bytes + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (got == MAP_FAILED) return "no memory for the buffer";
    const auto begin = (reinterpret_cast<std::uintptr_t>(got) + huge - 1) & ~(huge - 1);
    buffer_ = reinterpret_cast<word*>(begin);
    madvise(buffer_, bytes, MADV_HUGEPAGE);
    return {};
  }

  static array make(std::size_t n) { return {buffer_, n}; }
  static array halve(array& a) {
    a.size /= 2;
    return {a.data + a.size, a.size};
  }
  static array join(array left, array right) { return {left.data, left.size + right.size}; }
  static void free(array) {}
  static word* data(array& a) { return a.data; }
  static std::size_t size(const array& a) { return a.size; }
  static void purge() {}

 private:
  inline static word* buffer_ = nullptr;
};
static_assert(strategy<raw>);

}  // namespace cleave::bench
