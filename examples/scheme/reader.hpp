// reader.hpp -- from text to lists.
//
//   reader source(m, "(+ 1 2) ; a comment", "example");
//   while (std::optional<any> form = source.next()) ...
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "machine.hpp"

namespace scheme {

// UTF-8 in both directions. What is no UTF-8 becomes the replacement character.
std::u32string decoded(std::string_view text);
void append_encoded(std::string& to, char32_t c);

// A number as it is written, with a radix from 2 to 16; nothing if it is none. A double
// is written with radix 10 only.
std::optional<any> number_of(machine& m, std::string_view text, int radix);

class reader {
 public:
  reader(machine& m, std::string_view text, std::string name)
      : m_(m), text_(text), name_(std::move(name)) {}

  // The next form, or nothing at the end. Throws uncaught with file and line.
  std::optional<any> next();
  [[nodiscard]] std::size_t line() const noexcept { return line_; }

 private:
  // Forms within forms; the compiler recurses as deep.
  static constexpr int deepest = 1000;

  [[noreturn]] void wrong(const std::string& message) const;
  [[nodiscard]] bool ended() const noexcept { return at_ == text_.size(); }
  char take();
  void skip_blanks();
  void skip_block_comment();
  any read(int depth);
  any read_list(char end, int depth);
  any read_hash(int depth);
  any read_string();
  any read_character();
  any read_token();
  any quoted(std::string_view name, int depth);
  std::string_view token();

  machine& m_;
  std::string_view text_;
  std::string name_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

}  // namespace scheme
