// resolve_bodies.hpp -- names in terms, types and patterns: what each stands for.
//
// Walks a declaration once, in the order in which names come into being, and fills what
// tree.hpp calls resolved. What it reports: names and constructors that nobody declared,
// names that one place binds twice, numbers of arguments of constructors and types, rows that
// do not fit their match.
//
//   body_resolver bodies(names, nodes, live, found);
//   bodies.resolve_def(file, def);
//
// O(the tree). The stack grows with the depth of the tree, which has a limit (tree.hpp, N1).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lang/coverage.hpp"
#include "lang/diagnostic.hpp"
#include "lang/front_end.hpp"
#include "lang/resolve_live.hpp"
#include "lang/resolve_names.hpp"
#include "lang/scope.hpp"
#include "lang/tree.hpp"

namespace cleave::lang {

class body_resolver {
 public:
  body_resolver(const name_table& names, tree_store& nodes, live_code& live, diagnostics& found);

  void resolve_type(const module& from, type_decl& type);
  void resolve_law(const module& from, law_decl& law);
  void resolve_def(const module& from, def_decl& def);

 private:
  // Whether a term is evaluated when the program runs, or is a type, or is for one.
  enum class use : bool { live, erased };

  void enter(const module& from, std::string_view name);
  void resolve_parameters(const std::vector<parameter>& all);

  void resolve(term* one, use how);
  void resolve_name(name_term& one, use how);
  void resolve_call(const call_term& one, use how);
  void resolve_construct(construct_term& one, use how);
  void resolve_lambda(const lambda_term& one, use how);
  void resolve_array(const array_term& one, use how);
  void resolve_do(do_term& one, use how);
  void resolve_block(const block_term& one, use how);
  void resolve_match(const match_term& one, use how);
  void resolve_applied_type(apply_type_term& one);
  void resolve_arrow(const arrow_term& one);
  void resolve_proof(const proof_term& one, use how);

  // Binds a name that stands beside those that were bound since the mark: parameters of one
  // header, names of one parallel let, of one pattern, of one row.
  void bind_beside(std::size_t mark, const binder& one);

  // Binds the names in it, as bind_beside(). False if something is wrong with its form.
  bool resolve_pattern(pattern* one, std::size_t mark);
  bool resolve_constructor_pattern(constructor_pattern& one, std::size_t mark);
  bool is_fresh_name(const name_pattern& one);

  void use_def(const declared& one, std::string_view name, span where, use how);
  [[nodiscard]] bool is_no_type(const term& one) const;
  const def_decl* find_monad_def(const do_term& one, std::string_view name, bool needed, use how);
  void report_unknown(std::string_view name, span where);
  void report_unknown_constructor(std::string_view name, span where);
  void report_arity(const constructor_decl& target, std::size_t count, span where);
  void report(span where, std::string expected, std::string observed);
  void refuse(span where, std::string message);

  const name_table& names_;
  tree_store& nodes_;
  live_code& live_;
  diagnostics& found_;
  coverage_check coverage_;
  scope locals_;
  const module* from_ = nullptr;
  std::string_view name_;  // of the declaration, for messages
};

}  // namespace cleave::lang
