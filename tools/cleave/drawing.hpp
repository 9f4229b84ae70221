// drawing.hpp -- numbers as people read them, and bars and graphs made of letters.
//
//   const style look = style_of(STDOUT_FILENO);
//   print(bytes_text(12'345'678) + " " + bar(0.3, 20, look));     // 11.8 MiB ██████
//   for (const std::string& row : graph(values, 60, 6, look)) print(row + "\n");
//
// Block characters where the locale is UTF-8, '#' elsewhere; colours on a terminal, unless
// NO_COLOR is set. Everything here is a function of its arguments, but for style_of().
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cleave::tool {

struct style {
  bool unicode = false;
  bool colour = false;
};

// What the environment and the descriptor ask for.
style style_of(int descriptor);

// "0 B", "1023 B", "1.0 KiB", up to EiB; four digits at most before the unit.
std::string bytes_text(std::uint64_t bytes);
// 1234567 as "1,234,567".
std::string count_text(std::uint64_t count);
// Seconds as "59 s", "1:02 min" or "1:02:03 h".
std::string time_text(double seconds);
// Nanoseconds as "999 ns", "1.5 us", "1.5 ms" or "1.50 s".
std::string duration_text(std::uint64_t nanoseconds);
// "25 %"; "<1 %" for what is not nothing.
std::string percent_text(double part, double whole);

// `share` of the width, from 0 to 1, padded with blanks.
std::string bar(double share, std::size_t width, const style& look);

// Values from 0 up as columns, the topmost row first; when there are more than columns,
// each shows the largest of its part. Empty values give blank rows.
std::vector<std::string> graph(std::span<const double> values, std::size_t width,
                               std::size_t height, const style& look);

enum class colour { strong, weak, green, yellow, cyan };
std::string painted(std::string_view text, colour how, const style& look);

// How many columns a text takes on a terminal; control sequences take none.
std::size_t columns_of(std::string_view text);
// The part of a line that fits, with the control sequences behind it.
std::string cut_to_columns(std::string_view line, std::size_t columns);
// Blanks in front of it, or behind it.
std::string right(std::string_view text, std::size_t columns);
std::string left(std::string_view text, std::size_t columns);

// The bytes of the UTF-8 character at the front of a text; 0: none is there.
std::size_t character_length(std::string_view text);

// Whether a character beyond ASCII controls a terminal, or the line that it is in: breaks it, or
// turns its direction.
bool is_control(std::string_view letter);

// A name from outside as one line of a terminal, which shall not obey it: what controls, breaks
// the line or turns its direction becomes '?', and what is not ASCII too, unless `unicode`.
std::string plain_name(std::string_view name, bool unicode);

}  // namespace cleave::tool
