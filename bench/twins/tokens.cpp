// tokens.cpp -- the twin of tokens.bend: a vector of tokens whose names are views.
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "twin.hpp"

namespace {

enum class kind : std::uint8_t { number, name, sign };

struct token {
  kind of;
  std::uint32_t value = 0;  // of a sign the character
  std::string_view text;
};

bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::vector<token> tokens(std::string_view s) {
  std::vector<token> found;
  std::size_t i = 0;
  while (i < s.size()) {
    const std::size_t from = i;
    if (is_space(s[i])) {
      ++i;
    } else if (is_digit(s[i])) {
      std::uint32_t value = 0;
      for (; i < s.size() && is_digit(s[i]); ++i) {
        value = value * 10 + static_cast<std::uint32_t>(s[i] - '0');
      }
      found.push_back({kind::number, value, {}});
    } else if (is_letter(s[i])) {
      while (i < s.size() && (is_letter(s[i]) || is_digit(s[i]))) ++i;
      found.push_back({kind::name, 0, s.substr(from, i - from)});
    } else {
      found.push_back({kind::sign, static_cast<std::uint32_t>(s[i]), {}});
      ++i;
    }
  }
  return found;
}

}  // namespace

int main(int count, char** words) {
  std::string text;
  for (auto n = twin::argument(count, words, 2000); n > 0; --n) {
    text += "area2 = (width + 10) * 32;\n";
  }
  std::uint32_t numbers = 0;
  std::uint32_t sum = 0;
  std::uint32_t names = 0;
  std::size_t letters = 0;
  std::uint32_t signs = 0;
  for (const token& one : tokens(text)) {
    switch (one.of) {
      case kind::number:
        ++numbers;
        sum += one.value;
        break;
      case kind::name:
        ++names;
        letters += one.text.size();
        break;
      case kind::sign: ++signs; break;
    }
  }
  std::printf("%u numbers (%u), %u names (%zu letters), %u signs\n", numbers, sum, names, letters,
              signs);
}
