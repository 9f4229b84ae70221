#include "lang/parser.hpp"

#include <algorithm>

#include "lang/front_end.hpp"
#include "lang/habits.hpp"

namespace cleave::lang {
namespace {

// Longer pieces of the source are cut in messages.
constexpr std::size_t longest_quote = 40;

}  // namespace

file_tree parse(const source_file& source, bool base, tree_store& nodes, diagnostics& found) {
  const std::size_t bad = first_bad_byte(source.text());
  if (bad == source.text().size()) return parser(source, base, nodes, found).file();

  // Of what is no text, one error says all.
  diagnostic one;
  const auto begin = static_cast<std::uint32_t>(bad);
  one.where = {&source, begin, begin + 1};
  one.expected = "UTF-8 text";
  one.observed = source.text()[bad] == '\0' ? "a NUL byte" : "a byte that is not part of UTF-8";
  found.report(std::move(one));
  file_tree nothing;
  nothing.source = &source;
  nothing.incomplete = true;
  return nothing;
}

parser::parser(const source_file& source, bool base, tree_store& nodes, diagnostics& found)
    : source_(source),
      base_(base),
      nodes_(nodes),
      found_(found),
      words_(source, found),
      names_(nodes) {
  made_.source = &source;
  now_ = words_.next();
}

file_tree parser::file() {
  steps_.run(items());
  refuse_forms();
  return std::move(made_);
}

// ---- Tokens ----------------------------------------------------------------------

token parser::take() {
  const token taken = now_;
  last_end_ = taken.end;
  now_ = next_ ? *next_ : words_.next();
  next_.reset();
  return taken;
}

// The token behind the next.
const token& parser::peek() {
  if (!next_) next_ = words_.next();
  return *next_;
}

bool parser::take_if(token_kind kind) {
  if (!at(kind)) return false;
  take();
  return true;
}

std::string_view parser::text_of(const token& one) const {
  return source_.text().substr(one.begin, one.end - one.begin);
}

bool parser::starts_term() const noexcept {
  switch (now_.kind) {
    case token_kind::name:
    case token_kind::u32:
    case token_kind::nat:
    case token_kind::successor:
    case token_kind::f32:
    case token_kind::character:
    case token_kind::text:
    case token_kind::do_word:
    case token_kind::type_sort:
    case token_kind::data_sort:
    case token_kind::kind_sort:
    case token_kind::quant_sort:
    case token_kind::left_paren:
    case token_kind::left_brace:
    case token_kind::left_bracket:
    case token_kind::at:
    case token_kind::amp:
    case token_kind::question:
    case token_kind::backslash:
    case token_kind::plus_binder:
    case token_kind::proof_percent: return true;
    default: return false;
  }
}

bool parser::starts_item() {
  switch (now_.kind) {
    case token_kind::def_word:
    case token_kind::type_word:
    case token_kind::law_word: return true;
    case token_kind::import_word: return now_.first_on_line;
    case token_kind::at:
      return now_.first_on_line && peek().kind == token_kind::name &&
             (text_of(peek()) == "unsafe" || text_of(peek()) == "native");
    default: return false;
  }
}

// ---- Errors ----------------------------------------------------------------------

void parser::report(span where, std::string expected, std::string observed, std::string message,
                    std::string_view help) {
  diagnostic one;
  one.where = where;
  one.expected = std::move(expected);
  one.observed = std::move(observed);
  one.message = std::move(message);
  one.def = item_.name;
  if (help.empty() && !one.expected.empty()) help = habit_at(source_.text(), where.begin);
  if (!help.empty()) one.remarks.push_back({{}, std::string(help)});
  item_.broken = true;
  found_.report(std::move(one));
}

void parser::report_here(std::string expected, std::string_view help) {
  item_.broken = true;
  // Where the text was cut short something else has been reported.
  if (at(token_kind::end) && words_.cut_short()) return;
  report(span_of(now_), std::move(expected), observed(now_), {}, help);
}

parsing_stack::failing parser::refuse(std::string expected, std::string_view help) {
  report_here(std::move(expected), help);
  return steps_.failure();
}

parsing_stack::failing parser::refuse(span where, std::string expected) {
  report(where, std::move(expected), quoted(where));
  return steps_.failure();
}

parsing_stack::failing parser::refuse_feature(span where, std::string feature,
                                              std::string_view help) {
  report(where, {}, {}, "not in the supported subset: " + std::move(feature), help);
  return steps_.failure();
}

parser::wanted parser::want(token_kind kind, const char* expected) {
  if (at(kind)) return {&steps_, take(), true};
  report_here(expected);
  return {&steps_, now_, false};
}

parser::wanted parser::want_name() {
  if (at(token_kind::name)) return {&steps_, take(), true};
  std::string expected = "a name";
  if (is_reserved(now_.kind)) {
    expected += " (got the keyword '" + std::string(text_of(now_)) + "')";
  }
  report_here(std::move(expected));
  return {&steps_, now_, false};
}

parser::wanted parser::want_height(std::size_t height, span where) {
  // Above it there may be a declaration and one of its parts.
  if (height <= depth_limit - 2 && open_ <= depth_limit) return {&steps_, now_, true};
  report(where, "nesting of at most 1000 levels", "more");
  return {&steps_, now_, false};
}

std::string parser::observed(const token& one) const {
  switch (one.kind) {
    case token_kind::end: return "the end of the file";
    case token_kind::plus_binder: return "a binder '+' (the sum is a + b)";
    case token_kind::minus_binder: return "a binder '-' (the difference is a - b)";
    case token_kind::close_angle: return "'>' (a comparison is a > b)";
    default: return quoted(span_of(one));
  }
}

std::string parser::quoted(span where) const {
  std::string_view text = source_.text().substr(where.begin, where.end - where.begin);
  if (text.size() <= longest_quote) return "'" + std::string(text) + "'";
  std::size_t end = longest_quote;
  while ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return "'" + std::string(text.substr(0, end)) + "...'";
}

void parser::enter_item(const token& name) {
  item_.name = text_of(name);
  words_.set_def(item_.name);
}

void parser::forget_open(std::size_t operators) {
  item_.operators.resize(operators);
  less_.clear();
  type_behind_.reset();
}

void parser::skip_to_item(std::uint32_t case_column) {
  for (;; take()) {
    if (at(token_kind::end) || (starts_item() && now_.first_on_line)) return;
    if (at(token_kind::case_word) && now_.column <= case_column) return;
  }
}

}  // namespace cleave::lang
