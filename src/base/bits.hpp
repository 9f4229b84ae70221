// bits.hpp -- powers of two: rounding and logarithms.
//
//   align_up(4097, 4096) == 8192;  ceil_log2(5) == 3;  floor_log2(5) == 2
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace cleave::base {

// Requires: alignment is a power of two; value + alignment does not overflow.
constexpr std::size_t align_up(std::size_t value, std::size_t alignment) noexcept {
  return (value + alignment - 1) & ~(alignment - 1);
}

constexpr std::size_t align_down(std::size_t value, std::size_t alignment) noexcept {
  return value & ~(alignment - 1);
}

// Requires: value > 0.
constexpr unsigned floor_log2(std::uint64_t value) noexcept {
  return 63u - static_cast<unsigned>(std::countl_zero(value));
}

// The smallest k with 2^k >= value. Requires: value > 0.
constexpr unsigned ceil_log2(std::uint64_t value) noexcept {
  return value <= 1 ? 0u : floor_log2(value - 1) + 1u;
}

}  // namespace cleave::base
