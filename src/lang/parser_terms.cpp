// Terms: operators, calls, names and literals.
#include <algorithm>
#include <string>

#include "lang/parser.hpp"

namespace cleave::lang {
namespace {

bool closes_angle(token_kind kind) noexcept {
  return kind == token_kind::close_angle || kind == token_kind::greater;
}

// True if `what` takes what stands between it and `before`, which is to its left.
bool binds_first(const operator_info& before, const operator_info& what) noexcept {
  return before.level > what.level || (before.level == what.level && !what.right);
}

// No comparison stands left of such an operator.
bool builds_type(token_kind kind) noexcept {
  return kind == token_kind::arrow || kind == token_kind::amp || kind == token_kind::bar;
}

}  // namespace

// Operands and operators wait until an operator comes that binds less tightly.
parsing<sized_term> parser::term_at(int lowest, around outside) {
  const opened deeper(open_);
  co_await want_height(0, span_of(now_));
  sized_term last = co_await operand(outside);
  if (lowest == level_arrow && at(token_kind::fat_arrow)) {
    last = co_await lambda(last, outside);
  } else {
    last = co_await rest_of_term(last, lowest, outside);
  }
  co_await want_height(last.height, last.node->where);
  co_return last;
}

parsing<sized_term> parser::rest_of_term(sized_term last, int lowest, around outside) {
  struct waiting {
    sized_term left;
    token sign;
    const operator_info* what;
  };
  std::vector<waiting> stack;
  for (;;) {
    const operator_info* what = operator_of(less_.empty() ? now_.kind : token_kind::less);
    if (what == nullptr || (outside == around::angles && closes_angle(now_.kind))) break;
    token sign = now_;
    sized_term right;
    if (!less_.empty()) {
      if (what->level < lowest) break;
      sign = less_.back().sign;
      right = less_.back().right;
      less_.pop_back();
    } else if (what->kind == token_kind::less) {
      // What follows `<` decides whether it opens type arguments.
      const bool of_name = last.node->kind == term_kind::name;
      if (!of_name && what->level < lowest) break;
      if (lowest >= level_operand && !sign.glued) break;
      take();
      right = co_await term_at(level_cons);
      if (of_name && less_.empty() && builds_type(now_.kind)) {
        right = co_await rest_of_term(right, level_arrow, around::angles);
      }
      if (less_.empty() && (closes_angle(now_.kind) || at(token_kind::comma))) {
        if (!of_name) co_await refuse(span_of(sign), "a name before '<' (or (a < b : T))");
        last = co_await type_arguments(last, right);
        continue;
      }
      if (what->level < lowest) {
        // The comparison belongs to whoever wanted a tighter operand.
        less_.push_back({sign, right});
        break;
      }
    } else {
      if (what->level < lowest) break;
      take();
    }
    while (!stack.empty() && binds_first(*stack.back().what, *what)) {
      last = apply_operator(stack.back().sign, *stack.back().what, stack.back().left, last);
      stack.pop_back();
      co_await want_height(last.height, last.node->where);
    }
    stack.push_back({last, sign, what});
    co_await want_height(stack.size(), span_of(sign));
    last = right;
    if (last.node == nullptr) last = co_await operand(outside);
  }
  for (; !stack.empty(); stack.pop_back()) {
    last = apply_operator(stack.back().sign, *stack.back().what, stack.back().left, last);
    co_await want_height(last.height, span_of(stack.back().sign));
  }
  co_return last;
}

sized_term parser::apply_operator(const token& sign, const operator_info& what, sized_term left,
                                  sized_term right) {
  const span where{&source_, left.node->where.begin, right.node->where.end};
  const std::size_t inner = std::max(left.height, right.height);
  const auto both = [&] { return std::vector<term*>{left.node, right.node}; };
  switch (what.kind) {
    case token_kind::arrow:
      return above(make<arrow_term>(where, nullptr, left.node, right.node), inner);
    case token_kind::amp: return above(make<apply_type_term>(where, "Sigma", both()), inner);
    case token_kind::bar: return above(make<apply_type_term>(where, "Either", both()), inner);
    case token_kind::cons: return above(make<construct_term>(where, "Con", both()), inner);
    case token_kind::quantity_min: return {make<sort_term>(where), 1};
    default: break;
  }
  const sized_term made =
      call_of(where, span_of(sign), what.def, {{left.node}, {right.node}}, inner);
  if (is_unresolved(made.node)) item_.operators.push_back(as<call_term>(made.node));
  return made;
}

sized_term parser::call_of(span where, span name_where, std::string_view name,
                           std::vector<argument> arguments, std::size_t inner) {
  term* const callee = make<name_term>(name_where, name);
  return above(make<call_term>(where, callee, std::move(arguments)),
               std::max<std::size_t>(inner, 1));
}

// ---- Operands --------------------------------------------------------------------

parsing<sized_term> parser::operand(around outside) {
  const bool plain = at(token_kind::name);
  sized_term made = leaf();
  if (made.node == nullptr) {
    made = co_await prefix(outside);
  }
  for (bool bare = plain; at_suffix(bare); bare = false) {
    made = co_await suffix(made);
    co_await want_height(made.height, made.node->where);
  }
  co_return made;
}

sized_term parser::leaf() {
  switch (now_.kind) {
    case token_kind::name: {
      const token word = take();
      return {make<name_term>(span_of(word), text_of(word)), 1};
    }
    case token_kind::plus_binder: {
      if (peek().kind != token_kind::name) return {};
      const token sign = take();
      const token word = take();
      return {make<name_term>(since(sign.begin), text_of(word)), 1};
    }
    case token_kind::u32:
    case token_kind::nat:
    case token_kind::f32:
    case token_kind::character: {
      const token one = take();
      const number_kind kind = one.kind == token_kind::u32   ? number_kind::u32
                               : one.kind == token_kind::nat ? number_kind::nat
                               : one.kind == token_kind::f32 ? number_kind::f32
                                                             : number_kind::character;
      return {make<number_term>(span_of(one), kind, one.value), 1};
    }
    case token_kind::text: {
      const token one = take();
      const std::string_view literal = text_of(one);
      // Without an escape the source itself has the text.
      const std::string_view meaning = literal.find('\\') != literal.npos || literal.size() < 2
                                           ? nodes_.keep(unescape(literal))
                                           : literal.substr(1, literal.size() - 2);
      return {make<text_term>(span_of(one), meaning), 1};
    }
    case token_kind::type_sort:
    case token_kind::data_sort:
    case token_kind::quant_sort: return {make<sort_term>(span_of(take())), 1};
    case token_kind::question: return hole();
    default: return {};
  }
}

parsing<sized_term> parser::prefix(around outside) {
  switch (now_.kind) {
    case token_kind::left_paren: co_return co_await parens();
    case token_kind::left_brace: co_return co_await braces();
    case token_kind::left_bracket: co_return co_await list_or_array();
    case token_kind::kind_sort: co_return co_await kind();
    case token_kind::amp: co_return co_await quantity();
    case token_kind::at: co_return co_await dependent_arrow();
    case token_kind::do_word: co_return co_await do_block(outside);
    case token_kind::backslash: co_return co_await eliminator();
    case token_kind::proof_percent: co_return co_await rewrite(outside);
    case token_kind::successor: {
      // The operand reaches as far to the right as it can.
      const token one = take();
      const sized_term rest = co_await term_at(level_pair, outside);
      if (one.value == 0) co_return rest;
      co_return above(make<successor_term>(since(one.begin), one.value, rest.node), rest.height);
    }
    case token_kind::match_word:
      co_await refuse("a term (a match stands in a body: put it between parentheses)");
      break;
    default: co_await refuse("a term"); break;
  }
  co_return sized_term{};
}

// ---- Suffixes --------------------------------------------------------------------

bool parser::at_suffix(bool of_name) {
  if (now_.first_on_line) return false;
  if (at(token_kind::left_paren)) return true;
  if (of_name && at(token_kind::left_brace)) return true;
  // No index is empty, but a list may be.
  if (at(token_kind::left_bracket)) return peek().kind != token_kind::right_bracket;
  return of_name && at(token_kind::bang) && peek().kind == token_kind::left_paren &&
         !peek().first_on_line;
}

parsing<sized_term> parser::suffix(sized_term of) {
  switch (now_.kind) {
    case token_kind::left_bracket: co_return co_await index(of);
    case token_kind::left_brace: co_return co_await construct(as<name_term>(of.node));
    default: co_return co_await call(of);
  }
}

// f(a, b); f!(a, b)
parsing<sized_term> parser::call(sized_term of) {
  const bool device = take_if(token_kind::bang);
  take();
  std::vector<argument> all;
  std::size_t inner = of.height;
  while (!at(token_kind::right_paren)) {
    const bool templated = take_if(token_kind::tilde);
    const sized_term one = co_await term_at(level_arrow);
    all.push_back({one.node, templated});
    inner = std::max(inner, one.height);
    take_if(token_kind::comma);
  }
  take();
  auto* const made = make<call_term>(since(of.node->where.begin), of.node, std::move(all));
  made->device = device;
  co_return above(made, inner);
}

// C{a, b}
parsing<sized_term> parser::construct(const name_term* of) {
  take();
  std::vector<term*> all;
  std::size_t inner = 0;
  while (!at(token_kind::right_brace)) {
    const sized_term one = co_await term_at(level_arrow);
    all.push_back(one.node);
    inner = std::max(inner, one.height);
    take_if(token_kind::comma);
  }
  take();
  co_return above(make<construct_term>(since(of->where.begin), of->name, std::move(all)), inner);
}

// a[i] is Array.get(U32, a, i), and a[i] <- v is Array.set(U32, a, i, v).
parsing<sized_term> parser::index(sized_term of) {
  const std::uint32_t begin = of.node->where.begin;
  const token open = take();
  const sized_term which = co_await term_at(level_arrow);
  resolve_operators(which.node, "U32", names_);
  co_await want(token_kind::right_bracket, "']'");
  const span brackets = since(open.begin);
  std::size_t inner = std::max(of.height, which.height);
  term* const element = make<name_term>(brackets, "U32");
  if (!at(token_kind::left_arrow) || !same_line()) {
    co_return call_of(since(begin), brackets, "Array.get", {{element}, {of.node}, {which.node}},
                      inner);
  }
  take();
  const sized_term value = co_await term_at(level_or);
  inner = std::max(inner, value.height);
  const sized_term made = call_of(since(begin), brackets, "Array.set",
                                  {{element}, {of.node}, {which.node}, {value.node}}, inner);
  written_ = made.node;
  co_return made;
}

// D<a, b>; the first argument has been read.
parsing<sized_term> parser::type_arguments(sized_term of, sized_term first) {
  std::vector<term*> all = {first.node};
  std::size_t inner = first.height;
  for (take_if(token_kind::comma); !closes_angle(now_.kind); take_if(token_kind::comma)) {
    if (!starts_term()) co_await refuse("'>' (a comparison stands in parentheses: (a < b : T))");
    const sized_term one = co_await term_at(level_arrow, around::angles);
    all.push_back(one.node);
    inner = std::max(inner, one.height);
  }
  take();
  const std::string_view name = as<name_term>(of.node)->name;
  co_return above(make<apply_type_term>(since(of.node->where.begin), name, std::move(all)), inner);
}

// x => body
parsing<sized_term> parser::lambda(sized_term parameter, around outside) {
  binder* const bound = to_binder(parameter.node);
  if (bound == nullptr) {
    co_await refuse(parameter.node->where,
                    parameter.node->kind == term_kind::construct
                        ? "one name before '=>' (two parameters are a => b => e)"
                        : "one name before '=>'");
  }
  take();
  const sized_term inside = co_await body(outside);
  co_return above(make<lambda_term>(since(parameter.node->where.begin), bound, inside.node),
                  inside.height);
}

}  // namespace cleave::lang
