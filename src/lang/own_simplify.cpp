#include "lang/own_simplify.hpp"

#include <iterator>
#include <unordered_map>
#include <utility>

#include "lang/walk.hpp"

namespace cleave::lang {
namespace {

using core::ending_kind;
using core::operation_kind;
using core::step_kind;

class simplifier {
 public:
  void run(core::block& code) {
    std::vector<core::step> steps = std::exchange(code.steps, {});
    for (core::step& one : steps) add(code.steps, std::move(one));
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
  simplifier one;
  for (core::function& function : all.functions) one.run(function.body);
}

}  // namespace cleave::lang
