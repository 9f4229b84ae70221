// Bodies: lets, writes and matches.
#include <algorithm>
#include <string>

#include "lang/parser.hpp"

namespace cleave::lang {

parsing<sized_term> parser::body(around outside) {
  const std::uint32_t begin = now_.begin;
  std::vector<statement> before;
  std::size_t inner = 0;
  sized_term result;
  while (result.node == nullptr) {
    if (at(token_kind::match_word)) {
      result = co_await match(outside);
      break;
    }
    if (at(token_kind::proof_percent)) {
      result = co_await rewrite(outside);
      break;
    }
    if (!before.empty() && !starts_term() && !at(token_kind::minus_binder)) {
      const std::vector<binder*>& names = before.back().names;
      const bool word_let = names.size() > 1 && names[0]->name == "let";
      co_await refuse("a term (a body ends with its result, not with a let)",
                      word_let ? "a let has no word before it: x = e" : std::string_view());
    }
    statement one;
    std::size_t height = 0;
    const token first = now_;
    if (at(token_kind::minus_binder)) {
      height = co_await erased_let(&one);
    } else {
      const sized_term read = co_await term_at(level_arrow, outside);
      if (!type_behind_) height = co_await let_behind(&one, first, read, outside);
      if (height == 0) result = read;
    }
    if (result.node != nullptr) break;
    take_if(token_kind::semicolon);
    one.where = since(first.begin);
    before.push_back(std::move(one));
    inner = std::max(inner, height);
  }
  if (!type_behind_) take_if(token_kind::semicolon);
  if (before.empty()) co_return result;
  inner = std::max(inner, result.height);
  const sized_term made =
      above(make<block_term>(since(begin), std::move(before), result.node), inner);
  co_await want_height(made.height, made.node->where);
  co_return made;
}

// ---- Lets ------------------------------------------------------------------------

// What stands behind the first term of a line may make it the left side of a let.
parsing<std::size_t> parser::let_behind(statement* made, token first, sized_term read,
                                        around outside) {
  if (at(token_kind::equals)) co_return co_await plain_let(made, read);
  if (at(token_kind::colon) && read.node->kind == term_kind::name &&
      (outside == around::nothing || outside == around::parens)) {
    take();
    const sized_term type = co_await term_at(level_arrow);
    if (outside == around::parens && !at(token_kind::equals)) {
      type_behind_ = type;
      co_return 0;
    }
    made->type = type.node;
    const std::size_t height = co_await plain_let(made, read);
    co_return std::max(height, type.height);
  }
  if (at_parallel_let(read.node)) co_return co_await parallel_let(made, read);
  if (is_write_statement(first, read.node)) {
    made->names.push_back(to_binder(as<call_term>(read.node)->arguments[1].value));
    made->values.push_back(read.node);
    co_return read.height;
  }
  co_return 0;
}

// -x = e
parsing<std::size_t> parser::erased_let(statement* made) {
  take();
  const token word = co_await want_name();
  made->names.push_back(make<binder>(binder{text_of(word), mark::erased, span_of(word)}));
  std::size_t height = 0;
  if (take_if(token_kind::colon)) {
    const sized_term type = co_await term_at(level_arrow);
    made->type = type.node;
    height = type.height;
  }
  co_await want(token_kind::equals, "'='");
  const sized_term value = co_await term_at(level_arrow);
  made->values.push_back(value.node);
  co_return std::max(height, value.height);
}

// x = e, (a, b) = e, C{a, b} = e; the next token should be `=`.
parsing<std::size_t> parser::plain_let(statement* made, sized_term left) {
  co_await want(token_kind::equals, "'='");
  std::size_t height = 1;
  if (binder* const name = to_binder(left.node)) {
    made->names.push_back(name);
  } else {
    const sized_pattern bound = co_await to_pattern(left.node);
    if (bound.node->kind != pattern_kind::constructor) {
      co_await refuse(left.node->where, "a name, a tuple or a constructor left of '='");
    }
    made->bound = bound.node;
    height = bound.height;
  }
  const sized_term value = co_await term_at(level_arrow);
  made->values.push_back(value.node);
  co_return std::max(height, value.height);
}

bool parser::at_parallel_let(const term* first) const {
  return first->kind == term_kind::name && same_line() &&
         (at(token_kind::name) || at(token_kind::plus_binder));
}

// a b = e f
parsing<std::size_t> parser::parallel_let(statement* made, sized_term first) {
  made->names.push_back(to_binder(first.node));
  const token second = now_;
  while (same_line() && (at(token_kind::name) || at(token_kind::plus_binder))) {
    const sized_term next = leaf();
    if (next.node == nullptr) break;
    made->names.push_back(to_binder(next.node));
  }
  if (!at(token_kind::equals) || !same_line()) {
    if (second.kind == token_kind::plus_binder) {
      co_await refuse(span_of(second), "an operator with a blank behind it (a + b)");
    }
    co_await refuse("'=' on the same line (a parallel let binds names; destructure in its body)");
  }
  take();
  std::size_t height = 1;
  for (std::size_t k = 0; k < made->names.size(); ++k) {
    if (!starts_term()) {
      co_await refuse(std::to_string(made->names.size()) + " terms (one for each name)");
    }
    const sized_term value = co_await term_at(level_arrow);
    made->values.push_back(value.node);
    height = std::max(height, value.height);
    take_if(token_kind::comma);
  }
  co_return height;
}

// `a[i] <- v` with more of the body behind it.
bool parser::is_write_statement(const token& first, const term* t) const {
  if (t != written_) return false;
  const auto* array = as<name_term>(as<call_term>(t)->arguments[1].value);
  if (array == nullptr || array->where.begin != first.begin || first.kind != token_kind::name) {
    return false;
  }
  if (at(token_kind::semicolon)) return true;
  return now_.first_on_line && now_.column == first.column &&
         (starts_term() || at(token_kind::minus_binder) || at(token_kind::match_word));
}

// ---- Matches ---------------------------------------------------------------------

parsing<sized_term> parser::match(around outside) {
  const opened deeper(open_);
  co_await want_height(0, span_of(now_));
  const token word = take();
  std::vector<term*> subjects;
  std::size_t inner = 0;
  do {
    const sized_term one = co_await term_at(level_arrow, around::colon);
    subjects.push_back(one.node);
    inner = std::max(inner, one.height);
    take_if(token_kind::comma);
    if (at(token_kind::case_word)) co_await refuse("':' (it ends what is matched)");
  } while (!at(token_kind::colon));
  take();

  std::vector<match_row> rows;
  const std::uint32_t column = now_.column;
  const bool any = at(token_kind::case_word) && column > case_column_;
  while (any && at(token_kind::case_word) && now_.column >= column && !type_behind_) {
    match_row one;
    const std::uint32_t row_column = now_.column;
    const std::size_t operators = item_.operators.size();
    const std::optional<std::size_t> height = co_await attempt(row(&one, subjects.size(), outside));
    if (height) {
      inner = std::max(inner, *height);
      rows.push_back(std::move(one));
      continue;
    }
    forget_open(operators);
    skip_to_item(row_column);
    // The next case may belong to a match around this one, which is told in silence.
    if (!at(token_kind::case_word) || now_.column < column) co_await steps_.failure();
  }
  const sized_term made =
      above(make<match_term>(since(word.begin), std::move(subjects), std::move(rows)), inner);
  co_await want_height(made.height, made.node->where);
  co_return made;
}

parsing<std::size_t> parser::row(match_row* made, std::size_t width, around outside) {
  const token word = take();
  std::size_t inner = 0;
  while (!at(token_kind::colon)) {
    if (!starts_term()) co_await refuse("a pattern");
    const sized_term left = co_await term_at(level_arrow, around::colon);
    const sized_pattern one = co_await to_pattern(left.node);
    made->patterns.push_back(one.node);
    inner = std::max(inner, one.height);
    take_if(token_kind::comma);
  }
  made->where = since(word.begin);
  if (made->patterns.size() != width) {
    report(made->where,
           std::to_string(width) + " pattern" + (width == 1 ? "" : "s") + " (one per scrutinee)",
           std::to_string(made->patterns.size()));
  }
  take();
  const restored column(case_column_);
  case_column_ = word.column;
  const sized_term result = co_await body(outside);
  made->body = result.node;
  co_return std::max(inner, result.height);
}

}  // namespace cleave::lang
