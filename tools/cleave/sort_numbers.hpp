// sort_numbers.hpp -- the order of binary numbers, and sorting one leaf of them.
//
// Unsigned integers have their usual order. A double is sorted as an unsigned
// key, so that the order is total and no bit pattern is lost: negative infinity
// first, -0.0 before +0.0, positive infinity, and then all NaNs.
//
//   doubles_to_keys(values);  sort_numbers(values);  keys_to_doubles(values);
#pragma once

#include <cstdint>
#include <span>

namespace cleave::tool {

// Ascending, in place, with the vector instructions of this machine.
void sort_numbers(std::span<std::uint32_t> values);
void sort_numbers(std::span<std::uint64_t> values);

inline constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;
// How many negative NaNs there are.
inline constexpr std::uint64_t negative_nans = (std::uint64_t{1} << 52) - 1;

// The key of the double with these bits. Inverting the negative numbers and
// setting the sign of the others gives the order of IEEE 754, in which negative
// NaNs are first; the subtraction wraps them around to the end.
constexpr std::uint64_t double_to_key(std::uint64_t bits) noexcept {
  return ((bits & sign_bit) != 0 ? ~bits : bits | sign_bit) - negative_nans;
}
constexpr std::uint64_t key_to_double(std::uint64_t key) noexcept {
  const std::uint64_t turned = key + negative_nans;
  return (turned & sign_bit) != 0 ? turned & ~sign_bit : ~turned;
}

// Each in place, for all values.
void doubles_to_keys(std::span<std::uint64_t> values) noexcept;
void keys_to_doubles(std::span<std::uint64_t> values) noexcept;

}  // namespace cleave::tool
