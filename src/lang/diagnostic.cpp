#include "lang/diagnostic.hpp"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "lang/utf8.hpp"

namespace cleave::lang {
namespace {

// A line of the source is shown in at most so many characters.
constexpr std::size_t widest = 100;

// ANSI sequences, or nothing.
struct palette {
  std::string_view error, place, caret, plain;
};
constexpr palette colourless{"", "", "", ""};
constexpr palette colourful{"\x1b[1;31m", "\x1b[1m", "\x1b[1;32m", "\x1b[0m"};

// One character as it is shown.
struct glyph {
  std::size_t offset = 0;  // of its first byte
  std::string_view bytes;
  std::uint32_t code_point = 0;
  bool valid = true;
};

// A byte that is no UTF-8 is one by itself.
glyph glyph_at(std::string_view text, std::size_t at) {
  const utf8_character one = utf8_at(text, at);
  if (one.bytes != 0) return {at, text.substr(at, one.bytes), one.code_point, true};
  return {at, text.substr(at, 1), static_cast<unsigned char>(text[at]), false};
}

// What a terminal would act on instead of showing it, or would hide: controls, and the
// characters that reorder or join others.
bool is_invisible(std::uint32_t c) {
  return c < ' ' || (c >= 0x7F && c <= 0x9F) || c == 0xAD || (c >= 0x200B && c <= 0x200F) ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF;
}

std::string hex(std::uint32_t value) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string made;
  do made.insert(made.begin(), digits[value % 16]);
  while ((value /= 16) != 0);
  return made;
}

std::string shown(const glyph& one) {
  if (!one.valid) return "\\x{" + hex(one.code_point) + "}";
  if (is_invisible(one.code_point)) return "\\u{" + hex(one.code_point) + "}";
  return std::string(one.bytes);
}

std::size_t width_of(const glyph& one) {
  return one.valid && !is_invisible(one.code_point) ? 1 : shown(one).size();
}

// Text that stands within one line of a message.
std::string printable(std::string_view text) {
  std::string made;
  for (std::size_t at = 0; at < text.size();) {
    const glyph one = glyph_at(text, at);
    made += one.code_point == '\n' ? "\\n" : shown(one);
    at += one.bytes.size();
  }
  return made;
}

struct excerpt {
  std::string text;
  std::string before_caret;  // blanks, and tabs where the text has them
  std::size_t caret_width = 0;
};

// At most `widest` characters of the line, among them the bytes [begin, end) or their start.
excerpt excerpt_of(std::string_view line, std::size_t begin, std::size_t end) {
  begin = std::min(begin, line.size());
  end = std::clamp(end, begin, line.size());
  // Nobody sees what is further away, and a line may be as long as a file.
  constexpr std::size_t near = 4 * widest;
  std::size_t first = begin > near ? begin - near : 0;
  while (first > 0 && first < begin && (static_cast<unsigned char>(line[first]) & 0xC0) == 0x80) {
    ++first;
  }
  std::vector<glyph> glyphs;
  std::size_t caret = 0;
  for (std::size_t at = first; at < std::min(line.size(), begin + near);) {
    if (at <= begin) caret = glyphs.size();
    glyphs.push_back(glyph_at(line, at));
    at += glyphs.back().bytes.size();
  }
  if (begin == line.size()) caret = glyphs.size();

  // From the caret outwards, a third of the room to the left.
  std::size_t from = caret;
  std::size_t used = 0;
  while (from > 0 && used + width_of(glyphs[from - 1]) <= widest / 3) {
    used += width_of(glyphs[--from]);
  }
  std::size_t to = caret;
  while (to < glyphs.size() && used + width_of(glyphs[to]) <= widest)
    used += width_of(glyphs[to++]);
  while (from > 0 && used + width_of(glyphs[from - 1]) <= widest) used += width_of(glyphs[--from]);

  excerpt made;
  if (from > 0 || first > 0) {
    made.text = "...";
    made.before_caret = "   ";
  }
  for (std::size_t k = from; k < to; ++k) {
    const bool tab = glyphs[k].code_point == '\t';
    made.text += tab ? "\t" : shown(glyphs[k]);
    if (k < caret)
      made.before_caret += tab ? "\t" : std::string(width_of(glyphs[k]), ' ');
    else if (glyphs[k].offset < end)
      made.caret_width += tab ? 1 : width_of(glyphs[k]);
  }
  if (to < glyphs.size() ||
      (!glyphs.empty() && glyphs.back().offset + 4 < line.size() && begin + near < line.size())) {
    made.text += "...";
  }
  made.caret_width = std::max<std::size_t>(made.caret_width, 1);
  return made;
}

std::string padded(std::size_t number, std::size_t width) {
  std::string digits = std::to_string(number);
  return std::string(width - std::min(width, digits.size()), ' ') + digits;
}

void add_location(std::string& to, const span& where, std::string_view def, const palette& paint) {
  if (where.file == nullptr) {
    if (!def.empty()) to += "Location: " + printable(def) + "\n";
    return;
  }
  const source_file& file = *where.file;
  const position at = file.position_of(where.begin);
  to += "Location: ";
  to += paint.place;
  to += printable(file.name()) + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
  to += paint.plain;
  if (!def.empty()) to += " in " + printable(def);
  to += "\n";

  const std::size_t first = at.line > 1 ? at.line - 1 : 1;
  const std::size_t last = std::min(at.line + 1, file.line_count());
  const std::size_t digits = std::to_string(last).size();
  for (std::size_t number = first; number <= last; ++number) {
    const std::string_view line = file.line(number);
    // Nothing is behind the end of line that ends a file.
    if (number == file.line_count() && number > at.line && line.empty()) break;
    const bool hit = number == at.line;
    const std::size_t begin = hit ? at.column - 1 : 0;
    const excerpt part = excerpt_of(line, begin, hit ? begin + (where.end - where.begin) : 0);
    if (hit) to += paint.place;
    to += padded(number, digits) + (hit ? ">" : " ") + "|";
    if (hit) to += paint.plain;
    if (!part.text.empty()) to += " " + part.text;
    to += "\n";
    if (!hit) continue;
    to += std::string(digits + 1, ' ') + "| " + part.before_caret;
    to += paint.caret;
    to += std::string(part.caret_width, '^');
    to += paint.plain;
    to += "\n";
  }
}

void add(std::string& to, std::string_view title, const diagnostic& one, const palette& paint) {
  if (!to.empty()) to += "\n";
  to += paint.error;
  to += title;
  to += paint.plain;
  to += "\n";
  if (!one.message.empty()) {
    to += "- message  : " + printable(one.message) + "\n";
  } else {
    to += "- expected : " + printable(one.expected) + "\n";
    to += "- observed : " + printable(one.observed) + "\n";
  }
  add_location(to, one.where, one.def, paint);
  for (const remark& other : one.remarks) {
    to += "- see also : " + printable(other.text) + "\n";
    add_location(to, other.where, {}, paint);
  }
}

nlohmann::json place(const span& where) {
  if (where.file == nullptr) {
    return {{"file", nullptr}, {"line", 0}, {"column", 0}, {"end_line", 0}, {"end_column", 0}};
  }
  const position begin = where.file->position_of(where.begin);
  const position end = where.file->position_of(std::max(where.begin, where.end));
  return {{"file", where.file->name()},
          {"line", begin.line},
          {"column", begin.column},
          {"end_line", end.line},
          {"end_column", end.column}};
}

nlohmann::json to_json(const std::vector<diagnostic>& of) {
  nlohmann::json all = nlohmann::json::array();
  for (const diagnostic& one : of) {
    nlohmann::json made = place(one.where);
    made["expected"] = one.expected;
    made["observed"] = one.observed;
    made["message"] = one.message;
    made["def"] = one.def;
    made["remarks"] = nlohmann::json::array();
    for (const remark& other : one.remarks) {
      nlohmann::json more = place(other.where);
      more["text"] = other.text;
      made["remarks"].push_back(std::move(more));
    }
    all.push_back(std::move(made));
  }
  return all;
}

}  // namespace

void diagnostics::report(diagnostic one) {
  if (count_++ < most) all_.push_back(std::move(one));
}

std::string to_text(const diagnostics& found, colours paint) {
  const palette& with = paint == colours::always ? colourful : colourless;
  std::string made;
  for (const diagnostic& one : found.warnings()) add(made, "Warning:", one, with);
  for (const diagnostic& one : found.all()) add(made, "Error:", one, with);
  if (found.count() > found.all().size()) {
    made += "\nand " + std::to_string(found.count() - found.all().size()) + " more\n";
  }
  return made;
}

std::string to_json(const diagnostics& found) {
  const nlohmann::json whole = {{"diagnostics", to_json(found.all())},
                                {"count", found.count()},
                                {"warnings", to_json(found.warnings())},
                                {"notes", found.notes()}};
  // Names of files and what they hold need not be UTF-8.
  return whole.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace cleave::lang
