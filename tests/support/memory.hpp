// memory.hpp -- what the system says about this process's memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cleave::test {

inline constexpr std::size_t page_bytes = 4096;

// Tests of more than 2 GiB want it.
inline constexpr bool wide_addresses = sizeof(void*) > 4;
inline constexpr const char* needs_wide_addresses = "SKIP: 32 bits have no room for it";

constexpr std::size_t operator""_KiB(unsigned long long n) {
  return static_cast<std::size_t>(n << 10);
}
// Where addresses have 32 bits, more than there are is as much as there are.
constexpr std::size_t operator""_MiB(unsigned long long n) {
  return wide_addresses || n < 4096 ? static_cast<std::size_t>(n << 20) : SIZE_MAX;
}
constexpr std::size_t operator""_GiB(unsigned long long n) {
  return wide_addresses || n < 4 ? static_cast<std::size_t>(n << 30) : SIZE_MAX;
}

// The bytes of this process that lie in physical memory (/proc).
std::size_t resident_bytes();

// Writes one byte per page, so that the system puts memory behind all of them.
void touch(void* data, std::size_t bytes);

}  // namespace cleave::test
