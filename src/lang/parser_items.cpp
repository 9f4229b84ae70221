// Imports, types, laws and defs.
#include <algorithm>
#include <string>

#include "lang/parser.hpp"

namespace cleave::lang {
namespace {

// True if the type states an equality, perhaps for all of something.
bool is_proof_type(const term* type) noexcept {
  while (const auto* arrow = as<arrow_term>(type)) type = arrow->to;
  return type->kind == term_kind::proof;
}

}  // namespace

parsing<bool> parser::items() {
  while (!at(token_kind::end)) {
    item_ = {};
    words_.set_def({});
    const std::optional<bool> read = co_await attempt(item());
    if (read) continue;
    made_.incomplete = true;
    forget_open(0);
    skip_to_item();
  }
  co_return true;
}

parsing<bool> parser::item() {
  switch (now_.kind) {
    case token_kind::import_word: co_return co_await import_item();
    case token_kind::type_word: co_return co_await type_item();
    case token_kind::law_word: co_return co_await law_item();
    case token_kind::at: co_return co_await marked_item();
    case token_kind::def_word: co_return co_await def_item(false, false);
    default: break;
  }
  if (at(token_kind::name) && (text_of(now_) == "assert" || text_of(now_) == "forall")) {
    co_await refuse_feature(span_of(now_), "the dialect from before 2.0 ('" +
                                               std::string(text_of(now_)) + "' at top level)");
  }
  co_await refuse("'def', 'type' or 'law'");
  co_return false;
}

// ---- Imports ---------------------------------------------------------------------

parsing<bool> parser::import_item() {
  const token word = now_;
  // A path is no token: it is read before the lexer sees it.
  const token path_token = words_.rest_of_word();
  take();
  last_end_ = path_token.end;
  if (!made_.types.empty() || !made_.laws.empty() || !made_.defs.empty()) {
    co_await refuse(span_of(word), "imports before all other items");
  }

  import_decl made;
  made.path = text_of(path_token);
  if (made.path.empty()) co_await refuse(span_of(path_token), "'Base' or the path of a file");
  if (made.path != "Base") {
    if (!at(token_kind::name) || !same_line() || text_of(now_) != "as") {
      co_await refuse("'as'", "the library is 'import Base', a file 'import ./file.bend as F'");
    }
    take();
    if (!same_line()) co_await refuse("a name on the same line");
    const token alias = co_await want_name();
    made.alias = text_of(alias);
    if (made.alias.find('.') != made.alias.npos || made.alias == "_") {
      co_await refuse(span_of(alias), "a name without dots");
    }
  }
  made.where = since(word.begin);
  made_.imports.push_back(made);
  take_if(token_kind::semicolon);
  if (same_line()) report_here("one import on each line");
  co_return true;
}

// ---- Types -----------------------------------------------------------------------

parsing<bool> parser::type_item() {
  take();
  const token name = co_await want_name();
  enter_item(name);
  auto* const made = make<type_decl>();
  made->name = text_of(name);
  made->where = span_of(name);
  // `<-A` is `<` and a mark.
  const bool erased = at(token_kind::left_arrow);
  if (erased || at(token_kind::less)) {
    take();
    co_await parameters(&made->parameters, token_kind::close_angle, around::angles, false, erased);
  }
  if (at(token_kind::colon)) {
    co_await refuse_feature(span_of(name), "the dialect from before 2.0 (a 'type' without 'is')",
                            "write 'type T is Data:', or 'is Type' if a field has one owner");
  }
  co_await want(token_kind::is_word, "'is'");
  const sized_term kind_term = co_await term_at(level_arrow, around::colon);
  made->kind = kind_term.node;
  co_await want(token_kind::colon, "':'");
  made_.types.push_back(made);
  while (at(token_kind::name)) {
    // Whoever names a constructor that could not be read is not to be told so again.
    const std::size_t operators = item_.operators.size();
    const std::optional<constructor_decl*> one = co_await attempt(constructor(made));
    if (!one) {
      made_.incomplete = true;
      forget_open(operators);
      skip_to_item();
      break;
    }
    made->constructors.push_back(*one);
  }
  end_item();
  co_return true;
}

parsing<constructor_decl*> parser::constructor(const type_decl* of) {
  auto* const made = make<constructor_decl>();
  const token name = take();
  made->name = text_of(name);
  made->where = span_of(name);
  made->type = of;
  made->number = of->constructors.size();
  co_await want(token_kind::left_brace, "'{' and the fields of the constructor");
  while (!at(token_kind::right_brace)) {
    field_decl field;
    field.how = take_mark(false);
    if (field.how == mark::templated) co_await refuse("a field without ~");
    const token word = co_await want_name();
    field.name = text_of(word);
    field.where = span_of(word);
    co_await want(token_kind::colon, "':' and the type of the field");
    const sized_term type = co_await term_at(level_arrow);
    field.type = type.node;
    made->fields.push_back(field);
    take_if(token_kind::comma);
  }
  take();
  co_return made;
}

// ---- Laws ------------------------------------------------------------------------

parsing<bool> parser::law_item() {
  take();
  const token name = co_await want_name();
  enter_item(name);
  auto* const made = make<law_decl>();
  made->name = text_of(name);
  made->where = span_of(name);
  co_await want(token_kind::colon, "':'");
  co_await law_clauses(made);
  if (made->proof) proofs_.insert(made->name);
  end_item();
  made_.laws.push_back(made);
  co_return true;
}

parsing<bool> parser::law_clauses(law_decl* made) {
  term* condition = nullptr;
  for (;; take_if(token_kind::comma)) {
    if (take_if(token_kind::for_word)) {
      const parameter one = co_await clause();
      made->parameters.push_back(one);
    } else if (take_if(token_kind::exs_word)) {
      co_await clause();
      made->proof = true;
    } else if (take_if(token_kind::where_word)) {
      const sized_term one = co_await term_at(level_arrow);
      condition = one.node;
      made->proof = true;
    } else {
      break;
    }
  }
  // A condition may be all that is claimed.
  if (condition != nullptr && !starts_term()) {
    made->result = condition;
    co_return true;
  }
  const sized_term result = co_await term_at(level_arrow);
  made->result = result.node;
  if (is_proof_type(made->result)) made->proof = true;
  co_return true;
}

// mark NAME ":" term
parsing<parameter> parser::clause() {
  const mark how = take_mark(false);
  const token word = co_await want_name();
  co_await want(token_kind::colon, "':' and a type");
  const sized_term type = co_await term_at(level_arrow);
  co_return parameter{make<binder>(binder{text_of(word), how, span_of(word)}), type.node};
}

// ---- Defs ------------------------------------------------------------------------

parsing<bool> parser::marked_item() {
  take();
  const token word = now_;
  const bool native = base_ && at(token_kind::name) && text_of(word) == "native";
  if (!native && (!at(token_kind::name) || text_of(word) != "unsafe")) {
    co_await refuse("'unsafe' behind '@'");
  }
  take();
  if (!at(token_kind::def_word)) co_await refuse("'def'");
  co_return co_await def_item(!native, native);
}

parsing<bool> parser::def_item(bool unsafe, bool native) {
  take();
  const token name = co_await want_name();
  enter_item(name);
  auto* const made = make<def_decl>();
  made->name = text_of(name);
  made->where = span_of(name);
  made->native = native;
  made->unsafe = take_if(token_kind::question) || unsafe;
  co_await want(token_kind::left_paren, "'(' and the parameters");
  co_await parameters(&made->parameters, token_kind::right_paren, around::nothing, native, false);
  if (native && !at(token_kind::arrow)) co_await refuse("'->' and the result type");
  if (take_if(token_kind::arrow)) {
    const sized_term result = co_await term_at(level_arrow, around::colon);
    made->result = result.node;
    made->proof = is_proof_type(made->result);
    if (made->proof) proofs_.insert(made->name);
  }
  if (!native) {
    co_await want(token_kind::colon, "':' and the body");
    co_await def_body(made);
  }
  made_.defs.push_back(made);
  co_return true;
}

// The header is known: who calls the def is right, whatever its body is.
parsing<bool> parser::def_body(def_decl* made) {
  const span start = span_of(now_);
  const std::size_t operators = item_.operators.size();
  std::optional<sized_term> inside;
  if (at(token_kind::import_word)) {
    while (at(token_kind::import_word) || at(token_kind::text)) take();
    report(since(start.begin), {}, {}, "not in the supported subset: a foreign def");
  } else {
    inside = co_await attempt(body(around::nothing));
    const bool ended = at(token_kind::end) || starts_item();
    if (inside && !ended) {
      const bool more = starts_term();
      report_here(more ? "an operator, or the end of the def" : "'def', 'type' or 'law'",
                  more && !same_line()
                      ? "a body has one result; actions, one on each line, stand in "
                        "a 'do IO<Unit>:' block"
                      : "");
    }
  }
  made->body = inside ? inside->node : nothing(start);
  if (item_.broken) {
    if (!inside) forget_open(operators);
    skip_to_item();
  }
  end_item();
  if (item_.broken) made->body = nothing(start);
  co_return true;
}

parsing<bool> parser::parameters(std::vector<parameter>* all, token_kind close, around outside,
                                 bool native, bool erased) {
  const auto at_close = [&] {
    return at(close) || (close == token_kind::close_angle && at(token_kind::greater));
  };
  while (!at_close()) {
    const bool marked = erased && all->empty();
    const mark how = marked ? mark::erased : take_mark(native);
    const token word = co_await want_name();
    parameter one;
    one.name = make<binder>(binder{text_of(word), how, span_of(word)});
    if (take_if(token_kind::colon)) {
      const sized_term type = co_await term_at(level_arrow, outside);
      one.type = type.node;
    }
    all->push_back(one);
    take_if(token_kind::comma);
  }
  take();
  co_return true;
}

mark parser::take_mark(bool native) {
  if (take_if(token_kind::plus_binder) || take_if(token_kind::plus)) return mark::reusable;
  if (take_if(token_kind::minus_binder) || take_if(token_kind::minus)) return mark::erased;
  if (take_if(token_kind::tilde)) return mark::templated;
  if (native && take_if(token_kind::amp)) return mark::borrowed;
  return mark::affine;
}

// ---- Afterwards ------------------------------------------------------------------

// What can be told only when the item has ended.
void parser::end_item() {
  for (const call_term* each : take_unresolved(item_.operators, names_)) {
    if (in_proof(item_.name)) break;
    const span sign = each->callee->where;
    const bool of_texts = std::ranges::any_of(
        each->arguments, [](const argument& one) { return one.value->kind == term_kind::text; });
    report(sign, "a type for this operator (write (a + b : Nat))", quoted(sign), {},
           of_texts && quoted(sign) == "'+'" ? "strings are joined by ++" : std::string_view());
  }
}

// A hole in a proof is dropped with it; anywhere else it is an error.
void parser::refuse_forms() {
  for (const refused_form& each : refused_) {
    if (in_proof(each.item)) continue;
    item_.name = each.item;
    report(each.where, {}, {}, "not in the supported subset: " + std::string(each.what));
  }
}

}  // namespace cleave::lang
