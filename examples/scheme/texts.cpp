// texts.cpp -- characters, strings, bytevectors; and the bytevectors' early release.

#include <algorithm>
#include <cctype>
#include <cstring>

#include "primitives.hpp"
#include "printer.hpp"
#include "reader.hpp"

namespace scheme {
namespace {

// --- Characters: what is said of letters holds for ASCII ---

char32_t character_at(machine& m, std::size_t i, const char* who) {
  if (!is_character(m.argument(i))) fail(m, std::string(who) + ": not a character:", m.argument(i));
  return character_of(m.argument(i));
}
template <int (*Test)(int)>
value is_kind(machine& m, std::size_t) {
  const char32_t c = character_at(m, 0, "a test of characters");
  return boolean(c < 128 && Test(static_cast<int>(c)) != 0);
}
template <int (*Change)(int)>
value changed(machine& m, std::size_t) {
  const char32_t c = character_at(m, 0, "a change of characters");
  return character(c < 128 ? static_cast<char32_t>(Change(static_cast<int>(c))) : c);
}
value is_character_value(machine& m, std::size_t) {
  return boolean(is_character(m.argument(0)));
}
value character_to_integer(machine& m, std::size_t) {
  return fixnum(character_at(m, 0, "char->integer"));
}
value integer_to_character(machine& m, std::size_t) {
  return character(static_cast<char32_t>(index_at(m, 0, 0x10FFFF, "integer->char")));
}
template <class Compare>
value characters_in_order(machine& m, std::size_t count) {
  bool holds = true;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    holds = Compare()(character_at(m, i, "char compare"), character_at(m, i + 1, "char compare")) &&
            holds;
  }
  return boolean(holds);
}

// --- Strings ---

std::span<char32_t> text_at(machine& m, std::size_t i, const char* who) {
  return object_at<string>(m, i, who)->characters->as<char32_t>();
}
std::u32string copied(std::span<const char32_t> text) {
  return {text.begin(), text.end()};
}

value make_string(machine& m, std::size_t count) {
  const std::size_t size = index_at(m, 0, std::size_t{1} << 32, "make-string");
  return m.make_string(std::u32string(size, count == 2 ? character_at(m, 1, "make-string") : U' '))
      .get();
}
value string_of(machine& m, std::size_t count) {
  std::u32string made;
  for (std::size_t i = 0; i < count; ++i) made.push_back(character_at(m, i, "string"));
  return m.make_string(made).get();
}
value string_length(machine& m, std::size_t) {
  return fixnum(static_cast<std::int64_t>(text_at(m, 0, "string-length").size()));
}
value string_ref(machine& m, std::size_t) {
  const auto text = text_at(m, 0, "string-ref");
  return character(text[place_at(m, 1, text.size(), "string-ref")]);
}
value string_set(machine& m, std::size_t) {
  const auto text = text_at(m, 0, "string-set!");
  text[place_at(m, 1, text.size(), "string-set!")] = character_at(m, 2, "string-set!");
  return unspecified;
}
value string_append(machine& m, std::size_t count) {
  std::u32string made;
  for (std::size_t i = 0; i < count; ++i) made += copied(text_at(m, i, "string-append"));
  return m.make_string(made).get();
}
value substring(machine& m, std::size_t count) {
  const auto text = text_at(m, 0, "substring");
  const range part = range_at(m, 1, count, text.size(), "substring");
  return m.make_string(copied(text.subspan(part.begin, part.size()))).get();
}
template <class Compare>
value strings_in_order(machine& m, std::size_t count) {
  bool holds = true;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const auto a = text_at(m, i, "string compare"), b = text_at(m, i + 1, "string compare");
    holds = Compare()(std::u32string_view(a.data(), a.size()),
                      std::u32string_view(b.data(), b.size())) &&
            holds;
  }
  return boolean(holds);
}
value string_to_list(machine& m, std::size_t count) {
  const range part = range_at(m, 1, count, text_at(m, 0, "string->list").size(), "string->list");
  any made = m.held(nil);
  for (std::size_t i = part.end; i-- > part.begin;) {
    made = m.cons(m.held(character(text_at(m, 0, "string->list")[i])), made);
  }
  return made.get();
}
value list_to_string(machine& m, std::size_t) {
  std::u32string made;
  if (!length_of(m.argument(0))) fail(m, "list->string: not a list:", m.argument(0));
  for (value v = m.argument(0); v.is<pair>(); v = v.as<pair>()->tail.get()) {
    const value c = v.as<pair>()->head.get();
    if (!is_character(c)) fail(m, "list->string: not a character:", c);
    made.push_back(character_of(c));
  }
  return m.make_string(made).get();
}
value string_to_utf8(machine& m, std::size_t) {
  const auto text = text_at(m, 0, "string->utf8");
  std::string made;
  for (const char32_t c : text) append_encoded(made, c);
  const auto bytes = m.heap().make_bytes_for_overwrite(made.size());
  if (!made.empty()) std::memcpy(bytes->data(), made.data(), made.size());
  return bytes.get();
}

// --- Bytevectors ---

bytevector* bytes_at(machine& m, std::size_t i, const char* who) {
  auto* const bytes = object_at<bytevector>(m, i, who);
  if (bytes->forgotten()) fail(std::string(who) + ": the bytevector was forgotten");
  return bytes;
}
std::byte byte_at(machine& m, std::size_t i, const char* who) {
  const value v = m.argument(i);
  if (!v.is_integer() || v.integer() < 0 || v.integer() > 255) {
    fail(m, std::string(who) + ": not a byte:", v);
  }
  return static_cast<std::byte>(v.integer());
}
value make_bytevector(machine& m, std::size_t count) {
  const std::size_t size = index_at(m, 0, std::size_t{1} << 40, "make-bytevector");
  const std::byte fill = count == 2 ? byte_at(m, 1, "make-bytevector") : std::byte{0};
  const auto made = m.heap().make_bytes(size);
  if (fill != std::byte{0}) std::memset(made->data(), static_cast<int>(fill), size);
  return made.get();
}
value bytevector_of(machine& m, std::size_t count) {
  const auto made = m.heap().make_bytes(count);
  for (std::size_t i = 0; i < count; ++i) (*made.get())[i] = byte_at(m, i, "bytevector");
  return made.get();
}
value bytevector_length(machine& m, std::size_t) {
  return fixnum(static_cast<std::int64_t>(bytes_at(m, 0, "bytevector-length")->size()));
}
value bytevector_ref(machine& m, std::size_t) {
  bytevector* const bytes = bytes_at(m, 0, "bytevector-u8-ref");
  return fixnum(
      static_cast<std::int64_t>((*bytes)[place_at(m, 1, bytes->size(), "bytevector-u8-ref")]));
}
value bytevector_set(machine& m, std::size_t) {
  bytevector* const bytes = bytes_at(m, 0, "bytevector-u8-set!");
  (*bytes)[place_at(m, 1, bytes->size(), "bytevector-u8-set!")] =
      byte_at(m, 2, "bytevector-u8-set!");
  return unspecified;
}
value bytevector_fill(machine& m, std::size_t count) {
  bytevector* const bytes = bytes_at(m, 0, "bytevector-fill!");
  const range part = range_at(m, 2, count, bytes->size(), "bytevector-fill!");
  std::fill_n(bytes->data() + part.begin, part.size(), byte_at(m, 1, "bytevector-fill!"));
  return unspecified;
}
value bytevector_copy(machine& m, std::size_t count) {
  const range part =
      range_at(m, 1, count, bytes_at(m, 0, "bytevector-copy")->size(), "bytevector-copy");
  const auto made = m.heap().make_bytes_for_overwrite(part.size());
  std::copy_n(bytes_at(m, 0, "bytevector-copy")->data() + part.begin, part.size(), made->data());
  return made.get();
}
value bytevector_copy_to(machine& m, std::size_t count) {
  bytevector* const to = bytes_at(m, 0, "bytevector-copy!");
  bytevector* const from = bytes_at(m, 2, "bytevector-copy!");
  const std::size_t at = index_at(m, 1, to->size(), "bytevector-copy!");
  const range part = range_at(m, 3, count, from->size(), "bytevector-copy!");
  if (part.size() > to->size() - at) fail("bytevector-copy!: the target is too short");
  if (part.size() > 0) std::memmove(to->data() + at, from->data() + part.begin, part.size());
  return unspecified;
}
value bytevector_append(machine& m, std::size_t count) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < count; ++i) size += bytes_at(m, i, "bytevector-append")->size();
  const auto made = m.heap().make_bytes_for_overwrite(size);
  std::byte* to = made->data();
  for (std::size_t i = 0; i < count; ++i) {
    bytevector* const part = bytes_at(m, i, "bytevector-append");
    to = std::copy_n(part->data(), part->size(), to);
  }
  return made.get();
}
value utf8_to_string(machine& m, std::size_t) {
  bytevector* const bytes = bytes_at(m, 0, "utf8->string");
  const std::string text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  return m.make_string(text).get();
}

// (bytevector-forget! b): its memory is free at once. Gives #t, or #f if it was too small to
// have memory of its own, or forgotten before. Every later access is an error.
value bytevector_forget(machine& m, std::size_t) {
  (void)object_at<bytevector>(m, 0, "bytevector-forget!");
  return boolean(m.heap().forget(m.held(m.argument(0))) == gc::release::done);
}
// (bytevector-trim! b n): keeps the first n bytes, and frees the rest at once.
value bytevector_trim(machine& m, std::size_t) {
  const std::size_t size =
      index_at(m, 1, bytes_at(m, 0, "bytevector-trim!")->size(), "bytevector-trim!");
  return boolean(m.heap().trim(m.held(m.argument(0)).as<bytevector>(), size) == gc::release::done);
}

}  // namespace

void add_texts(machine& m) {
  const primitive_entry all[] = {
      {"char?", is_character_value, 1, 1},
      {"char->integer", character_to_integer, 1, 1},
      {"integer->char", integer_to_character, 1, 1},
      {"char=?", characters_in_order<std::equal_to<>>, 1, any_number},
      {"char<?", characters_in_order<std::less<>>, 1, any_number},
      {"char>?", characters_in_order<std::greater<>>, 1, any_number},
      {"char<=?", characters_in_order<std::less_equal<>>, 1, any_number},
      {"char>=?", characters_in_order<std::greater_equal<>>, 1, any_number},
      {"char-alphabetic?", is_kind<std::isalpha>, 1, 1},
      {"char-numeric?", is_kind<std::isdigit>, 1, 1},
      {"char-whitespace?", is_kind<std::isspace>, 1, 1},
      {"char-upper-case?", is_kind<std::isupper>, 1, 1},
      {"char-lower-case?", is_kind<std::islower>, 1, 1},
      {"char-upcase", changed<std::toupper>, 1, 1},
      {"char-downcase", changed<std::tolower>, 1, 1},
      {"string?", is_a<string>, 1, 1},
      {"make-string", make_string, 1, 2},
      {"string", string_of, 0, any_number},
      {"string-length", string_length, 1, 1},
      {"string-ref", string_ref, 2, 2},
      {"string-set!", string_set, 3, 3},
      {"string-append", string_append, 0, any_number},
      {"substring", substring, 2, 3},
      {"string-copy", substring, 1, 3},
      {"string=?", strings_in_order<std::equal_to<>>, 1, any_number},
      {"string<?", strings_in_order<std::less<>>, 1, any_number},
      {"string>?", strings_in_order<std::greater<>>, 1, any_number},
      {"string<=?", strings_in_order<std::less_equal<>>, 1, any_number},
      {"string>=?", strings_in_order<std::greater_equal<>>, 1, any_number},
      {"string->list", string_to_list, 1, 3},
      {"list->string", list_to_string, 1, 1},
      {"string->utf8", string_to_utf8, 1, 1},
      {"utf8->string", utf8_to_string, 1, 1},
      {"bytevector?", is_a<bytevector>, 1, 1},
      {"make-bytevector", make_bytevector, 1, 2},
      {"bytevector", bytevector_of, 0, any_number},
      {"bytevector-length", bytevector_length, 1, 1},
      {"bytevector-u8-ref", bytevector_ref, 2, 2},
      {"bytevector-u8-set!", bytevector_set, 3, 3},
      {"bytevector-fill!", bytevector_fill, 2, 4},
      {"bytevector-copy", bytevector_copy, 1, 3},
      {"bytevector-copy!", bytevector_copy_to, 3, 5},
      {"bytevector-append", bytevector_append, 0, any_number},
      {"bytevector-forget!", bytevector_forget, 1, 1},
      {"bytevector-trim!", bytevector_trim, 2, 2},
  };
  for (const primitive_entry& one : all) m.define(one);
}

}  // namespace scheme
