#include "lang/own_simplify.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "lang/walk.hpp"

namespace cleave::lang {
namespace {

using core::ending_kind;
using core::operation_kind;
using core::step_kind;

// How often code uses each variable.
class use_counts {
 public:
  void add(const core::block& first) {
    walk(first, place::tail, [&](const core::block& code, place) {
      for (const core::step& one : code.steps) {
        add(one.what.arguments);
        if (!one.what.made) continue;
        for (const core::variable* capture : one.what.made->captures) ++counts_[capture];
      }
      ++counts_[code.end.value.name];
      add(code.end.arguments);
      if (code.end.cases) ++counts_[code.end.cases->subject.name];
    });
  }
  [[nodiscard]] std::size_t of(const core::variable* one) const {
    const auto found = counts_.find(one);
    return found != counts_.end() ? found->second : 0;
  }

 private:
  void add(const std::vector<core::atom>& all) {
    for (const core::atom& one : all) ++counts_[one.name];
  }

  std::unordered_map<const core::variable*, std::size_t> counts_;
};

// It gives its first argument as it was, and something that it found there.
bool only_looks(const core::operation& what) {
  return what.kind == operation_kind::native && what.arguments[0].name != nullptr &&
         (what.native->name == "Array.get" || what.native->name == "Array.size" ||
          what.native->name == "Array.clone");
}

class simplifier {
 public:
  explicit simplifier(const use_counts& uses) : uses_(uses) {}

  void run(core::block& code) {
    std::vector<core::step> steps = std::exchange(code.steps, {});
    for (core::step& one : steps) add(code.steps, std::move(one));
    while (look(code)) {
    }
    end(code);
    // The value of a last nested operation is the value of the block.
    while (!code.steps.empty() && gives_last(code, operation_kind::nested)) {
      const std::unique_ptr<core::block> inner = std::move(code.steps.back().what.inner);
      code.steps.pop_back();
      std::move(inner->steps.begin(), inner->steps.end(), std::back_inserter(code.steps));
      code.end = std::move(inner->end);
    }
    if (code.steps.empty()) return;
    core::operation& last = code.steps.back().what;
    const bool call = gives_last(code, operation_kind::call);
    if (call || gives_last(code, operation_kind::apply)) {
      code.end.kind = ending_kind::tail_call;
      code.end.value = {};
      code.end.callee = call ? last.callee : nullptr;
      code.end.arguments = std::move(last.arguments);
      code.end.device = last.device;
      code.end.where = last.where;
      code.steps.pop_back();
    }
  }

 private:
  // The last step is an operation of this kind, and its result is the block's.
  static bool gives_last(const core::block& code, operation_kind kind) {
    const core::step& last = code.steps.back();
    return code.end.kind == ending_kind::give && last.kind == step_kind::let &&
           last.what.kind == kind && last.name != nullptr && last.name == code.end.value.name;
  }

  void add(std::vector<core::step>& to, core::step one) {
    for (core::atom& argument : one.what.arguments) replace(argument);
    if (one.what.made) {
      for (core::variable*& capture : one.what.made->captures) replace(capture);
      run(one.what.made->body);
    }
    if (one.what.inner) run(*one.what.inner);
    for (core::branch_value& value : one.values) run(*value.value);
    if (one.target) run(*one.target->body);
    if (one.kind == step_kind::let) {
      if (one.what.kind == operation_kind::nested &&
          one.what.inner->end.kind == ending_kind::give) {
        flatten(to, one);
        return;
      }
      if (one.name == nullptr && makes_only(one.what)) return;
      if (is_alias(one)) {
        same_[one.name] = one.what.arguments[0].name;
        return;
      }
    }
    to.push_back(std::move(one));
  }

  // The steps of the inner block, then its value under the name of the step.
  void flatten(std::vector<core::step>& to, core::step& one) {
    core::block& inner = *one.what.inner;
    std::move(inner.steps.begin(), inner.steps.end(), std::back_inserter(to));
    if (one.name == nullptr) return;
    core::step given;
    given.name = one.name;
    given.what.arguments.push_back(inner.end.value);
    given.what.where = one.what.where;
    add(to, std::move(given));
  }

  static bool is_alias(const core::step& one) {
    return one.what.kind == operation_kind::copy && one.name != nullptr &&
           one.what.arguments[0].name != nullptr && one.what.arguments[0].name->of == one.name->of;
  }
  // It has no effect, and cannot stop the program.
  static bool makes_only(const core::operation& what) {
    return what.kind == operation_kind::copy || what.kind == operation_kind::text ||
           what.kind == operation_kind::construct || what.kind == operation_kind::leaf ||
           what.kind == operation_kind::make_closure;
  }

  // (b, x) = Array.get(a, i) becomes x = look Array.get(a, i), and b is a: then it is seen
  // that a is only read. True if the block goes on with what the match did.
  bool look(core::block& code) {
    if (code.end.kind != ending_kind::branch) return false;
    const core::branching& cases = *code.end.cases;
    const core::variable* const pair = cases.subject.name;
    if (cases.arms.size() != 1 || cases.otherwise || uses_.of(pair) != 1) return false;
    const auto found =
        std::find_if(code.steps.begin(), code.steps.end(), [&](const core::step& one) {
          return pair != nullptr && one.kind == step_kind::let && one.name == pair;
        });
    if (found == code.steps.end() || !only_looks(found->what)) return false;
    const core::arm& arm = cases.arms[0];
    if (arm.fields[0] != nullptr) same_[arm.fields[0]] = found->what.arguments[0].name;
    found->what.kind = operation_kind::look;
    found->name = arm.fields[1];
    if (found->name == nullptr) code.steps.erase(found);
    core::block rest = std::move(*arm.body);
    for (core::step& one : rest.steps) add(code.steps, std::move(one));
    code.end = std::move(rest.end);
    return true;
  }

  void end(core::block& code) {
    core::ending& one = code.end;
    replace(one.value);
    for (core::atom& argument : one.arguments) replace(argument);
    if (!one.cases) return;
    replace(one.cases->subject);
    for (core::arm& arm : one.cases->arms) run(*arm.body);
    if (one.cases->otherwise) run(*one.cases->otherwise);
  }

  void replace(core::atom& one) {
    if (one.name != nullptr) replace(one.name);
  }
  void replace(core::variable*& name) {
    const auto found = same_.find(name);
    if (found != same_.end()) name = found->second;
  }

  const use_counts& uses_;
  std::unordered_map<core::variable*, core::variable*> same_;
};

// Removes labels that nobody jumps to.
class pruner {
 public:
  void run(core::block& first) {
    walk(first, place::tail, [&](const core::block& code, place) { ++jumps_[code.end.target]; });
    prune(first);
  }

 private:
  // From the end: jumps to a label come behind it, also those from other labels.
  void prune(core::block& code) {
    if (code.end.cases) {
      for (core::arm& arm : code.end.cases->arms) prune(*arm.body);
      if (code.end.cases->otherwise) prune(*code.end.cases->otherwise);
    }
    for (auto one = code.steps.rbegin(); one != code.steps.rend(); ++one) {
      if (one->what.inner) prune(*one->what.inner);
      if (one->what.made) prune(one->what.made->body);
      for (core::branch_value& value : one->values) prune(*value.value);
      if (!one->target) continue;
      if (jumps_[one->target.get()] > 0) {
        prune(*one->target->body);
        continue;
      }
      walk(*one->target->body, place::tail,
           [&](const core::block& inner, place) { --jumps_[inner.end.target]; });
      one->target.reset();
    }
    std::erase_if(code.steps, [](const core::step& one) {
      return one.kind == step_kind::define && !one.target;
    });
  }

  std::unordered_map<const core::label*, std::size_t> jumps_;
};

}  // namespace

void simplify(core::program& all) {
  pruner labels;
  for (core::function& function : all.functions) labels.run(function.body);
  use_counts uses;
  for (const core::function& function : all.functions) uses.add(function.body);
  simplifier one(uses);
  for (core::function& function : all.functions) one.run(function.body);
}

}  // namespace cleave::lang
