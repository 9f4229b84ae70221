// letters.hpp -- what a character of a program's text is, whatever the locale.
//
//   while (at < text.size() && (starts_word(text[at]) || is_digit(text[at]))) ++at;
#pragma once

namespace cleave::lang {

[[nodiscard]] constexpr bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}
[[nodiscard]] constexpr bool is_letter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
[[nodiscard]] constexpr bool starts_word(char c) noexcept {
  return is_letter(c) || c == '_';
}

}  // namespace cleave::lang
