// string.hpp -- String, section 7.6 of the language: views of counted UTF-8.
//
// A string is a range of bytes in a buffer that strings share, so that its tail, and what
// take, drop and trim give, are views of the same bytes. While a buffer has one owner, its
// room on both sides is used: push and append cost O(what comes), cons O(1), amortised.
//
//   constinit text hello{"hello"};                  // a constant of the program
//   string s = String_append(hello, world);         // consumes both
//   while (!is_nil(s)) { use(head(s)); s = tail(s); }
//   drop(s);
//
// A Char is any 32 bits. Inside, those that Unicode does not have are encoded in the manner
// of UTF-8 (up to seven bytes); written out, they become U+FFFD. Bytes that come from
// outside are made valid first.
//
// Invariants (tests/runtime/string_test.cpp):
//   S1  [offset, offset + length) is whole encoded characters within the owner's capacity.
//   S2  The bytes of a buffer with several owners do not change, whether a view has them or not.
//   S3  A buffer marked `ascii` has only bytes below 0x80 in its views.
#pragma once

#include <cleave/runtime/cell.hpp>

namespace cleave::runtime {

// The bytes lie behind it.
struct buffer {
  header head;
  u32 capacity;
  u32 unused;

  static constexpr u32 ascii = 1;  // in head.info
  [[nodiscard]] char* bytes() noexcept { return reinterpret_cast<char*>(this + 1); }
  [[nodiscard]] bool is_ascii() const noexcept { return (head.info & ascii) != 0; }
};

struct string {
  buffer* owner;
  u32 offset;
  u32 length;  // in bytes

  [[nodiscard]] const char* begin() const noexcept { return owner->bytes() + offset; }
  [[nodiscard]] const char* end() const noexcept { return begin() + length; }
};

// A constant: `constinit text greeting{"hello"};`
template <std::size_t Size>
struct text {
  buffer head;
  char bytes[Size];

  constexpr text(const char (&from)[Size]) noexcept  // NOLINT: as a literal is a string
      : head{immortal_header(buffer::ascii), Size - 1, 0}, bytes{} {
    for (std::size_t i = 0; i < Size; ++i) {
      bytes[i] = from[i];
      if (static_cast<unsigned char>(from[i]) >= 0x80) head.head.info = 0;
    }
  }
  operator string() noexcept { return {&head, 0, Size - 1}; }  // NOLINT: that is its use
};

// A constant of any length, since the literal is taken as a whole, while compilers limit the steps
// of a constructor. Requires: marked as ASCII only if it is.
//
//   constinit long_text<5 + 1> greeting{{immortal_header(buffer::ascii), 5, 0}, "hello"};
template <std::size_t Size>
struct long_text {
  buffer head;
  char bytes[Size];

  operator string() noexcept { return {&head, 0, Size - 1}; }  // NOLINT: that is its use
};

inline constinit text<1> empty_text{""};

template <>
struct ops<string> {
  static constexpr bool plain = false;
  static void keep(string& s) noexcept {
    if (!is_immortal(&s.owner->head)) add_owner(&s.owner->head);
  }
  static void scan(string s, pile& /*dead*/) noexcept {
    if (is_immortal(&s.owner->head) || !remove_owner(&s.owner->head)) return;
    free_cell(s.owner, sizeof(buffer) + s.owner->capacity);
  }
};

namespace detail {
[[nodiscard]] character head_slowly(string s) noexcept;
[[nodiscard]] u32 head_length(unsigned char first) noexcept;
[[nodiscard]] string cons_slowly(character c, string s) noexcept;
[[nodiscard]] string push_slowly(string s, character c) noexcept;
// True if one ASCII character may be written beside s.
[[nodiscard]] inline bool may_grow(string s, character c) noexcept {
  return c < 0x80 && unique(&s.owner->head);
}
}  // namespace detail

// A string of its own with these bytes, which are made valid UTF-8.
[[nodiscard]] string make_string(const char* bytes, std::size_t length) noexcept;

// ---- SNil and SCon -----------------------------------------------------------------

[[nodiscard]] constexpr bool is_nil(string s) noexcept {
  return s.length == 0;
}

// Requires: !is_nil(s). Only reads s.
[[nodiscard]] inline character head(string s) noexcept {
  const auto first = static_cast<unsigned char>(*s.begin());
  if (first < 0x80) [[likely]] {
    return first;
  }
  return detail::head_slowly(s);
}

// The tail of a string that this code only reads: a view that s owns. Requires: !is_nil(s).
[[nodiscard]] inline string tail_view(string s) noexcept {
  const auto first = static_cast<unsigned char>(*s.begin());
  const u32 n = first < 0x80 ? 1 : detail::head_length(first);
  return {s.owner, s.offset + n, s.length - n};
}

// Requires: !is_nil(s). Consumes s.
[[nodiscard]] inline string tail(string s) noexcept {
  const string rest = tail_view(s);
  if (!is_nil(rest)) [[likely]] {
    return rest;
  }
  drop(s);
  return empty_text;
}

// SCon{c, s}. Consumes s.
[[nodiscard]] inline string cons(character c, string s) noexcept {
  if (s.offset != 0 && detail::may_grow(s, c)) [[likely]] {
    s.owner->bytes()[s.offset - 1] = static_cast<char>(c);
    return {s.owner, s.offset - 1, s.length + 1};
  }
  return detail::cons_slowly(c, s);
}

// Whether s has exactly these bytes. Only reads s.
[[nodiscard]] inline bool is_text(string s, const char* bytes, std::size_t length) noexcept {
  return s.length == length && std::memcmp(s.begin(), bytes, length) == 0;
}

// ---- Section 7.6. What Base declares as borrowed is only read. ------------------------

[[nodiscard]] inline string String_push_raw(string s, character c) noexcept {
  const u32 end = s.offset + s.length;
  if (end < s.owner->capacity && detail::may_grow(s, c)) [[likely]] {
    s.owner->bytes()[end] = static_cast<char>(c);
    return {s.owner, s.offset, s.length + 1};
  }
  return detail::push_slowly(s, c);
}

// Amortised O(b) if a is its buffer's only owner, else O(a + b); O(1) if one is empty.
[[nodiscard]] string String_append(string a, string b) noexcept;
// In characters. O(1) if all are ASCII, else O(length).
[[nodiscard]] nat String_length(string s) noexcept;
[[nodiscard]] inline bool String_eq(string a, string b) noexcept {
  return is_text(a, b.begin(), b.length);
}
// By code point.
[[nodiscard]] cmp String_order(string a, string b) noexcept;
[[nodiscard]] string String_reverse(string s) noexcept;

// Views. O(n), O(1) if all are ASCII.
[[nodiscard]] string String_take(string s, nat n) noexcept;
[[nodiscard]] string String_drop(string s, nat n) noexcept;
[[nodiscard]] pair<bool, character> String_get_raw(string s, nat n) noexcept;

// (True, (what is before the first c, what is behind it)), else (False, (s, "")).
[[nodiscard]] pair<bool, pair<string, string>> String_cut_raw(string s, character c) noexcept;
// (True, characters before the first occurrence), else (False, 0). O(s + part).
[[nodiscard]] pair<bool, nat> String_find_raw(string s, string part) noexcept;
[[nodiscard]] bool String_starts_with(string s, string part) noexcept;
[[nodiscard]] bool String_ends_with(string s, string part) noexcept;
[[nodiscard]] bool String_contains(string s, string part) noexcept;

// ASCII letters; in place if nobody else sees the bytes.
[[nodiscard]] string String_to_upper(string s) noexcept;
[[nodiscard]] string String_to_lower(string s) noexcept;
// Without ASCII white space at one end. Views.
[[nodiscard]] string String_trim_start(string s) noexcept;
[[nodiscard]] string String_trim_end(string s) noexcept;

// FNV-1a of the bytes.
[[nodiscard]] u32 String_hash(string s) noexcept;

// Strings as rows of bits, for Map: each byte is a 1 and its eight bits, highest first, and
// behind the last byte all bits are 0.
// (True, number of the first bit that differs), (False, 0) if equal.
[[nodiscard]] pair<bool, nat> String_differ_raw(string a, string b) noexcept;
[[nodiscard]] bool String_bit_raw(string s, nat n) noexcept;

}  // namespace cleave::runtime
