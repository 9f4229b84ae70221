// compiler.hpp -- from lists to nodes.
//
//   compiler to_nodes(m, false);
//   const node* code = to_nodes.compile(form);
//
// The forms of the language are compiled here, or rewritten into others; `syntax-rules`
// macros are expanded (syntax_rules.hpp), without hygiene: a name that a macro brings along
// means what it means where the macro is used.
//
// A call of a primitive by its global name is compiled as such, so that it needs no frame.
// Such a name cannot be defined anew, or assigned to, afterwards.
#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "machine.hpp"

namespace scheme {

class compiler {
 public:
  // In the prelude, names of primitives stand for the primitives for good.
  compiler(machine& m, bool is_prelude);

  // An expression or definition of the program. Throws scheme_error.
  const node* compile(const any& form) { return expression(form, nullptr); }

 private:
  struct scope {
    scope* outer = nullptr;
    // The number of the symbol in place 1, 2, ... of the environment.
    std::vector<std::size_t> names;
  };
  using form_method = const node* (compiler::*)(const any& form, scope* in);

  const node* expression(const any& form, scope* in);
  const node* variable(std::size_t name, scope* in);
  const node* call(const any& form, scope* in);
  bool is_primitive(std::size_t number);
  void change(std::size_t number);
  const node* constant(value v);
  const node* body(const any& forms, scope& in, lambda_node& code);
  lambda_node* lambda(const any& parameters, const any& forms, scope* in);
  void collect(const any& forms, scope& in, std::vector<any>& parts);
  bool is_keyword(value head, std::string_view name, scope* in);
  // Macros at the head are expanded.
  any expanded(any form, scope* in);

  const node* quote(const any& form, scope* in);
  const node* quasiquote(const any& form, scope* in);
  const node* branch(const any& form, scope* in);
  const node* define(const any& form, scope* in);
  const node* assign(const any& form, scope* in);
  const node* lambda_form(const any& form, scope* in);
  const node* named_lambda(const any& form, scope* in);
  const node* sequence(const any& form, scope* in);
  const node* let(const any& form, scope* in);
  const node* cond(const any& form, scope* in);
  const node* conjunction(const any& form, scope* in);
  const node* disjunction(const any& form, scope* in);
  const node* define_syntax(const any& form, scope* in);
  const node* define_record(const any& form, scope* in);

  any record_definitions(const any& form);
  any quasi(const any& form, int depth);
  // What `define` defines, and the expression for it.
  std::pair<any, any> definition(const any& form);
  const node* sequence_of(std::vector<const node*> parts);
  const node* branch_of(const node* test, const node* then, const node* otherwise);

  // Lists. Each throws scheme_error for what is no proper form.
  any head(const any& form);
  any tail(const any& form);
  std::vector<any> items(const any& form);
  any name(std::string_view text) { return m_.symbol_named(text); }
  any list(const std::vector<any>& parts, const any& last);
  any list(const std::vector<any>& parts) { return list(parts, m_.held(nil)); }
  [[noreturn]] void malformed(const any& form);

  machine& m_;
  bool is_prelude_;
  std::unordered_map<std::size_t, form_method> forms_;
  int depth_ = 0;
};

}  // namespace scheme
