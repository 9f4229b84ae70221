// token.hpp -- the words of the language.
//
//   token one = lexer.next();
//   if (one.kind == token_kind::nat) use(one.value);
#pragma once

#include <cstddef>
#include <cstdint>

namespace cleave::lang {

enum class token_kind : std::uint8_t {
  end,
  name,  // words joined by dots
  // Literals.
  u32,
  nat,
  successor,  // 1n+
  f32,
  character,
  text,
  // Reserved words; the last four are sorts.
  def_word,
  type_word,
  law_word,
  match_word,
  case_word,
  do_word,
  return_word,
  for_word,
  exs_word,
  where_word,
  is_word,
  import_word,
  type_sort,
  data_sort,
  kind_sort,
  quant_sort,
  // Punctuation.
  left_paren,
  right_paren,
  left_brace,
  right_brace,
  left_bracket,
  right_bracket,
  comma,
  semicolon,
  colon,
  equals,
  equal_equal,
  not_equal,
  at,
  tilde,
  bang,
  caret,
  question,
  backslash,
  fat_arrow,      // =>
  left_arrow,     // <-
  plus_binder,    // + with a name right behind it
  minus_binder,   // - with a name right behind it
  proof_percent,  // % without a blank behind it
  close_angle,    // > without a blank before it
  // Binary operators.
  arrow,          // ->
  amp,            // &
  bar,            // |
  or_or,          // ||
  and_and,        // &&
  less,           // <
  less_equal,     // <=
  greater,        // >
  greater_equal,  // >=
  cons,           // <>
  append,         // ++
  quantity_min,   // <&>
  bit_or,         // .|.
  bit_xor,        // .^.
  bit_and,        // .&.
  shift_left,     // <<
  shift_right,    // >>
  plus,
  minus,
  star,
  slash,
  percent,
};

// The bytes [begin, end) of a file.
struct token {
  token_kind kind = token_kind::end;
  bool first_on_line = false;
  bool glued = false;  // nothing stands between it and the token before it
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t column = 1;  // of its first byte, from 1
  std::uint64_t value = 0;   // of a number; of a character its code point; of an F32 its bits
};

[[nodiscard]] constexpr bool is_reserved(token_kind kind) noexcept {
  return kind >= token_kind::def_word && kind <= token_kind::quant_sort;
}

}  // namespace cleave::lang
