// elaborate_body.hpp -- the body of one instance: from terms to blocks of core.
//
// Types and code are made in one pass. A term is *placed* for a goal: as a value that the
// code behind it uses, or as the end of the current block, in tail position or not. What
// is an action is placed to be `run`, too: then its effects happen here, and its result
// is the value. Types that are not known yet are shapes; when the body is complete, all
// are closed and written into it.
//
//   body_maker maker(context, instance);
//   maker.make();
//
// Invariants:
//   B1  After a term was placed with a goal other than a value, the current block has
//       its ending.
//   B2  A variable is used in the frame that it was bound in, or in one within it, where
//       it was captured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lang/core.hpp"
#include "lang/device_calls.hpp"
#include "lang/elaborate_instances.hpp"
#include "lang/facts.hpp"
#include "lang/tree.hpp"
#include "lang/types.hpp"

namespace cleave::lang {

// What all bodies share.
struct elaboration {
  core::program& made;
  type_table& types;
  fact_table& facts;
  instance_table& instances;
  reporter& report;
  device_calls* device;  // null: calls f!(x) are calls like any other
};

class body_maker {
 public:
  // Blocks within blocks, so that later passes may recurse.
  static constexpr std::size_t deepest = 500;

  body_maker(elaboration& all, const instance& one);

  void make();

 private:
  enum class use : std::uint8_t { value, give, tail };
  struct goal {
    use how = use::value;
    bool run = false;  // the expected type is that of the action's result
  };

  // A variable of the source.
  struct local {
    core::atom atom;
    shape* type = nullptr;
    bool used = false;
  };

  // The body of a closure, or of a function that a long body is continued in.
  struct frame {
    frame* outer = nullptr;
    std::vector<core::variable*>* captures = nullptr;
    std::vector<core::variable*>* inside = nullptr;
    std::unordered_map<const core::variable*, core::variable*> imported;
  };

  // One argument of a call: a term, a fact, or the rest of a do block as a function of
  // what the statement before it binds.
  struct given {
    const term* written = nullptr;
    const fact* known = nullptr;
    const do_term* block = nullptr;
    std::size_t next = 0;
    span where = {};
  };

  // What is called: its facts, and its parameters and arguments of the run time.
  struct plan {
    target what;
    std::vector<shape*> inputs;
    std::vector<const given*> values;
    shape* result = nullptr;
    std::size_t used = 0;  // arguments, others among them
    span where = {};
    bool device = false;  // the call is to run on the device
  };

  // A native def, or an action that is to be run, with its arguments.
  struct prepared {
    prepared() = default;
    // An action.
    prepared(core::atom action, shape* of) : arguments{action}, result(of) {}

    const def_decl* native = nullptr;  // null if `arguments` is one action
    std::vector<shape*> types;
    std::vector<core::atom> arguments;
    shape* result = nullptr;
    bool effect = false;
  };

  struct call_patch {
    core::block* in;
    std::size_t step;  // none: the ending
    target what;
    span where;
  };
  struct type_patch {
    core::block* in;
    std::size_t step;
    std::vector<shape*> types;
  };
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  using atoms = std::vector<core::atom>;

  // ---- elaborate_body.cpp: blocks, variables, frames
  void make_def(const def_decl& def);
  void make_lambda(const fact& lambda, std::size_t arity);
  void finish();
  template <class Fill>
  void in(core::block& block, Fill fill);
  core::variable* variable(shape* type, std::string_view name = {});
  core::atom let(core::operation what, shape* type);
  core::atom deliver(core::atom value, goal to);
  core::atom deliver(core::operation what, shape* type, goal to);
  void give(core::atom value);
  void stop(std::string message);
  [[nodiscard]] core::atom here(core::atom outside);
  void bind(const binder* name, core::atom value, shape* type);
  void must_be_data(const binder& name, shape* type);
  // What is given for a parameter `A: Data`.
  void must_be_data(const def_decl& def, std::size_t k, const fact& what, span where);
  void bind_erased(const binder* name, const fact* known);
  [[nodiscard]] core::atom dummy(shape* type);
  bool want(span where, shape* expected, shape* observed);
  [[nodiscard]] shape* whole(shape* expected, goal to);
  [[nodiscard]] core::atom number(shape* type, std::uint64_t value) const;
  core::atom native(std::string_view name, std::vector<shape*> types, atoms arguments,
                    shape* result);
  // A block of its own whose value is that of the term.
  template <class Fill>
  core::atom nested(shape* type, Fill fill);
  template <class Fill>
  core::operation closure(bool action, core::variable** parameter, shape* from,
                          std::string_view name, Fill fill);

  // ---- elaborate_terms.cpp
  core::atom value(const term& of, shape* expected) { return place(of, expected, {}); }
  core::atom place(const term& of, shape* expected, goal to);
  core::atom place_name(const name_term& of, shape* expected, goal to);
  core::atom place_construct(const construct_term& of, shape* expected, goal to);
  core::atom place_builtin(const construct_term& of, core::type_kind kind, shape* type);
  core::atom place_list(const list_term& of, shape* expected, goal to);
  core::atom place_array(const array_term& of, shape* expected, goal to);
  void bind_parameter(const binder* name, core::variable* made, shape* type);
  core::atom place_lambda(const lambda_term& of, shape* expected, goal to);
  core::atom successor(core::atom of, std::uint64_t more);
  core::atom settle(span where, core::atom made, shape* type, shape* expected, goal to);
  core::atom refuse(shape* expected, goal to);

  // ---- elaborate_statements.cpp
  struct piece;
  void let_parallel(const statement& of);
  void let_one(const statement& of);
  [[nodiscard]] bool is_type(const term& of) const;
  [[nodiscard]] bool is_work(const term& of) const;
  core::atom place_block(const block_term& of, std::size_t from, shape* expected, goal to);
  void begin_piece(piece& rest, shape* expected);
  void end_piece(piece& rest, shape* expected, goal to);

  // ---- elaborate_calls.cpp
  core::atom place_call(const call_term& of, shape* expected, goal to);
  core::atom call(const plan& of, const std::vector<given>& arguments, shape* expected, goal to);
  core::atom apply_all(core::atom callee, shape* type, const std::vector<given>& arguments,
                       std::size_t from, shape* expected, goal to, span where);
  [[nodiscard]] static std::vector<given> given_to(const call_term& of);
  [[nodiscard]] bool wants_device(const std::vector<const call_term*>& chain) const;
  core::atom argument_value(const given& of, shape* expected);
  [[nodiscard]] plan plan_def(const def_decl& def, const std::vector<const fact*>& parts,
                              const std::vector<given>& arguments, span where);
  [[nodiscard]] plan plan_lambda(const fact& lambda, const std::vector<given>& arguments,
                                 span where);
  [[nodiscard]] plan plan_known(const fact& known, const std::vector<given>& arguments, span where);
  [[nodiscard]] bool is_quantity_given(const given& of) const;
  [[nodiscard]] const fact* type_argument(const given& of, const term& sort);
  [[nodiscard]] const fact* known_number(const given& of, shape* type, const def_decl& def,
                                         std::size_t k);
  [[nodiscard]] const fact* known_function(const given& of, shape* type);
  [[nodiscard]] const fact* callable(const term& of);
  [[nodiscard]] shape* type_of(const plan& of);
  [[nodiscard]] atoms values_of(const plan& of);
  core::atom function_of(const plan& of, const atoms& values, const std::vector<shape*>& types);
  core::atom emit(const plan& of, atoms values, goal to);

  // ---- elaborate_io.cpp
  core::atom place_do(const do_term& of, shape* expected, goal to);
  core::atom place_pure(const plan& of, goal to);
  core::atom place_bind(const plan& of, goal to);
  core::atom run_statements(const do_term& of, std::size_t from, shape* result, goal to);
  core::atom action_of(const do_term& of, shape* result);
  template <class Fill>
  core::atom action(Fill fill, shape* result);
  core::atom place_monad(const do_term& of, std::size_t at, shape* expected, goal to);
  core::atom rest_of_block(const given& of, shape* expected);
  [[nodiscard]] prepared prepare(const term& of, shape* result);
  [[nodiscard]] prepared effect_of(const plan& of);
  core::atom perform(const prepared& what);
  [[nodiscard]] shape* type_of_statement(const do_statement& of);
  [[nodiscard]] shape* unit() const;

  // ---- elaborate_match.cpp
  class match_maker;
  core::atom place_match(const match_term& of, shape* expected, goal to);
  core::atom place_known_match(const match_term& of, const std::vector<const fact*>& known,
                               shape* expected, goal to);
  [[nodiscard]] const fact* known_number(const term& of) const;
  bool has_type(const pattern& one, shape* type);
  bool take_apart(const pattern& by, core::atom subject, shape* type);

  elaboration& all_;
  type_table& types_;
  fact_table& facts_;
  reporter& report_;
  const instance& one_;
  core::function& made_;
  environment& env_;
  core::block* here_ = nullptr;
  std::deque<frame> frames_;
  frame* frame_;
  std::size_t reported_before_;
  std::size_t depth_ = 0;
  std::unordered_map<const binder*, local> locals_;
  std::unordered_map<const core::variable*, frame*> home_;
  std::deque<match_term> reduced_;
  std::vector<std::pair<core::variable*, shape*>> variables_;
  // Captured: what they have the type of.
  std::vector<std::pair<core::variable*, const core::variable*>> copies_;
  std::vector<std::pair<core::function*, shape*>> results_;
  std::vector<call_patch> calls_;
  std::vector<type_patch> natives_;
  // What is marked + must be Data, and so what a def is given for `A: Data`: asked of what the
  // program says, not of Base or @unsafe defs.
  struct data_wanted {
    span where;
    shape* type;
    std::string why;
  };
  bool asks_for_data_;
  std::vector<data_wanted> data_wanted_;
};

}  // namespace cleave::lang
