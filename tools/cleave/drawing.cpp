#include "drawing.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>

namespace cleave::tool {
namespace {

// Eighths of a letter, from the left and from below.
constexpr std::array<std::string_view, 9> wide = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
constexpr std::array<std::string_view, 9> high = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

std::string_view variable(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

bool locale_is_utf8() {
  // The first that is set decides, as in the C library.
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string text(variable(name));
    if (text.empty()) continue;
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text.find("utf-8") != std::string::npos || text.find("utf8") != std::string::npos;
  }
  return false;
}

// How many eighths of `steps` letters a share fills; what is there shows.
std::size_t eighths(double share, std::size_t steps) {
  if (!(share > 0)) return 0;
  const double all = static_cast<double>(steps * 8);
  return static_cast<std::size_t>(std::clamp(std::round(share * all), 1.0, all));
}

std::string letters(std::size_t filled, std::size_t steps,
                    const std::array<std::string_view, 9>& parts) {
  std::string text;
  for (std::size_t i = 0; i < steps; ++i) {
    text += parts[std::min<std::size_t>(filled > i * 8 ? filled - i * 8 : 0, 8)];
  }
  return text;
}

// The length of a control sequence at the front, or 0.
std::size_t sequence_length(std::string_view text) {
  if (!text.starts_with("\033[")) return 0;
  const std::size_t end = text.find_first_not_of("0123456789;?", 2);
  return end == std::string_view::npos ? text.size() : end + 1;
}

bool continues_letter(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

}  // namespace

style style_of(int descriptor) {
  const bool terminal = ::isatty(descriptor) == 1;
  const bool plain = !variable("NO_COLOR").empty() || variable("TERM") == "dumb";
  return {locale_is_utf8(), terminal && !plain};
}

std::string bytes_text(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  // What would be printed as 1024.0 belongs to the next unit.
  for (; amount >= 1023.95 && unit < 6; ++unit) amount /= 1024;
  return fmt::format("{:.1f} {}iB", amount, "BKMGTPE"[unit]);
}

std::string count_text(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string time_text(double seconds) {
  constexpr double most = 1e12;
  const auto whole = static_cast<std::uint64_t>(std::clamp(seconds, 0.0, most));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02} h", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string duration_text(std::uint64_t nanoseconds) {
  if (nanoseconds < 1000) return fmt::format("{} ns", nanoseconds);
  double amount = static_cast<double>(nanoseconds) / 1000;
  std::size_t unit = 0;
  // What would be printed as 1000.0 belongs to the next unit.
  for (; amount >= 999.95 && unit < 2; ++unit) amount /= 1000;
  return unit < 2 ? fmt::format("{:.1f} {}s", amount, "um"[unit]) : fmt::format("{:.2f} s", amount);
}

std::string percent_text(double part, double whole) {
  const double share = whole > 0 ? part / whole * 100 : 0;
  return share > 0 && share < 1 ? "<1 %" : fmt::format("{:.0f} %", share);
}

std::string bar(double share, std::size_t width, const style& look) {
  const std::size_t filled = eighths(share, width);
  if (look.unicode) return letters(filled, width, wide);
  const std::size_t whole = (filled + 7) / 8;
  return std::string(whole, '#') + std::string(width - whole, ' ');
}

std::vector<std::string> graph(std::span<const double> values, std::size_t width,
                               std::size_t height, const style& look) {
  std::vector<double> columns(std::min(width, values.size()));
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::size_t begin = c * values.size() / columns.size();
    const std::size_t end = (c + 1) * values.size() / columns.size();
    columns[c] = *std::max_element(values.begin() + static_cast<std::ptrdiff_t>(begin),
                                   values.begin() + static_cast<std::ptrdiff_t>(end));
  }
  const double top = columns.empty() ? 0 : *std::max_element(columns.begin(), columns.end());
  std::vector<std::string> rows(height);
  for (std::size_t row = 0; row < height; ++row) {
    const std::size_t below = height - 1 - row;
    for (const double value : columns) {
      const std::size_t filled = top > 0 ? eighths(value / top, height) : 0;
      const std::size_t here =
          std::min<std::size_t>(filled > below * 8 ? filled - below * 8 : 0, 8);
      rows[row] += look.unicode ? high[here] : here > 0 ? "#" : " ";
    }
    rows[row].append(width - columns.size(), ' ');
  }
  return rows;
}

std::string painted(std::string_view text, colour how, const style& look) {
  if (!look.colour) return std::string(text);
  std::string_view code = "1";
  switch (how) {
    case colour::strong: break;
    case colour::weak: code = "2"; break;
    case colour::green: code = "32"; break;
    case colour::yellow: code = "33"; break;
    case colour::cyan: code = "36"; break;
  }
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    if (const std::size_t sequence = sequence_length(text); sequence != 0) {
      text.remove_prefix(sequence);
      continue;
    }
    if (!continues_letter(text[0])) ++columns;
    text.remove_prefix(1);
  }
  return columns;
}

std::string cut_to_columns(std::string_view line, std::size_t columns) {
  std::string text;
  std::size_t used = 0;
  while (!line.empty()) {
    if (const std::size_t sequence = sequence_length(line); sequence != 0) {
      text += line.substr(0, sequence);
      line.remove_prefix(sequence);
      continue;
    }
    if (!continues_letter(line[0])) ++used;
    if (used <= columns) text += line[0];
    line.remove_prefix(1);
  }
  return text;
}

std::string right(std::string_view text, std::size_t columns) {
  const std::size_t used = columns_of(text);
  return std::string(columns > used ? columns - used : 0, ' ') + std::string(text);
}

std::string left(std::string_view text, std::size_t columns) {
  const std::size_t used = columns_of(text);
  return std::string(text) + std::string(columns > used ? columns - used : 0, ' ');
}

std::size_t character_length(std::string_view text) {
  const auto byte = [text](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return text.empty() ? 0 : 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  const std::size_t n = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  for (std::size_t k = 1; k < n; ++k) {
    if ((byte(k) & 0xC0) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  // Not the shortest form, a surrogate, or beyond the last character.
  const bool wrong = (first == 0xE0 && second < 0xA0) || (first == 0xED && second >= 0xA0) ||
                     (first == 0xF0 && second < 0x90) || (first == 0xF4 && second >= 0x90);
  return wrong ? 0 : n;
}

bool is_control(std::string_view letter) {
  const auto last = static_cast<unsigned char>(letter.back());
  if (letter[0] == '\xC2') return last < 0xA0;
  if (letter == "\xD8\x9C") return true;
  if (letter.starts_with("\xE2\x80")) {
    return last == 0x8E || last == 0x8F || (last >= 0xA8 && last <= 0xAE);
  }
  return letter.starts_with("\xE2\x81") && last >= 0xA6 && last <= 0xA9;
}

std::string plain_name(std::string_view name, bool unicode) {
  std::string text;
  while (!name.empty()) {
    const std::size_t n = character_length(name);
    const std::string_view letter = name.substr(0, std::max<std::size_t>(n, 1));
    const bool plain = n == 1 ? letter[0] >= 0x20 && letter[0] != 0x7F : n > 1;
    text += plain && (n == 1 || (unicode && !is_control(letter))) ? letter : "?";
    name.remove_prefix(letter.size());
  }
  return text;
}

}  // namespace cleave::tool
