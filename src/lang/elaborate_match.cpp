// elaborate_match.cpp -- matches, and statements that take a value apart.
//
// The body of a row that many paths lead to is a label in front of the tests, whose
// parameters are the names that it uses.
#include <algorithm>
#include <string>

#include "lang/elaborate_blocks.hpp"
#include "lang/match_tree.hpp"

namespace cleave::lang {
namespace {

using core::ending_kind;
using core::operation_kind;
using core::type_kind;

// What the checker has shown to be impossible.
constexpr const char* wall = "bend: runtime fail-stop";

}  // namespace

// The rows of one match, in the block where it stands.
class body_maker::match_maker {
 public:
  match_maker(body_maker& body, const match_term& of, shape* expected, goal to)
      : body_(body), of_(of), expected_(expected), to_(to), tree_(body.facts_, body.types_) {}

  void make();

 private:
  bool make_subjects();
  core::label* make_label();
  void make_rows();
  void make_one_by_one();
  core::variable* make_parameter(const match_tree::binding& from);
  void make(const match_tree::node& from);
  void make_leaf(const match_tree::node& from);
  void make_test(const match_tree::node& from);
  void make_view(const match_tree::node& from);
  void bind(const match_tree::binding& one);
  void jump(const core::label& to, atoms arguments);
  void place_row(std::size_t row) { body_.place(*of_.rows[row].body, expected_, to_); }

  body_maker& body_;
  const match_term& of_;
  shape* expected_;
  goal to_;
  match_tree tree_;
  std::vector<match_tree::place*> subjects_;
  // For a row that many paths lead to: its label, and the names that this has.
  struct shared {
    core::label* at = nullptr;
    std::vector<const binder*> names;
  };
  std::vector<shared> shared_;
  std::vector<core::label*> next_;  // for row k, what tries the rows behind it
};

// The number that a name stands for when the program is compiled, or null.
const fact* body_maker::known_number(const term& of) const {
  const auto* const name = as<name_term>(&of);
  if (name == nullptr || name->local == nullptr || locals_.contains(name->local)) return nullptr;
  const fact* const known = env_.find(name->local);
  return known != nullptr && known->kind == fact_kind::number ? known : nullptr;
}

// Only the rows that fit the numbers are left, and of these what is to be tested. So the
// others may have any type.
core::atom body_maker::place_known_match(const match_term& of,
                                         const std::vector<const fact*>& known, shape* expected,
                                         goal to) {
  match_term& left =
      reduced_.emplace_back(of.where, std::vector<term*>(), std::vector<match_row>());
  for (std::size_t k = 0; k < known.size(); ++k) {
    if (known[k] == nullptr) left.subjects.push_back(of.subjects[k]);
  }
  for (const match_row& row : of.rows) {
    match_row one{row.where, {}, row.body};
    bool fits = true;
    for (std::size_t k = 0; k < known.size() && fits; ++k) {
      if (known[k] == nullptr) {
        one.patterns.push_back(row.patterns[k]);
      } else {
        fits = facts_.matches(*row.patterns[k], known[k], env_) == fact_table::outcome::yes;
      }
    }
    if (!fits) continue;
    if (left.subjects.empty()) return place(*row.body, expected, to);
    left.rows.push_back(std::move(one));
  }
  return place_match(left, expected, to);
}

core::atom body_maker::place_match(const match_term& of, shape* expected, goal to) {
  std::vector<const fact*> known;
  known.reserve(of.subjects.size());
  for (const term* one : of.subjects) known.push_back(known_number(*one));
  if (std::ranges::any_of(known, [](const fact* one) { return one != nullptr; })) {
    return place_known_match(of, known, expected, to);
  }
  if (to.how == use::value) {
    return nested(expected, [&] { place_match(of, expected, {use::give, to.run}); });
  }
  match_maker(*this, of, expected, to).make();
  return {};
}

void body_maker::match_maker::make() {
  if (!make_subjects()) {
    body_.refuse(expected_, to_);
    return;
  }
  tree_.build(of_.rows, subjects_);
  if (tree_.too_deep()) {
    body_.report_.message(of_.where, "not in the supported subset: a match that makes more than " +
                                         std::to_string(match_tree::deepest) +
                                         " tests one after the other");
    body_.refuse(expected_, to_);
    return;
  }
  shared_.resize(of_.rows.size());
  next_.resize(of_.rows.size());
  if (tree_.roots().size() > 1) {
    make_one_by_one();
    return;
  }
  make_rows();
  make(*tree_.roots()[0]);
}

// All patterns have the right types, or it is reported.
bool body_maker::match_maker::make_subjects() {
  for (const term* one : of_.subjects) {
    shape* const type = body_.types_.unknown();
    core::atom atom = body_.value(*one, type);
    match_tree::place* const subject = tree_.make_place(type);
    subject->atom = atom;
    subjects_.push_back(subject);
  }
  bool fits = true;
  for (const match_row& row : of_.rows) {
    for (std::size_t k = 0; k < subjects_.size(); ++k) {
      fits = body_.has_type(*row.patterns[k], subjects_[k]->type) && fits;
    }
  }
  for (match_tree::place* subject : subjects_) {
    if (subject->atom.name != nullptr) continue;
    // Tests are made on variables.
    core::operation copy;
    copy.kind = operation_kind::copy;
    copy.arguments = {subject->atom};
    subject->atom = body_.let(std::move(copy), subject->type);
  }
  return fits;
}

core::label* body_maker::match_maker::make_label() {
  core::step& made = body_.here_->steps.emplace_back();
  made.kind = core::step_kind::define;
  made.target = std::make_unique<core::label>();
  made.target->number = body_.all_.made.labels++;
  made.target->body = std::make_unique<core::block>();
  return made.target.get();
}

// The labels of rows that have more than one leaf.
void body_maker::match_maker::make_rows() {
  for (std::size_t row = 0; row < of_.rows.size(); ++row) {
    if (tree_.leaves(row) < 2) continue;
    core::label* const label = make_label();
    shared_[row].at = label;
    std::vector<std::pair<const binder*, core::variable*>> names;
    for (const match_tree::binding& one : tree_.bindings(row)) {
      core::variable* const made = make_parameter(one);
      if (made != nullptr) names.emplace_back(one.name, made);
    }
    body_.in(*label->body, [&] { place_row(row); });
    for (const auto& [name, made] : names) {
      if (!body_.locals_.at(name).used) continue;
      label->parameters.push_back(made);
      shared_[row].names.push_back(name);
    }
  }
}

// Null for a name that needs no value.
core::variable* body_maker::match_maker::make_parameter(const match_tree::binding& from) {
  shape* const type = from.on != nullptr ? from.on->type : body_.types_.nat();
  if (from.name->ignored()) return nullptr;
  if (type == nullptr || from.name->how == mark::erased) {
    body_.bind_erased(from.name, body_.facts_.nothing());
    return nullptr;
  }
  core::variable* const made = body_.variable(type, from.name->name);
  body_.bind(from.name, {made, nullptr, 0}, type);
  return made;
}

// Each label tries one row and goes on with the next, which was defined before it.
void body_maker::match_maker::make_one_by_one() {
  make_rows();
  for (std::size_t row = of_.rows.size(); row-- > 1;) {
    core::label* const label = make_label();
    body_.in(*label->body, [&] { make(*tree_.roots()[row]); });
    next_[row - 1] = label;
  }
  make(*tree_.roots()[0]);
}

// ---- Nodes -----------------------------------------------------------------------

void body_maker::match_maker::make(const match_tree::node& from) {
  switch (from.kind) {
    case match_tree::node_kind::leaf: return make_leaf(from);
    case match_tree::node_kind::fail: return body_.stop(wall);
    case match_tree::node_kind::test: return make_test(from);
    case match_tree::node_kind::view: return make_view(from);
  }
}

void body_maker::match_maker::make_leaf(const match_tree::node& from) {
  if (from.behind) {
    if (next_[from.row] == nullptr) return body_.stop(wall);
    return jump(*next_[from.row], {});
  }
  const shared& row = shared_[from.row];
  if (row.at == nullptr) {
    for (const match_tree::binding& one : from.bindings) bind(one);
    return place_row(from.row);
  }
  atoms arguments;
  for (const binder* name : row.names) {
    const auto one = std::ranges::find(from.bindings, name, &match_tree::binding::name);
    arguments.push_back(one->on != nullptr ? one->on->atom
                                           : body_.number(body_.types_.nat(), one->number));
  }
  jump(*row.at, std::move(arguments));
}

void body_maker::match_maker::jump(const core::label& to, atoms arguments) {
  body_.here_->end.kind = ending_kind::jump;
  body_.here_->end.target = &to;
  body_.here_->end.arguments = std::move(arguments);
}

void body_maker::match_maker::bind(const match_tree::binding& one) {
  if (one.on == nullptr) {
    body_.bind(one.name, body_.number(body_.types_.nat(), one.number), body_.types_.nat());
  } else if (one.on->type == nullptr || one.name->how == mark::erased) {
    body_.bind_erased(one.name, body_.facts_.nothing());
  } else {
    body_.bind(one.name, one.on->atom, one.on->type);
  }
}

void body_maker::match_maker::make_test(const match_tree::node& from) {
  auto cases = std::make_unique<core::branching>();
  cases->test = from.test;
  cases->subject = from.on->atom;
  for (const match_tree::branch& one : from.branches) {
    core::arm& made = cases->arms.emplace_back();
    made.constructor = one.constructor;
    made.value = one.value;
    made.text = one.text;
    made.body = std::make_unique<core::block>();
    for (match_tree::place* field : one.fields) {
      if (field->type == nullptr) continue;
      core::variable* const variable = body_.variable(field->type, field->hint);
      field->atom = {variable, nullptr, 0};
      made.fields.push_back(variable);
    }
    body_.in(*made.body, [&] { make(*one.then); });
  }
  if (from.otherwise != nullptr) {
    cases->otherwise = std::make_unique<core::block>();
    body_.in(*cases->otherwise, [&] { make(*from.otherwise); });
  }
  body_.here_->end.kind = ending_kind::branch;
  body_.here_->end.cases = std::move(cases);
}

void body_maker::match_maker::make_view(const match_tree::node& from) {
  if (type_table::find(from.on->type) == body_.types_.f32()) {
    from.made->atom = body_.native("F32.bits", {}, {from.on->atom}, body_.types_.u32());
  } else {
    core::operation copy;
    copy.kind = operation_kind::copy;
    copy.arguments = {from.on->atom};
    from.made->atom = body_.let(std::move(copy), body_.types_.u32());
  }
  make(*from.then);
}

// ---- Patterns --------------------------------------------------------------------

// Error: false, reported.
bool body_maker::has_type(const pattern& one, shape* type) {
  switch (one.kind) {
    case pattern_kind::name: return true;
    case pattern_kind::nat: return want(one.where, type, types_.nat());
    case pattern_kind::text: return want(one.where, type, types_.string());
    case pattern_kind::literal: {
      const bool is_char = as<literal_pattern>(&one)->character;
      return want(one.where, type, is_char ? types_.character() : types_.u32());
    }
    case pattern_kind::successor:
      return want(one.where, type, types_.nat()) &&
             has_type(*as<successor_pattern>(&one)->rest, types_.nat());
    case pattern_kind::constructor: break;
  }
  const auto& made = *as<constructor_pattern>(&one);
  const shape* const found = type_table::find(type);
  const bool same = found->known != nullptr && found->declaration == made.target->type;
  if (!same) {
    shape* const general = facts_.general(*made.target->type);
    if (!types_.unify(type, general)) {
      const bool text = type_table::find(type) == type_table::find(types_.string()) &&
                        made.target->type->name == "List";
      report_.mismatch(one.where, "a pattern of type " + to_text(type),
                       "one of type " + to_text(general),
                       text ? "SNil{} and SCon{c, rest} take a String apart" : "");
      return false;
    }
  }
  const std::vector<shape*> fields = facts_.fields_of(*made.target, type);
  for (std::size_t k = 0; k < fields.size(); ++k) {
    if (fields[k] != nullptr) {
      if (!has_type(*made.fields[k], fields[k])) return false;
    } else if (made.fields[k]->kind != pattern_kind::name) {
      report_.mismatch(made.fields[k]->where,
                       "a name for the erased field " + std::string(made.target->fields[k].name),
                       "a pattern");
      return false;
    }
  }
  return true;
}

// (a, b) = e: the code that follows goes into the one branch.
bool body_maker::take_apart(const pattern& by, core::atom subject, shape* type) {
  if (!has_type(by, type)) return false;
  struct part {
    const pattern* by;
    core::atom atom;
    shape* type;
  };
  std::vector<part> parts{{&by, subject, type}};
  while (!parts.empty()) {
    const part now = parts.back();
    parts.pop_back();
    if (const auto* const name = as<name_pattern>(now.by)) {
      if (now.type == nullptr || name->name.how == mark::erased) {
        bind_erased(&name->name, facts_.nothing());
      } else {
        bind(&name->name, now.atom, now.type);
      }
      continue;
    }
    const auto* const made = as<constructor_pattern>(now.by);
    const bool one_way = made != nullptr && made->target->type->constructors.size() == 1;
    if (!one_way) {
      report_.mismatch(now.by->where, "a pattern that always fits", "one that may not fit");
      return false;
    }
    const type_kind kind = facts_.kind_of(*made->target->type);
    if (kind == type_kind::u32) {
      parts.push_back({made->fields.at(0), now.atom, types_.u32()});
      continue;
    }
    if (kind == type_kind::character || kind == type_kind::f32) {
      core::operation copy;
      copy.kind = operation_kind::copy;
      copy.arguments = {now.atom};
      const core::atom word = kind == type_kind::character
                                  ? let(std::move(copy), types_.u32())
                                  : native("F32.bits", {}, {now.atom}, types_.u32());
      parts.push_back({made->fields.at(0), word, types_.u32()});
      continue;
    }
    auto cases = std::make_unique<core::branching>();
    cases->subject = now.atom;
    core::arm& only = cases->arms.emplace_back();
    only.body = std::make_unique<core::block>();
    const std::vector<shape*> fields = facts_.fields_of(*made->target, now.type);
    std::vector<part> inner;
    for (std::size_t k = 0; k < fields.size(); ++k) {
      core::atom field;
      if (fields[k] != nullptr) {
        const auto* const name = as<name_pattern>(made->fields[k]);
        core::variable* const variable_of =
            variable(fields[k], name != nullptr ? name->name.name : std::string_view());
        only.fields.push_back(variable_of);
        field.name = variable_of;
      }
      inner.push_back({made->fields[k], field, fields[k]});
    }
    parts.insert(parts.end(), inner.rbegin(), inner.rend());
    core::block* const next = only.body.get();
    here_->end.kind = ending_kind::branch;
    here_->end.cases = std::move(cases);
    here_ = next;
    if (++depth_ > deepest) {
      report_.message(by.where,
                      "this def has blocks within blocks deeper than " + std::to_string(deepest));
      return false;
    }
  }
  return true;
}

}  // namespace cleave::lang
