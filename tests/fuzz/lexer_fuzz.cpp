// lexer_fuzz.cpp -- libFuzzer writes text; the lexer must find tokens in it.
//
// What is not UTF-8 is cut off, as parse() would refuse it. Tokens come in order, each has
// bytes, and the bytes between them are blanks, comments or have been reported.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "lang/lexer.hpp"

namespace cleave::lang {
namespace {

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

bool is_literal(token_kind kind) {
  return kind == token_kind::u32 || kind == token_kind::nat || kind == token_kind::successor ||
         kind == token_kind::f32 || kind == token_kind::character || kind == token_kind::text;
}

void lex(std::string_view input) {
  const source_file source("input", std::string(input.substr(0, first_bad_byte(input))));
  const std::string_view text = source.text();
  diagnostics found;
  lexer words(source, found);
  std::size_t end = 0;
  for (token one = words.next(); one.kind != token_kind::end; one = words.next()) {
    if (one.begin < end || one.end <= one.begin || one.end > text.size())
      fail("a token out of order");
    end = one.end;
    const position at = source.position_of(one.begin);
    if (at.column != one.column) fail("a token in another column");
    const std::string_view spelled = text.substr(one.begin, one.end - one.begin);
    if (is_reserved(one.kind) && spelling(one.kind) != spelled) fail("another reserved word");
    if (one.kind == token_kind::text) {
      std::string meaning = unescape(spelled);
      std::erase(meaning, '\0');
      if (first_bad_byte(meaning) != meaning.size()) fail("a string that is not UTF-8");
    }
    if (!is_literal(one.kind) && one.value != 0) fail("a value of what has none");
    if (one.kind != token_kind::character && one.kind != token_kind::f32 &&
        one.value > 0xFFFF'FFFF) {
      fail("a number out of range");
    }
  }
  if (words.next().kind != token_kind::end) fail("a token behind the end");
  if (found.count() > diagnostics::most + 1) fail("errors without end");
  static_cast<void>(to_text(found, colours::always));
}

}  // namespace
}  // namespace cleave::lang

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  cleave::lang::lex({reinterpret_cast<const char*>(data), bytes});
  return 0;
}
