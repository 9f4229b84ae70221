// elaborate_io.cpp -- do blocks and actions.
//
// An action that is run where it is written needs no closure: effects are calls, binds
// are lets. As a value, a do block is one closure. What IO.bind would compute before it
// has an action is computed where the closure is made: the lets up to the first action,
// and this action's arguments.
//
// A do block of another monad is a call of its bind with a lambda for what is behind.
#include "lang/elaborate_blocks.hpp"

namespace cleave::lang {
namespace {

using core::operation_kind;
using core::type_kind;

core::operation run_of(core::atom action) {
  core::operation made;
  made.kind = operation_kind::run;
  made.arguments = {action};
  return made;
}

}  // namespace

shape* body_maker::unit() const {
  return types_.rest();
}

core::atom body_maker::place_do(const do_term& of, shape* expected, goal to) {
  if (of.monad != "IO") return place_monad(of, 0, expected, to);
  shape* const result = facts_.type_of(*of.arguments.back(), env_);
  if (!want(of.where, whole(expected, to), types_.io(result))) return refuse(expected, to);
  if (to.run) return run_statements(of, 0, result, to);
  return deliver(action_of(of, result), to);
}

// ---- IO --------------------------------------------------------------------------

// The statements from there on, here and now.
core::atom body_maker::run_statements(const do_term& of, std::size_t from, shape* result, goal to) {
  for (std::size_t k = from;; ++k) {
    const do_statement& one = of.statements[k];
    switch (one.kind) {
      case do_kind::give: return place(*one.value, result, {to.how, false});
      case do_kind::last: return place(*one.value, result, to);
      default: {
        shape* const type = type_of_statement(one);
        const core::atom made = place(*one.value, type, {use::value, one.kind != do_kind::let});
        if (one.name != nullptr) bind(one.name, made, type);
      }
    }
  }
}

// What a statement binds; a step's result is dropped, and is Unit.
shape* body_maker::type_of_statement(const do_statement& of) {
  return of.type != nullptr ? facts_.type_of(*of.type, env_) : unit();
}

core::atom body_maker::action_of(const do_term& of, shape* result) {
  std::size_t k = 0;
  for (; of.statements[k].kind == do_kind::let; ++k) {
    const do_statement& one = of.statements[k];
    shape* const type = type_of_statement(one);
    const core::atom made = value(*one.value, type);
    if (one.name != nullptr) bind(one.name, made, type);
  }
  const do_statement& first = of.statements[k];
  if (first.kind == do_kind::last) return value(*first.value, types_.io(result));
  if (first.kind == do_kind::give) {
    const core::atom made = value(*first.value, result);
    return action([&] { give(here(made)); }, result);
  }
  shape* const type = type_of_statement(first);
  const prepared what = prepare(*first.value, type);
  return action(
      [&] {
        const core::atom made = perform(what);
        if (first.name != nullptr) bind(first.name, made, type);
        run_statements(of, k + 1, result, {use::tail, true});
      },
      result);
}

// An effect's arguments, or else the action that a term gives.
body_maker::prepared body_maker::prepare(const term& of, shape* result) {
  const auto* const call_of = as<call_term>(&of);
  const auto* const name = call_of != nullptr ? as<name_term>(call_of->callee) : nullptr;
  if (name == nullptr || name->def == nullptr || !name->def->native) {
    return {value(of, types_.io(result)), result};
  }
  const std::vector<given> arguments = given_to(*call_of);
  const plan made = plan_def(*name->def, {}, arguments, of.where);
  const shape* const type = type_table::find(made.result);
  const bool effect = made.used == arguments.size() && made.values.size() == made.inputs.size() &&
                      !type->unknown && type->kind == type_kind::io;
  if (!effect) return {value(of, types_.io(result)), result};
  want(of.where, types_.io(result), made.result);
  prepared what = effect_of(made);
  what.arguments = values_of(made);
  return what;
}

body_maker::prepared body_maker::effect_of(const plan& of) {
  prepared what;
  what.native = of.what.def;
  what.result = of.result;
  const shape* const result = type_table::find(of.result);
  what.effect = !result->unknown && result->kind == type_kind::io;
  if (what.effect) what.result = result->parts[0];
  for (std::size_t k = 0; k < of.what.facts.size(); ++k) {
    if (kind_of(*of.what.def, k) != parameter_kind::type) continue;
    if (of.what.facts[k]->kind == fact_kind::type) what.types.push_back(of.what.facts[k]->type);
  }
  return what;
}

core::atom body_maker::perform(const prepared& what) {
  atoms arguments;
  for (const core::atom& one : what.arguments) arguments.push_back(here(one));
  if (what.native == nullptr) return let(run_of(arguments[0]), what.result);
  core::operation made;
  made.kind = operation_kind::native;
  made.native = what.native;
  made.arguments = std::move(arguments);
  if (!what.types.empty()) natives_.push_back({here_, here_->steps.size(), what.types});
  return let(std::move(made), what.result);
}

// IO.pure(A, x)
core::atom body_maker::place_pure(const plan& of, goal to) {
  shape* const result = of.inputs[0];
  if (to.run) {
    return of.values[0]->written != nullptr ? place(*of.values[0]->written, result, {to.how, false})
                                            : deliver(argument_value(*of.values[0], result), to);
  }
  const core::atom made = argument_value(*of.values[0], result);
  return deliver(action([&] { give(here(made)); }, result), to);
}

// IO.bind(A, B, m, f): a lambda f is not made, but is what happens next.
core::atom body_maker::place_bind(const plan& of, goal to) {
  const given& first = *of.values[0];
  const given& then = *of.values[1];
  const auto* const lambda = then.written != nullptr ? as<lambda_term>(then.written) : nullptr;
  shape* const from = type_table::find(of.inputs[0])->parts[0];
  shape* const result = type_table::find(type_table::find(of.inputs[1])->parts[1])->parts[0];
  const prepared what = first.written != nullptr
                            ? prepare(*first.written, from)
                            : prepared(argument_value(first, of.inputs[0]), from);
  core::atom function;
  if (lambda == nullptr) function = argument_value(then, of.inputs[1]);
  const auto go = [&](goal inner) {
    const core::atom made = perform(what);
    if (lambda != nullptr) {
      bind(lambda->parameter, made, from);
      return place(*lambda->body, result, inner);
    }
    core::operation apply;
    apply.kind = operation_kind::apply;
    apply.arguments = {here(function), made};
    return deliver(run_of(let(std::move(apply), types_.io(result))), result, inner);
  };
  if (to.run) return go(to);
  return deliver(action([&] { go({use::tail, true}); }, result), to);
}

// ---- Other monads ----------------------------------------------------------------

core::atom body_maker::place_monad(const do_term& of, std::size_t at, shape* expected, goal to) {
  while (of.statements[at].kind == do_kind::let) {
    const do_statement& one = of.statements[at++];
    shape* const type = type_of_statement(one);
    const core::atom made = value(*one.value, type);
    if (one.name != nullptr) bind(one.name, made, type);
  }
  const do_statement& one = of.statements[at];
  if (one.kind == do_kind::last) return place(*one.value, expected, to);
  std::vector<given> arguments;
  const auto know = [&](const term& written) {
    arguments.push_back({.written = &written, .where = written.where});
  };
  for (std::size_t k = 0; k + 1 < of.arguments.size(); ++k) know(*of.arguments[k]);
  if (one.kind == do_kind::give) {
    know(*of.arguments.back());
    know(*one.value);
    return call(plan_def(*of.pure, {}, arguments, one.where), arguments, expected, to);
  }
  if (one.type != nullptr) {
    know(*one.type);
  } else {
    arguments.push_back({.known = facts_.type(unit()), .where = one.where});
  }
  know(*of.arguments.back());
  know(*one.value);
  arguments.push_back({.block = &of, .next = at + 1, .where = one.where});
  return call(plan_def(*of.bind, {}, arguments, one.where), arguments, expected, to);
}

// The statements behind a bind, as a function of what it binds.
core::atom body_maker::rest_of_block(const given& of, shape* expected) {
  shape* const type = types_.function(types_.unknown(), types_.unknown());
  if (of.block == nullptr || !want(of.where, expected, type)) return dummy(expected);
  const binder* const name = of.block->statements[of.next - 1].name;
  shape* const from = type_table::find(type)->parts[0];
  shape* const result = type_table::find(type)->parts[1];
  core::variable* parameter = nullptr;
  core::operation made = closure(false, &parameter, from, {}, [&] {
    if (name != nullptr) bind(name, {parameter, nullptr, 0}, from);
    place_monad(*of.block, of.next, result, {use::tail, false});
  });
  return let(std::move(made), type);
}

}  // namespace cleave::lang
