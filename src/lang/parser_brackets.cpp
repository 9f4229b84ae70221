// What begins with a bracket or a sign: tuples, lists, arrays, sorts and proofs.
#include <algorithm>
#include <bit>
#include <string>

#include "lang/parser.hpp"

namespace cleave::lang {

// (body), (body : T), (a, b, c)
parsing<sized_term> parser::parens() {
  const token open = take();
  std::vector<sized_term> parts;
  sized_term type;
  for (;;) {
    const sized_term one = co_await body(around::parens);
    parts.push_back(one);
    if (type_behind_) {
      type = *type_behind_;
      type_behind_.reset();
      break;
    }
    if (take_if(token_kind::colon)) {
      type = co_await term_at(level_arrow);
      break;
    }
    if (!take_if(token_kind::comma) || at(token_kind::right_paren)) break;
  }
  co_await want(token_kind::right_paren, "')'");

  sized_term whole = parts.back();
  parts.pop_back();
  const std::uint32_t end = whole.node->where.end;
  for (; !parts.empty(); parts.pop_back()) {
    const sized_term& one = parts.back();
    const span where{&source_, one.node->where.begin, end};
    const std::size_t inner = std::max(one.height, whole.height);
    whole = above(make<construct_term>(where, "Tuple", std::vector<term*>{one.node, whole.node}),
                  inner);
    co_await want_height(whole.height, where);
  }
  if (type.node == nullptr) co_return whole;
  resolve_operators(whole.node, head_name(type.node), names_);
  // In (a < b : U32) the type is that of the operands.
  if (gives_bool(whole.node)) co_return whole;
  co_return above(make<annotated_term>(since(open.begin), whole.node, type.node),
                  std::max(whole.height, type.height));
}

// {e : T}, {a == b : T}, {a != b : T}, {==}, {!=}
parsing<sized_term> parser::braces() {
  const token open = take();
  const std::size_t operators = item_.operators.size();
  if (at(token_kind::equal_equal) || at(token_kind::not_equal)) {
    const bool equal = take().kind == token_kind::equal_equal;
    co_await want(token_kind::right_brace, "'}'");
    co_return proof_since(open.begin, equal ? "{==}" : "{!=}", operators);
  }
  const sized_term value = co_await term_at(level_arrow, around::colon);
  const bool proof = at(token_kind::equal_equal) || at(token_kind::not_equal);
  std::string_view what;
  if (proof) {
    what = take().kind == token_kind::equal_equal ? "{a == b : T}" : "{a != b : T}";
    co_await term_at(level_arrow, around::colon);
  }
  co_await want(token_kind::colon, "':' and a type");
  const sized_term type = co_await term_at(level_arrow);
  co_await want(token_kind::right_brace, "'}'");
  if (proof) co_return proof_since(open.begin, what, operators);
  co_return above(make<annotated_term>(since(open.begin), value.node, type.node),
                  std::max(value.height, type.height));
}

// [a, b], [v : T*N], [v : T^D]
parsing<sized_term> parser::list_or_array() {
  const token open = take();
  std::vector<term*> all;
  std::size_t inner = 0;
  while (!at(token_kind::right_bracket)) {
    const sized_term one = co_await term_at(level_arrow, around::colon);
    if (all.empty() && at(token_kind::colon)) co_return co_await array(open, one);
    all.push_back(one.node);
    inner = std::max(inner, one.height);
    take_if(token_kind::comma);
  }
  take();
  co_return above(make<list_term>(since(open.begin), std::move(all)), inner);
}

parsing<sized_term> parser::array(token open, sized_term value) {
  take();
  const sized_term element = co_await term_at(level_operand);
  if (!less_.empty())
    co_await refuse(span_of(less_.back().sign), "type arguments that end with '>'");
  resolve_operators(value.node, head_name(element.node), names_);
  const bool is_depth = at(token_kind::caret);
  if (!is_depth && !at(token_kind::star)) co_await refuse("'*' and a count, or '^' and a depth");
  take();
  const sized_term count = co_await term_at(level_arrow);
  if (!is_depth) {
    const auto* number = as<number_term>(count.node);
    if (number == nullptr || number->number != number_kind::nat ||
        !std::has_single_bit(number->value)) {
      co_await refuse(count.node->where, "a power of two count (^d takes a depth)");
    }
  }
  co_await want(token_kind::right_bracket, "']'");
  const std::size_t inner = std::max({value.height, element.height, count.height});
  co_return above(
      make<array_term>(since(open.begin), value.node, element.node, count.node, is_depth), inner);
}

// ---- Sorts and dependent types ---------------------------------------------------

sized_term parser::sort_since(std::uint32_t begin) {
  return {make<sort_term>(since(begin)), 1};
}

// Kind(q)
parsing<sized_term> parser::kind() {
  const token word = take();
  co_await want(token_kind::left_paren, "'('");
  co_await term_at(level_arrow);
  co_await want(token_kind::right_paren, "')'");
  co_return sort_since(word.begin);
}

// &0, &1, &2, and &x:A -> B, which is Sigma<A, x => B>.
parsing<sized_term> parser::quantity() {
  const token sign = take();
  if (at(token_kind::u32) && now_.glued && now_.value <= 2) {
    take();
    co_return sort_since(sign.begin);
  }
  if (!at(token_kind::name)) co_await refuse("a quantity (&0, &1 or &2)");
  const token word = take();
  co_await want(token_kind::colon, "':' and a type");
  const sized_term first = co_await term_at(level_pair);
  co_await want(token_kind::arrow, "'->'");
  const sized_term second = co_await term_at(level_arrow);
  auto* const bound = make<binder>(binder{text_of(word), mark::affine, span_of(word)});
  term* const function = make<lambda_term>(since(word.begin), bound, second.node);
  co_return above(
      make<apply_type_term>(since(sign.begin), "Sigma", std::vector<term*>{first.node, function}),
      std::max(first.height, second.height + 1));
}

// @x:A -> B, @-x:A -> B
parsing<sized_term> parser::dependent_arrow() {
  const token sign = take();
  const mark how = take_mark(false);
  const token word = co_await want_name();
  co_await want(token_kind::colon, "':' and a type");
  const sized_term from = co_await term_at(level_pair);
  co_await want(token_kind::arrow, "'->'");
  const sized_term to = co_await term_at(level_arrow);
  auto* const bound = make<binder>(binder{text_of(word), how, span_of(word)});
  co_return above(make<arrow_term>(since(sign.begin), bound, from.node, to.node),
                  std::max(from.height, to.height));
}

// ---- Proofs and what is refused --------------------------------------------------

sized_term parser::proof_since(std::uint32_t begin, std::string_view what, std::size_t operators) {
  item_.operators.resize(operators);
  return {make<proof_term>(since(begin), what), 1};
}

// %e : P; body
parsing<sized_term> parser::rewrite(around outside) {
  const opened deeper(open_);
  co_await want_height(0, span_of(now_));
  const token sign = take();
  const std::size_t operators = item_.operators.size();
  co_await term_at(level_arrow, around::colon);
  co_await want(token_kind::colon, "':' and what to rewrite in");
  co_await term_at(level_arrow);
  take_if(token_kind::semicolon);
  co_await body(outside);
  co_return proof_since(sign.begin, "%e : P", operators);
}

// ?name
sized_term parser::hole() {
  const token sign = take();
  if (at(token_kind::name) && now_.glued) take();
  const sized_term made = proof_since(sign.begin, "?", item_.operators.size());
  refused_.push_back({made.node->where, "a hole", item_.name});
  return made;
}

// \{K: h; ...}
parsing<sized_term> parser::eliminator() {
  const token sign = take();
  co_await want(token_kind::left_brace, "'{'");
  for (std::size_t depth = 1; depth != 0; take()) {
    if (at(token_kind::end)) co_await refuse("'}'");
    if (at(token_kind::left_brace)) ++depth;
    if (at(token_kind::right_brace)) --depth;
  }
  const sized_term made = proof_since(sign.begin, "\\{}", item_.operators.size());
  refused_.push_back({made.node->where, "a raw eliminator", item_.name});
  co_return made;
}

}  // namespace cleave::lang
