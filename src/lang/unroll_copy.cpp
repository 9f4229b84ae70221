#include "lang/unroll_copy.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace cleave::lang {
namespace {

using core::ending_kind;
using core::step_kind;
using core::variable;

using atoms = std::vector<core::atom>;

class copier {
 public:
  copier(core::program& all, const core::function& of, const std::vector<std::size_t>& parameters,
         const std::vector<const core::function*>& smaller)
      : all_(all), of_(of), parameters_(parameters), smaller_(smaller) {}

  core::function& run() {
    core::function& made = all_.functions.emplace_back();
    made.name = of_.name + " of 2^" + std::to_string(smaller_.size());
    made.source = of_.source;
    made.result = of_.result;
    made.number = all_.functions.size() - 1;
    made.inlined = true;
    for (const variable* one : of_.parameters) made.parameters.push_back(bind(one));
    for (const std::size_t k : parameters_) depths_[of_.parameters[k]] = smaller_.size();
    made.body = copy(of_.body);
    return made;
  }

 private:
  variable* bind(const variable* from) {
    if (from == nullptr) return nullptr;
    variable& made = all_.variables.emplace_back(*from);
    made.number = all_.variables.size() - 1;
    names_[from] = &made;
    return &made;
  }
  std::vector<variable*> bind(const std::vector<variable*>& from) {
    std::vector<variable*> made;
    for (const variable* one : from) made.push_back(bind(one));
    return made;
  }
  [[nodiscard]] variable* name(const variable* from) const {
    return from != nullptr ? names_.at(from) : nullptr;
  }
  [[nodiscard]] core::atom copy(const core::atom& from) const {
    return {name(from.name), from.of, from.number};
  }
  [[nodiscard]] atoms copy(const atoms& from) const {
    atoms made;
    for (const core::atom& one : from) made.push_back(copy(one));
    return made;
  }

  [[nodiscard]] std::optional<std::size_t> depth(const core::atom& of) const {
    const auto found = depths_.find(of.name);
    return found != depths_.end() ? std::optional(found->second) : std::nullopt;
  }

  // Who is called in place of the callee.
  [[nodiscard]] const core::function* called(const core::function* callee,
                                             const atoms& arguments) const {
    if (callee != &of_) return callee;
    const std::optional<std::size_t> first = depth(arguments[parameters_.front()]);
    if (!first || *first >= smaller_.size()) return callee;
    const bool same = std::all_of(parameters_.begin(), parameters_.end(),
                                  [&](std::size_t k) { return depth(arguments[k]) == first; });
    return same ? smaller_[*first] : callee;
  }

  core::block copy(const core::block& from) {
    core::block made;
    append(made, from);
    return made;
  }
  std::unique_ptr<core::block> copy(const std::unique_ptr<core::block>& from) {
    return from ? std::make_unique<core::block>(copy(*from)) : nullptr;
  }

  // The steps and the ending of a block.
  void append(core::block& to, const core::block& from) {
    append_steps(to, from);
    end(to, from.end);
  }
  void append_steps(core::block& to, const core::block& from) {
    for (const core::step& one : from.steps) {
      if (one.kind == step_kind::parallel) {
        for (const core::branch_value& value : one.values) in_order(to, value);
      } else {
        to.steps.push_back(copy(one));
      }
    }
  }

  core::step copy(const core::step& from) {
    core::step made;
    made.kind = from.kind;
    switch (from.kind) {
      case step_kind::let:
        made.what = copy(from.what);
        made.name = bind(from.name);
        break;
      case step_kind::define: made.target = copy(*from.target); break;
      default: made.name = name(from.name); break;
    }
    return made;
  }

  std::unique_ptr<core::label> copy(const core::label& from) {
    auto made = std::make_unique<core::label>();
    made->number = all_.labels++;
    made->parameters = bind(from.parameters);
    targets_[&from] = made.get();
    made->body = copy(from.body);
    return made;
  }

  // What a value of a parallel let computes, here and now.
  void in_order(core::block& to, const core::branch_value& value) {
    const core::block& from = *value.value;
    const bool straight =
        from.end.kind == ending_kind::tail_call &&
        std::none_of(from.steps.begin(), from.steps.end(),
                     [](const core::step& one) { return one.kind == step_kind::define; });
    core::step made;
    if (straight) {
      append_steps(to, from);
      made.what.kind =
          from.end.callee != nullptr ? core::operation_kind::call : core::operation_kind::apply;
      made.what.callee = called(from.end.callee, from.end.arguments);
      made.what.arguments = copy(from.end.arguments);
    } else {
      made.what.kind = core::operation_kind::nested;
      made.what.inner = copy(value.value);
    }
    made.name = bind(value.name);
    to.steps.push_back(std::move(made));
  }

  core::operation copy(const core::operation& from) {
    core::operation made;
    made.kind = from.kind;
    made.arguments = copy(from.arguments);
    made.callee = called(from.callee, from.arguments);
    made.native = from.native;
    made.types = from.types;
    made.constructor = from.constructor;
    made.text = from.text;
    made.where = from.where;
    made.device = from.device;
    made.reuse = name(from.reuse);
    made.inner = copy(from.inner);
    if (from.made) made.made = copy(*from.made);
    return made;
  }

  std::unique_ptr<core::closure> copy(const core::closure& from) {
    auto made = std::make_unique<core::closure>();
    for (const variable* one : from.captures) made->captures.push_back(name(one));
    made->inside = bind(from.inside);
    made->parameter = bind(from.parameter);
    made->action = from.action;
    made->body = copy(from.body);
    return made;
  }

  void end(core::block& to, const core::ending& from) {
    if (from.kind == ending_kind::branch) return branch(to, *from.cases);
    to.end.kind = from.kind;
    to.end.value = copy(from.value);
    to.end.callee = called(from.callee, from.arguments);
    to.end.arguments = copy(from.arguments);
    to.end.target = from.target != nullptr ? targets_.at(from.target) : nullptr;
    to.end.message = from.message;
    to.end.device = from.device;
    to.end.where = from.where;
  }

  void branch(core::block& to, const core::branching& from) {
    const bool by_depth = from.test == core::test_kind::constructors && depth(from.subject);
    const core::arm* only = nullptr;
    if (by_depth) {
      const std::size_t constructor = *depth(from.subject) == 0 ? 0 : 1;
      for (const core::arm& one : from.arms) {
        if (one.constructor == constructor) only = &one;
      }
      if (only == nullptr && from.otherwise) {
        if (from.consumes) {
          core::step drop;
          drop.kind = step_kind::drop;
          drop.name = name(from.subject.name);
          to.steps.push_back(std::move(drop));
        }
        return append(to, *from.otherwise);
      }
    }
    to.end.kind = ending_kind::branch;
    to.end.cases = std::make_unique<core::branching>();
    core::branching& made = *to.end.cases;
    made.test = from.test;
    made.subject = copy(from.subject);
    made.consumes = from.consumes;
    for (const core::arm& one : from.arms) {
      if (only == nullptr || only == &one) made.arms.push_back(copy(from, one));
    }
    if (only == nullptr) made.otherwise = copy(from.otherwise);
  }

  core::arm copy(const core::branching& cases, const core::arm& from) {
    core::arm made;
    made.constructor = from.constructor;
    made.value = from.value;
    made.text = from.text;
    made.fields = bind(from.fields);
    made.token = bind(from.token);
    if (const auto whole = depth(cases.subject); whole && *whole > 0 &&
                                                 cases.test == core::test_kind::constructors &&
                                                 from.constructor == 1) {
      for (const variable* field : from.fields) {
        if (field != nullptr) depths_[field] = *whole - 1;
      }
    }
    made.body = copy(from.body);
    return made;
  }

  core::program& all_;
  const core::function& of_;
  const std::vector<std::size_t>& parameters_;
  const std::vector<const core::function*>& smaller_;
  std::unordered_map<const variable*, variable*> names_;
  std::unordered_map<const core::label*, const core::label*> targets_;
  // Of variables of the original.
  std::unordered_map<const variable*, std::size_t> depths_;
};

}  // namespace

core::function& unrolled_copy(core::program& all, const core::function& of,
                              const std::vector<std::size_t>& parameters,
                              const std::vector<const core::function*>& smaller) {
  return copier(all, of, parameters, smaller).run();
}

}  // namespace cleave::lang
