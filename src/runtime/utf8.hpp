// utf8.hpp -- one character as bytes and back.
//
// Inside the runtime a character is any 32-bit number. UTF-8 goes on beyond Unicode in the
// same manner: the number of leading ones of the first byte is the length, up to seven, and
// each further byte has six bits. The order of such bytes is the order of the numbers.
//
//   char bytes[utf8::most];
//   unsigned n = utf8::encode(U'é', bytes);              // 2
//   utf8::decode(bytes) == U'é';
#pragma once

#include <bit>
#include <cstddef>

namespace cleave::runtime::utf8 {

inline constexpr unsigned most = 7;

[[nodiscard]] constexpr bool is_continuation(char byte) noexcept {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

// The length of a character that begins with this byte.
[[nodiscard]] constexpr unsigned length(char first) noexcept {
  const int ones = std::countl_one(static_cast<unsigned char>(first));
  return ones == 0 ? 1 : static_cast<unsigned>(ones);
}

// Requires: a whole character.
[[nodiscard]] constexpr char32_t decode(const char* from) noexcept {
  const unsigned n = length(*from);
  if (n == 1) return static_cast<unsigned char>(*from);
  char32_t c = static_cast<unsigned char>(*from) & (0xFFU >> (n + 1));
  for (unsigned i = 1; i < n; ++i) c = (c << 6) | (static_cast<unsigned char>(from[i]) & 0x3FU);
  return c;
}

// The number of bytes written.
constexpr unsigned encode(char32_t c, char* to) noexcept {
  if (c < 0x80) {
    *to = static_cast<char>(c);
    return 1;
  }
  // n bytes have 5n + 1 bits.
  const unsigned bits = static_cast<unsigned>(std::bit_width(static_cast<unsigned>(c)));
  const unsigned n = bits <= 11 ? 2 : (bits + 3) / 5;
  for (unsigned i = n - 1; i > 0; --i) {
    to[i] = static_cast<char>(0x80 | (c & 0x3F));
    c >>= 6;
  }
  to[0] = static_cast<char>((0xFF00U >> n) | c);
  return n;
}

// Whether Unicode has it as a character of its own.
[[nodiscard]] constexpr bool is_valid(char32_t c) noexcept {
  return c < 0xD800 || (c > 0xDFFF && c < 0x110000);
}

inline constexpr char replacement[] = "\xEF\xBF\xBD";  // U+FFFD

// The length of the valid UTF-8 at the beginning of these bytes.
[[nodiscard]] std::size_t valid_prefix(const char* bytes, std::size_t size) noexcept;

// How many bytes at the beginning of these, which are not valid, one U+FFFD stands for: the
// longest beginning of a character, else one. Requires: size > 0.
[[nodiscard]] std::size_t broken_prefix(const char* bytes, std::size_t size) noexcept;

}  // namespace cleave::runtime::utf8
