// facts.hpp -- what is known of a name while a program is compiled, and the evaluation of
// types.
//
// Types are terms: `List<U32>`, `Word(32n)`, or a parameter that stands for a type. They
// are computed from facts: types, Nat literals, constructors of such, and functions.
// A name without a fact has a value at run time alone; what is computed from it is a
// fact of the kind `nothing`, which is an error only where a type is wanted.
//
//   environment& env = facts.inside(nullptr);
//   env.own[binder] = facts.type(types.u32());
//   facts.type_of(*term, env);                     // reports if that is no type
//
// Evaluation always ends: steps, depth and the size of types are limited.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lang/diagnostic.hpp"
#include "lang/front_end.hpp"
#include "lang/tree.hpp"
#include "lang/types.hpp"

namespace cleave::lang {

struct environment;

enum class fact_kind : std::uint8_t {
  nothing,
  quantity,
  sort,  // Type, Data, Kind(q)
  type,
  family,  // a type that lacks its arguments
  number,
  made,  // a constructor with its fields
  def,   // with the arguments that it was given; null for one that was not
  lambda,
};

struct fact {
  fact_kind kind = fact_kind::nothing;
  // Of a lambda that a template parameter stands for, and of a number that a parameter
  // stands for: its own type.
  shape* type = nullptr;
  std::uint64_t number = 0;
  const type_decl* family = nullptr;
  const constructor_decl* constructor = nullptr;
  const def_decl* def = nullptr;
  const lambda_term* lambda = nullptr;  // and `def` is where it stands
  const environment* inside = nullptr;  // of the lambda
  std::vector<const fact*> parts;
};

struct environment {
  const environment* outer = nullptr;
  std::unordered_map<const binder*, const fact*> own;

  // Null if there is none.
  [[nodiscard]] const fact* find(const binder* name) const;
};

// Reports each thing once, however many instances have it.
class reporter {
 public:
  explicit reporter(diagnostics& found) : found_(found) {}

  // `help`, if there is any, becomes a line behind the message.
  void mismatch(span where, std::string expected, std::string observed, std::string help = {});
  void message(span where, std::string text);
  void in_def(std::string_view name) { def_ = name; }
  [[nodiscard]] std::size_t count() const noexcept { return found_.count(); }

 private:
  void report(diagnostic one);

  diagnostics& found_;
  std::string def_;
  std::unordered_set<std::string> said_;
};

// What a parameter is to the elaborator.
enum class parameter_kind : std::uint8_t {
  quantity,   // no argument is needed
  type,       // an argument that is a type, or a function to types
  erased,     // any other that does not exist at run time
  templated,  // a function that is known, or else an argument as others
  value,      // a Nat that types depend on is known, too, if it can be
};

// Type, Data and Kind(q), or a function to such.
[[nodiscard]] bool is_sort(const term& type);
// Quant, or nothing at all.
[[nodiscard]] bool is_quantity(const term* type);
[[nodiscard]] parameter_kind kind_of(const def_decl& def, std::size_t k);
[[nodiscard]] parameter_kind kind_of(const parameter& of_type);

class fact_table {
 public:
  static constexpr std::size_t most_steps = 100'000;

  fact_table(const source_program& all, type_table& types, reporter& report);

  [[nodiscard]] environment& inside(const environment* outer);
  [[nodiscard]] const fact* type(shape* s);
  [[nodiscard]] const fact* number(std::uint64_t value);
  [[nodiscard]] const fact* nothing() const noexcept { return nothing_; }
  [[nodiscard]] const fact* quantity() const noexcept { return quantity_; }
  [[nodiscard]] const fact* keep(fact one);

  // Never null; `nothing` too if it takes too long.
  [[nodiscard]] const fact* evaluate(const term& of, environment& env);
  // Error: reported, and an unknown type.
  [[nodiscard]] shape* type_of(const term& of, environment& env);

  // True for &0, a <&> b and names of quantities.
  [[nodiscard]] bool is_quantity_argument(const term& of, const environment& env) const;

  // True if the type of another parameter, or the result's, has the k-th parameter in it.
  [[nodiscard]] bool types_depend_on(const def_decl& def, std::size_t k);

  // True and the names bound, false, or unknown.
  enum class outcome : std::uint8_t { yes, no, unknown };
  [[nodiscard]] outcome matches(const pattern& against, const fact* one, environment& env);

  // What a function of an erased argument takes in its place: a value that tells nothing.
  [[nodiscard]] shape* erased() const noexcept { return erased_; }

  // u32 for the type U32 of Base, and so on; data for all others.
  [[nodiscard]] core::type_kind kind_of(const type_decl& declaration) const;

  // Null if Base has no such thing.
  [[nodiscard]] const def_decl* base_def(std::string_view name) const;
  [[nodiscard]] const constructor_decl* base_constructor(std::string_view name) const;

  // The types of the fields of a constructor of `data`; null for an erased field.
  [[nodiscard]] std::vector<shape*> fields_of(const constructor_decl& of, shape* data);
  // The type whose arguments are all unknown.
  [[nodiscard]] shape* general(const type_decl& of);

 private:
  [[nodiscard]] const fact* compute(const term& of, environment& env);
  [[nodiscard]] const fact* evaluate_name(const name_term& of, environment& env);
  [[nodiscard]] const fact* evaluate_call(const call_term& of, environment& env);
  [[nodiscard]] const fact* evaluate_construct(const construct_term& of, environment& env);
  [[nodiscard]] const fact* evaluate_block(const block_term& of, environment& env);
  [[nodiscard]] const fact* evaluate_match(const match_term& of, environment& env);
  [[nodiscard]] const fact* evaluate_arrow(const arrow_term& of, environment& env);
  [[nodiscard]] const fact* apply(const fact* to, std::vector<const fact*> arguments, span where);
  [[nodiscard]] const fact* apply_def(const fact& to, std::vector<const fact*> arguments,
                                      span where);
  [[nodiscard]] const fact* apply_lambda(const fact& to, const fact* argument);
  [[nodiscard]] const fact* apply_family(const type_decl& of,
                                         const std::vector<const fact*>& arguments, span where);
  [[nodiscard]] const fact* apply_native(const def_decl& def,
                                         const std::vector<const fact*>& arguments);
  // Null if that is no type.
  [[nodiscard]] shape* as_type(const fact* one);
  [[nodiscard]] const fact* family(const type_decl& of, span where);
  [[nodiscard]] const type_decl* builtin(std::string_view name) const;
  [[nodiscard]] bool step();

  [[nodiscard]] outcome matches_number(const pattern& against, std::uint64_t value,
                                       environment& env);

  type_table& types_;
  reporter& report_;
  std::deque<fact> facts_;
  std::deque<environment> environments_;
  std::unordered_map<shape*, const fact*> types_of_;
  std::unordered_map<const type_decl*, core::type_kind> builtin_kinds_;
  std::unordered_map<std::string_view, const type_decl*> builtins_;
  std::unordered_map<std::string_view, const def_decl*> base_defs_;
  std::unordered_map<std::string_view, const constructor_decl*> base_constructors_;
  std::unordered_map<const core::type*, std::vector<std::vector<shape*>>> fields_;
  std::unordered_map<const def_decl*, std::vector<bool>> depended_on_;
  shape* erased_;
  const fact* nothing_;
  const fact* quantity_;
  const fact* sort_;
  std::size_t depth_ = 0;
  std::size_t steps_ = 0;
  std::size_t all_steps_ = 0;
  bool too_long_ = false;
  bool refused_ = false;  // and reported
};

}  // namespace cleave::lang
