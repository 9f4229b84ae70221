#include "runtime/utf8.hpp"

namespace cleave::runtime::utf8 {
namespace {

// A valid character at the beginning of the bytes, or the part of one that is there.
struct found {
  std::size_t bytes;
  bool whole;
};

found look(const char* bytes, std::size_t size) noexcept {
  const auto at = [bytes](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char first = at(0);
  if (first < 0x80) return {1, true};
  // What the second byte may be depends on the first: no long forms, no surrogates.
  const std::size_t n = first < 0xC2 || first > 0xF4 ? 1 : length(bytes[0]);
  if (n == 1) return {1, false};
  const unsigned char low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned char high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (size < 2 || at(1) < low || at(1) > high) return {1, false};
  for (std::size_t i = 2; i < n; ++i) {
    if (i == size || !is_continuation(bytes[i])) return {i, false};
  }
  return {n, true};
}

}  // namespace

std::size_t valid_prefix(const char* bytes, std::size_t size) noexcept {
  std::size_t i = 0;
  while (i < size) {
    const found here = look(bytes + i, size - i);
    if (!here.whole) break;
    i += here.bytes;
  }
  return i;
}

std::size_t broken_prefix(const char* bytes, std::size_t size) noexcept {
  return look(bytes, size).bytes;
}

}  // namespace cleave::runtime::utf8
