// forms.cpp -- the forms of the language that compiler.cpp has not: those that choose
// and bind. Most become simpler ones; more of them are macros of the prelude.

#include <algorithm>
#include <utility>

#include "compiler.hpp"
#include "syntax_rules.hpp"

namespace scheme {

const node* compiler::quote(const any& form, scope*) {
  const std::vector<any> parts = items(form);
  if (parts.size() != 2) malformed(form);
  return constant(parts[1].get());
}

const node* compiler::branch(const any& form, scope* in) {
  const std::vector<any> parts = items(form);
  if (parts.size() != 3 && parts.size() != 4) malformed(form);
  return branch_of(expression(parts[1], in), expression(parts[2], in),
                   parts.size() == 4 ? expression(parts[3], in) : constant(unspecified));
}

const node* compiler::sequence(const any& form, scope* in) {
  std::vector<const node*> parts;
  for (const any& part : items(tail(form))) parts.push_back(expression(part, in));
  return sequence_of(std::move(parts));
}

const node* compiler::conjunction(const any& form, scope* in) {
  const std::vector<any> parts = items(tail(form));
  if (parts.empty()) return constant(yes);
  const node* made = expression(parts.back(), in);
  for (std::size_t i = parts.size() - 1; i-- > 0;) {
    made = branch_of(expression(parts[i], in), made, constant(no));
  }
  return made;
}

const node* compiler::disjunction(const any& form, scope* in) {
  const any parts = tail(form);
  if (parts.get() == value(nil)) return constant(no);
  if (tail(parts).get() == value(nil)) return expression(head(parts), in);
  const any kept = m_.fresh_symbol();
  return expression(list({name("let"), list({list({kept, head(parts)})}),
                          list({name("if"), kept, kept, list({name("or")}, tail(parts))})}),
                    in);
}

const node* compiler::let(const any& form, scope* in) {
  const any second = head(tail(form));
  const bool has_name = second.get().is<symbol>();
  const any bindings = has_name ? head(tail(tail(form))) : second;
  const any forms = has_name ? tail(tail(tail(form))) : tail(tail(form));
  any parameters = m_.held(nil), arguments = m_.held(nil);
  std::vector<any> all = items(bindings);
  for (std::size_t i = all.size(); i-- > 0;) {
    const std::vector<any> one = items(all[i]);
    if (one.size() != 2) malformed(form);
    parameters = m_.cons(one[0], parameters);
    arguments = m_.cons(one[1], arguments);
  }
  if (!has_name) {
    return expression(m_.cons(list({name("lambda"), parameters}, forms), arguments), in);
  }
  const any loop = list({name("let"), m_.held(nil),
                         list({name("define"), m_.cons(second, parameters)}, forms), second});
  return expression(m_.cons(loop, arguments), in);
}

const node* compiler::cond(const any& form, scope* in) {
  const any clauses = tail(form);
  if (clauses.get() == value(nil)) return constant(unspecified);
  const any clause = head(clauses);
  const any test = head(clause), forms = tail(clause);
  if (is_keyword(test.get(), "else", in)) return sequence(clause, in);
  const any others = m_.cons(name("cond"), tail(clauses));
  if (forms.get() == value(nil)) return expression(list({name("or"), test, others}), in);
  if (is_keyword(head(forms).get(), "=>", in)) {
    const any kept = m_.fresh_symbol();
    return expression(list({name("let"), list({list({kept, test})}),
                            list({name("if"), kept, list({head(tail(forms)), kept}), others})}),
                      in);
  }
  return branch_of(expression(test, in), sequence(clause, in), expression(others, in));
}

// --- Quasiquotation ---

const node* compiler::quasiquote(const any& form, scope* in) {
  return expression(quasi(head(tail(form)), 1), in);
}

any compiler::quasi(const any& form, int depth) {
  const auto primitive_named = [&](std::string_view text) {
    return m_.held(m_.global(name(text).get().as<symbol>()->number));
  };
  const auto is = [&](const any& it, std::string_view text) {
    return it.get().is<pair>() && it.get().as<pair>()->head.get() == name(text).get();
  };
  if (form.get().is<vector>()) {
    const auto all = form.as<vector>();
    any as_list = m_.held(nil);
    for (std::size_t i = all->size(); i-- > 0;)
      as_list = m_.cons(m_.held((*all.get())[i]), as_list);
    return list({primitive_named("list->vector"), quasi(as_list, depth)});
  }
  if (!form.get().is<pair>()) return list({name("quote"), form});
  const auto goes = [&](const any& it) {
    return is(it, "quasiquote") ? 1 : is(it, "unquote") || is(it, "unquote-splicing") ? -1 : 0;
  };
  if (const int step = goes(form); step != 0) {
    if (depth + step == 0) return head(tail(form));
    return list({primitive_named("list"), list({name("quote"), head(form)}),
                 quasi(head(tail(form)), depth + step)});
  }
  // (append (list element ...) spliced (list element ...) end)
  std::vector<any> parts{primitive_named("append")}, elements;
  const auto end_elements = [&] {
    parts.push_back(m_.cons(primitive_named("list"), list(elements)));
    elements.clear();
  };
  any at = form;
  for (; at.get().is<pair>() && goes(at) == 0; at = tail(at)) {
    const any first = head(at);
    if (is(first, "unquote-splicing") && depth == 1) {
      end_elements();
      parts.push_back(head(tail(first)));
    } else {
      elements.push_back(quasi(first, depth));
    }
  }
  end_elements();
  parts.push_back(quasi(at, depth));
  return list(parts);
}

// --- Macros and records ---

const node* compiler::define_syntax(const any& form, scope*) {
  const any keyword = head(tail(form)), rules = head(tail(tail(form)));
  if (!keyword.get().is<symbol>() || head(rules).get() != name("syntax-rules").get())
    malformed(form);
  check_macro(m_, tail(rules));
  m_.macros()[keyword.get().as<symbol>()->number] = m_.keep_constant(tail(rules).get());
  return constant(unspecified);
}

const node* compiler::define_record(const any& form, scope* in) {
  return expression(record_definitions(form), in);
}

// (define-record-type point (make-point x y) point? (x point-x set-point-x!) ...)
any compiler::record_definitions(const any& form) {
  const std::vector<any> parts = items(form);
  if (parts.size() < 4) malformed(form);
  const any type = parts[1].get().is<pair>() ? head(parts[1]) : parts[1];
  std::vector<any> fields;
  for (std::size_t i = 4; i < parts.size(); ++i) {
    fields.push_back(parts[i].get().is<pair>() ? head(parts[i]) : parts[i]);
  }
  const auto place_of = [&](const any& field) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (fields[i].get() == field.get()) return m_.held(fixnum(static_cast<std::int64_t>(i)));
    }
    malformed(form);
  };
  const any define = name("define");
  any made =
      list({list({define, type, list({name("%make-record-type"), list({name("quote"), type})})})});
  const auto add = [&](const any& target, const any& what) {
    made = m_.cons(list({define, target, what}), made);
  };
  if (parts[2].get().is<pair>()) {
    // Fields that the constructor does not take are false.
    any values = m_.held(nil);
    const std::vector<any> taken = items(tail(parts[2]));
    for (const any& one : taken) (void)place_of(one);
    for (std::size_t i = fields.size(); i-- > 0;) {
      bool found = false;
      for (const any& one : taken) found = found || one.get() == fields[i].get();
      values = m_.cons(found ? fields[i] : m_.held(no), values);
    }
    add(parts[2], list({name("%record"), type}, values));
  }
  if (parts[3].get().is<symbol>()) {
    const any it = m_.fresh_symbol();
    add(list({parts[3], it}), list({name("%record?"), it, type}));
  }
  for (std::size_t i = 4; i < parts.size(); ++i) {
    if (!parts[i].get().is<pair>()) continue;
    const std::vector<any> one = items(parts[i]);
    const any it = m_.fresh_symbol(), to = m_.fresh_symbol();
    if (one.size() > 1)
      add(list({one[1], it}), list({name("%record-ref"), it, type, place_of(one[0])}));
    if (one.size() > 2) {
      add(list({one[2], it, to}), list({name("%record-set!"), it, type, place_of(one[0]), to}));
    }
  }
  // The last one was defined first.
  std::vector<any> all = items(made);
  std::reverse(all.begin(), all.end());
  return m_.cons(name("begin"), list(all));
}

}  // namespace scheme
