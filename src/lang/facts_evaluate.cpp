// facts_evaluate.cpp -- terms that are computed when the program is compiled.
#include <algorithm>
#include <utility>

#include "lang/facts.hpp"

namespace cleave::lang {
namespace {

constexpr std::size_t most_steps_of_program = 100'000'000;
constexpr std::size_t deepest = 2500;

// A number past it is no Nat.
constexpr std::uint64_t largest_nat = (std::uint64_t{1} << 48) - 1;

}  // namespace

const fact* fact_table::evaluate(const term& of, environment& env) {
  steps_ = 0;
  too_long_ = false;
  refused_ = false;
  return compute(of, env);
}

// False if it takes too long.
bool fact_table::step() {
  too_long_ = too_long_ || ++steps_ > most_steps || ++all_steps_ > most_steps_of_program ||
              depth_ > deepest;
  return !too_long_;
}

const fact* fact_table::compute(const term& of, environment& env) {
  if (!step()) return nothing_;
  ++depth_;
  const fact* made = nothing_;
  switch (of.kind) {
    case term_kind::name: made = evaluate_name(*as<name_term>(&of), env); break;
    case term_kind::number: made = number(as<number_term>(&of)->value); break;
    case term_kind::successor: {
      const auto& more = *as<successor_term>(&of);
      const fact* const rest = compute(*more.rest, env);
      if (rest->kind == fact_kind::number && rest->number + more.amount <= largest_nat) {
        made = number(rest->number + more.amount);
      }
      break;
    }
    case term_kind::call: made = evaluate_call(*as<call_term>(&of), env); break;
    case term_kind::construct: made = evaluate_construct(*as<construct_term>(&of), env); break;
    case term_kind::annotated: made = compute(*as<annotated_term>(&of)->value, env); break;
    case term_kind::lambda:
      made = keep(
          {.kind = fact_kind::lambda, .lambda = as<lambda_term>(&of), .inside = &env, .parts = {}});
      break;
    case term_kind::block: made = evaluate_block(*as<block_term>(&of), env); break;
    case term_kind::match: made = evaluate_match(*as<match_term>(&of), env); break;
    case term_kind::apply_type: {
      const auto& applied = *as<apply_type_term>(&of);
      std::vector<const fact*> arguments;
      arguments.reserve(applied.arguments.size());
      for (const term* one : applied.arguments) arguments.push_back(compute(*one, env));
      if (applied.def != nullptr) {
        made = apply_def({.kind = fact_kind::def, .def = applied.def, .parts = {}},
                         std::move(arguments), of.where);
      } else if (const type_decl* family =
                     applied.type != nullptr ? applied.type : builtin(applied.name)) {
        made = apply_family(*family, arguments, of.where);
      }
      break;
    }
    case term_kind::arrow: made = evaluate_arrow(*as<arrow_term>(&of), env); break;
    case term_kind::sort: made = is_sort(of) ? sort_ : quantity_; break;
    case term_kind::text:
    case term_kind::list:
    case term_kind::array:
    case term_kind::do_block:
    case term_kind::proof: break;
  }
  --depth_;
  return made;
}

const fact* fact_table::evaluate_name(const name_term& of, environment& env) {
  if (of.local != nullptr) {
    const fact* const known = env.find(of.local);
    return known != nullptr ? known : nothing_;
  }
  if (of.type != nullptr) return family(*of.type, of.where);
  if (of.def != nullptr)
    return apply_def({.kind = fact_kind::def, .def = of.def, .parts = {}}, {}, of.where);
  const type_decl* const known = builtin(of.name);
  return known != nullptr ? family(*known, of.where) : nothing_;
}

const fact* fact_table::evaluate_arrow(const arrow_term& of, environment& env) {
  if (is_sort(of)) return sort_;
  const bool erased = of.parameter != nullptr && of.parameter->how == mark::erased;
  shape* const from = erased ? erased_ : as_type(compute(*of.from, env));
  shape* const to = as_type(compute(*of.to, env));
  return from != nullptr && to != nullptr ? type(types_.function(from, to)) : nothing_;
}

// ---- Functions -------------------------------------------------------------------

const fact* fact_table::evaluate_call(const call_term& of, environment& env) {
  std::vector<const fact*> arguments;
  arguments.reserve(of.arguments.size());
  for (const argument& one : of.arguments) arguments.push_back(compute(*one.value, env));
  const fact* to = nullptr;
  const auto* const name = as<name_term>(of.callee);
  if (name != nullptr && name->local == nullptr && name->def != nullptr) {
    to = keep({.kind = fact_kind::def, .def = name->def, .parts = {}});
  } else {
    to = compute(*of.callee, env);
  }
  return apply(to, std::move(arguments), of.where);
}

const fact* fact_table::apply(const fact* to, std::vector<const fact*> arguments, span where) {
  if (to->kind == fact_kind::family) return apply_family(*to->family, arguments, where);
  if (to->kind == fact_kind::def) return apply_def(*to, std::move(arguments), where);
  for (const fact* one : arguments) {
    if (to->kind == fact_kind::lambda) {
      to = apply_lambda(*to, one);
    } else if (to->kind == fact_kind::def) {
      to = apply_def(*to, {one}, where);
    } else if (to->kind != fact_kind::type) {
      // A type stands for the function that always gives it.
      return nothing_;
    }
  }
  return to;
}

const fact* fact_table::apply_lambda(const fact& to, const fact* argument) {
  environment& env = inside(to.inside);
  env.own[to.lambda->parameter] = argument;
  return compute(*to.lambda->body, env);
}

const fact* fact_table::apply_def(const fact& to, std::vector<const fact*> arguments, span where) {
  const def_decl& def = *to.def;
  if (def.proof) return nothing_;
  std::vector<const fact*> all = to.parts;
  std::size_t used = 0;
  const auto quantity_next = [&] {
    return used < arguments.size() && arguments[used]->kind == fact_kind::quantity;
  };
  while (all.size() < def.parameters.size()) {
    const bool quantity = lang::kind_of(def, all.size()) == parameter_kind::quantity;
    if (quantity && !quantity_next()) {
      all.push_back(quantity_);
    } else if (used < arguments.size()) {
      all.push_back(arguments[used++]);
    } else {
      return keep({.kind = fact_kind::def, .def = &def, .parts = std::move(all)});
    }
  }
  const fact* made = nothing_;
  if (def.native) {
    made = apply_native(def, all);
  } else if (step()) {
    environment& env = inside(nullptr);
    for (std::size_t k = 0; k < all.size(); ++k) {
      env.own[def.parameters[k].name] = all[k];
    }
    made = compute(*def.body, env);
  }
  if (used == arguments.size()) return made;
  return apply(made, {arguments.begin() + static_cast<std::ptrdiff_t>(used), arguments.end()},
               where);
}

const fact* fact_table::apply_native(const def_decl& def,
                                     const std::vector<const fact*>& arguments) {
  const bool numbers = std::ranges::all_of(
      arguments, [](const fact* one) { return one->kind == fact_kind::number; });
  if (!numbers || arguments.size() != 2) return nothing_;
  const std::uint64_t a = arguments[0]->number;
  const std::uint64_t b = arguments[1]->number;
  if (a > largest_nat || b > largest_nat) return nothing_;
  if (def.name == "Nat.add" && a + b <= largest_nat) return number(a + b);
  if (def.name == "Nat.sub") return number(a > b ? a - b : 0);
  if (def.name == "Nat.mul" && (b == 0 || a <= largest_nat / b)) return number(a * b);
  if (def.name == "Nat.div") return number(b == 0 ? 0 : a / b);
  if (def.name == "Nat.mod") return number(b == 0 ? a : a % b);
  return nothing_;
}

// ---- Data ------------------------------------------------------------------------

const fact* fact_table::evaluate_construct(const construct_term& of, environment& env) {
  std::vector<const fact*> parts;
  parts.reserve(of.arguments.size());
  for (const term* one : of.arguments) parts.push_back(compute(*one, env));
  if (of.target == nullptr) return nothing_;
  const core::type_kind kind = kind_of(*of.target->type);
  if (kind == core::type_kind::nat) {
    if (parts.empty()) return number(0);
    const bool fits = parts[0]->kind == fact_kind::number && parts[0]->number < largest_nat;
    return fits ? number(parts[0]->number + 1) : nothing_;
  }
  if (kind == core::type_kind::u32 || kind == core::type_kind::character) return parts.at(0);
  if (kind != core::type_kind::data) return nothing_;
  return keep({.kind = fact_kind::made, .constructor = of.target, .parts = std::move(parts)});
}

const fact* fact_table::evaluate_block(const block_term& of, environment& env) {
  environment& own = inside(&env);
  for (const statement& one : of.statements) {
    if (!step()) return nothing_;
    if (one.bound != nullptr) {
      if (matches(*one.bound, compute(*one.values[0], own), own) != outcome::yes) return nothing_;
      continue;
    }
    std::vector<const fact*> values;
    values.reserve(one.values.size());
    for (const term* value : one.values) values.push_back(compute(*value, own));
    for (std::size_t k = 0; k < values.size(); ++k) own.own[one.names[k]] = values[k];
  }
  return compute(*of.result, own);
}

const fact* fact_table::evaluate_match(const match_term& of, environment& env) {
  std::vector<const fact*> subjects;
  subjects.reserve(of.subjects.size());
  for (const term* one : of.subjects) subjects.push_back(compute(*one, env));
  for (const match_row& row : of.rows) {
    environment& own = inside(&env);
    outcome all = outcome::yes;
    for (std::size_t k = 0; k < subjects.size() && all == outcome::yes; ++k) {
      if (!step()) return nothing_;
      all = matches(*row.patterns[k], subjects[k], own);
    }
    if (all == outcome::yes) return compute(*row.body, own);
    if (all == outcome::unknown) return nothing_;
  }
  return nothing_;
}

fact_table::outcome fact_table::matches(const pattern& against, const fact* one, environment& env) {
  if (const auto* const name = as<name_pattern>(&against)) {
    env.own[&name->name] = one;
    return outcome::yes;
  }
  if (one->kind == fact_kind::number) return matches_number(against, one->number, env);
  const auto* const made = as<constructor_pattern>(&against);
  if (one->kind != fact_kind::made || made == nullptr) return outcome::unknown;
  if (made->target != one->constructor) return outcome::no;
  for (std::size_t k = 0; k < made->fields.size(); ++k) {
    const outcome inner = matches(*made->fields[k], one->parts[k], env);
    if (inner != outcome::yes) return inner;
  }
  return outcome::yes;
}

fact_table::outcome fact_table::matches_number(const pattern& against, std::uint64_t value,
                                               environment& env) {
  const auto equal = [&](std::uint64_t other) {
    return value == other ? outcome::yes : outcome::no;
  };
  if (const auto* const nat = as<nat_pattern>(&against)) return equal(nat->value);
  if (const auto* const literal = as<literal_pattern>(&against)) return equal(literal->value);
  if (const auto* const more = as<successor_pattern>(&against)) {
    if (value < more->amount) return outcome::no;
    return matches(*more->rest, number(value - more->amount), env);
  }
  const auto* const made = as<constructor_pattern>(&against);
  if (made == nullptr || made->target == nullptr) return outcome::unknown;
  if (kind_of(*made->target->type) != core::type_kind::nat) {
    return made->fields.size() == 1 ? matches(*made->fields[0], number(value), env)
                                    : outcome::unknown;
  }
  if (made->fields.empty()) return equal(0);
  return value == 0 ? outcome::no : matches(*made->fields[0], number(value - 1), env);
}

}  // namespace cleave::lang
