#include "lang/own_take.hpp"

#include <algorithm>

#include "lang/own_sink.hpp"
#include "lang/reuse.hpp"
#include "lang/walk.hpp"

namespace cleave::lang {
namespace {

class taker {
 public:
  taker(core::program& all, const layouts& shapes, const array_writes& writes, demands& wanted)
      : all_(all), shapes_(shapes), writes_(writes), wanted_(wanted) {}

  void run(core::block& first) {
    // Outer matches come first, so their memory goes to the first constructs.
    walk(first, place::tail, [&](core::block& code, place) {
      if (code.end.cases) decide(*code.end.cases);
    });
  }

 private:
  void decide(core::branching& cases) {
    core::variable* const subject = cases.subject.name;
    if (subject == nullptr || core::is_plain(*subject->of)) return;
    if (!subject->borrowed) {
      cases.consumes = std::any_of(cases.arms.begin(), cases.arms.end(), [&](const core::arm& arm) {
        return wants_field(arm) || must_cut(cases, arm) ||
               may_hand_on(*arm.body, memory_freed(cases, arm, shapes_));
      });
    }
    if (cases.consumes) {
      sinking later(all_, wanted_);
      for (core::arm& arm : cases.arms) {
        if (!must_cut(cases, arm) && later.sink(*subject, arm)) continue;
        const memory_kind freed = memory_freed(cases, arm, shapes_);
        if (freed.any()) hand_on(arm, freed, *subject);
      }
    }
    if (cases.consumes) return;
    for (core::arm& arm : cases.arms) {
      for (core::variable* field : arm.fields) {
        if (field != nullptr) field->borrowed = !core::is_plain(*field->of);
      }
    }
  }

  // The halves must be what they are now, whatever the arm writes.
  [[nodiscard]] bool must_cut(const core::branching& cases, const core::arm& arm) const {
    return takes_halves(cases, arm) && writes_.in(*arm.body);
  }

  [[nodiscard]] bool wants_field(const core::arm& arm) const {
    return std::any_of(arm.fields.begin(), arm.fields.end(), [&](const core::variable* field) {
      return field != nullptr && !core::is_plain(*field->of) && wanted_.of(*field);
    });
  }

  // Some path of the block has a construct for such memory that has none yet.
  [[nodiscard]] bool may_hand_on(const core::block& code, const memory_kind& freed) const {
    if (!freed.any()) return false;
    for (const core::step& one : code.steps) {
      if (one.what.reuse == nullptr && memory_needed(one, shapes_) == freed) return true;
      if (one.what.inner && may_hand_on(*one.what.inner, freed)) return true;
      for (const core::branch_value& value : one.values) {
        if (may_hand_on(*value.value, freed)) return true;
      }
    }
    if (!code.end.cases) return false;
    return std::any_of(code.end.cases->arms.begin(), code.end.cases->arms.end(),
                       [&](const core::arm& arm) { return may_hand_on(*arm.body, freed); }) ||
           (code.end.cases->otherwise && may_hand_on(*code.end.cases->otherwise, freed));
  }

  // Makes a token of the memory if some path of the arm has a use for it.
  void hand_on(core::arm& arm, const memory_kind& freed, const core::variable& subject) {
    core::variable token;
    token.of = subject.of;
    token.name = "memory";
    token.number = all_.variables.size();
    token.token = true;
    all_.variables.push_back(token);
    if (claim(*arm.body, freed, all_.variables.back())) {
      arm.token = &all_.variables.back();
    } else {
      all_.variables.pop_back();
    }
  }

  // True if a path of the block uses the token. Paths that do not free it.
  bool claim(core::block& code, const memory_kind& freed, core::variable& token) {
    for (core::step& one : code.steps) {
      if (one.what.reuse == nullptr && memory_needed(one, shapes_) == freed) {
        one.what.reuse = &token;
        return true;
      }
      if (one.what.inner && claim(*one.what.inner, freed, token)) return true;
      for (core::branch_value& value : one.values) {
        if (claim(*value.value, freed, token)) return true;
      }
    }
    if (!code.end.cases) return false;
    bool any = false;
    for (core::arm& arm : code.end.cases->arms) any = claim(*arm.body, freed, token) || any;
    if (code.end.cases->otherwise) any = claim(*code.end.cases->otherwise, freed, token) || any;
    return any;
  }

  core::program& all_;
  const layouts& shapes_;
  const array_writes& writes_;
  demands& wanted_;
};

}  // namespace

void take_apart(core::program& all, const layouts& shapes, const array_writes& writes,
                demands& wanted) {
  taker one(all, shapes, writes, wanted);
  for (core::function& function : all.functions) one.run(function.body);
}

}  // namespace cleave::lang
