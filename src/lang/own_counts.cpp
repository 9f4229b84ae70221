#include "lang/own_counts.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "lang/uses.hpp"
#include "lang/walk.hpp"

namespace cleave::lang {
namespace {

using core::ending_kind;
using core::step_kind;
using core::variable;

struct by_number {
  bool operator()(const variable* a, const variable* b) const { return a->number < b->number; }
};
// Owned variables that code further on needs.
using live_set = std::set<variable*, by_number>;

bool counted(const variable* one) {
  return one != nullptr && (one->token || !core::is_plain(*one->of));
}
bool owned(const variable* one) {
  return counted(one) && !one->borrowed;
}

core::step make(step_kind kind, variable* name) {
  core::step one;
  one.kind = kind;
  one.name = name;
  return one;
}
core::step make_drop(variable* name) {
  return make(name->token ? step_kind::free_token : step_kind::drop, name);
}

// How often one step or ending consumes a variable and reads it.
struct operand {
  variable* name;
  std::size_t consumed = 0;
  std::size_t read = 0;
};

class counter {
 public:
  counter(core::program& all, const layouts& shapes)
      : all_(all), shapes_(shapes), root_(all.variables.size(), nullptr) {}

  void run(core::function& one) { begin(one.body, one.parameters, block(one.body, {})); }

 private:
  // Steps from the last to the first.
  using reversed = std::vector<core::step>;

  // Drops what is bound before the block and not needed in it.
  static void begin(core::block& code, const std::vector<variable*>& bound, const live_set& live) {
    std::vector<core::step> drops;
    for (variable* one : bound) {
      if (owned(one) && !live.contains(one)) drops.push_back(make_drop(one));
    }
    prepend(code, std::move(drops));
  }
  static void prepend(core::block& code, std::vector<core::step> steps) {
    code.steps.insert(code.steps.begin(), std::make_move_iterator(steps.begin()),
                      std::make_move_iterator(steps.end()));
  }

  // Completes the block. `after` is needed where its value goes. The result is needed
  // where it begins.
  live_set block(core::block& code, const live_set& after) {
    for (core::step& one : code.steps) {
      if (one.kind != step_kind::define) continue;
      live_set live = block(*one.target->body, after);
      begin(*one.target->body, one.target->parameters, live);
      for (variable* parameter : one.target->parameters) live.erase(parameter);
      at_label_[one.target.get()] = std::move(live);
    }
    reversed made;
    live_set live = end(code.end, after, made);
    for (auto one = code.steps.rbegin(); one != code.steps.rend(); ++one) {
      step(std::move(*one), live, made);
    }
    code.steps.assign(std::make_move_iterator(made.rbegin()), std::make_move_iterator(made.rend()));
    return live;
  }

  // The variable whose owner keeps `one` alive; null if that is somebody else's.
  [[nodiscard]] variable* root(variable* one) const {
    if (owned(one)) return one;
    return one->number < root_.size() ? root_[one->number] : nullptr;
  }

  // What `visit_all` reports, by variable, in order of first use. To consume what is
  // borrowed takes a keep, and reads its owner.
  struct operands {
    std::vector<operand> all;
    std::vector<variable*> borrowed;  // each as often as it is consumed

    void add(variable* name, use how) {
      auto found = std::find_if(all.begin(), all.end(),
                                [&](const operand& one) { return one.name == name; });
      if (found == all.end()) found = all.insert(all.end(), operand{name});
      ++(how == use::consumes ? found->consumed : found->read);
    }
  };
  void add(operands& to, variable* name, use how) const {
    if (owned(name)) return to.add(name, how);
    if (how == use::consumes) to.borrowed.push_back(name);
    if (variable* const owner = root(name); owner != nullptr) to.add(owner, use::reads);
  }

  // Makes the operands needed. What is to be done before and behind goes to the lists.
  static void settle(const operands& used, live_set& live, std::vector<core::step>& keeps,
                     std::vector<core::step>& drops) {
    for (variable* one : used.borrowed) keeps.push_back(make(step_kind::keep, one));
    for (const operand& one : used.all) {
      const bool last = live.insert(one.name).second;
      const bool moved = last && one.read == 0;
      if (last && !moved) drops.push_back(make_drop(one.name));
      for (std::size_t k = moved ? 1 : 0; k < one.consumed; ++k) {
        keeps.push_back(make(step_kind::keep, one.name));
      }
    }
  }

  live_set end(core::ending& one, const live_set& after, reversed& made) {
    if (one.kind == ending_kind::branch) return branch(*one.cases, after);
    // A stop counts as a way to what comes after it, which is never reached and yet code.
    live_set live = one.kind == ending_kind::jump ? at_label_.at(one.target) : after;
    std::vector<core::step> copies;
    copy_views(one, copies);
    operands used;
    each_use(one, [&](variable& name, use how) { add(used, &name, how); });
    std::vector<core::step> keeps;
    std::vector<core::step> drops;
    settle(used, live, keeps, drops);
    // Only what was borrowed is dropped here, and that has been kept.
    append(made, std::move(drops));
    append(made, std::move(keeps));
    for (core::step& copy : copies) step(std::move(copy), live, made);
    return live;
  }

  // Operands that are borrowed, hold an array, and are consumed: a copy takes their place.
  template <class Code>
  void copy_views(Code& code, std::vector<core::step>& copies) {
    each_place(code, [&](variable*& name, use how) {
      if (how == use::consumes && name->borrowed && shapes_.of(*name->of).holds_array) {
        copies.push_back(copy_of(name));
        name = copies.back().name;
      }
    });
  }
  [[nodiscard]] core::step copy_of(variable* view) {
    core::step one;
    one.name = &all_.variables.emplace_back();
    one.name->of = view->of;
    one.name->name = view->name;
    one.name->number = all_.variables.size() - 1;
    one.what.kind = core::operation_kind::copy;
    one.what.arguments.push_back({view, view->of, 0});
    return one;
  }

  static void append(reversed& made, std::vector<core::step> steps) {
    made.insert(made.end(), std::make_move_iterator(steps.rbegin()),
                std::make_move_iterator(steps.rend()));
  }

  void step(core::step one, live_set& live, reversed& made) {
    if (one.kind == step_kind::parallel) return parallel(std::move(one), live, made);
    if (one.kind == step_kind::define) {
      made.push_back(std::move(one));
      return;
    }
    if (owned(one.name) && live.erase(one.name) == 0) made.push_back(make_drop(one.name));
    if (one.what.made) {
      core::closure& inside = *one.what.made;
      std::vector<variable*> bound = inside.inside;
      if (inside.parameter != nullptr) bound.push_back(inside.parameter);
      begin(inside.body, bound, block(inside.body, {}));
    }
    if (one.what.inner) live = block(*one.what.inner, live);
    std::vector<core::step> copies;
    copy_views(one.what, copies);
    operands used;
    each_use(one.what, [&](variable& name, use how) { add(used, &name, how); });
    if (one.what.reuse != nullptr) add(used, one.what.reuse, use::consumes);
    std::vector<core::step> keeps;
    std::vector<core::step> drops;
    settle(used, live, keeps, drops);
    append(made, std::move(drops));
    made.push_back(std::move(one));
    append(made, std::move(keeps));
    for (core::step& copy : copies) step(std::move(copy), live, made);
  }

  // What the block and those in it consume.
  [[nodiscard]] live_set consumed_in(core::block& first) const {
    live_set all;
    const auto add = [&](variable& name, use how) {
      if (how == use::consumes && owned(&name)) all.insert(&name);
    };
    walk_here(first, [&](core::block& code) {
      for (core::step& one : code.steps) {
        each_use(one.what, add);
        if (one.what.reuse != nullptr) add(*one.what.reuse, use::consumes);
      }
      each_use(code.end, add);
      if (code.end.cases && code.end.cases->consumes) {
        add(*code.end.cases->subject.name, use::consumes);
      }
    });
    return all;
  }

  // Each value may be computed by another thread, so nothing is kept or dropped there that
  // another value has too: what several need is kept before, what they read is dropped
  // behind.
  void parallel(core::step one, live_set& live, reversed& made) {
    for (core::branch_value& value : one.values) {
      if (owned(value.name) && live.erase(value.name) == 0) made.push_back(make_drop(value.name));
    }
    std::unordered_map<variable*, std::size_t> owners;  // that the values need
    live_set read;
    for (core::branch_value& value : one.values) {
      const live_set consumed = consumed_in(*value.value);
      // Nothing from outside that is only read must end in the value: it is needed behind it.
      live_set stays;
      live_set inside;
      walk_here(*value.value, [&](core::block& code) {
        add_roots(code, stays);
        add_bound(code, inside);
      });
      for (variable* name : consumed) stays.erase(name);
      for (variable* name : inside) stays.erase(name);
      for (variable* name : block(*value.value, stays)) {
        if (consumed.contains(name)) {
          ++owners[name];
        } else {
          read.insert(name);
        }
      }
    }
    std::vector<core::step> keeps;
    std::vector<core::step> drops;
    for (variable* name : read) {
      ++owners[name];
      if (!live.contains(name)) drops.push_back(make_drop(name));
    }
    live_set named;
    for (const auto& [name, count] : owners) named.insert(name);
    for (variable* name : named) {
      const std::size_t needed =
          owners[name] + (live.contains(name) && !read.contains(name) ? 1 : 0);
      for (std::size_t k = 1; k < needed; ++k) keeps.push_back(make(step_kind::keep, name));
      live.insert(name);
    }
    append(made, std::move(drops));
    made.push_back(std::move(one));
    append(made, std::move(keeps));
  }

  // The owned variables that the operands of the block are, or are part of.
  void add_roots(core::block& code, live_set& to) const {
    const auto add = [&](variable& name, use) {
      if (variable* const owner = root(&name); owner != nullptr) to.insert(owner);
    };
    for (core::step& one : code.steps) each_use(one.what, add);
    each_use(code.end, add);
    if (code.end.cases && counted(code.end.cases->subject.name)) {
      add(*code.end.cases->subject.name, use::reads);
    }
  }

  static void add_bound(const core::block& code, live_set& to) {
    for (const core::step& one : code.steps) {
      if (one.name != nullptr) to.insert(one.name);
      for (const core::branch_value& value : one.values) {
        if (value.name != nullptr) to.insert(value.name);
      }
      if (one.target) to.insert(one.target->parameters.begin(), one.target->parameters.end());
    }
    if (!code.end.cases) return;
    for (const core::arm& arm : code.end.cases->arms) {
      for (variable* field : arm.fields) {
        if (field != nullptr) to.insert(field);
      }
      if (arm.token != nullptr) to.insert(arm.token);
    }
  }

  live_set branch(core::branching& cases, const live_set& after) {
    variable* const subject = counted(cases.subject.name) ? cases.subject.name : nullptr;
    const bool is_ours = owned(subject);
    std::vector<live_set> lives;
    for (core::arm& arm : cases.arms) {
      for (variable* field : arm.fields) {
        if (subject != nullptr && counted(field) && field->borrowed) set_root(field, root(subject));
      }
      lives.push_back(block(*arm.body, after));
    }
    if (cases.otherwise) lives.push_back(block(*cases.otherwise, after));

    live_set needed;
    for (const live_set& live : lives) needed.insert(live.begin(), live.end());
    for (core::arm& arm : cases.arms) {
      for (variable* field : arm.fields) {
        if (field != nullptr) needed.erase(field);
      }
      if (arm.token != nullptr) needed.erase(arm.token);
    }
    if (is_ours) {
      close_subject(cases, *subject, lives);
      needed.insert(subject);
    } else if (variable* const owner = subject != nullptr ? root(subject) : nullptr;
               owner != nullptr) {
      // Its tag and its fields are read before any arm begins.
      needed.insert(owner);
    }
    for (std::size_t k = 0; k < lives.size(); ++k) {
      core::block& body = k < cases.arms.size() ? *cases.arms[k].body : *cases.otherwise;
      std::vector<core::step> drops;
      for (variable* one : needed) {
        if (one != subject && !lives[k].contains(one)) drops.push_back(make_drop(one));
      }
      prepend(body, std::move(drops));
    }
    return needed;
  }

  void set_root(variable* one, variable* owner) {
    if (one->number >= root_.size()) root_.resize(one->number + 1, nullptr);
    root_[one->number] = owner;
  }

  // An owned subject ends in the branch if no arm needs it. If only some do, those that do
  // not end it themselves.
  void close_subject(core::branching& cases, variable& subject,
                     const std::vector<live_set>& lives) {
    const bool wanted = cases.consumes;
    cases.consumes = std::none_of(lives.begin(), lives.end(),
                                  [&](const live_set& live) { return live.contains(&subject); });
    for (std::size_t k = 0; k < cases.arms.size(); ++k) {
      core::arm& arm = cases.arms[k];
      const bool needs_it = lives[k].contains(&subject);
      if (needs_it && wanted) {
        keep_fields(arm, subject, lives[k]);
      } else if (!needs_it) {
        drop_fields(arm, lives[k]);
        if (!cases.consumes) close_in_arm(cases, arm);
      }
    }
    if (cases.otherwise && !cases.consumes && !lives.back().contains(&subject)) {
      cases.otherwise->steps.insert(cases.otherwise->steps.begin(), make_drop(&subject));
    }
  }

  // What a match that consumes does not bind, it drops.
  static void drop_fields(core::arm& arm, const live_set& live) {
    for (variable*& field : arm.fields) {
      if (counted(field) && !live.contains(field)) field = nullptr;
    }
    if (arm.token != nullptr && !live.contains(arm.token)) arm.token = nullptr;
  }

  // The arm takes the fields although the subject lives on: they get owners of their own.
  void keep_fields(core::arm& arm, variable& subject, const live_set& live) {
    std::vector<core::step> keeps;
    for (variable*& field : arm.fields) {
      if (!counted(field)) continue;
      if (live.contains(field) && shapes_.of(*field->of).holds_array) {
        core::step copy = copy_of(field);
        std::swap(copy.name, field);
        copy.what.arguments[0].name = field;
        keeps.push_back(std::move(copy));
      } else if (live.contains(field)) {
        keeps.push_back(make(step_kind::keep, field));
      }
      field->borrowed = true;
      set_root(field, &subject);
    }
    prepend(*arm.body, std::move(keeps));
  }

  // Puts the arm's fields into a match of its own that consumes the subject.
  static void close_in_arm(const core::branching& cases, core::arm& arm) {
    core::arm inner;
    inner.constructor = arm.constructor;
    inner.value = arm.value;
    inner.text = arm.text;
    inner.fields = arm.fields;
    inner.token = std::exchange(arm.token, nullptr);
    inner.body = std::exchange(arm.body, std::make_unique<core::block>());
    std::fill(arm.fields.begin(), arm.fields.end(), nullptr);
    arm.body->end.kind = ending_kind::branch;
    arm.body->end.cases = std::make_unique<core::branching>();
    core::branching& taken = *arm.body->end.cases;
    taken.test = cases.test;
    taken.subject = cases.subject;
    taken.consumes = true;
    taken.arms.push_back(std::move(inner));
  }

  core::program& all_;
  const layouts& shapes_;
  std::vector<variable*> root_;
  std::unordered_map<const core::label*, live_set> at_label_;
};

}  // namespace

void count_owners(core::program& all, const layouts& shapes) {
  counter one(all, shapes);
  for (core::function& function : all.functions) one.run(function);
}

}  // namespace cleave::lang
