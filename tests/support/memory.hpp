// memory.hpp -- what the system says about this process's memory.
#pragma once

#include <cstddef>

namespace cleave::test {

inline constexpr std::size_t page_bytes = 4096;

constexpr std::size_t operator""_KiB(unsigned long long n) {
  return n << 10;
}
constexpr std::size_t operator""_MiB(unsigned long long n) {
  return n << 20;
}
constexpr std::size_t operator""_GiB(unsigned long long n) {
  return n << 30;
}

// The bytes of this process that lie in physical memory (/proc).
std::size_t resident_bytes();

// Writes one byte per page, so that the system puts memory behind all of them.
void touch(void* data, std::size_t bytes);

}  // namespace cleave::test
