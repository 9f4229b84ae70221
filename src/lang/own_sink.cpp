#include "lang/own_sink.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "lang/uses.hpp"
#include "lang/walk.hpp"

namespace cleave::lang {
namespace {

using core::ending_kind;
using core::step_kind;
using core::variable;

using variables = std::unordered_set<const variable*>;

// Whether code has one of the variables as an operand. What it jumps to counts with
// `beyond`, unless that is a label of the code itself.
class search {
 public:
  search(const variables& operands, const variables& beyond)
      : operands_(operands), beyond_(beyond) {}

  [[nodiscard]] bool in(const core::block& code) {
    return std::any_of(code.steps.begin(), code.steps.end(),
                       [&](const core::step& one) { return in(one); }) ||
           in(code.end);
  }

  [[nodiscard]] bool in(const core::step& one) {
    if (has(one.what.arguments)) return true;
    if (one.what.made && std::any_of(one.what.made->captures.begin(), one.what.made->captures.end(),
                                     [&](const variable* v) { return operands_.contains(v); })) {
      return true;
    }
    if (one.what.inner && in(*one.what.inner)) return true;
    for (const core::branch_value& value : one.values) {
      if (in(*value.value)) return true;
    }
    if (!one.target) return false;
    visited_.insert(one.target.get());
    return in(*one.target->body);
  }

  [[nodiscard]] bool in(const core::ending& end) {
    if (has(end.value) || has(end.arguments)) return true;
    if (end.target != nullptr && visited_.insert(end.target).second &&
        further().in(*end.target->body)) {
      return true;
    }
    if (!end.cases) return false;
    if (has(end.cases->subject)) return true;
    if (end.cases->otherwise && in(*end.cases->otherwise)) return true;
    return std::any_of(end.cases->arms.begin(), end.cases->arms.end(),
                       [&](const core::arm& one) { return in(*one.body); });
  }

 private:
  [[nodiscard]] bool has(const core::atom& one) const {
    return one.name != nullptr && operands_.contains(one.name);
  }
  [[nodiscard]] bool has(const std::vector<core::atom>& all) const {
    return std::any_of(all.begin(), all.end(), [&](const core::atom& one) { return has(one); });
  }

  // The search behind jumps. It remembers where it was: each label is read once.
  [[nodiscard]] search& further() {
    if (&operands_ == &beyond_) return *this;
    if (!further_) further_ = std::make_unique<search>(beyond_, beyond_);
    return *further_;
  }

  const variables& operands_;
  const variables& beyond_;
  std::unordered_set<const core::label*> visited_;
  std::unique_ptr<search> further_;
};

// Puts other variables in the place of some.
class renaming {
 public:
  std::unordered_map<const variable*, variable*> names;

  void in(core::block& first) const {
    walk(first, place::inner, [&](core::block& code, place) {
      for (core::step& one : code.steps) {
        in(one.what.arguments);
        if (!one.what.made) continue;
        for (variable*& capture : one.what.made->captures) in(capture);
      }
      in(code.end.value.name);
      in(code.end.arguments);
      if (code.end.cases) in(code.end.cases->subject.name);
    });
  }
  void in(variable*& name) const {
    if (const auto found = names.find(name); found != names.end()) name = found->second;
  }

 private:
  void in(std::vector<core::atom>& all) const {
    for (core::atom& one : all) in(one.name);
  }
};

bool is_counted_field(const variable* field) {
  return field != nullptr && !core::is_plain(*field->of);
}

}  // namespace

bool sinking::sink(variable& subject, core::arm& one) {
  const variables itself{&subject};
  if (!search(itself, itself).in(*one.body)) return false;
  for (variable* field : one.fields) {
    if (is_counted_field(field)) field->borrowed = true;
  }
  std::vector<opened> known{{&subject, one.constructor, one.fields}};
  sink(*one.body, known);
  return true;
}

// `known.front()` is alive where the code begins, and some of the code needs it.
void sinking::sink(core::block& code, std::vector<opened>& known) {
  const variables itself{known.front().subject};
  variables parts = itself;
  for (const opened& one : known) parts.insert(one.fields.begin(), one.fields.end());

  search ending(itself, parts);
  if (!ending.in(code.end)) {
    // Behind the last step that needs it. Jumps out of the code come at its end.
    std::size_t first = code.steps.size();
    for (; first > 0; --first) {
      search last(itself, parts);
      if (last.in(code.steps[first - 1])) break;
    }
    core::block rest;
    rest.steps.assign(
        std::make_move_iterator(code.steps.begin() + static_cast<std::ptrdiff_t>(first)),
        std::make_move_iterator(code.steps.end()));
    rest.end = std::move(code.end);
    code.steps.resize(first);
    code.end = {};
    take(rest, known);
    std::move(rest.steps.begin(), rest.steps.end(), std::back_inserter(code.steps));
    code.end = std::move(rest.end);
    return;
  }
  for (core::step& one : code.steps) {
    if (!one.target) continue;
    // Who jumps there still has the subject.
    search body(itself, parts);
    if (body.in(*one.target->body)) {
      sink(*one.target->body, known);
    } else {
      take(*one.target->body, known);
    }
  }
  // A second match of the subject consumes it itself, or keeps what it needs.
  if (code.end.kind != ending_kind::branch || itself.contains(code.end.cases->subject.name)) return;
  core::branching& cases = *code.end.cases;
  const bool is_known = std::any_of(known.begin(), known.end(), [&](const opened& one) {
    return one.subject == cases.subject.name;
  });
  const bool opens = cases.subject.name != nullptr && parts.contains(cases.subject.name) &&
                     !is_known && cases.test == core::test_kind::constructors;
  const auto each = [&](core::block& arm) {
    search body(itself, parts);
    if (body.in(arm)) {
      sink(arm, known);
    } else {
      take(arm, known);
    }
  };
  for (core::arm& arm : cases.arms) {
    if (opens) known.push_back({cases.subject.name, arm.constructor, arm.fields});
    each(*arm.body);
    if (opens) known.pop_back();
  }
  if (cases.otherwise) each(*cases.otherwise);
}

bool sinking::wants(core::block& code, const opened& one) const {
  variables fields;
  for (const variable* field : one.fields) {
    if (is_counted_field(field) && wanted_.of(*field)) fields.insert(field);
  }
  return !fields.empty() && search(fields, fields).in(code);
}

// Nothing in the code needs the subject itself: if a field of it, or of what is known of
// its parts, is wanted, the code becomes the arm of a match that consumes it.
void sinking::take(core::block& code, std::vector<opened> known) {
  const opened first = known.front();
  known.erase(known.begin());
  const bool any =
      wants(code, first) ||
      std::any_of(known.begin(), known.end(), [&](const opened& one) { return wants(code, one); });
  if (any) take(code, first, known);
}

void sinking::take(core::block& code, const opened& one, std::vector<opened>& known) {
  renaming names;
  core::arm arm;
  arm.constructor = one.constructor;
  for (variable* field : one.fields) {
    if (!is_counted_field(field)) {
      arm.fields.push_back(nullptr);
      continue;
    }
    arm.fields.push_back(fresh(*field));
    names.names.emplace(field, arm.fields.back());
  }
  names.in(code);
  for (opened& other : known) names.in(other.subject);
  // Parts that were matched on the way here are matched again in their turn.
  for (std::size_t k = 0; k < known.size(); ++k) {
    if (std::find(arm.fields.begin(), arm.fields.end(), known[k].subject) == arm.fields.end()) {
      continue;
    }
    std::vector<opened> inner(known.begin() + static_cast<std::ptrdiff_t>(k), known.end());
    const variables itself{inner.front().subject};
    if (search(itself, itself).in(code)) {
      sink(code, inner);
    } else {
      take(code, inner);
    }
  }
  core::block taken;
  taken.end.kind = ending_kind::branch;
  taken.end.cases = std::make_unique<core::branching>();
  taken.end.cases->subject = {one.subject, one.subject->of, 0};
  arm.body = std::make_unique<core::block>(std::move(code));
  taken.end.cases->arms.push_back(std::move(arm));
  code = std::move(taken);
}

variable* sinking::fresh(const variable& like) {
  variable& made = all_.variables.emplace_back();
  made.of = like.of;
  made.name = like.name;
  made.number = all_.variables.size() - 1;
  if (wanted_.of(like)) wanted_.add(made);
  return &made;
}

}  // namespace cleave::lang
