#include "lang/emit_groups.hpp"

#include "lang/components.hpp"
#include "lang/walk.hpp"

namespace cleave::lang {

function_groups::function_groups(const core::program& all)
    : group_of_(all.functions.size()), jumped_to_(all.functions.size(), false) {
  const std::size_t count = all.functions.size();
  graph tail_calls(count);
  std::vector<const core::function*> by_number(count);
  std::vector<bool> called(count, false);
  if (all.main != nullptr) called[all.main->number] = true;

  for (const core::function& one : all.functions) {
    by_number[one.number] = &one;
    walk(one.body, place::tail, [&](const core::block& code, place where) {
      for (const core::step& step : code.steps) {
        if (step.what.callee != nullptr) called[step.what.callee->number] = true;
      }
      if (code.end.callee == nullptr) return;
      if (where == place::tail) {
        tail_calls[one.number].push_back(code.end.callee->number);
      } else {
        called[code.end.callee->number] = true;
      }
    });
  }

  const components reach(tail_calls);
  for (std::size_t from = 0; from < count; ++from) {
    for (const std::size_t to : tail_calls[from]) {
      if (reach.of(from) == reach.of(to)) {
        jumped_to_[to] = true;
      } else {
        called[to] = true;
      }
    }
  }
  for (const std::vector<std::size_t>& members : reach.all()) {
    function_group& group = groups_.emplace_back();
    for (const std::size_t number : members) {
      group_of_[number] = groups_.size() - 1;
      group.members.push_back(by_number[number]);
      if (called[number]) group.entries.push_back(by_number[number]);
    }
  }
}

}  // namespace cleave::lang
