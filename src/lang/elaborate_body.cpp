// elaborate_body.cpp -- blocks, variables and frames; and what is written into a body
// when all of its types are known.
#include "lang/elaborate_body.hpp"

#include <algorithm>

#include "lang/elaborate_blocks.hpp"
#include "lang/kinds.hpp"

namespace cleave::lang {

using core::ending_kind;
using core::operation_kind;

namespace {

bool has_types(const target& what) {
  return what.lambda != nullptr || std::ranges::any_of(what.facts, [](const fact* one) {
           return one != nullptr && one->kind != fact_kind::quantity;
         });
}

}  // namespace

body_maker::body_maker(elaboration& all, const instance& one)
    : all_(all),
      types_(all.types),
      facts_(all.facts),
      report_(all.report),
      one_(one),
      made_(*one.made),
      env_(all.facts.inside(one.what.lambda != nullptr ? one.what.lambda->inside : nullptr)),
      here_(&one.made->body),
      frame_(&frames_.emplace_back()),
      reported_before_(all.report.count()),
      asks_for_data_(!one.made->source->unsafe &&
                     all.facts.base_def(one.made->source->name) != one.made->source) {}

void body_maker::make() {
  report_.in_def(made_.source->name);
  if (one_.what.def != nullptr) {
    make_def(*one_.what.def);
  } else {
    make_lambda(*one_.what.lambda, one_.what.arity);
  }
  finish();
}

void body_maker::make_def(const def_decl& def) {
  for (std::size_t k = 0; k < def.parameters.size(); ++k) {
    const binder* const name = def.parameters[k].name;
    const binder* const in_law = def.law != nullptr ? def.law->parameters[k].name : name;
    const fact* known = one_.what.facts[k];
    if (known == nullptr) {
      shape* const type = facts_.type_of(*def.type_of(k), env_);
      core::variable* const made = variable(type, name->name);
      made_.parameters.push_back(made);
      locals_[name] = {{made, nullptr, 0}, type};
      must_be_data(*in_law, type);
      continue;
    }
    const parameter_kind kind = kind_of(def, k);
    if (kind == parameter_kind::templated || kind == parameter_kind::value) {
      fact typed = *known;
      typed.type = facts_.type_of(*def.type_of(k), env_);
      known = facts_.keep(std::move(typed));
    }
    env_.own[name] = known;
    env_.own[in_law] = known;
  }
  shape* result = facts_.type_of(*def.result_type(), env_);
  if (one_.what.runs) result = type_table::find(result)->parts[0];
  made_.result = types_.close(result);
  // A signature without sense would make nonsense of the body.
  if (report_.count() > reported_before_) return stop("error");
  place(*def.body, result, {use::tail, one_.what.runs});
}

void body_maker::make_lambda(const fact& lambda, std::size_t arity) {
  shape* type = type_table::find(lambda.type);
  const term* body = nullptr;
  const lambda_term* at = lambda.lambda;
  for (std::size_t k = 0; k < arity; ++k) {
    core::variable* const made = variable(type->parts[0], at->parameter->name);
    made_.parameters.push_back(made);
    bind_parameter(at->parameter, made, type->parts[0]);
    type = type_table::find(type->parts[1]);
    body = at->body;
    at = as<lambda_term>(body);
  }
  if (one_.what.runs) type = type_table::find(type)->parts[0];
  made_.result = types_.close(type);
  place(*body, type, {use::tail, one_.what.runs});
}

// ---- Variables and frames --------------------------------------------------------

core::variable* body_maker::variable(shape* type, std::string_view name) {
  core::variable& made = all_.made.variables.emplace_back();
  made.number = all_.made.variables.size() - 1;
  if (name != "_") made.name = name;
  home_[&made] = frame_;
  variables_.emplace_back(&made, type);
  return &made;
}

// The same value within the frame where the code goes now: captured if it comes from
// further outside, in each frame on the way.
core::atom body_maker::here(core::atom outside) {
  if (outside.name == nullptr) return outside;
  frame* const home = home_.at(outside.name);
  std::vector<frame*> way;
  core::variable* at = outside.name;
  for (frame* f = frame_; f != home; f = f->outer) {
    const auto known = f->imported.find(outside.name);
    if (known != f->imported.end()) {
      at = known->second;
      break;
    }
    way.push_back(f);
  }
  frame* const now = frame_;
  for (auto f = way.rbegin(); f != way.rend(); ++f) {
    frame_ = *f;
    core::variable* const inner = variable(nullptr, outside.name->name);
    variables_.pop_back();
    inner->of = outside.name->of;
    copies_.emplace_back(inner, outside.name);
    frame_->captures->push_back(at);
    frame_->inside->push_back(inner);
    frame_->imported.emplace(outside.name, inner);
    at = inner;
  }
  frame_ = now;
  return {at, nullptr, 0};
}

void body_maker::bind(const binder* name, core::atom value, shape* type) {
  if (name->ignored()) return;
  if (value.name != nullptr && value.name->name.empty()) value.name->name = name->name;
  locals_[name] = {value, type};
  must_be_data(*name, type);
}

void body_maker::must_be_data(const binder& name, shape* type) {
  if (!asks_for_data_ || name.how != mark::reusable) return;
  data_wanted_.push_back({name.where, type, "what is marked + may be copied"});
}

void body_maker::bind_erased(const binder* name, const fact* known) {
  env_.own[name] = known;
}

core::atom body_maker::number(shape* type, std::uint64_t value) const {
  return {nullptr, type->known, value};
}

// Stands for the value of what was wrong.
core::atom body_maker::dummy(shape* type) {
  return {variable(type), nullptr, 0};
}

shape* body_maker::whole(shape* expected, goal to) {
  return to.run ? types_.io(expected) : expected;
}

bool body_maker::want(span where, shape* expected, shape* observed) {
  if (types_.unify(expected, observed)) return true;
  // What is unknown becomes any type but one that it is a part of.
  const bool endless = type_table::find(expected)->unknown || type_table::find(observed)->unknown;
  report_.mismatch(where, endless ? "a type that is no part of itself" : to_text(expected),
                   to_text(type_table::find(observed)->unknown ? expected : observed));
  return false;
}

// ---- Steps and endings -----------------------------------------------------------

core::atom body_maker::let(core::operation what, shape* type) {
  core::step& made = here_->steps.emplace_back();
  made.name = variable(type);
  made.what = std::move(what);
  return {made.name, nullptr, 0};
}

void body_maker::give(core::atom value) {
  here_->end.kind = ending_kind::give;
  here_->end.value = value;
}

void body_maker::stop(std::string message) {
  here_->end.kind = ending_kind::stop;
  here_->end.message = std::move(message);
}

core::atom body_maker::deliver(core::atom value, goal to) {
  if (to.how != use::value) give(value);
  return value;
}

core::atom body_maker::deliver(core::operation what, shape* type, goal to) {
  const bool calls = what.kind == operation_kind::apply || what.kind == operation_kind::call;
  if (to.how == use::tail && calls) {
    here_->end.kind = ending_kind::tail_call;
    here_->end.callee = what.callee;
    here_->end.arguments = std::move(what.arguments);
    here_->end.device = what.device;
    here_->end.where = what.where;
    return {};
  }
  if (to.how == use::tail && what.kind == operation_kind::run) {
    here_->end.kind = ending_kind::tail_run;
    here_->end.value = what.arguments[0];
    return {};
  }
  return deliver(let(std::move(what), type), to);
}

core::atom body_maker::native(std::string_view name, std::vector<shape*> types, atoms arguments,
                              shape* result) {
  core::operation made;
  made.kind = operation_kind::native;
  made.native = facts_.base_def(name);
  if (made.native == nullptr) {
    report_.message({}, "Base lacks " + std::string(name));
    return dummy(result);
  }
  made.arguments = std::move(arguments);
  if (!types.empty()) natives_.push_back({here_, here_->steps.size(), std::move(types)});
  return let(std::move(made), result);
}

// ---- The end ---------------------------------------------------------------------

// Types that were not found out because of an error make no instances.
void body_maker::finish() {
  const bool failed = report_.count() > reported_before_;
  for (const auto& [made, type] : variables_) made->of = types_.close(type);
  for (const auto& [inner, outer] : copies_) inner->of = outer->of;
  for (const auto& [made, type] : results_) made->result = types_.close(type);
  for (const type_patch& one : natives_) {
    std::vector<const core::type*> types;
    for (shape* type : one.types) types.push_back(types_.close(type));
    one.in->steps[one.step].what.types = std::move(types);
  }
  if (types_.take_too_large() && !failed) {
    report_.message(made_.source->where,
                    "a type here has more than " + std::to_string(type_table::largest) + " parts");
  }
  for (const auto& [where, type, why] : data_wanted_) {
    const core::type* const known = types_.close(type);
    if (failed || is_data(*known)) continue;
    report_.mismatch(where, "Data (" + why + ")", "Type (" + to_text(*known) + " has one owner)");
  }
  for (const call_patch& one : calls_) {
    if (failed && has_types(one.what)) continue;
    const core::function* const callee = all_.instances.get(one.what, one.where);
    if (one.step == none) {
      one.in->end.callee = callee;
    } else {
      one.in->steps[one.step].what.callee = callee;
    }
  }
}

}  // namespace cleave::lang
