#include "lang/lexer.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "lang/letters.hpp"

namespace cleave::lang {
namespace {

bool is_blank(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}
bool in_name(char c) noexcept {
  return starts_word(c) || is_digit(c) || c == '.';
}

struct reserved_word {
  std::string_view text;
  token_kind kind;
};

constexpr std::array reserved_words = {
    reserved_word{"def", token_kind::def_word},
    reserved_word{"type", token_kind::type_word},
    reserved_word{"law", token_kind::law_word},
    reserved_word{"match", token_kind::match_word},
    reserved_word{"case", token_kind::case_word},
    reserved_word{"do", token_kind::do_word},
    reserved_word{"return", token_kind::return_word},
    reserved_word{"for", token_kind::for_word},
    reserved_word{"exs", token_kind::exs_word},
    reserved_word{"where", token_kind::where_word},
    reserved_word{"is", token_kind::is_word},
    reserved_word{"import", token_kind::import_word},
    reserved_word{"Type", token_kind::type_sort},
    reserved_word{"Data", token_kind::data_sort},
    reserved_word{"Kind", token_kind::kind_sort},
    reserved_word{"Quant", token_kind::quant_sort},
};

struct symbol_word {
  std::string_view text;
  token_kind kind;
};

// Those that begin alike stand together, longer ones before their beginnings.
constexpr std::array symbols = {
    symbol_word{"<&>", token_kind::quantity_min}, symbol_word{"<-", token_kind::left_arrow},
    symbol_word{"<=", token_kind::less_equal},    symbol_word{"<>", token_kind::cons},
    symbol_word{"<<", token_kind::shift_left},    symbol_word{"<", token_kind::less},
    symbol_word{">=", token_kind::greater_equal}, symbol_word{">>", token_kind::shift_right},
    symbol_word{">", token_kind::greater},        symbol_word{"->", token_kind::arrow},
    symbol_word{"-", token_kind::minus},          symbol_word{"==", token_kind::equal_equal},
    symbol_word{"=>", token_kind::fat_arrow},     symbol_word{"=", token_kind::equals},
    symbol_word{"++", token_kind::append},        symbol_word{"+", token_kind::plus},
    symbol_word{"&&", token_kind::and_and},       symbol_word{"&", token_kind::amp},
    symbol_word{"||", token_kind::or_or},         symbol_word{"|", token_kind::bar},
    symbol_word{"!=", token_kind::not_equal},     symbol_word{"!", token_kind::bang},
    symbol_word{".|.", token_kind::bit_or},       symbol_word{".^.", token_kind::bit_xor},
    symbol_word{".&.", token_kind::bit_and},      symbol_word{"*", token_kind::star},
    symbol_word{"/", token_kind::slash},          symbol_word{"%", token_kind::percent},
    symbol_word{"(", token_kind::left_paren},     symbol_word{")", token_kind::right_paren},
    symbol_word{"{", token_kind::left_brace},     symbol_word{"}", token_kind::right_brace},
    symbol_word{"[", token_kind::left_bracket},   symbol_word{"]", token_kind::right_bracket},
    symbol_word{",", token_kind::comma},          symbol_word{";", token_kind::semicolon},
    symbol_word{":", token_kind::colon},          symbol_word{"@", token_kind::at},
    symbol_word{"~", token_kind::tilde},          symbol_word{"^", token_kind::caret},
    symbol_word{"?", token_kind::question},       symbol_word{"\\", token_kind::backslash},
};

// The first symbol that begins with a character.
constexpr auto first_symbol = [] {
  std::array<std::size_t, 128> made{};
  made.fill(symbols.size());
  for (std::size_t k = symbols.size(); k-- > 0;) {
    made[static_cast<unsigned char>(symbols[k].text[0])] = k;
  }
  return made;
}();

}  // namespace

lexer::lexer(const source_file& source, diagnostics& found)
    : source_(source), text_(source.text()), found_(found) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text_.starts_with(byte_order_mark)) at_ = byte_order_mark.size();
}

token lexer::next() {
  for (;;) {
    if (found_.count() >= diagnostics::most) give_up();
    token made = begin_token();
    if (at_ == text_.size()) return finish(made, token_kind::end);
    const char c = peek();
    if (starts_word(c)) return word(made);
    if (is_digit(c)) return number(made);
    if (c == '"') return text_literal(made);
    if (c == '\'') return character_literal(made);
    made = symbol(made);
    if (made.end != made.begin) return made;
    unknown();
  }
}

token lexer::begin_token() {
  token made;
  made.glued = at_ != 0;
  made.first_on_line = at_ == 0;
  skip_blanks(made);
  made.begin = static_cast<std::uint32_t>(at_);
  made.column = static_cast<std::uint32_t>(at_ - line_start_ + 1);
  return made;
}

void lexer::skip_blanks(token& before) {
  for (; at_ < text_.size(); before.glued = false) {
    if (text_[at_] == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (!is_blank(text_[at_])) {
      return;
    } else if (text_[at_++] == '\n') {
      before.first_on_line = true;
      line_start_ = at_;
    }
  }
}

token lexer::finish(token made, token_kind kind) {
  made.kind = kind;
  made.end = static_cast<std::uint32_t>(at_);
  return made;
}

token lexer::word(token made) {
  const std::size_t begin = at_;
  while (in_name(peek())) ++at_;
  const std::string_view name = text_.substr(begin, at_ - begin);
  for (std::size_t dot = name.find('.'); dot != name.npos; dot = name.find('.', dot + 1)) {
    if (dot + 1 == name.size() || !starts_word(name[dot + 1])) {
      report(begin, at_, "a name (words joined by dots)", "'" + std::string(name) + "'");
      break;
    }
  }
  for (const reserved_word& each : reserved_words) {
    if (name == each.text) return finish(made, each.kind);
  }
  return finish(made, token_kind::name);
}

token lexer::symbol(token made) {
  const std::string_view left = text_.substr(at_);
  const auto first = static_cast<unsigned char>(left[0]);
  if (first >= first_symbol.size()) return finish(made, token_kind::end);
  for (std::size_t k = first_symbol[first]; k < symbols.size(); ++k) {
    const symbol_word& each = symbols[k];
    if (!left.starts_with(each.text)) continue;
    token_kind kind = each.kind;
    // What stands beside a symbol may decide what it is.
    if (each.text[0] == '>' && made.glued) {
      ++at_;
      return finish(made, token_kind::close_angle);
    }
    at_ += each.text.size();
    const char behind = peek();
    if (kind == token_kind::plus && starts_word(behind)) kind = token_kind::plus_binder;
    if (kind == token_kind::minus && starts_word(behind)) kind = token_kind::minus_binder;
    if (kind == token_kind::percent && !is_blank(behind)) kind = token_kind::proof_percent;
    return finish(made, kind);
  }
  return finish(made, token_kind::end);
}

// A run of bytes that begin no token is one error.
void lexer::unknown() {
  const std::size_t begin = at_;
  do {
    code_point();
  } while (
      at_ < text_.size() && !is_blank(peek()) &&
      (static_cast<unsigned char>(peek()) >= 0x80 || static_cast<unsigned char>(peek()) < ' '));
  report(begin, at_, "a word, a literal or an operator",
         "'" + std::string(text_.substr(begin, std::min<std::size_t>(at_ - begin, 20))) + "'");
}

token lexer::rest_of_word() {
  token made;
  while (peek() == ' ' || peek() == '\t') ++at_;
  made.begin = static_cast<std::uint32_t>(at_);
  made.column = static_cast<std::uint32_t>(at_ - line_start_ + 1);
  while (at_ < text_.size() && !is_blank(peek()) && peek() != '#') ++at_;
  return finish(made, token_kind::text);
}

void lexer::report(std::size_t begin, std::size_t end, std::string expected, std::string observed) {
  diagnostic one;
  one.where = {&source_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  one.expected = std::move(expected);
  one.observed = std::move(observed);
  one.def = def_;
  found_.report(std::move(one));
}

void lexer::give_up() {
  cut_short_ = true;
  at_ = text_.size();
}

std::string_view spelling(token_kind reserved) noexcept {
  for (const reserved_word& each : reserved_words) {
    if (each.kind == reserved) return each.text;
  }
  return {};
}

}  // namespace cleave::lang
