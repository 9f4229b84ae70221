#include "reader.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace scheme {
namespace {

bool is_blank(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}
bool ends_token(char c) noexcept {
  return is_blank(c) || c == '(' || c == ')' || c == '"' || c == ';' || c == '\'';
}

constexpr char32_t replacement = 0xFFFD;

// The code point of hexadecimal digits.
std::optional<char32_t> code_of(std::string_view digits) {
  std::uint32_t code = 0;
  const char* const end = digits.data() + digits.size();
  const auto [after, error] = std::from_chars(digits.data(), end, code, 16);
  if (after != end || error != std::errc() || code >= 0x110000) return std::nullopt;
  return code;
}

}  // namespace

std::u32string decoded(std::string_view text) {
  std::u32string made;
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i++]);
    const int more = first < 0x80    ? 0
                     : first >= 0xF0 ? 3
                     : first >= 0xE0 ? 2
                     : first >= 0xC0 ? 1
                                     : -1;
    if (more < 0) {
      made.push_back(replacement);
      continue;
    }
    char32_t c = more == 0 ? first : first & (0x3Fu >> more);
    bool good = true;
    for (int k = 0; k < more && good; ++k) {
      good = i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80;
      if (good) c = c << 6 | (static_cast<unsigned char>(text[i++]) & 0x3F);
    }
    made.push_back(good && c < 0x110000 ? c : replacement);
  }
  return made;
}

void append_encoded(std::string& to, char32_t c) {
  const auto push = [&](char32_t byte) { to.push_back(static_cast<char>(byte)); };
  if (c < 0x80) return push(c);
  if (c < 0x800) {
    push(0xC0 | c >> 6);
  } else {
    if (c < 0x10000) {
      push(0xE0 | c >> 12);
    } else {
      push(0xF0 | c >> 18);
      push(0x80 | (c >> 12 & 0x3F));
    }
    push(0x80 | (c >> 6 & 0x3F));
  }
  push(0x80 | (c & 0x3F));
}

std::optional<any> number_of(machine& m, std::string_view text, int radix) {
  const bool plus = text.size() > 1 && text[0] == '+';
  const std::string_view digits = plus ? text.substr(1) : text;
  if (digits.empty() || (plus && digits[0] == '-')) return std::nullopt;
  const char* const end = digits.data() + digits.size();
  std::int64_t whole = 0;
  const auto [after, error] = std::from_chars(digits.data(), end, whole, radix);
  if (after == end) {
    if (error == std::errc() && fits_fixnum(whole)) return m.held(fixnum(whole));
    fail("an integer is too large: " + std::string(text));
  }
  if (radix != 10) return std::nullopt;
  if (text == "+inf.0") return m.held(m.make_flonum(HUGE_VAL));
  if (text == "-inf.0") return m.held(m.make_flonum(-HUGE_VAL));
  if (text == "+nan.0") return m.held(m.make_flonum(std::nan("")));
  // from_chars also knows the words inf and nan, which are names here.
  if (digits.find_first_of("0123456789") == std::string_view::npos) return std::nullopt;
  if (digits.find_first_not_of("0123456789+-.eE") != std::string_view::npos) return std::nullopt;
  double number = 0;
  const auto [rest, trouble] = std::from_chars(digits.data(), end, number);
  if (rest != end || trouble == std::errc::invalid_argument) return std::nullopt;
  // Beyond the largest, or too near to 0.
  if (trouble != std::errc()) number = std::strtod(std::string(digits).c_str(), nullptr);
  return m.held(m.make_flonum(number));
}

void reader::wrong(const std::string& message) const {
  throw uncaught{name_ + ":" + std::to_string(line_) + ": " + message};
}

char reader::take() {
  if (ended()) wrong("the text ends inside a form");
  const char c = text_[at_++];
  if (c == '\n') ++line_;
  return c;
}

void reader::skip_blanks() {
  while (!ended()) {
    if (is_blank(text_[at_])) {
      take();
    } else if (text_[at_] == ';') {
      while (!ended() && text_[at_] != '\n') take();
    } else if (text_.substr(at_, 2) == "#|") {
      skip_block_comment();
    } else {
      return;
    }
  }
}

void reader::skip_block_comment() {
  int depth = 0;
  do {
    const std::string_view two = text_.substr(at_, 2);
    take();
    if (two == "#|" || two == "|#") {
      take();
      depth += two == "#|" ? 1 : -1;
    }
  } while (depth > 0);
}

std::optional<any> reader::next() {
  skip_blanks();
  if (ended()) return std::nullopt;
  return read(0);
}

any reader::read(int depth) {
  if (depth > deepest) wrong("forms are nested too deep");
  skip_blanks();
  const char c = take();
  switch (c) {
    case '(': return read_list(')', depth);
    case ')': wrong("a ) without a (");
    case '\'': return quoted("quote", depth);
    case '`': return quoted("quasiquote", depth);
    case ',':
      if (!ended() && text_[at_] == '@') {
        take();
        return quoted("unquote-splicing", depth);
      }
      return quoted("unquote", depth);
    case '"': return read_string();
    case '#': return read_hash(depth);
    default: --at_; return read_token();
  }
}

any reader::quoted(std::string_view name, int depth) {
  any form = m_.cons(read(depth + 1), m_.held(nil));
  return m_.cons(m_.symbol_named(name), form);
}

any reader::read_list(char end, int depth) {
  std::vector<any> items;
  any last = m_.held(nil);
  for (;;) {
    skip_blanks();
    if (ended()) wrong("a list does not end");
    if (text_[at_] == end) {
      take();
      break;
    }
    if (text_[at_] == '.' && at_ + 1 < text_.size() && ends_token(text_[at_ + 1]) &&
        !items.empty()) {
      take();
      last = read(depth + 1);
      skip_blanks();
      if (take() != end) wrong("more than one form behind the dot");
      break;
    }
    items.push_back(read(depth + 1));
  }
  for (std::size_t i = items.size(); i-- > 0;) last = m_.cons(items[i], last);
  return last;
}

any reader::read_hash(int depth) {
  if (ended()) wrong("nothing behind #");
  const char c = text_[at_];
  if (c == '(') {
    take();
    any list = read_list(')', depth);
    std::size_t size = 0;
    for (value v = list.get(); v.is<pair>(); v = v.as<pair>()->tail.get()) ++size;
    const auto made = m_.heap().make_refs<value>(size);
    value v = list.get();
    for (std::size_t i = 0; i < size; ++i, v = v.as<pair>()->tail.get()) {
      made->set(i, v.as<pair>()->head.get());
    }
    return made;
  }
  if (c == '\\') {
    take();
    return read_character();
  }
  if (c == ';') {
    take();
    (void)read(depth + 1);
    skip_blanks();
    if (ended()) wrong("nothing behind a comment");
    return read(depth + 1);
  }
  const std::string_view name = token();
  if (name == "t" || name == "true") return m_.held(yes);
  if (name == "f" || name == "false") return m_.held(no);
  if (name == "u8" && !ended() && text_[at_] == '(') {
    take();
    any list = read_list(')', depth);
    std::vector<std::byte> bytes;
    for (value v = list.get(); v.is<pair>(); v = v.as<pair>()->tail.get()) {
      const value byte = v.as<pair>()->head.get();
      if (!byte.is_integer() || byte.integer() < 0 || byte.integer() > 255) wrong("no byte");
      bytes.push_back(static_cast<std::byte>(byte.integer()));
    }
    const auto made = m_.heap().make_bytes_for_overwrite(bytes.size());
    std::copy(bytes.begin(), bytes.end(), made->bytes().begin());
    return made;
  }
  const int radix = name.empty()     ? 0
                    : name[0] == 'x' ? 16
                    : name[0] == 'b' ? 2
                    : name[0] == 'o' ? 8
                    : name[0] == 'd' ? 10
                                     : 0;
  if (radix != 0) {
    if (std::optional<any> number = number_of(m_, name.substr(1), radix)) return *number;
  }
  wrong("what is #" + std::string(name) + "?");
}

any reader::read_string() {
  std::string made;
  for (;;) {
    char c = take();
    if (c == '"') break;
    if (c == '\\') {
      c = take();
      switch (c) {
        case 'n': c = '\n'; break;
        case 't': c = '\t'; break;
        case 'r': c = '\r'; break;
        case 'a': c = '\a'; break;
        case 'b': c = '\b'; break;
        case 'x': {
          const std::size_t size = text_.substr(at_).find(';');
          const std::optional<char32_t> code = code_of(text_.substr(at_, size));
          if (!code || size == std::string_view::npos) wrong("no character has this number");
          append_encoded(made, *code);
          at_ += size + 1;
          continue;
        }
        case '0': c = '\0'; break;
        case '"':
        case '\\': break;
        case '\n':
          while (!ended() && (text_[at_] == ' ' || text_[at_] == '\t')) take();
          continue;
        default: wrong(std::string("what is \\") + c + " in a string?");
      }
    }
    made.push_back(c);
  }
  return m_.make_string(made);
}

any reader::read_character() {
  const std::size_t begin = at_;
  take();
  while (!ended() && !ends_token(text_[at_])) take();
  const std::string_view name = text_.substr(begin, at_ - begin);
  struct named {
    std::string_view name;
    char32_t code;
  };
  static constexpr named known[] = {{"space", ' '},   {"newline", '\n'}, {"tab", '\t'},
                                    {"return", '\r'}, {"null", 0},       {"delete", 127},
                                    {"escape", 27},   {"alarm", 7},      {"backspace", 8}};
  for (const named& one : known) {
    if (one.name == name) return m_.held(character(one.code));
  }
  if (name.size() > 1 && name[0] == 'x') {
    if (const std::optional<char32_t> code = code_of(name.substr(1)))
      return m_.held(character(*code));
  }
  const std::u32string text = decoded(name);
  if (text.size() != 1) wrong("what is #\\" + std::string(name) + "?");
  return m_.held(character(text[0]));
}

std::string_view reader::token() {
  const std::size_t begin = at_;
  while (!ended() && !ends_token(text_[at_])) take();
  return text_.substr(begin, at_ - begin);
}

any reader::read_token() {
  const std::string_view name = token();
  if (name.empty()) wrong(std::string("what is ") + text_[at_] + " here?");
  try {
    if (std::optional<any> number = number_of(m_, name, 10)) return *number;
  } catch (const scheme_error& error) {
    wrong(error.message);
  }
  return m_.symbol_named(name);
}

}  // namespace scheme
