// facts.cpp -- reporting, and types from facts.
#include "lang/facts.hpp"

#include <algorithm>
#include <utility>

#include "lang/closed_term.hpp"

namespace cleave::lang {
namespace {

using core::type_kind;

struct builtin_name {
  std::string_view name;
  type_kind kind;
};
constexpr builtin_name builtin_names[] = {
    {"U32", type_kind::u32},        {"Nat", type_kind::nat},       {"F32", type_kind::f32},
    {"Char", type_kind::character}, {"String", type_kind::string}, {"Array", type_kind::array},
    {"IO", type_kind::io},
};

std::string_view text_of(span where) {
  return where.file == nullptr ? std::string_view()
                               : where.file->text().substr(where.begin, where.end - where.begin);
}

bool is_type_sort(const term& of) {
  if (of.kind != term_kind::sort) return false;
  const std::string_view text = text_of(of.where);
  return text.starts_with("Type") || text.starts_with("Data") || text.starts_with("Kind");
}

// Programs that were made of it refer to it for ever.
const type_decl& erased_declaration() {
  static const struct declared {
    declared() {
      type.name = value.name = "Erased";
      type.constructors = {&value};
      value.type = &type;
    }
    type_decl type;
    constructor_decl value;
  } erased;
  return erased.type;
}

}  // namespace

const fact* environment::find(const binder* name) const {
  for (const environment* at = this; at != nullptr; at = at->outer) {
    if (const auto found = at->own.find(name); found != at->own.end()) return found->second;
  }
  return nullptr;
}

// ---- Reports ---------------------------------------------------------------------

void reporter::mismatch(span where, std::string expected, std::string observed, std::string help) {
  diagnostic one;
  one.where = where;
  one.expected = std::move(expected);
  one.observed = std::move(observed);
  if (!help.empty()) one.remarks.push_back({{}, std::move(help)});
  report(std::move(one));
}

void reporter::message(span where, std::string text) {
  diagnostic one;
  one.where = where;
  one.message = std::move(text);
  report(std::move(one));
}

// One thing is reported for a place: what follows from it is noise, and other instances
// of the def say the same.
void reporter::report(diagnostic one) {
  std::string key = one.where.file != nullptr
                        ? one.where.file->name() + ':' + std::to_string(one.where.begin)
                        : one.message + one.expected;
  if (!said_.insert(std::move(key)).second) return;
  one.def = def_;
  found_.report(std::move(one));
}

// ---- Parameters ------------------------------------------------------------------

bool is_sort(const term& type) {
  const term* at = &type;
  while (const auto* arrow = as<arrow_term>(at)) at = arrow->to;
  return is_type_sort(*at);
}

bool is_quantity(const term* type) {
  return type == nullptr || (type->kind == term_kind::sort && text_of(type->where) == "Quant");
}

parameter_kind kind_of(const def_decl& def, std::size_t k) {
  const term* const type = def.type_of(k);
  if (is_quantity(type)) return parameter_kind::quantity;
  if (is_sort(*type)) return parameter_kind::type;
  const mark how = def.how(k);
  if (how == mark::erased) return parameter_kind::erased;
  return how == mark::templated ? parameter_kind::templated : parameter_kind::value;
}

parameter_kind kind_of(const parameter& of_type) {
  if (is_quantity(of_type.type)) return parameter_kind::quantity;
  return is_sort(*of_type.type) ? parameter_kind::type : parameter_kind::erased;
}

// ---- The table -------------------------------------------------------------------

fact_table::fact_table(const source_program& all, type_table& types, reporter& report)
    : types_(types),
      report_(report),
      erased_(types.data(erased_declaration(), {})),
      nothing_(keep({})),
      quantity_(keep({.kind = fact_kind::quantity, .parts = {}})),
      sort_(keep({.kind = fact_kind::sort, .parts = {}})) {
  for (const std::unique_ptr<module>& one : all.modules) {
    if (!one->base) continue;
    for (const def_decl* def : one->tree.defs) base_defs_.emplace(def->name, def);
    for (const type_decl* type : one->tree.types) {
      const auto* const known = std::ranges::find(builtin_names, type->name, &builtin_name::name);
      if (known != std::end(builtin_names)) {
        builtin_kinds_.emplace(type, known->kind);
        builtins_.emplace(type->name, type);
      }
      for (const constructor_decl* made : type->constructors) {
        base_constructors_.emplace(made->name, made);
      }
    }
  }
}

environment& fact_table::inside(const environment* outer) {
  environment& made = environments_.emplace_back();
  made.outer = outer;
  return made;
}

const fact* fact_table::keep(fact one) {
  return &facts_.emplace_back(std::move(one));
}

const fact* fact_table::type(shape* s) {
  s = type_table::find(s);
  const fact*& kept = types_of_[s];
  if (kept == nullptr) kept = keep({.kind = fact_kind::type, .type = s, .parts = {}});
  return kept;
}

const fact* fact_table::number(std::uint64_t value) {
  return keep({.kind = fact_kind::number, .number = value, .parts = {}});
}

core::type_kind fact_table::kind_of(const type_decl& declaration) const {
  const auto at = builtin_kinds_.find(&declaration);
  return at != builtin_kinds_.end() ? at->second : type_kind::data;
}

const def_decl* fact_table::base_def(std::string_view name) const {
  const auto at = base_defs_.find(name);
  return at != base_defs_.end() ? at->second : nullptr;
}

const constructor_decl* fact_table::base_constructor(std::string_view name) const {
  const auto at = base_constructors_.find(name);
  return at != base_constructors_.end() ? at->second : nullptr;
}

const type_decl* fact_table::builtin(std::string_view name) const {
  const auto at = builtins_.find(name);
  return at != builtins_.end() ? at->second : nullptr;
}

bool fact_table::is_quantity_argument(const term& of, const environment& env) const {
  if (of.kind == term_kind::sort) return !is_type_sort(of);
  const auto* const name = as<name_term>(&of);
  if (name == nullptr || name->local == nullptr) return false;
  const fact* const known = env.find(name->local);
  return known != nullptr && known->kind == fact_kind::quantity;
}

bool fact_table::types_depend_on(const def_decl& def, std::size_t k) {
  const auto known = depended_on_.find(&def);
  if (known != depended_on_.end()) return known->second[k];
  const std::vector<parameter>& parameters =
      def.law != nullptr ? def.law->parameters : def.parameters;
  std::unordered_map<const binder*, std::size_t> numbers;
  for (std::size_t p = 0; p < parameters.size(); ++p) numbers.emplace(parameters[p].name, p);
  std::vector<bool>& depend = depended_on_[&def];
  depend.resize(parameters.size());
  // Looks at every name, as none is what it looks for.
  const auto note = [&](const binder* name) {
    if (const auto found = numbers.find(name); found != numbers.end()) {
      depend[found->second] = true;
    }
    return false;
  };
  for (const parameter& one : parameters) {
    if (one.type != nullptr) static_cast<void>(is_closed(*one.type, note));
  }
  static_cast<void>(is_closed(*def.result_type(), note));
  return depend[k];
}

// ---- Types -----------------------------------------------------------------------

shape* fact_table::type_of(const term& of, environment& env) {
  const fact* const one = evaluate(of, env);
  shape* const type = as_type(one);
  if (types_.take_too_large()) {
    report_.mismatch(of.where,
                     "a type of at most " + std::to_string(type_table::largest) + " parts",
                     "a larger one");
    return types_.unknown();
  }
  if (type != nullptr) return type;
  if (refused_) return types_.unknown();
  if (too_long_) {
    report_.mismatch(of.where,
                     "a type that is known after " + std::to_string(most_steps) + " steps",
                     "a computation that takes longer, or for ever");
  } else if (one->kind == fact_kind::family) {
    report_.mismatch(of.where, "the arguments of " + std::string(one->family->name),
                     std::string(text_of(of.where).substr(0, 60)));
  } else {
    const bool run_time = one->kind == fact_kind::nothing || one->kind == fact_kind::lambda;
    const auto* const made = as<construct_term>(&of);
    const bool pair = made != nullptr && made->name == "Tuple";
    report_.mismatch(of.where,
                     pair       ? "a type (that of pairs is A & B)"
                     : run_time ? "a type that is known when the program is compiled"
                                : "a type",
                     std::string(text_of(of.where).substr(0, 60)));
  }
  return types_.unknown();
}

// A function to types that does not look at its argument is a type too: Sigma's `_ => B`.
shape* fact_table::as_type(const fact* one) {
  if (one->kind == fact_kind::lambda) one = apply_lambda(*one, nothing_);
  return one->kind == fact_kind::type ? one->type : nullptr;
}

const fact* fact_table::family(const type_decl& of, span where) {
  const bool plain = std::ranges::all_of(of.parameters, [](const parameter& p) {
    return lang::kind_of(p) == parameter_kind::quantity;
  });
  if (plain) return apply_family(of, {}, where);
  return keep({.kind = fact_kind::family, .family = &of, .parts = {}});
}

const fact* fact_table::apply_family(const type_decl& of, const std::vector<const fact*>& arguments,
                                     span where) {
  // Leading quantities may be missing, all of them.
  const std::size_t all = of.parameters.size();
  std::size_t quantities = 0;
  while (quantities < all && lang::kind_of(of.parameters[quantities]) == parameter_kind::quantity) {
    ++quantities;
  }
  const std::size_t missing = arguments.size() == all ? 0 : quantities;
  if (arguments.size() + missing != all) {
    return keep({.kind = fact_kind::family, .family = &of, .parts = {}});
  }
  std::vector<shape*> parts;
  for (std::size_t k = missing; k < of.parameters.size(); ++k) {
    if (lang::kind_of(of.parameters[k]) != parameter_kind::type) continue;
    shape* part = as_type(arguments[k - missing]);
    if (part == nullptr) {
      if (!refused_ && !too_long_) {
        report_.mismatch(where, "types for the parameters of " + std::string(of.name),
                         std::string(text_of(where).substr(0, 60)));
        refused_ = true;
      }
      part = types_.unknown();
    }
    parts.push_back(part);
  }
  switch (kind_of(of)) {
    case type_kind::u32: return type(types_.u32());
    case type_kind::nat: return type(types_.nat());
    case type_kind::f32: return type(types_.f32());
    case type_kind::character: return type(types_.character());
    case type_kind::string: return type(types_.string());
    case type_kind::array: return type(types_.array(parts.at(0)));
    case type_kind::io: return type(types_.io(parts.at(0)));
    default: return type(types_.data(of, std::move(parts)));
  }
}

shape* fact_table::general(const type_decl& of) {
  std::vector<const fact*> arguments;
  arguments.reserve(of.parameters.size());
  for (std::size_t k = 0; k < of.parameters.size(); ++k) {
    arguments.push_back(type(types_.unknown()));
  }
  return apply_family(of, arguments, of.where)->type;
}

std::vector<shape*> fact_table::fields_of(const constructor_decl& of, shape* data) {
  data = type_table::find(data);
  if (data->known != nullptr) {
    const auto at = fields_.find(data->known);
    if (at != fields_.end() && !at->second[of.number].empty()) return at->second[of.number];
  }
  environment& env = inside(nullptr);
  std::size_t next = 0;
  for (const parameter& one : of.type->parameters) {
    switch (lang::kind_of(one)) {
      case parameter_kind::quantity: env.own[one.name] = quantity_; break;
      case parameter_kind::type: env.own[one.name] = type(data->parts[next++]); break;
      default: break;
    }
  }
  std::vector<shape*> fields;
  fields.reserve(of.fields.size());
  for (const field_decl& one : of.fields) {
    const bool erased = one.how == mark::erased || is_quantity(one.type) || is_sort(*one.type);
    fields.push_back(erased ? nullptr : type_of(*one.type, env));
  }
  if (data->known != nullptr) {
    std::vector<std::vector<shape*>>& all = fields_[data->known];
    all.resize(of.type->constructors.size());
    all[of.number] = fields;
  }
  return fields;
}

}  // namespace cleave::lang
