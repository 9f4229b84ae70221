#include "lang/emit_names.hpp"

#include "lang/letters.hpp"

namespace cleave::lang {
namespace {

constexpr std::size_t longest_identifier = 40;
constexpr std::size_t longest_comment = 200;

}  // namespace

std::string identifier(std::string_view text, std::size_t number) {
  std::string made;
  for (const char c : text) {
    if (made.size() == longest_identifier) break;
    if (is_letter(c) || (is_digit(c) && !made.empty())) {
      made += c;
    } else if (!made.empty() && made.back() != '_') {
      made += '_';
    }
  }
  if (made.empty()) made = "v";
  if (made.back() != '_') made += '_';
  return made + std::to_string(number);
}

std::string string_literal(std::string_view bytes) {
  std::string made = "\"";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_letter(c) || is_digit(c) || c == ' ' || c == '_' || c == ',' || c == '.' || c == '-') {
      made += c;
    } else {
      // Three octal digits are an escape's most, so what follows cannot become part of it.
      made += '\\';
      made += static_cast<char>('0' + (byte >> 6));
      made += static_cast<char>('0' + ((byte >> 3) & 7));
      made += static_cast<char>('0' + (byte & 7));
    }
  }
  return made + '"';
}

std::string comment(std::string_view text) {
  std::string made;
  for (const char c : text.substr(0, longest_comment)) {
    const bool safe = c >= ' ' && c <= '~' && c != '\\' && c != '?';
    made += safe ? c : '.';
  }
  return made;
}

}  // namespace cleave::lang
