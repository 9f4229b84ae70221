#include "lang/utf8.hpp"

namespace cleave::lang {

bool is_scalar(std::uint32_t code_point) noexcept {
  return code_point <= 0x10'FFFF && (code_point < 0xD800 || code_point > 0xDFFF);
}

utf8_character utf8_at(std::string_view text, std::size_t at) noexcept {
  const auto byte = [text](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned first = byte(at);
  if (first < 0x80) return {first, 1};
  const std::size_t more = first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
  if (first < 0xC2 || first > 0xF4 || text.size() - at <= more) return {};
  std::uint32_t value = first & (0x3FU >> more);
  for (std::size_t k = 1; k <= more; ++k) {
    if ((byte(at + k) & 0xC0) != 0x80) return {};
    value = value << 6 | (byte(at + k) & 0x3FU);
  }
  constexpr std::uint32_t least[] = {0, 0x80, 0x800, 0x1'0000};
  if (value < least[more] || !is_scalar(value)) return {};
  return {value, more + 1};
}

void append_utf8(std::string& to, std::uint32_t code_point) {
  const auto tail = [&](unsigned shift) {
    to.push_back(static_cast<char>(0x80 | ((code_point >> shift) & 0x3F)));
  };
  if (code_point < 0x80) {
    to.push_back(static_cast<char>(code_point));
  } else if (code_point < 0x800) {
    to.push_back(static_cast<char>(0xC0 | code_point >> 6));
    tail(0);
  } else if (code_point < 0x1'0000) {
    to.push_back(static_cast<char>(0xE0 | code_point >> 12));
    tail(6);
    tail(0);
  } else {
    to.push_back(static_cast<char>(0xF0 | code_point >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace cleave::lang
