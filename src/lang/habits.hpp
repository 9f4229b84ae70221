// habits.hpp -- how to write here what other languages write in another way.
//
//   habit_at("  if x:", 6)      // "there is no 'if': 'match' on the Bool"
//
// It is asked where the syntax is wrong, so that no right program is judged by it, and it
// looks at the text alone: at the place, and at the first word of its line.
#pragma once

#include <cstddef>
#include <string_view>

namespace cleave::lang {

// What to say about an error at this byte of the text; empty if nothing is known.
// O(length of the line). Requires: at <= text.size().
[[nodiscard]] std::string_view habit_at(std::string_view text, std::size_t at);

}  // namespace cleave::lang
