// resolve_bodies.cpp -- the walk through declarations and terms.
#include "lang/resolve_bodies.hpp"

#include <utility>

#include "lang/habits.hpp"
#include "lang/marks.hpp"
#include "lang/refused.hpp"

namespace cleave::lang {
namespace {

constexpr std::string_view proofs_refused = "proof terms are not supported";

std::string quoted(std::string_view name) {
  return "'" + std::string(name) + "'";
}

// Written as a bare name, or as a Quant.
bool is_quantity(const parameter& one) {
  if (one.type == nullptr) return true;
  if (one.type->kind != term_kind::sort || one.type->where.file == nullptr) return false;
  const span where = one.type->where;
  return where.file->text().substr(where.begin, where.end - where.begin) == "Quant";
}

}  // namespace

body_resolver::body_resolver(const name_table& names, tree_store& nodes, live_code& live,
                             diagnostics& found)
    : names_(names), nodes_(nodes), live_(live), found_(found), coverage_(names, found) {}

// ---- Declarations ----------------------------------------------------------------

void body_resolver::enter(const module& from, std::string_view name) {
  from_ = &from;
  name_ = name;
  locals_.back_to(0);
}

// The type of a parameter may name those before it.
void body_resolver::resolve_parameters(const std::vector<parameter>& all) {
  bool only_templates = true;
  const std::size_t outside = locals_.mark();
  for (const parameter& one : all) {
    if (one.type != nullptr) resolve(one.type, use::erased);
    bind_beside(outside, *one.name);
    const bool is_template = one.name->how == mark::templated;
    if (is_template && !only_templates) {
      report(one.name->where, "template parameters (~) before all others",
             "'~" + std::string(one.name->name) + "'");
    }
    only_templates = only_templates && is_template;
  }
}

void body_resolver::bind_beside(std::size_t mark, const binder& one) {
  if (const binder* const first = locals_.find_since(mark, one.name); first != nullptr) {
    diagnostic wrong;
    wrong.where = one.where;
    wrong.def = name_;
    wrong.expected = "a fresh name (bound twice here: " + std::string(one.name) + ")";
    wrong.observed = quoted(one.name);
    wrong.remarks.push_back({first->where, "bound here before"});
    found_.report(std::move(wrong));
  }
  locals_.bind(one);
}

void body_resolver::resolve_type(const module& from, type_decl& type) {
  enter(from, type.name);
  resolve_parameters(type.parameters);
  resolve(type.kind, use::erased);
  const std::size_t outside = locals_.mark();
  for (const constructor_decl* made : type.constructors) {
    for (const field_decl& field : made->fields) {
      resolve(field.type, use::erased);
      // The type of a later field may name it.
      locals_.bind(*nodes_.make<binder>(binder{field.name, field.how, field.where}));
    }
    locals_.back_to(outside);
  }
}

void body_resolver::resolve_law(const module& from, law_decl& law) {
  enter(from, law.name);
  resolve_parameters(law.parameters);
  resolve(law.result, use::erased);
}

void body_resolver::resolve_def(const module& from, def_decl& def) {
  enter(from, def.name);
  live_.enter(def);
  resolve_parameters(def.parameters);
  if (def.result != nullptr) resolve(def.result, use::erased);
  if (def.body != nullptr) resolve(def.body, makes_a_type(def) ? use::erased : use::live);
}

// ---- Terms -----------------------------------------------------------------------

void body_resolver::resolve(term* one, use how) {
  switch (one->kind) {
    case term_kind::name: return resolve_name(*as<name_term>(one), how);
    case term_kind::number:
    case term_kind::text:
    case term_kind::sort: return;
    case term_kind::successor: return resolve(as<successor_term>(one)->rest, how);
    case term_kind::call: return resolve_call(*as<call_term>(one), how);
    case term_kind::construct: return resolve_construct(*as<construct_term>(one), how);
    case term_kind::list:
      for (term* item : as<list_term>(one)->items) resolve(item, how);
      return;
    case term_kind::annotated:
      resolve(as<annotated_term>(one)->type, use::erased);
      return resolve(as<annotated_term>(one)->value, how);
    case term_kind::lambda: return resolve_lambda(*as<lambda_term>(one), how);
    case term_kind::array: return resolve_array(*as<array_term>(one), how);
    case term_kind::do_block: return resolve_do(*as<do_term>(one), how);
    case term_kind::block: return resolve_block(*as<block_term>(one), how);
    case term_kind::match: return resolve_match(*as<match_term>(one), how);
    case term_kind::apply_type: return resolve_applied_type(*as<apply_type_term>(one));
    case term_kind::arrow: return resolve_arrow(*as<arrow_term>(one));
    case term_kind::proof: return resolve_proof(*as<proof_term>(one), how);
  }
}

void body_resolver::resolve_name(name_term& one, use how) {
  one.local = locals_.find(one.name);
  if (one.local != nullptr) return;
  const declared* const entry = names_.find(*from_, one.name);
  if (entry != nullptr) {
    one.type = entry->type;
    one.def = entry->def;
    use_def(*entry, one.name, one.where, how);
  } else if (!is_builtin_type(one.name)) {
    report_unknown(one.name, one.where);
  }
}

// What the name of a def or law asks of the program, if it is evaluated.
void body_resolver::use_def(const declared& one, std::string_view name, span where, use how) {
  if (how == use::erased) return;
  const bool proof = one.law != nullptr ? one.law->proof : one.def != nullptr && one.def->proof;
  if (proof) {
    refuse(where, std::string(proofs_refused) + ": " + std::string(name));
  } else if (one.def != nullptr) {
    live_.needs(*one.def);
  } else if (one.law != nullptr) {
    diagnostic wrong;
    wrong.where = where;
    wrong.def = name_;
    wrong.expected = "a def that fills the law " + quoted(one.law->name);
    wrong.observed = "a call, and no such def";
    wrong.remarks.push_back({one.law->where, "the law"});
    live_.fails(std::move(wrong), whenever::there_is_a_main);
  }
}

void body_resolver::resolve_call(const call_term& one, use how) {
  resolve(one.callee, how);
  argument_marks marks(called_def(one));
  const use inside = calls_a_type(one) ? use::erased : how;
  for (const argument& each : one.arguments) {
    const mark wanted = marks.next();
    resolve(each.value, wanted == mark::erased ? use::erased : inside);
    if (each.templated && (wanted == mark::affine || wanted == mark::reusable)) {
      report(each.value->where, "an argument without ~", "one for a parameter that is no template");
    }
  }
}

void body_resolver::resolve_construct(construct_term& one, use how) {
  one.target = names_.find_constructor(*from_, one.name);
  if (one.target == nullptr) {
    report_unknown_constructor(one.name, one.where);
  } else if (one.target->fields.size() != one.arguments.size()) {
    report_arity(*one.target, one.arguments.size(), one.where);
  }
  for (std::size_t k = 0; k < one.arguments.size(); ++k) {
    const bool erased = one.target != nullptr && k < one.target->fields.size() &&
                        one.target->fields[k].how == mark::erased;
    resolve(one.arguments[k], erased ? use::erased : how);
  }
}

void body_resolver::resolve_lambda(const lambda_term& one, use how) {
  const std::size_t outside = locals_.mark();
  locals_.bind(*one.parameter);
  resolve(one.body, how);
  locals_.back_to(outside);
}

void body_resolver::resolve_array(const array_term& one, use how) {
  resolve(one.element, use::erased);
  resolve(one.value, how);
  resolve(one.count, how);
}

void body_resolver::resolve_do(do_term& one, use how) {
  for (term* argument : one.arguments) resolve(argument, use::erased);
  bool binds = false;
  bool gives = false;
  for (const do_statement& each : one.statements) {
    binds = binds || each.kind == do_kind::bind || each.kind == do_kind::step;
    gives = gives || each.kind == do_kind::give;
  }
  if (one.monad != "IO") {
    one.bind = find_monad_def(one, "bind", binds, how);
    one.pure = find_monad_def(one, "pure", gives, how);
  }
  const std::size_t outside = locals_.mark();
  for (const do_statement& each : one.statements) {
    if (each.kind == do_kind::bind && each.name == nullptr && is_no_type(*each.type)) {
      report(each.type->where, "a type (a line of a do block says it: x : T <- m)",
             quoted(as<name_term>(each.type)->name));
      locals_.bind(*nodes_.make<binder>(
          binder{as<name_term>(each.type)->name, mark::affine, each.type->where}));
    } else if (each.type != nullptr) {
      resolve(each.type, use::erased);
    }
    const bool erased = each.name != nullptr && each.name->how == mark::erased;
    resolve(each.value, each.kind == do_kind::let && erased ? use::erased : how);
    if (each.name != nullptr) locals_.bind(*each.name);
  }
  locals_.back_to(outside);
}

// A variable of the run time, or a name that nobody knows.
bool body_resolver::is_no_type(const term& one) const {
  const auto* const name = as<name_term>(&one);
  if (name == nullptr) return false;
  if (const binder* const local = locals_.find(name->name); local != nullptr) {
    return local->how == mark::affine || local->how == mark::reusable;
  }
  return !is_builtin_type(name->name) && names_.find(*from_, name->name) == nullptr &&
         !names_.may_be_lost(*from_, name->name) && why_refused(name->name, false).empty();
}

// M.bind or M.pure; null, with a report if it is needed, where there is none.
const def_decl* body_resolver::find_monad_def(const do_term& one, std::string_view name,
                                              bool needed, use how) {
  const std::string_view full = nodes_.keep(std::string(one.monad) + "." + std::string(name));
  const declared* const entry = names_.find(*from_, full);
  if (needed && entry == nullptr) report_unknown(full, one.where);
  if (entry == nullptr) return nullptr;
  if (needed) use_def(*entry, full, one.where, how);
  return entry->def;
}

void body_resolver::resolve_block(const block_term& one, use how) {
  const std::size_t outside = locals_.mark();
  for (const statement& each : one.statements) {
    if (each.type != nullptr) resolve(each.type, use::erased);
    const bool erased = each.names.size() == 1 && each.names[0]->how == mark::erased;
    for (term* value : each.values) resolve(value, erased ? use::erased : how);
    const std::size_t before = locals_.mark();
    for (const binder* name : each.names) bind_beside(before, *name);
    if (each.bound != nullptr && resolve_pattern(each.bound, before)) {
      coverage_.binding(each, name_);
    }
  }
  resolve(one.result, how);
  locals_.back_to(outside);
}

void body_resolver::resolve_match(const match_term& one, use how) {
  for (term* subject : one.subjects) resolve(subject, how);
  const std::size_t wanted = one.subjects.size();
  const std::size_t outside = locals_.mark();
  bool sound = true;
  for (const match_row& row : one.rows) {
    if (row.patterns.size() != wanted) {
      sound = false;
      report(row.where,
             std::to_string(wanted) + (wanted == 1 ? " pattern" : " patterns") +
                 " (one per scrutinee)",
             std::to_string(row.patterns.size()));
    }
    for (pattern* each : row.patterns) sound = resolve_pattern(each, outside) && sound;
    resolve(row.body, how);
    locals_.back_to(outside);
  }
  if (sound) coverage_.match(one, name_);
}

void body_resolver::resolve_applied_type(apply_type_term& one) {
  for (term* argument : one.arguments) resolve(argument, use::erased);
  if (locals_.find(one.name) != nullptr) {
    return report(one.where, "a type with parameters", quoted(one.name) + ", a variable");
  }
  const declared* const entry = names_.find(*from_, one.name);
  if (entry == nullptr) {
    if (!is_builtin_type(one.name)) report_unknown(one.name, one.where);
    return;
  }
  one.type = entry->type;
  one.def = entry->def;
  if (one.type == nullptr) return;
  const std::vector<parameter>& wanted = one.type->parameters;
  std::size_t quantities = 0;
  while (quantities < wanted.size() && is_quantity(wanted[quantities])) ++quantities;
  const std::size_t given = one.arguments.size();
  if (given == wanted.size() || given + quantities == wanted.size()) return;
  const std::size_t least = wanted.size() - quantities;
  report(one.where,
         std::string(one.name) + " with " + std::to_string(least) +
             (least == 1 ? " argument" : " arguments"),
         std::to_string(given));
}

void body_resolver::resolve_arrow(const arrow_term& one) {
  resolve(one.from, use::erased);
  const std::size_t outside = locals_.mark();
  if (one.parameter != nullptr) locals_.bind(*one.parameter);
  resolve(one.to, use::erased);
  locals_.back_to(outside);
}

// One that says nothing stands where the parser gave up; holes and eliminators it has
// refused already.
void body_resolver::resolve_proof(const proof_term& one, use how) {
  const bool reported = one.what.empty() || one.what[0] == '?' || one.what[0] == '\\';
  if (how == use::erased || reported) return;
  refuse(one.where, std::string(proofs_refused) + ": " + std::string(one.what));
}

// ---- Reports ---------------------------------------------------------------------

void body_resolver::report(span where, std::string expected, std::string observed) {
  diagnostic wrong;
  wrong.where = where;
  wrong.expected = std::move(expected);
  wrong.observed = std::move(observed);
  wrong.def = name_;
  found_.report(std::move(wrong));
}

// What must not be in code that may run.
void body_resolver::refuse(span where, std::string message) {
  diagnostic wrong;
  wrong.where = where;
  wrong.message = std::move(message);
  wrong.def = name_;
  live_.fails(std::move(wrong), whenever::it_runs);
}

void body_resolver::report_unknown(std::string_view name, span where) {
  diagnostic wrong;
  wrong.where = where;
  wrong.def = name_;
  const bool own_family = names_.find(*from_, name.substr(0, name.find('.'))) != nullptr;
  wrong.message = why_refused(name, own_family);
  if (wrong.message.empty()) {
    if (names_.may_be_lost(*from_, name)) return;
    wrong.expected = "a defined name";
    wrong.observed = quoted(name);
    if (found_.count() < diagnostics::most) {
      wrong.remarks = names_.help_with(*from_, name, locals_.names());
      const std::string_view help = habit_at(where.file->text(), where.begin);
      if (!help.empty()) wrong.remarks.push_back({{}, std::string(help)});
    }
  }
  found_.report(std::move(wrong));
}

void body_resolver::report_unknown_constructor(std::string_view name, span where) {
  diagnostic wrong;
  wrong.where = where;
  wrong.def = name_;
  if (names_.may_be_lost(*from_, name)) return;
  wrong.expected = "a declared constructor (unknown: " + std::string(name) + ")";
  wrong.observed = quoted(name);
  if (found_.count() < diagnostics::most) {
    wrong.remarks = names_.help_with_constructor(*from_, name);
  }
  found_.report(std::move(wrong));
}

void body_resolver::report_arity(const constructor_decl& target, std::size_t count, span where) {
  const std::size_t wanted = target.fields.size();
  diagnostic wrong;
  wrong.where = where;
  wrong.def = name_;
  wrong.expected = std::string(target.name) + " with " + std::to_string(wanted) +
                   (wanted == 1 ? " field" : " fields");
  wrong.observed = std::to_string(count);
  wrong.remarks.push_back({target.where, "declared here"});
  found_.report(std::move(wrong));
}

}  // namespace cleave::lang
