#include "lang/own_merge.hpp"

#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "lang/components.hpp"
#include "lang/walk.hpp"

namespace cleave::lang {
namespace {

// Where a function is called.
struct calls_of {
  std::size_t count = 0;
  // The last one that was seen, if it is a tail call of a function.
  core::block* tail = nullptr;
  std::size_t caller = 0;
};

class merger {
 public:
  explicit merger(core::program& all)
      : calls_(all.functions.size()), into_(all.functions.size()), merged_(all.functions.size()) {
    graph tail_calls(all.functions.size());
    if (all.main != nullptr) ++calls_[all.main->number].count;
    for (core::function& one : all.functions) {
      functions_.push_back(&one);
      into_[one.number] = one.number;
      walk(one.body, place::tail, [&](core::block& code, place where) {
        for (const core::step& step : code.steps) {
          if (step.what.callee != nullptr) ++calls_[step.what.callee->number].count;
        }
        if (code.end.callee == nullptr) return;
        calls_of& calls = calls_[code.end.callee->number];
        ++calls.count;
        calls.tail = where == place::tail ? &code : nullptr;
        calls.caller = one.number;
        if (where == place::tail) tail_calls[one.number].push_back(code.end.callee->number);
      });
    }
    loops_ = std::make_unique<components>(tail_calls);
  }

  bool run() {
    bool any = false;
    for (core::function* one : functions_) any = merge(*one) || any;
    return any;
  }

 private:
  // The function that has the body of this one now.
  std::size_t place_of(std::size_t one) const {
    while (into_[one] != one) one = into_[one];
    return one;
  }

  bool merge(core::function& helper) {
    const calls_of& calls = calls_[helper.number];
    if (calls.count != 1 || calls.tail == nullptr) return false;
    if (loops_->of(calls.caller) != loops_->of(helper.number)) return false;
    const std::size_t loop = place_of(calls.caller);
    if (loop == helper.number) return false;
    if (merged_[loop] + merged_[helper.number] >= most_merged) return false;
    merged_[loop] += merged_[helper.number] + 1;
    into_[helper.number] = loop;

    // A block that ends in a tail call moves as a whole only if it is the body itself.
    if (helper.body.end.callee != nullptr) {
      calls_of& next = calls_[helper.body.end.callee->number];
      if (next.tail == &helper.body) next.tail = calls.tail;
    }
    core::block& code = *calls.tail;
    for (std::size_t k = 0; k < helper.parameters.size(); ++k) {
      core::step& copied = code.steps.emplace_back();
      copied.name = helper.parameters[k];
      copied.what.arguments.push_back(code.end.arguments[k]);
    }
    std::move(helper.body.steps.begin(), helper.body.steps.end(), std::back_inserter(code.steps));
    code.end = std::move(helper.body.end);
    helper.body.steps.clear();
    helper.body.end = {};
    helper.body.end.kind = core::ending_kind::stop;
    helper.parameters.clear();
    return true;
  }

  std::vector<core::function*> functions_;
  std::vector<calls_of> calls_;
  std::vector<std::size_t> into_;
  std::vector<std::size_t> merged_;
  std::unique_ptr<components> loops_;
};

}  // namespace

bool merge_helpers(core::program& all) {
  return merger(all).run();
}

}  // namespace cleave::lang
