// elaborate_calls.cpp -- calls: of defs, of what templates stand for, and of closures.
//
// A def with too few arguments is a closure that takes the others one by one; with too
// many, its result is applied to the rest. Arguments that do not exist at run time are
// facts, which say what instance is called.
#include <algorithm>
#include <string>

#include "lang/closed_term.hpp"
#include "lang/elaborate_blocks.hpp"
#include "lang/kinds.hpp"

namespace cleave::lang {
namespace {

using core::operation_kind;
using core::type_kind;

// Each further argument is one more closure, with all the arguments before it.
constexpr std::size_t most_missing = 250;

const binder* name_of(const def_decl& def, std::size_t k) {
  return def.law != nullptr ? def.law->parameters[k].name : def.parameters[k].name;
}

bool is_function(const fact* one) {
  return one != nullptr && (one->kind == fact_kind::def || one->kind == fact_kind::lambda);
}

}  // namespace

core::atom body_maker::place_call(const call_term& of, shape* expected, goal to) {
  // f(a)(b) is f(a, b).
  std::vector<const call_term*> chain{&of};
  const term* callee = of.callee;
  while (const auto* const inner = as<call_term>(callee)) {
    chain.push_back(inner);
    callee = inner->callee;
  }
  std::vector<given> arguments;
  for (auto call = chain.rbegin(); call != chain.rend(); ++call) {
    const std::vector<given> more = given_to(**call);
    arguments.insert(arguments.end(), more.begin(), more.end());
  }
  const bool device = wants_device(chain);
  if (const auto* const name = as<name_term>(callee)) {
    if (name->local == nullptr && name->def != nullptr) {
      plan made = plan_def(*name->def, {}, arguments, of.where);
      made.device = device;
      return call(made, arguments, expected, to);
    }
    const bool erased = name->local != nullptr && !locals_.contains(name->local);
    const fact* const known = erased ? env_.find(name->local) : nullptr;
    if (is_function(known)) {
      plan made = plan_known(*known, arguments, of.where);
      made.device = device;
      return call(made, arguments, expected, to);
    }
  }
  if (device) all_.device->refuse(of.where, "what is called is a value, not a def");
  shape* const type = types_.unknown();
  const core::atom function = value(*callee, type);
  return apply_all(function, type, arguments, 0, expected, to, of.where);
}

// One of the calls is written f!(x), and is to run there. In a kernel all calls are its own.
bool body_maker::wants_device(const std::vector<const call_term*>& chain) const {
  return all_.device != nullptr && !made_.kernel && !all_.device->refused(chain.front()->where) &&
         std::ranges::any_of(chain, [](const call_term* one) { return one->device; });
}

std::vector<body_maker::given> body_maker::given_to(const call_term& of) {
  std::vector<given> arguments;
  arguments.reserve(of.arguments.size());
  for (const argument& one : of.arguments) {
    arguments.push_back({.written = one.value, .where = one.value->where});
  }
  return arguments;
}

core::atom body_maker::argument_value(const given& of, shape* expected) {
  if (type_table::find(expected) == facts_.erased()) {
    core::operation made;
    made.kind = operation_kind::construct;
    return let(std::move(made), expected);
  }
  if (of.written != nullptr) return value(*of.written, expected);
  return rest_of_block(of, expected);
}

// Closures take their arguments one by one.
core::atom body_maker::apply_all(core::atom callee, shape* type,
                                 const std::vector<given>& arguments, std::size_t from,
                                 shape* expected, goal to, span where) {
  std::vector<shape*> inputs;
  std::vector<shape*> results;
  for (std::size_t k = from; k < arguments.size(); ++k) {
    shape* const step = types_.function(types_.unknown(), types_.unknown());
    if (!types_.unify(type, step)) {
      report_.mismatch(where, "a function of one more argument", to_text(type));
      return refuse(expected, to);
    }
    inputs.push_back(type_table::find(step)->parts[0]);
    type = type_table::find(step)->parts[1];
    results.push_back(type);
  }
  if (!want(where, whole(expected, to), type)) return refuse(expected, to);
  atoms values;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    values.push_back(argument_value(arguments[from + k], inputs[k]));
  }
  for (std::size_t k = 0; k < values.size(); ++k) {
    core::operation apply;
    apply.kind = operation_kind::apply;
    apply.arguments = {callee, values[k]};
    apply.where = where;
    if (k + 1 == values.size() && !to.run) return deliver(std::move(apply), results[k], to);
    callee = let(std::move(apply), results[k]);
  }
  return settle(where, callee, type, expected, to);
}

// ---- What is called, and with what -----------------------------------------------

// `parts` are what a template parameter's def has been given already.
body_maker::plan body_maker::plan_def(const def_decl& def, const std::vector<const fact*>& parts,
                                      const std::vector<given>& arguments, span where) {
  plan made;
  made.where = where;
  made.what.def = &def;
  environment& env = facts_.inside(nullptr);
  for (std::size_t k = 0; k < def.parameters.size(); ++k) {
    const given* const next = made.used < arguments.size() ? &arguments[made.used] : nullptr;
    const fact* known = k < parts.size() ? parts[k] : nullptr;
    const parameter_kind kind = kind_of(def, k);
    if (known == nullptr) {
      bool takes = next != nullptr;
      switch (kind) {
        case parameter_kind::quantity:
          takes = takes && is_quantity_given(*next);
          known = facts_.quantity();
          break;
        case parameter_kind::type:
          known = takes ? type_argument(*next, *def.type_of(k)) : facts_.type(types_.unknown());
          must_be_data(def, k, *known, takes ? next->where : where);
          break;
        case parameter_kind::erased:
          known = takes && next->written != nullptr && facts_.types_depend_on(def, k)
                      ? facts_.evaluate(*next->written, env_)
                      : facts_.nothing();
          break;
        case parameter_kind::templated:
        case parameter_kind::value: {
          shape* const type = facts_.type_of(*def.type_of(k), env);
          if (takes && !def.native) {
            known = kind == parameter_kind::templated ? known_function(*next, type)
                                                      : known_number(*next, type, def, k);
          }
          if (known == nullptr) {
            made.inputs.push_back(type);
            if (takes) made.values.push_back(next);
          }
          break;
        }
      }
      if (takes) ++made.used;
    }
    made.what.facts.push_back(known);
    env.own[name_of(def, k)] = known != nullptr ? known : facts_.nothing();
  }
  made.result = facts_.type_of(*def.result_type(), env);
  return made;
}

// A lambda takes as many arguments at once as it has parameters in a row.
body_maker::plan body_maker::plan_lambda(const fact& lambda, const std::vector<given>& arguments,
                                         span where) {
  plan made;
  made.where = where;
  made.what.lambda = &lambda;
  shape* type = type_table::find(lambda.type);
  const lambda_term* at = lambda.lambda;
  while (at != nullptr && !type->unknown && type->kind == type_kind::function) {
    made.inputs.push_back(type->parts[0]);
    if (made.used < arguments.size()) made.values.push_back(&arguments[made.used++]);
    type = type_table::find(type->parts[1]);
    at = as<lambda_term>(at->body);
  }
  made.what.arity = made.inputs.size();
  made.result = type;
  return made;
}

body_maker::plan body_maker::plan_known(const fact& known, const std::vector<given>& arguments,
                                        span where) {
  return known.kind == fact_kind::lambda ? plan_lambda(known, arguments, where)
                                         : plan_def(*known.def, known.parts, arguments, where);
}

bool body_maker::is_quantity_given(const given& of) const {
  if (of.written != nullptr) return facts_.is_quantity_argument(*of.written, env_);
  return of.known != nullptr && of.known->kind == fact_kind::quantity;
}

void body_maker::must_be_data(const def_decl& def, std::size_t k, const fact& what, span where) {
  if (!asks_for_data_ || what.kind != fact_kind::type || !says_data(def.type_of(k))) return;
  data_wanted_.push_back(
      {where, what.type,
       "for " + std::string(name_of(def, k)->name) + " of " + std::string(def.name)});
}

// A type, or a function to types if that is what the parameter is.
const fact* body_maker::type_argument(const given& of, const term& sort) {
  if (of.known != nullptr) return of.known;
  if (of.written == nullptr) return facts_.type(types_.unknown());
  return sort.kind == term_kind::arrow ? facts_.evaluate(*of.written, env_)
                                       : facts_.type(facts_.type_of(*of.written, env_));
}

// The number that an argument is when types depend on it, or null.
const fact* body_maker::known_number(const given& of, shape* type, const def_decl& def,
                                     std::size_t k) {
  if (of.written == nullptr || !facts_.types_depend_on(def, k)) return nullptr;
  const fact* const known = facts_.evaluate(*of.written, env_);
  if (known->kind != fact_kind::number) return nullptr;
  // For its type.
  static_cast<void>(value(*of.written, type));
  return known;
}

// ---- Templates -------------------------------------------------------------------

// The function that an argument of a template stands for; null if it is one of the run
// time, or no function.
const fact* body_maker::known_function(const given& of, shape* type) {
  const shape* const found = type_table::find(type);
  if (of.written == nullptr || found->unknown || found->kind != type_kind::function) {
    return nullptr;
  }
  const fact* const known = callable(*of.written);
  if (known == nullptr || known->kind == fact_kind::lambda) return known;
  // Its type parameters are found out from the type that it is to have.
  const plan whole_def = plan_def(*known->def, known->parts, {}, of.where);
  want(of.where, type, type_of(whole_def));
  return facts_.keep({.kind = fact_kind::def, .def = known->def, .parts = whole_def.what.facts});
}

const fact* body_maker::callable(const term& of) {
  if (const auto* const annotated = as<annotated_term>(&of)) return callable(*annotated->value);
  if (const auto* const lambda = as<lambda_term>(&of)) {
    const bool closed = is_closed(of, [&](const binder* name) { return locals_.contains(name); });
    if (!closed) return nullptr;
    return facts_.keep({.kind = fact_kind::lambda,
                        .def = made_.source,
                        .lambda = lambda,
                        .inside = &env_,
                        .parts = {}});
  }
  if (const auto* const name = as<name_term>(&of)) {
    if (name->local == nullptr) {
      return name->def != nullptr
                 ? facts_.keep({.kind = fact_kind::def, .def = name->def, .parts = {}})
                 : nullptr;
    }
    if (locals_.contains(name->local)) return nullptr;
    const fact* const known = env_.find(name->local);
    return is_function(known) ? known : nullptr;
  }
  // A def that was given types and templates.
  const auto* const call_of = as<call_term>(&of);
  const auto* const name = call_of != nullptr ? as<name_term>(call_of->callee) : nullptr;
  if (name == nullptr || name->local != nullptr || name->def == nullptr) return nullptr;
  std::size_t known = 0;
  while (known < name->def->parameters.size() &&
         kind_of(*name->def, known) != parameter_kind::value) {
    ++known;
  }
  if (call_of->arguments.size() > known) return nullptr;
  const std::vector<given> arguments = given_to(*call_of);
  const plan made = plan_def(*name->def, {}, arguments, of.where);
  if (!made.values.empty() || made.used < arguments.size()) return nullptr;
  return facts_.keep({.kind = fact_kind::def, .def = name->def, .parts = made.what.facts});
}

// ---- Code ------------------------------------------------------------------------

shape* body_maker::type_of(const plan& of) {
  shape* type = of.result;
  for (std::size_t k = of.inputs.size(); k-- > of.values.size();) {
    type = types_.function(of.inputs[k], type);
  }
  return type;
}

core::atom body_maker::call(const plan& of, const std::vector<given>& arguments, shape* expected,
                            goal to) {
  if (of.what.def != nullptr && of.what.def->proof) {
    report_.message(of.where, "proof terms are not supported: " + std::string(of.what.def->name));
    return refuse(expected, to);
  }
  const bool complete = of.values.size() == of.inputs.size();
  if (of.used < arguments.size()) {
    const core::atom function = emit(of, values_of(of), {});
    return apply_all(function, of.result, arguments, of.used, expected, to, of.where);
  }
  if (!want(of.where, whole(expected, to), type_of(of))) return refuse(expected, to);
  if (of.inputs.size() - of.values.size() > most_missing) {
    report_.message(of.where, "not in the supported subset: a function of more than " +
                                  std::to_string(most_missing) + " arguments as a value");
    return refuse(expected, to);
  }
  if (!complete) {
    const atoms values = values_of(of);
    std::vector<shape*> types{of.result};
    for (std::size_t k = of.inputs.size(); k-- > of.values.size();) {
      types.push_back(types_.function(of.inputs[k], types.back()));
    }
    return deliver(function_of(of, values, types), to);
  }
  if (of.device && of.what.def != nullptr &&
      (of.what.def->native || of.what.def == facts_.base_def("IO.bind") ||
       of.what.def == facts_.base_def("IO.pure"))) {
    all_.device->refuse(of.where, std::string(of.what.def->name) + " is not written in Bend");
  }
  if (of.what.def != nullptr && of.what.def == facts_.base_def("IO.bind")) {
    return place_bind(of, to);
  }
  if (of.what.def != nullptr && of.what.def == facts_.base_def("IO.pure")) {
    return place_pure(of, to);
  }
  return emit(of, values_of(of), to);
}

body_maker::atoms body_maker::values_of(const plan& of) {
  atoms made;
  made.reserve(of.values.size());
  for (std::size_t k = 0; k < of.values.size(); ++k) {
    made.push_back(argument_value(*of.values[k], of.inputs[k]));
  }
  return made;
}

// A closure that takes what `values` lack. `types` are those of the function after each
// further argument, the last one first.
core::atom body_maker::function_of(const plan& of, const atoms& values,
                                   const std::vector<shape*>& types) {
  const std::size_t left = of.inputs.size() - values.size();
  core::variable* parameter = nullptr;
  core::operation made = closure(false, &parameter, of.inputs[values.size()], {}, [&] {
    atoms more;
    more.reserve(values.size() + 1);
    for (const core::atom& one : values) more.push_back(here(one));
    more.push_back({parameter, nullptr, 0});
    if (left == 1) {
      emit(of, std::move(more), {use::tail, false});
    } else {
      give(function_of(of, more, types));
    }
  });
  return let(std::move(made), types[left]);
}

// The call itself. An effect that is not run is an action.
core::atom body_maker::emit(const plan& of, atoms values, goal to) {
  if (of.what.def != nullptr && of.what.def->native) {
    prepared what = effect_of(of);
    what.arguments = std::move(values);
    if (!what.effect || to.run) return deliver(perform(what), to);
    return deliver(action([&] { give(perform(what)); }, what.result), to);
  }
  core::operation made;
  made.where = of.where;
  made.arguments = std::move(values);
  made.kind = operation_kind::call;
  target what = of.what;
  what.runs = to.run;
  // It may write where others read: there, and not in a copy.
  const bool unsafe = of.device && of.what.def != nullptr && of.what.def->unsafe;
  if (unsafe) all_.device->refuse(of.where, std::string(of.what.def->name) + " is @unsafe");
  // What a kernel calls is a part of it.
  made.device = of.device && !made_.kernel && !unsafe;
  what.kernel = made_.kernel || made.device;
  calls_.push_back(
      {here_, to.how == use::tail ? none : here_->steps.size(), std::move(what), of.where});
  shape* const result = to.run ? type_table::find(of.result)->parts[0] : of.result;
  return deliver(std::move(made), result, to);
}

}  // namespace cleave::lang
