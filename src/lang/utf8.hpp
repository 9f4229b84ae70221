// utf8.hpp -- code points as bytes and back, as Unicode allows them.
//
//   const utf8_character c = utf8_at(text, at);
//   if (c.bytes == 0) ...                       // no character begins there
//   append_utf8(text, 0x1F600);
//
// The runtime has UTF-8 of its own, since a Char of a program may be any 32-bit number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cleave::lang {

struct utf8_character {
  std::uint32_t code_point = 0;
  std::size_t bytes = 0;  // 0: none
};

// The character that begins at this byte; none for what is cut off, longer than it need be, half
// of a pair, or behind the last code point. O(1). Requires: at < text.size().
[[nodiscard]] utf8_character utf8_at(std::string_view text, std::size_t at) noexcept;

// Whether UTF-8 can encode the code point.
[[nodiscard]] bool is_scalar(std::uint32_t code_point) noexcept;

// Requires: is_scalar(code_point).
void append_utf8(std::string& to, std::uint32_t code_point);

}  // namespace cleave::lang
