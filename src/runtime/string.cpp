#include <algorithm>
#include <cleave/runtime/number.hpp>
#include <cleave/runtime/string.hpp>
#include <cstring>

#include "runtime/utf8.hpp"

namespace cleave::runtime {
namespace {

constexpr std::size_t most_bytes = UINT32_MAX - sizeof(buffer);
// Cells are multiples of 8 bytes anyway.
constexpr std::size_t least_room = 16;

// With at least `room` bytes, one owner, and marked as ASCII.
buffer* new_buffer(std::size_t room) noexcept {
  if (room > most_bytes) stop(message::out_of_memory);
  room = std::min((std::max(room, least_room) + 7) / 8 * 8, most_bytes / 8 * 8);
  auto* const made = static_cast<buffer*>(detail::take_cell(sizeof(buffer) + room));
  *made = {new_header(buffer::ascii), static_cast<u32>(room), 0};
  return made;
}

void unite_marks(buffer* to, const buffer* from) noexcept {
  if (!from->is_ascii()) to->head.info &= ~buffer::ascii;
}

// A string of its own with the same bytes and `front` free bytes before and `back` behind
// them. Consumes s.
string with_room(string s, std::size_t front, std::size_t back) noexcept {
  buffer* const to = new_buffer(front + s.length + back);
  std::memcpy(to->bytes() + front, s.begin(), s.length);
  unite_marks(to, s.owner);
  drop(s);
  return {to, static_cast<u32>(front), s.length};
}

// The same string; nobody else sees its bytes. Consumes s.
string own(string s) noexcept {
  return unique(&s.owner->head) ? s : with_room(s, 0, 0);
}

// Whether a longer view of s's buffer may have c in it, if c is there already. Nobody writes
// to a shared buffer, so a program that takes characters off and puts them back copies none.
bool may_hold(string s, character c) noexcept {
  return c < 0x80 || !s.owner->is_ascii();
}

std::size_t room_behind(string s) noexcept {
  return unique(&s.owner->head) ? s.owner->capacity - s.offset - s.length : 0;
}

std::size_t room_before(string s) noexcept {
  return unique(&s.owner->head) ? s.offset : 0;
}

// s with bytes behind it or before it, for which there is room.
string write_behind(string s, const char* bytes, std::size_t size) noexcept {
  std::memcpy(s.owner->bytes() + s.offset + s.length, bytes, size);
  return {s.owner, s.offset, s.length + static_cast<u32>(size)};
}
string write_before(string s, const char* bytes, std::size_t size) noexcept {
  std::memcpy(s.owner->bytes() + s.offset - size, bytes, size);
  return {s.owner, s.offset - static_cast<u32>(size), s.length + static_cast<u32>(size)};
}

// The view [from, to) of s, as owner. Consumes s.
string narrow(string s, std::size_t from, std::size_t to) noexcept {
  if (from == to) {
    drop(s);
    return empty_text;
  }
  return {s.owner, s.offset + static_cast<u32>(from), static_cast<u32>(to - from)};
}

std::size_t count_characters(const char* bytes, std::size_t size) noexcept {
  return static_cast<std::size_t>(
      std::count_if(bytes, bytes + size, [](char c) { return !utf8::is_continuation(c); }));
}

// Where character n begins, or the length if there are no more than n.
std::size_t place_of(string s, nat n) noexcept {
  if (s.owner->is_ascii()) return std::min<nat>(n, s.length);
  std::size_t at = 0;
  for (; n != 0 && at < s.length; --n) at += utf8::length(s.begin()[at]);
  return at;
}

constexpr std::size_t not_found = SIZE_MAX;

std::size_t find(string s, const char* part, std::size_t size) noexcept {
  // Linear in the system's library, unlike std::string_view::find.
  const auto* const at = static_cast<const char*>(::memmem(s.begin(), s.length, part, size));
  return at == nullptr ? not_found : static_cast<std::size_t>(at - s.begin());
}

bool is_space(char c) noexcept {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

template <class Change>
string change_bytes(string s, Change change) noexcept {
  s = own(s);
  char* const bytes = s.owner->bytes() + s.offset;
  std::transform(bytes, bytes + s.length, bytes, change);
  return s;
}

}  // namespace

namespace detail {

character head_slowly(string s) noexcept {
  return utf8::decode(s.begin());
}

u32 head_length(unsigned char first) noexcept {
  return utf8::length(static_cast<char>(first));
}

string cons_slowly(character c, string s) noexcept {
  char bytes[utf8::most];
  const unsigned n = utf8::encode(c, bytes);
  if (s.offset >= n && may_hold(s, c) && std::memcmp(s.begin() - n, bytes, n) == 0) {
    return {s.owner, s.offset - n, s.length + n};
  }
  if (room_before(s) < n) s = with_room(s, std::max<std::size_t>(least_room, s.length), 0);
  if (c >= 0x80) s.owner->head.info &= ~buffer::ascii;
  return write_before(s, bytes, n);
}

string push_slowly(string s, character c) noexcept {
  char bytes[utf8::most];
  const unsigned n = utf8::encode(c, bytes);
  const std::size_t behind = s.owner->capacity - s.offset - s.length;
  if (behind >= n && may_hold(s, c) && std::memcmp(s.end(), bytes, n) == 0) {
    return {s.owner, s.offset, s.length + n};
  }
  if (room_behind(s) < n) s = with_room(s, 0, std::max<std::size_t>(least_room, s.length));
  if (c >= 0x80) s.owner->head.info &= ~buffer::ascii;
  return write_behind(s, bytes, n);
}

}  // namespace detail

string make_string(const char* bytes, std::size_t length) noexcept {
  std::size_t size = 0;
  bool ascii = true;
  const auto for_each_piece = [&](auto f) {
    for (std::size_t at = 0; at < length;) {
      const std::size_t valid = utf8::valid_prefix(bytes + at, length - at);
      f(bytes + at, valid);
      at += valid;
      if (at == length) break;
      f(utf8::replacement, sizeof utf8::replacement - 1);
      at += utf8::broken_prefix(bytes + at, length - at);
    }
  };
  for_each_piece([&](const char* from, std::size_t n) {
    size += n;
    ascii = ascii && std::all_of(from, from + n, [](char c) { return c >= 0; });
  });
  if (size == 0) return empty_text;
  string made{new_buffer(size), 0, 0};
  if (!ascii) made.owner->head.info = 0;
  for_each_piece([&](const char* from, std::size_t n) { made = write_behind(made, from, n); });
  return made;
}

string String_append(string a, string b) noexcept {
  if (b.length == 0) {
    drop(b);
    return a;
  }
  if (a.length == 0) {
    drop(a);
    return b;
  }
  if (room_behind(a) < b.length) {
    // Into the room of the longer one, or into new room beside it.
    if (a.length < b.length || room_before(b) >= a.length) {
      if (room_before(b) < a.length) b = with_room(b, std::size_t{a.length} + b.length, 0);
      unite_marks(b.owner, a.owner);
      b = write_before(b, a.begin(), a.length);
      drop(a);
      return b;
    }
    a = with_room(a, 0, std::size_t{a.length} + b.length);
  }
  unite_marks(a.owner, b.owner);
  a = write_behind(a, b.begin(), b.length);
  drop(b);
  return a;
}

nat String_length(string s) noexcept {
  return s.owner->is_ascii() ? s.length : count_characters(s.begin(), s.length);
}

cmp String_order(string a, string b) noexcept {
  const int order = std::memcmp(a.begin(), b.begin(), std::min(a.length, b.length));
  return order != 0 ? compare(order, 0) : compare(a.length, b.length);
}

string String_reverse(string s) noexcept {
  if (s.length == 0) return empty_text;
  string made{new_buffer(s.length), 0, s.length};
  unite_marks(made.owner, s.owner);
  char* to = made.owner->bytes() + s.length;
  for (const char* from = s.begin(); from != s.end();) {
    const unsigned n = utf8::length(*from);
    to -= n;
    std::memcpy(to, from, n);
    from += n;
  }
  return made;
}

string String_take(string s, nat n) noexcept {
  return narrow(s, 0, place_of(s, n));
}

string String_drop(string s, nat n) noexcept {
  return narrow(s, place_of(s, n), s.length);
}

pair<bool, character> String_get_raw(string s, nat n) noexcept {
  const std::size_t at = place_of(s, n);
  if (at == s.length) return {false, 0};
  return {true, utf8::decode(s.begin() + at)};
}

pair<bool, pair<string, string>> String_cut_raw(string s, character c) noexcept {
  char bytes[utf8::most];
  const unsigned n = utf8::encode(c, bytes);
  const std::size_t at = find(s, bytes, n);
  if (at == not_found) return {false, {s, empty_text}};
  keep(s);
  return {true, {narrow(s, 0, at), narrow(s, at + n, s.length)}};
}

pair<bool, nat> String_find_raw(string s, string part) noexcept {
  const std::size_t at = find(s, part.begin(), part.length);
  if (at == not_found) return {false, 0};
  return {true, s.owner->is_ascii() ? at : count_characters(s.begin(), at)};
}

bool String_starts_with(string s, string part) noexcept {
  return s.length >= part.length && std::memcmp(s.begin(), part.begin(), part.length) == 0;
}

bool String_ends_with(string s, string part) noexcept {
  return s.length >= part.length &&
         std::memcmp(s.end() - part.length, part.begin(), part.length) == 0;
}

bool String_contains(string s, string part) noexcept {
  return find(s, part.begin(), part.length) != not_found;
}

string String_to_upper(string s) noexcept {
  return change_bytes(
      s, [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
}

string String_to_lower(string s) noexcept {
  return change_bytes(
      s, [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
}

string String_trim_start(string s) noexcept {
  const char* const first = std::find_if_not(s.begin(), s.end(), is_space);
  return narrow(s, static_cast<std::size_t>(first - s.begin()), s.length);
}

string String_trim_end(string s) noexcept {
  std::size_t end = s.length;
  while (end != 0 && is_space(s.begin()[end - 1])) --end;
  return narrow(s, 0, end);
}

u32 String_hash(string s) noexcept {
  u32 hash = 2166136261;
  for (const char* at = s.begin(); at != s.end(); ++at) {
    hash = (hash ^ static_cast<unsigned char>(*at)) * 16777619;
  }
  return hash;
}

pair<bool, nat> String_differ_raw(string a, string b) noexcept {
  const auto [in_a, in_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  const auto at = static_cast<nat>(in_a - a.begin());
  if (in_a == a.end() || in_b == b.end())
    return {a.length != b.length, a.length != b.length ? 9 * at : 0};
  const auto bits = static_cast<unsigned char>(*in_a ^ *in_b);
  return {true, 9 * at + 1 + static_cast<nat>(std::countl_zero(bits))};
}

bool String_bit_raw(string s, nat n) noexcept {
  if (n / 9 >= s.length) return false;
  const auto byte = static_cast<unsigned char>(s.begin()[n / 9]);
  return n % 9 == 0 || ((byte >> (8 - n % 9)) & 1) != 0;
}

}  // namespace cleave::runtime
