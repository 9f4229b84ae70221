// lexer.hpp -- text to tokens, one at a time.
//
// What is wrong within a token is reported here, and the token is then what it would
// have been, so that nobody complains again about the same place. Bytes that begin no
// token are reported and passed over.
//
//   lexer words(source, found);
//   for (token one = words.next(); one.kind != token_kind::end; one = words.next()) ...
//
// Invariants (tests/lang/lexer_test.cpp):
//   L1  Tokens come in the order of the text and do not overlap.
//   L2  Each byte is looked at a bounded number of times.
//   L3  After diagnostics::most errors all that follows is the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "lang/diagnostic.hpp"
#include "lang/source.hpp"
#include "lang/token.hpp"

namespace cleave::lang {

class lexer {
 public:
  // Requires: source.text() is UTF-8 (see first_bad_byte).
  lexer(const source_file& source, diagnostics& found);

  // The next token; of kind `end`, again and again, behind the last.
  token next();

  // The bytes up to the next blank, comment or end of line, for the path of an import.
  // Empty if the line ends before there are any.
  token rest_of_word();

  // True once the end came early, in an open string or after too many errors. What is
  // missing then is no error of its own.
  [[nodiscard]] bool cut_short() const noexcept { return cut_short_; }

  // Errors are said to be in this def.
  void set_def(std::string_view name) { def_ = name; }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const noexcept {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  void skip_blanks(token& before);
  token begin_token();
  token finish(token made, token_kind kind);
  token word(token made);
  token number(token made);
  token text_literal(token made);
  token character_literal(token made);
  token symbol(token made);
  void unknown();
  std::uint32_t escape(bool& wrong);
  std::uint32_t braced_hex(bool& wrong);
  std::uint32_t code_point();
  void report(std::size_t begin, std::size_t end, std::string expected, std::string observed);
  void give_up();

  const source_file& source_;
  std::string_view text_;
  diagnostics& found_;
  std::string_view def_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  bool cut_short_ = false;
};

// Where `text` stops to be UTF-8 or has a NUL; text.size() if nowhere. O(size).
[[nodiscard]] std::size_t first_bad_byte(std::string_view text) noexcept;

// What a string literal without errors means. `literal` includes the quotes.
[[nodiscard]] std::string unescape(std::string_view literal);

// The spelling of a reserved word.
[[nodiscard]] std::string_view spelling(token_kind reserved) noexcept;

}  // namespace cleave::lang
