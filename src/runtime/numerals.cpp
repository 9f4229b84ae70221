#include "runtime/numerals.hpp"

#include <charconv>
#include <cleave/runtime/show.hpp>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>

namespace cleave::runtime {
namespace numerals {
namespace {

void put(text& to, const char* bytes, std::size_t n) noexcept {
  std::memcpy(to.bytes + to.length, bytes, n);
  to.length += n;
}

void put(text& to, const char* word) noexcept {
  put(to, word, std::strlen(word));
}

void put_zeros(text& to, int n) noexcept {
  for (; n > 0; --n) put(to, "0", 1);
}

// 0.d1 d2 ... times 10^exponent, at most 9 digits.
struct decimal {
  char digits[16];
  int count;
  int exponent;
};

// Requires: x is finite and greater than 0.
decimal shortest(f32 x) noexcept {
  // d.ddde+dd
  char all[32];
  const char* const end =
      std::to_chars(all, all + sizeof all, x, std::chars_format::scientific).ptr;
  decimal made{{}, 0, 0};
  const char* at = all;
  for (; *at != 'e'; ++at) {
    if (*at != '.') made.digits[made.count++] = *at;
  }
  ++at;
  if (*at == '+') ++at;
  std::from_chars(at, end, made.exponent);
  ++made.exponent;
  return made;
}

}  // namespace

text of_nat(nat n) noexcept {
  text made{};
  made.length = static_cast<std::size_t>(
      std::to_chars(made.bytes, made.bytes + sizeof made.bytes, n).ptr - made.bytes);
  return made;
}

text of_f32(f32 x) noexcept {
  text made{};
  if (std::isnan(x)) {
    put(made, "nan");
    return made;
  }
  if (std::signbit(x)) put(made, "-");
  if (std::isinf(x)) {
    put(made, "inf");
    return made;
  }
  if (x == 0) {
    put(made, "0");
    return made;
  }
  const decimal d = shortest(std::fabs(x));
  const auto digits = [&](int from, int to) {
    put(made, d.digits + from, static_cast<std::size_t>(to - from));
  };
  if (d.exponent > 21 || d.exponent <= -6) {
    digits(0, 1);
    if (d.count > 1) put(made, ".");
    digits(1, d.count);
    const int e = d.exponent - 1;
    put(made, e < 0 ? "e-" : "e+");
    const text power = of_nat(static_cast<nat>(std::abs(e)));
    put(made, power.bytes, power.length);
  } else if (d.exponent <= 0) {
    put(made, "0.");
    put_zeros(made, -d.exponent);
    digits(0, d.count);
  } else if (d.exponent >= d.count) {
    digits(0, d.count);
    put_zeros(made, d.exponent - d.count);
  } else {
    digits(0, d.exponent);
    put(made, ".");
    digits(d.exponent, d.count);
  }
  return made;
}

}  // namespace numerals

namespace {

string string_from(const numerals::text& text) noexcept {
  return make_string(text.bytes, text.length);
}

// One or more digits of a number up to `limit`.
pair<bool, nat> read_digits(string s, nat limit) noexcept {
  nat value = 0;
  for (const char* at = s.begin(); at != s.end(); ++at) {
    if (*at < '0' || *at > '9') return {false, 0};
    value = 10 * value + static_cast<nat>(*at - '0');
    if (value > limit) return {false, 0};
  }
  return {s.length != 0, value};
}

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

// Digits with an optional point among or beside them, and an optional exponent.
bool is_decimal(const char* at, const char* end) noexcept {
  const auto digits = [&] {
    const char* const first = at;
    while (at != end && is_digit(*at)) ++at;
    return at != first;
  };
  bool any = digits();
  if (at != end && *at == '.') {
    ++at;
    any = digits() || any;
  }
  if (!any) return false;
  if (at != end && (*at == 'e' || *at == 'E')) {
    ++at;
    if (at != end && (*at == '+' || *at == '-')) ++at;
    if (!digits()) return false;
  }
  return at == end;
}

bool is_word(const char* at, const char* end, const char* word) noexcept {
  for (; at != end && *word != 0; ++at, ++word) {
    if ((*at | 0x20) != *word) return false;
  }
  return at == end && *word == 0;
}

}  // namespace

string U32_show(u32 a) noexcept {
  return string_from(numerals::of_nat(a));
}

string Nat_show(nat a) noexcept {
  return string_from(numerals::of_nat(a));
}

string F32_show(f32 a) noexcept {
  return string_from(numerals::of_f32(a));
}

pair<bool, u32> U32_read_raw(string s) noexcept {
  const auto [read, value] = read_digits(s, UINT32_MAX);
  return {read, static_cast<u32>(value)};
}

pair<bool, nat> Nat_read_raw(string s) noexcept {
  return read_digits(s, nat_limit);
}

pair<bool, f32> F32_read_raw(string s) noexcept {
  const char* at = s.begin();
  const char* const end = s.end();
  const bool negative = at != end && *at == '-';
  if (at != end && (*at == '-' || *at == '+')) ++at;
  f32 value = 0;
  if (is_word(at, end, "inf") || is_word(at, end, "infinity")) {
    value = INFINITY;
  } else if (is_word(at, end, "nan")) {
    value = NAN;
  } else if (!is_decimal(at, end)) {
    return {false, 0};
  } else if (std::from_chars(at, end, value).ec != std::errc{}) {
    // Too large or too small for a float: the C library says which, and rounds.
    value = std::strtof(std::string(at, end).c_str(), nullptr);
  }
  return {true, negative ? -value : value};
}

}  // namespace cleave::runtime
