// packed_range.hpp -- a range of pages in one word, to be handed on by a single atomic operation.
//
//   const std::uint64_t word = pack(page, 16);
//   page_in(word) == page;  count_in(word) == 16;
//
// No range is 0, since none has no pages: 0 stands for nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heap/geometry.hpp"

namespace cleave::heap {

constexpr std::uint64_t pack(page_index page, std::size_t n) noexcept {
  return std::uint64_t{page} << 32 | n;
}
constexpr page_index page_in(std::uint64_t range) noexcept {
  return static_cast<page_index>(range >> 32);
}
constexpr std::size_t count_in(std::uint64_t range) noexcept {
  return range & UINT32_MAX;
}

}  // namespace cleave::heap
