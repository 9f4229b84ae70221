// Numbers, characters and strings.
#include <charconv>
#include <cstring>
#include <string>
#include <system_error>

#include "lang/letters.hpp"
#include "lang/lexer.hpp"
#include "lang/utf8.hpp"

namespace cleave::lang {
namespace {

constexpr std::uint64_t largest_u32 = 0xFFFF'FFFF;

int hex_digit(char c) noexcept {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The power of ten of the first digit that is not 0: 0 for 1.5, -2 for 0.05.
long long decimal_exponent(std::string_view text) noexcept {
  constexpr long long enough = 1'000'000'000;
  const std::size_t point = text.find('.');
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  long long written = 0;
  if (e != text.size()) {
    std::size_t at = e + 1;
    const bool negative = text[at] == '-';
    if (!is_digit(text[at])) ++at;
    for (; at < text.size() && written < enough; ++at) written = written * 10 + (text[at] - '0');
    if (negative) written = -written;
  }
  const std::size_t first = text.find_first_of("123456789");
  if (first >= e) return 0;
  const auto place = static_cast<long long>(point) - static_cast<long long>(first);
  return written + (place > 0 ? place - 1 : place);
}

// The bits of the nearest float; false if that is infinite.
bool to_f32(std::string_view text, std::uint64_t& bits) noexcept {
  float value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec == std::errc::result_out_of_range) {
    // Too large or too near to 0.
    if (decimal_exponent(text) > 0) return false;
    value = 0;
  }
  std::uint32_t pattern = 0;
  std::memcpy(&pattern, &value, sizeof pattern);
  bits = pattern;
  return true;
}

}  // namespace

token lexer::number(token made) {
  const std::size_t begin = at_;
  // What is past the limit stays past it, however many digits there are.
  constexpr std::uint64_t too_large = std::uint64_t{1} << 40;
  for (; is_digit(peek()); ++at_) {
    if (made.value < too_large) {
      made.value = made.value * 10 + static_cast<std::uint64_t>(peek() - '0');
    }
  }

  token_kind kind = token_kind::u32;
  if (peek() == '.' && is_digit(peek(1))) {
    kind = token_kind::f32;
    ++at_;
    while (is_digit(peek())) ++at_;
    if (peek() == 'e' || peek() == 'E') {
      const bool sign = peek(1) == '+' || peek(1) == '-';
      if (is_digit(peek(sign ? 2 : 1))) {
        at_ += sign ? 2 : 1;
        while (is_digit(peek())) ++at_;
      }
    }
  } else if (peek() == 'n') {
    ++at_;
    kind = token_kind::nat;
    if (peek() == '+') {
      ++at_;
      kind = token_kind::successor;
    }
  }

  const std::string_view digits = text_.substr(begin, at_ - begin);
  if (kind != token_kind::successor && (starts_word(peek()) || is_digit(peek()) || peek() == '.')) {
    while (starts_word(peek()) || is_digit(peek()) || peek() == '.') ++at_;
    report(begin, at_, "a number (7, 7n or 1.5)",
           "'" + std::string(text_.substr(begin, std::min<std::size_t>(at_ - begin, 40))) + "'");
    made.value = 0;
    return finish(made, kind);
  }
  if (kind == token_kind::f32) {
    if (!to_f32(digits, made.value)) {
      report(begin, at_, "an F32 below 3.4028236e38", "a number that rounds to infinity");
      made.value = 0;
    }
  } else if (made.value > largest_u32) {
    report(begin, at_,
           kind == token_kind::u32 ? "a U32 of at most 4294967295"
                                   : "a Nat literal of at most 4294967295n",
           "a larger number");
    made.value = 0;
  }
  return finish(made, kind);
}

token lexer::text_literal(token made) {
  ++at_;
  for (;;) {
    const std::size_t stop = text_.find_first_of("\"\\\n", at_);
    if (stop == text_.npos) {
      report(made.begin, made.begin + 1, "a '\"' that ends the string", "the end of the file");
      // All that is known of it is its quote.
      made.kind = token_kind::text;
      made.end = made.begin + 1;
      give_up();
      return made;
    }
    at_ = stop;
    if (text_[stop] == '\\') {
      bool wrong = false;
      escape(wrong);
      continue;
    }
    ++at_;
    if (text_[stop] == '"') return finish(made, token_kind::text);
    line_start_ = at_;
  }
}

token lexer::character_literal(token made) {
  ++at_;
  bool wrong = false;
  if (peek() == '\\') {
    made.value = escape(wrong);
  } else if (at_ < text_.size() && peek() != '\'' && peek() != '\n') {
    made.value = code_point();
  } else {
    wrong = true;
    report(made.begin, at_, "a character between quotes", "none");
  }
  if (peek() == '\'') {
    ++at_;
  } else if (!wrong) {
    report(made.begin, at_, "a quote behind one character", "no quote");
    // Where a word was meant as text, it ends at its quote.
    const std::size_t quote = text_.find_first_of("' \t\r\n(){}[],;:", at_);
    if (quote != text_.npos && text_[quote] == '\'') at_ = quote + 1;
  }
  return finish(made, token_kind::character);
}

// The code point that the escape at the place means.
std::uint32_t lexer::escape(bool& wrong) {
  const std::size_t begin = at_++;
  const char letter = peek();
  if (letter == 'u' && peek(1) == '{') return braced_hex(wrong);
  constexpr std::string_view letters = "ntr0\\'\"";
  constexpr std::string_view meanings("\n\t\r\0\\'\"", 7);
  const std::size_t which = letters.find(letter);
  if (at_ < text_.size() && which != letters.npos) {
    ++at_;
    return static_cast<unsigned char>(meanings[which]);
  }
  wrong = true;
  if (at_ < text_.size() && letter != '\n') code_point();
  report(begin, at_, R"(an escape: \n \t \r \0 \\ \' \" or \u{hex})",
         "'" + std::string(text_.substr(begin, at_ - begin)) + "'");
  return 0;
}

std::uint32_t lexer::braced_hex(bool& wrong) {
  const std::size_t begin = at_ - 1;
  at_ += 2;
  std::uint32_t value = 0;
  std::size_t digits = 0;
  for (; hex_digit(peek()) >= 0; ++at_, ++digits) {
    if (digits < 7) value = value * 16 + static_cast<std::uint32_t>(hex_digit(peek()));
  }
  if (peek() == '}' && digits >= 1 && digits <= 6 && is_scalar(value)) {
    ++at_;
    return value;
  }
  wrong = true;
  if (peek() == '}') ++at_;
  report(begin, at_, "a code point: \\u{0} to \\u{10FFFF}, no surrogate",
         "'" + std::string(text_.substr(begin, std::min<std::size_t>(at_ - begin, 20))) + "'");
  return 0;
}

// Passes over one code point of what is known to be UTF-8.
std::uint32_t lexer::code_point() {
  const utf8_character one = utf8_at(text_, at_);
  at_ += one.bytes;
  return one.code_point;
}

std::size_t first_bad_byte(std::string_view text) noexcept {
  std::size_t at = 0;
  while (at < text.size() && text[at] != '\0') {
    const std::size_t bytes = utf8_at(text, at).bytes;
    if (bytes == 0) break;
    at += bytes;
  }
  return at;
}

std::string unescape(std::string_view literal) {
  std::string made;
  if (literal.size() < 2) return made;
  literal = literal.substr(1, literal.size() - 2);
  made.reserve(literal.size());
  for (std::size_t at = 0; at < literal.size();) {
    const char c = literal[at++];
    if (c != '\\' || at == literal.size()) {
      made.push_back(c);
      continue;
    }
    const char letter = literal[at++];
    switch (letter) {
      case 'n': made.push_back('\n'); break;
      case 't': made.push_back('\t'); break;
      case 'r': made.push_back('\r'); break;
      case '0': made.push_back('\0'); break;
      case 'u': {
        std::uint32_t value = 0;
        if (at < literal.size() && literal[at] == '{') ++at;
        for (; at < literal.size() && hex_digit(literal[at]) >= 0; ++at) {
          value = value * 16 + static_cast<std::uint32_t>(hex_digit(literal[at]));
        }
        if (at < literal.size() && literal[at] == '}') ++at;
        append_utf8(made, is_scalar(value) ? value : '?');
        break;
      }
      default: made.push_back(letter);
    }
  }
  return made;
}

}  // namespace cleave::lang
