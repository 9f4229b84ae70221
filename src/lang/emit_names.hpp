// emit_names.hpp -- names and texts of a program as pieces of C++.
//
//   identifier("List.map<U32, Nat>", 12)    // List_map_U32_Nat_12
//   string_literal("a\"b\n")                // "a\"b\012", with the quotes
//   comment("evil \\\n */ name")            // a line that stays a comment
//
// Whatever the text is, the result is one token or one line: nothing in a source file
// can end a comment, a string or a name early.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cleave::lang {

// Letters, digits and single underscores of `text`, then the number. Different numbers give
// different identifiers, and none is a keyword or a reserved one.
[[nodiscard]] std::string identifier(std::string_view text, std::size_t number);

// The bytes as a narrow string literal.
[[nodiscard]] std::string string_literal(std::string_view bytes);

// The text behind "// ", without an end of line, of at most 200 bytes.
[[nodiscard]] std::string comment(std::string_view text);

}  // namespace cleave::lang
