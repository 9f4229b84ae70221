#include <cleave/runtime/show.hpp>

#include <algorithm>
#include <string_view>

#include "runtime/numerals.hpp"
#include "runtime/output.hpp"
#include "runtime/utf8.hpp"

namespace cleave::runtime {
namespace {

void write(text_writer& to, const numerals::text& text) noexcept {
  to.put(text.bytes, text.length);
}

// c as it stands in a literal between two quotes of this kind.
void write_escaped(text_writer& to, character c, char quote) noexcept {
  switch (c) {
    case '\n': return to.put("\\n");
    case '\t': return to.put("\\t");
    case '\r': return to.put("\\r");
    case '\0': return to.put("\\0");
    case '\\': return to.put("\\\\");
    default: break;
  }
  if (c == static_cast<unsigned char>(quote)) {
    to.put("\\");
  } else if (c < 0x20 || (c >= 0x7F && c < 0xA0) || !utf8::is_valid(c)) {
    to.put("\\u{");
    constexpr const char* digits = "0123456789abcdef";
    unsigned shift = 28;
    while (shift != 0 && (c >> shift) == 0) shift -= 4;
    for (;; shift -= 4) {
      to.put(static_cast<character>(digits[(c >> shift) & 0xF]));
      if (shift == 0) break;
    }
    return to.put("}");
  }
  to.put(c);
}

}  // namespace

void text_writer::put(const char* bytes, std::size_t length) noexcept {
  made_ = String_append(made_, make_string(bytes, length));
}

void show(text_writer& to, u32 v) noexcept {
  write(to, numerals::of_nat(v));
}

void show(text_writer& to, nat v) noexcept {
  write(to, numerals::of_nat(v));
  to.put("n");
}

void show(text_writer& to, f32 v) noexcept {
  const numerals::text text = numerals::of_f32(v);
  const std::string_view all(text.bytes, text.length);
  const std::size_t digits = std::min(all.find('e'), all.size());
  to.put(text.bytes, digits);
  // No number, or one that has a point.
  if (all.find_first_of(".n") == std::string_view::npos) to.put(".0");
  to.put(text.bytes + digits, text.length - digits);
}

void show(text_writer& to, character v) noexcept {
  to.put("'");
  write_escaped(to, v, '\'');
  to.put("'");
}

void show(text_writer& to, string v) noexcept {
  to.put("\"");
  for (string rest = v; !is_nil(rest); rest = tail_view(rest)) {
    write_escaped(to, head(rest), '"');
  }
  to.put("\"");
}

void print_line(const text_writer& text) noexcept {
  output::put(text.written(), true);
}

}  // namespace cleave::runtime
