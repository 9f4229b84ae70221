#include "compiler.hpp"

#include <algorithm>
#include <utility>

#include "syntax_rules.hpp"

namespace scheme {
namespace {

constexpr int deepest = 3000;

std::size_t number_of(value name) {
  return name.as<symbol>()->number;
}

}  // namespace

compiler::compiler(machine& m, bool is_prelude) : m_(m), is_prelude_(is_prelude) {
  const std::pair<const char*, form_method> all[] = {
      {"quote", &compiler::quote},
      {"quasiquote", &compiler::quasiquote},
      {"if", &compiler::branch},
      {"define", &compiler::define},
      {"set!", &compiler::assign},
      {"lambda", &compiler::lambda_form},
      {"named-lambda", &compiler::named_lambda},
      {"begin", &compiler::sequence},
      {"let", &compiler::let},
      {"cond", &compiler::cond},
      {"and", &compiler::conjunction},
      {"or", &compiler::disjunction},
      {"define-syntax", &compiler::define_syntax},
      {"define-record-type", &compiler::define_record},
  };
  for (const auto& [text, method] : all) forms_[number_of(name(text).get())] = method;
  // So that to compare with them makes no symbol, and is no safepoint.
  for (const char* text : {"else", "=>", "unquote", "unquote-splicing", "syntax-rules"}) {
    (void)name(text);
  }
}

// --- Lists ---

any compiler::head(const any& form) {
  pair* const p = form.get().try_as<pair>();
  if (p == nullptr) malformed(form);
  return m_.held(p->head.get());
}

any compiler::tail(const any& form) {
  pair* const p = form.get().try_as<pair>();
  if (p == nullptr) malformed(form);
  return m_.held(p->tail.get());
}

std::vector<any> compiler::items(const any& form) {
  std::vector<any> made;
  value v = form.get();
  for (; v.is<pair>(); v = v.as<pair>()->tail.get())
    made.push_back(m_.held(v.as<pair>()->head.get()));
  if (v != value(nil)) malformed(form);
  return made;
}

any compiler::list(const std::vector<any>& parts, const any& last) {
  any made = last;
  for (std::size_t i = parts.size(); i-- > 0;) made = m_.cons(parts[i], made);
  return made;
}

void compiler::malformed(const any& form) {
  fail(m_, "not a form of the language:", form.get());
}

// --- Expressions ---

const node* compiler::constant(value v) {
  auto* const made = m_.make_node<constant_node>();
  made->number = m_.keep_constant(v);
  return made;
}

const node* compiler::expression(const any& form, scope* in) {
  struct level {
    explicit level(int& depth) : count(depth) {
      if (++count > deepest) {
        --count;
        fail("forms are nested too deep");
      }
    }
    ~level() { --count; }
    int& count;
  } const inside(depth_);
  const value v = form.get();
  if (v.is<symbol>()) return variable(number_of(v), in);
  if (!v.is<pair>()) {
    if (v == value(nil)) malformed(form);
    return constant(v);
  }
  const any whole = expanded(form, in);
  if (!whole.get().is<pair>()) return expression(whole, in);
  const value first = whole.get().as<pair>()->head.get();
  if (first.is<symbol>()) {
    const auto known = forms_.find(number_of(first));
    if (known != forms_.end() && is_keyword(first, {}, in))
      return (this->*known->second)(whole, in);
  }
  return call(whole, in);
}

// Whether the head of a form is a keyword here; any, if no name is given.
bool compiler::is_keyword(value head, std::string_view text, scope* in) {
  if (!head.is<symbol>()) return false;
  const std::size_t number = number_of(head);
  if (!text.empty() && number != number_of(name(text).get())) return false;
  for (; in != nullptr; in = in->outer) {
    if (std::find(in->names.begin(), in->names.end(), number) != in->names.end()) return false;
  }
  return true;
}

any compiler::expanded(any form, scope* in) {
  for (int times = 0; form.get().is<pair>(); ++times) {
    const value first = form.get().as<pair>()->head.get();
    if (!is_keyword(first, {}, in)) break;
    const auto macro = m_.macros().find(number_of(first));
    if (macro == m_.macros().end()) break;
    if (times > deepest) fail(m_, "a macro expands into itself:", first);
    form = expand_macro(m_, m_.held(m_.constant_at(macro->second)), form);
  }
  return form;
}

const node* compiler::variable(std::size_t number, scope* in) {
  std::uint32_t up = 0;
  for (; in != nullptr; in = in->outer, ++up) {
    // The last one of a name counts: a later definition in the same body.
    const auto at = std::find(in->names.rbegin(), in->names.rend(), number);
    if (at == in->names.rend()) continue;
    auto* const made = m_.make_node<local_node>();
    made->up = up;
    made->place = static_cast<std::uint32_t>(in->names.rend() - at);
    made->name = number;
    return made;
  }
  if (is_prelude_ && m_.global(number).is<primitive>()) return constant(m_.global(number));
  if (forms_.contains(number)) fail("a keyword is no variable");
  auto* const made = m_.make_node<global_node>();
  made->number = number;
  return made;
}

const node* compiler::call(const any& form, scope* in) {
  auto* const made = m_.make_node<call_node>();
  bool simple = true;
  for (const any& part : items(form)) {
    made->parts.push_back(expression(part, in));
    simple = simple && made->parts.back()->is_simple;
  }
  const node& first = *made->parts[0];
  if (first.what == kind::lambda) {
    // The environment can be made at once, without a closure.
    made->what = kind::let;
    return made;
  }
  value called = nullptr;
  if (first.what == kind::constant) {
    called = m_.constant_at(static_cast<const constant_node&>(first).number);
  } else if (first.what == kind::global) {
    const std::size_t number = static_cast<const global_node&>(first).number;
    if (is_primitive(number) && !m_.changed_primitives().contains(number)) {
      called = m_.global(number);
    }
  }
  if (!called.is<primitive>() ||
      called.as<primitive>()->entry->act != primitive_entry::control::none) {
    return made;
  }
  if (first.what == kind::global) {
    m_.used_primitives().insert(static_cast<const global_node&>(first).number);
  }
  made->is_simple = simple;
  return made;
}

// Whether the global has the primitive of its own name; that of another is a variable.
bool compiler::is_primitive(std::size_t number) {
  primitive* const p = m_.global(number).try_as<primitive>();
  return p != nullptr && number_of(name(p->entry->name).get()) == number;
}

// A global gets another value: no code may have called it as a primitive, nor ever will.
void compiler::change(std::size_t number) {
  if (!is_primitive(number)) return;
  if (m_.used_primitives().contains(number)) {
    fail("a primitive that was called above cannot be changed: " +
         std::string(m_.global(number).as<primitive>()->entry->name));
  }
  m_.changed_primitives().insert(number);
}

// --- Procedures and bodies ---

lambda_node* compiler::lambda(const any& parameters, const any& forms, scope* in) {
  auto* const made = m_.make_node<lambda_node>();
  scope inner{in, {}};
  value rest = parameters.get();
  for (; rest.is<pair>(); rest = rest.as<pair>()->tail.get()) {
    const value one = rest.as<pair>()->head.get();
    if (!one.is<symbol>()) malformed(parameters);
    if (std::count(inner.names.begin(), inner.names.end(), number_of(one)) != 0)
      malformed(parameters);
    inner.names.push_back(number_of(one));
    ++made->parameters;
  }
  if (rest.is<symbol>()) {
    inner.names.push_back(number_of(rest));
    made->takes_rest = true;
  } else if (rest != value(nil)) {
    malformed(parameters);
  }
  made->body = body(forms, inner, *made);
  return made;
}

// The parts of a body: macros at the head are expanded, `begin` is opened, and what is
// defined gets a place.
void compiler::collect(const any& forms, scope& in, std::vector<any>& parts) {
  for (const any& form : items(forms)) {
    const any part = expanded(form, &in);
    const value first = part.get().is<pair>() ? part.get().as<pair>()->head.get() : value(nil);
    if (is_keyword(first, "begin", &in)) {
      collect(tail(part), in, parts);
    } else if (is_keyword(first, "define-record-type", &in)) {
      collect(tail(record_definitions(part)), in, parts);
    } else {
      if (is_keyword(first, "define", &in))
        in.names.push_back(number_of(definition(part).first.get()));
      parts.push_back(part);
    }
  }
}

const node* compiler::body(const any& forms, scope& in, lambda_node& code) {
  std::vector<any> parts;
  collect(forms, in, parts);
  if (parts.empty()) malformed(forms);
  std::vector<const node*> nodes;
  for (const any& part : parts) nodes.push_back(expression(part, &in));
  code.variables = static_cast<std::uint32_t>(in.names.size());
  return sequence_of(std::move(nodes));
}

const node* compiler::sequence_of(std::vector<const node*> parts) {
  if (parts.empty()) return constant(unspecified);
  if (parts.size() == 1) return parts[0];
  auto* const made = m_.make_node<sequence_node>();
  made->parts = std::move(parts);
  return made;
}

const node* compiler::branch_of(const node* test, const node* then, const node* otherwise) {
  auto* const made = m_.make_node<branch_node>();
  made->test = test;
  made->then = then;
  made->otherwise = otherwise;
  made->is_simple = test->is_simple && then->is_simple && otherwise->is_simple;
  return made;
}

std::pair<any, any> compiler::definition(const any& form) {
  any target = head(tail(form));
  const any rest = tail(tail(form));
  if (target.get().is<pair>()) {
    // (define ((f a) b) ...) is a procedure that gives one.
    any value_of = list({name("named-lambda"), target}, rest);
    while (head(target).get().is<pair>()) {
      const any outer = head(target);
      value_of = list({name("named-lambda"), outer, list({name("lambda"), tail(target)}, rest)});
      target = outer;
    }
    return {head(target), value_of};
  }
  if (!target.get().is<symbol>()) malformed(form);
  if (rest.get() == value(nil)) return {target, m_.held(unspecified)};
  if (tail(rest).get() != value(nil)) malformed(form);
  return {target, head(rest)};
}

const node* compiler::define(const any& form, scope* in) {
  const auto [target, what] = definition(form);
  if (!target.get().is<symbol>()) malformed(form);
  const std::size_t number = number_of(target.get());
  if (in != nullptr) {
    const node* const place = variable(number, in);
    if (place->what != kind::local || static_cast<const local_node*>(place)->up != 0) {
      fail(m_, "a definition stands where none can:", form.get());
    }
    auto* const made = m_.make_node<set_local_node>();
    made->target = place;
    made->value = expression(what, in);
    return made;
  }
  if (forms_.contains(number)) fail(m_, "a keyword cannot be defined:", target.get());
  change(number);
  m_.macros().erase(number);
  auto* const place = m_.make_node<global_node>();
  place->number = number;
  auto* const made = m_.make_node<define_global_node>();
  made->target = place;
  made->value = expression(what, in);
  if (made->value->what == kind::lambda) {
    const_cast<lambda_node*>(static_cast<const lambda_node*>(made->value))->name = number;
  }
  return made;
}

const node* compiler::assign(const any& form, scope* in) {
  const std::vector<any> parts = items(form);
  if (parts.size() != 3 || !parts[1].get().is<symbol>()) malformed(form);
  const std::size_t number = number_of(parts[1].get());
  const node* const place = variable(number, in);
  if (place->what == kind::constant) malformed(form);
  if (place->what == kind::global) change(number);
  assign_node* const made = place->what == kind::local
                                ? static_cast<assign_node*>(m_.make_node<set_local_node>())
                                : m_.make_node<set_global_node>();
  made->target = place;
  made->value = expression(parts[2], in);
  return made;
}

const node* compiler::lambda_form(const any& form, scope* in) {
  return lambda(head(tail(form)), tail(tail(form)), in);
}

const node* compiler::named_lambda(const any& form, scope* in) {
  const any target = head(tail(form));
  lambda_node* const made = lambda(tail(target), tail(tail(form)), in);
  if (head(target).get().is<symbol>()) made->name = number_of(head(target).get());
  return made;
}

}  // namespace scheme
