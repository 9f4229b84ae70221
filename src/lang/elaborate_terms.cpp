// elaborate_terms.cpp -- names, literals, constructors, lists, arrays and lambdas.
#include <bit>
#include <optional>

#include "lang/elaborate_blocks.hpp"

namespace cleave::lang {
namespace {

using core::operation_kind;
using core::type_kind;

constexpr std::uint64_t largest_nat = (std::uint64_t{1} << 48) - 1;

core::operation operation_of(operation_kind kind, std::vector<core::atom> arguments) {
  core::operation made;
  made.kind = kind;
  made.arguments = std::move(arguments);
  return made;
}

}  // namespace

core::atom body_maker::place(const term& of, shape* expected, goal to) {
  switch (of.kind) {
    case term_kind::name: return place_name(*as<name_term>(&of), expected, to);
    case term_kind::number: {
      const auto& literal = *as<number_term>(&of);
      shape* type = types_.u32();
      if (literal.number == number_kind::nat) type = types_.nat();
      if (literal.number == number_kind::f32) type = types_.f32();
      if (literal.number == number_kind::character) type = types_.character();
      return settle(of.where, number(type, literal.value), type, expected, to);
    }
    case term_kind::text: {
      core::operation made;
      made.kind = operation_kind::text;
      made.text = as<text_term>(&of)->text;
      return settle(of.where, let(std::move(made), types_.string()), types_.string(), expected, to);
    }
    case term_kind::successor: {
      const auto& more = *as<successor_term>(&of);
      want(of.where, whole(expected, to), types_.nat());
      const core::atom rest = value(*more.rest, types_.nat());
      return settle(of.where, successor(rest, more.amount), types_.nat(), expected, to);
    }
    case term_kind::call: return place_call(*as<call_term>(&of), expected, to);
    case term_kind::construct: return place_construct(*as<construct_term>(&of), expected, to);
    case term_kind::list: return place_list(*as<list_term>(&of), expected, to);
    case term_kind::annotated: {
      const auto& annotated = *as<annotated_term>(&of);
      want(of.where, whole(expected, to), facts_.type_of(*annotated.type, env_));
      return place(*annotated.value, expected, to);
    }
    case term_kind::lambda: return place_lambda(*as<lambda_term>(&of), expected, to);
    case term_kind::array: return place_array(*as<array_term>(&of), expected, to);
    case term_kind::do_block: return place_do(*as<do_term>(&of), expected, to);
    case term_kind::block: return place_block(*as<block_term>(&of), 0, expected, to);
    case term_kind::match: return place_match(*as<match_term>(&of), expected, to);
    case term_kind::apply_type:
    case term_kind::arrow:
    case term_kind::sort:
      report_.mismatch(of.where, to_text(whole(expected, to)), "a type");
      return refuse(expected, to);
    case term_kind::proof:
      report_.message(of.where,
                      "proof terms are not supported: " + std::string(as<proof_term>(&of)->what));
      return refuse(expected, to);
  }
  return {};
}

// What was made has a type of its own, and may be an action that is to be run.
core::atom body_maker::settle(span where, core::atom made, shape* type, shape* expected, goal to) {
  if (!want(where, whole(expected, to), type)) return refuse(expected, to);
  if (to.run) return deliver(operation_of(operation_kind::run, {made}), expected, to);
  return deliver(made, to);
}

// After a report.
core::atom body_maker::refuse(shape* expected, goal to) {
  if (to.how == use::value) return dummy(expected);
  stop("error");
  return {};
}

core::atom body_maker::place_name(const name_term& of, shape* expected, goal to) {
  if (of.local != nullptr) {
    if (const auto at = locals_.find(of.local); at != locals_.end()) {
      at->second.used = true;
      return settle(of.where, here(at->second.atom), at->second.type, expected, to);
    }
    const fact* const known = env_.find(of.local);
    const bool function =
        known != nullptr && (known->kind == fact_kind::def || known->kind == fact_kind::lambda);
    if (function) return call(plan_known(*known, {}, of.where), {}, expected, to);
    if (known != nullptr && known->kind == fact_kind::number) {
      shape* const type = known->type != nullptr ? known->type : types_.nat();
      return settle(of.where, number(type, known->number), type, expected, to);
    }
    report_.mismatch(of.where, "a value that exists at run time",
                     "'" + std::string(of.name) + "', which is erased");
    return refuse(expected, to);
  }
  if (of.def != nullptr) return call(plan_def(*of.def, {}, {}, of.where), {}, expected, to);
  report_.mismatch(of.where, to_text(whole(expected, to)), "the type " + std::string(of.name));
  return refuse(expected, to);
}

core::atom body_maker::successor(core::atom of, std::uint64_t more) {
  if (of.name == nullptr && more <= largest_nat && of.number + more <= largest_nat) {
    return number(types_.nat(), of.number + more);
  }
  return native("Nat.add", {}, {of, number(types_.nat(), more)}, types_.nat());
}

// ---- Constructors ----------------------------------------------------------------

core::atom body_maker::place_construct(const construct_term& of, shape* expected, goal to) {
  const constructor_decl& made = *of.target;
  shape* data = type_table::find(expected);
  const bool same = !to.run && data->known != nullptr && data->declaration == made.type;
  if (!same) {
    data = facts_.general(*made.type);
    if (!want(of.where, whole(expected, to), data)) return refuse(expected, to);
  }
  const type_kind kind = facts_.kind_of(*made.type);
  if (kind != type_kind::data && kind != type_kind::array && kind != type_kind::string) {
    return deliver(place_builtin(of, kind, data), to);
  }
  const std::vector<shape*> fields = facts_.fields_of(made, data);
  std::vector<core::atom> arguments;
  for (std::size_t k = 0; k < fields.size(); ++k) {
    if (fields[k] != nullptr) arguments.push_back(value(*of.arguments[k], fields[k]));
  }
  if (kind == type_kind::array) {
    const operation_kind what = made.number == 0 ? operation_kind::leaf : operation_kind::node;
    return deliver(operation_of(what, std::move(arguments)), data, to);
  }
  core::operation what = operation_of(operation_kind::construct, std::move(arguments));
  if (kind == type_kind::string && made.number == 0) what.kind = operation_kind::text;
  what.constructor = made.number;
  what.where = of.where;
  return deliver(std::move(what), data, to);
}

// Zero{}, Succ{n}, U32{w}, Chr{w}, F32{w}
core::atom body_maker::place_builtin(const construct_term& of, type_kind kind, shape* type) {
  if (kind == type_kind::nat) {
    if (of.arguments.empty()) return number(type, 0);
    return successor(value(*of.arguments[0], types_.nat()), 1);
  }
  const core::atom word = value(*of.arguments.at(0), types_.u32());
  if (kind == type_kind::u32) return word;
  if (word.name == nullptr) return number(type, word.number);
  if (kind == type_kind::f32) return native("F32.from_bits.raw", {}, {word}, type);
  return let(operation_of(operation_kind::copy, {word}), type);
}

// The items from left to right, then the cells from right to left.
core::atom body_maker::place_list(const list_term& of, shape* expected, goal to) {
  const constructor_decl* const nil = facts_.base_constructor("Nil");
  const constructor_decl* const cons = facts_.base_constructor("Con");
  if (nil == nullptr || cons == nullptr) {
    report_.message(of.where, "Base lacks List");
    return refuse(expected, to);
  }
  shape* const list = facts_.general(*nil->type);
  if (!want(of.where, whole(expected, to), list)) return refuse(expected, to);
  shape* const element = type_table::find(list)->parts.at(0);
  std::vector<core::atom> items;
  for (const term* item : of.items) items.push_back(value(*item, element));
  core::operation end = operation_of(operation_kind::construct, {});
  end.constructor = nil->number;
  core::atom made = let(std::move(end), list);
  for (auto item = items.rbegin(); item != items.rend(); ++item) {
    core::operation cell = operation_of(operation_kind::construct, {*item, made});
    cell.constructor = cons->number;
    cell.where = of.where;
    made = let(std::move(cell), list);
  }
  return deliver(made, to);
}

// [v : T*N] and [v : T^D] are Array.new(T, D, v): the depth is computed first.
core::atom body_maker::place_array(const array_term& of, shape* expected, goal to) {
  shape* const element = facts_.type_of(*of.element, env_);
  shape* const array = types_.array(element);
  if (!want(of.where, whole(expected, to), array)) return refuse(expected, to);
  core::atom depth;
  if (of.is_depth) {
    depth = value(*of.count, types_.nat());
  } else {
    const auto* const count = as<number_term>(of.count);
    const std::uint64_t slots = count != nullptr && count->value > 0 ? count->value : 1;
    depth = number(types_.nat(), static_cast<std::uint64_t>(std::countr_zero(slots)));
  }
  const core::atom filling = value(*of.value, element);
  return deliver(native("Array.new", {element}, {depth, filling}, array), to);
}

// A parameter that is erased has a variable, but no value. No value has a type with it in it
// either, so that any type does where it is named as one.
void body_maker::bind_parameter(const binder* name, core::variable* made, shape* type) {
  if (type_table::find(type) == facts_.erased()) {
    bind_erased(name, facts_.type(facts_.erased()));
  } else {
    bind(name, {made, nullptr, 0}, type);
  }
}

core::atom body_maker::place_lambda(const lambda_term& of, shape* expected, goal to) {
  shape* const type = types_.function(types_.unknown(), types_.unknown());
  if (!types_.unify(whole(expected, to), type)) {
    report_.mismatch(of.where, to_text(whole(expected, to)), "a function");
    return refuse(expected, to);
  }
  shape* const from = type_table::find(type)->parts[0];
  shape* const result = type_table::find(type)->parts[1];
  core::variable* parameter = nullptr;
  core::operation made = closure(false, &parameter, from, of.parameter->name, [&] {
    bind_parameter(of.parameter, parameter, from);
    place(*of.body, result, {use::tail, false});
  });
  return deliver(std::move(made), type, to);
}

}  // namespace cleave::lang
