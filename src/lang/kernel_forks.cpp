#include "lang/kernel_forks.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <memory>
#include <unordered_set>
#include <utility>

#include "lang/walk.hpp"

namespace cleave::lang {
namespace {

using core::ending_kind;
using core::operation_kind;
using core::step_kind;

using steps = std::deque<core::step>;
using names = std::unordered_set<const core::variable*>;

core::step make_let(core::variable* name, core::operation what) {
  core::step made;
  made.name = name;
  made.what = std::move(what);
  return made;
}

// The call in which a block ends, as an operation.
core::operation call_of(core::ending& end) {
  core::operation made;
  made.kind = end.callee != nullptr ? operation_kind::call : operation_kind::apply;
  made.callee = end.callee;
  made.arguments = std::move(end.arguments);
  made.where = end.where;
  return made;
}

bool uses_any(const core::block& code, const names& of);

bool uses_any(const core::step& one, const names& of) {
  const auto is_one = [&](const core::atom& atom) { return of.contains(atom.name); };
  return std::ranges::any_of(one.what.arguments, is_one) ||
         (one.what.inner && uses_any(*one.what.inner, of));
}

bool uses_any(const core::block& code, const names& of) {
  bool found = false;
  walk_here(code, [&](const core::block& inner) {
    const auto is_one = [&](const core::atom& atom) { return of.contains(atom.name); };
    for (const core::step& one : inner.steps) {
      found = found || std::ranges::any_of(one.what.arguments, is_one);
    }
    found = found || is_one(inner.end.value) || std::ranges::any_of(inner.end.arguments, is_one) ||
            (inner.end.cases && is_one(inner.end.cases->subject));
  });
  return found;
}

class gatherer {
 public:
  gatherer(core::program& all, const kernel_members& members) : all_(all), members_(members) {}

  // A block whose value is that of the function.
  void run(core::block& code) {
    steps left = flat(std::exchange(code.steps, {}));
    while (!left.empty()) {
      steps group;
      steps later;
      names late;
      while (!left.empty() && !stops(left.front())) {
        core::step one = std::move(left.front());
        left.pop_front();
        const bool waits = uses_any(one, late);
        const bool calls = !waits && is_call(one);
        if ((waits || calls) && one.name != nullptr) late.insert(one.name);
        if (waits) {
          later.push_back(std::move(one));
        } else if (calls) {
          group.push_back(std::move(one));
        } else {
          code.steps.push_back(std::move(one));
        }
      }
      left.insert(left.begin(), std::make_move_iterator(later.begin()),
                  std::make_move_iterator(later.end()));
      if (!group.empty()) {
        code.steps.push_back(fork(std::move(group)));
        continue;
      }
      if (left.empty()) break;
      core::step one = std::move(left.front());
      left.pop_front();
      if (one.kind == step_kind::define) {
        run(*one.target->body);
        code.steps.push_back(std::move(one));
      } else {
        left = unfold(code, std::move(one), std::move(left));
      }
    }
    if (!code.end.cases) return;
    for (core::arm& arm : code.end.cases->arms) run(*arm.body);
    if (code.end.cases->otherwise) run(*code.end.cases->otherwise);
  }

 private:
  [[nodiscard]] bool is_call(const core::step& one) const {
    return one.kind == step_kind::let && one.what.kind == operation_kind::call &&
           members_.has(*one.what.callee);
  }

  [[nodiscard]] bool calls(const core::block& first) const {
    bool found = false;
    walk_here(first, [&](const core::block& code) {
      for (const core::step& one : code.steps) found = found || is_call(one);
      found = found || (code.end.callee != nullptr && members_.has(*code.end.callee));
    });
    return found;
  }

  // What nothing moves across.
  [[nodiscard]] bool stops(const core::step& one) const {
    return one.kind != step_kind::let ||
           (one.what.kind == operation_kind::nested && calls(*one.what.inner));
  }

  // The steps, with the values of parallel lets one behind the other.
  steps flat(std::vector<core::step> all) {
    steps made;
    for (core::step& one : all) {
      if (one.kind == step_kind::parallel) {
        for (core::branch_value& value : one.values) flat(std::move(value), made);
      } else {
        made.push_back(std::move(one));
      }
    }
    return made;
  }

  void flat(core::branch_value one, steps& made) {
    core::block& value = *one.value;
    const bool straight =
        (value.end.kind == ending_kind::give || value.end.kind == ending_kind::tail_call) &&
        std::ranges::none_of(value.steps,
                             [](const core::step& s) { return s.kind == step_kind::define; });
    core::operation what;
    if (!straight) {
      what.kind = operation_kind::nested;
      what.inner = std::move(one.value);
      made.push_back(make_let(one.name, std::move(what)));
      return;
    }
    steps inner = flat(std::exchange(value.steps, {}));
    std::move(inner.begin(), inner.end(), std::back_inserter(made));
    if (value.end.kind == ending_kind::tail_call) {
      what = call_of(value.end);
    } else {
      what.arguments.push_back(value.end.value);
    }
    made.push_back(make_let(one.name, std::move(what)));
  }

  static core::step fork(steps group) {
    core::step made;
    made.kind = step_kind::parallel;
    for (core::step& one : group) {
      core::branch_value& value = made.values.emplace_back();
      value.name = one.name;
      value.value = std::make_unique<core::block>();
      value.value->end.kind = ending_kind::tail_call;
      value.value->end.callee = one.what.callee;
      value.value->end.arguments = std::move(one.what.arguments);
      value.value->end.where = one.what.where;
    }
    return made;
  }

  // The block goes on with what the operation does; the rest of it becomes a label.
  steps unfold(core::block& code, core::step one, steps rest) {
    core::step defined;
    defined.kind = step_kind::define;
    defined.target = std::make_unique<core::label>();
    core::label& behind = *defined.target;
    behind.number = all_.labels++;
    if (one.name != nullptr) behind.parameters.push_back(one.name);
    behind.body = std::make_unique<core::block>();
    std::move(rest.begin(), rest.end(), std::back_inserter(behind.body->steps));
    behind.body->end = std::move(code.end);
    run(*behind.body);
    code.steps.push_back(std::move(defined));

    core::block inner = std::move(*one.what.inner);
    lead_on(inner, behind);
    code.end = std::move(inner.end);
    return flat(std::move(inner.steps));
  }

  // What gives a value goes on to the label with it.
  void lead_on(core::block& code, const core::label& behind) {
    for (core::step& one : code.steps) {
      if (one.target) lead_on(*one.target->body, behind);
    }
    core::ending& end = code.end;
    if (end.cases) {
      for (core::arm& arm : end.cases->arms) lead_on(*arm.body, behind);
      if (end.cases->otherwise) lead_on(*end.cases->otherwise, behind);
    }
    core::atom value = end.value;
    if (end.kind == ending_kind::tail_call) {
      core::variable* name = nullptr;
      if (!behind.parameters.empty()) {
        name = &all_.variables.emplace_back();
        name->of = behind.parameters[0]->of;
        name->number = all_.variables.size() - 1;
        value = {name, name->of, 0};
      }
      code.steps.push_back(make_let(name, call_of(end)));
    } else if (end.kind != ending_kind::give) {
      return;
    }
    end = {};
    end.kind = ending_kind::jump;
    end.target = &behind;
    if (!behind.parameters.empty()) end.arguments.push_back(value);
  }

  core::program& all_;
  const kernel_members& members_;
};

}  // namespace

void gather_forks(core::program& all, core::function& one, const kernel_members& members) {
  gatherer(all, members).run(one.body);
}

}  // namespace cleave::lang
