// kernels.cpp -- which functions are members, and what the host calls.
#include "lang/kernels.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "lang/components.hpp"
#include "lang/kernel_check.hpp"
#include "lang/kernel_forks.hpp"
#include "lang/own_simplify.hpp"
#include "lang/walk.hpp"

namespace cleave::lang {
namespace {

// Calls visit(callee, device, where of the call) for all calls in the function.
template <class Function, class Visit>
void each_call(Function& of, Visit&& visit) {
  walk(of.body, place::tail, [&](auto& code, place) {
    for (auto& one : code.steps) {
      if (one.what.callee != nullptr) visit(one.what.callee, one.what.device, one.what.where);
    }
    if (code.end.callee != nullptr) visit(code.end.callee, code.end.device, code.end.where);
  });
}

// The function that the host calls in the place of the kernel.
core::function& make_launcher(core::program& all, const core::function& kernel) {
  core::function& made = all.functions.emplace_back();
  made.name = kernel.name + " on the device";
  made.source = kernel.source;
  made.result = kernel.result;
  made.number = all.functions.size() - 1;
  made.launches = true;
  made.body.end.kind = core::ending_kind::tail_call;
  made.body.end.callee = &kernel;
  made.body.end.device = true;
  for (const core::variable* one : kernel.parameters) {
    core::variable& parameter = all.variables.emplace_back();
    parameter.of = one->of;
    parameter.name = one->name;
    parameter.number = all.variables.size() - 1;
    made.parameters.push_back(&parameter);
    made.body.end.arguments.push_back({&parameter, one->of, 0});
  }
  return made;
}

void number(core::program& all) {
  std::size_t count = 0;
  for (core::variable& one : all.variables) one.number = count++;
  count = 0;
  for (core::function& one : all.functions) one.number = count++;
}

// Why each kernel cannot be one; those that can are not in it.
using reasons = std::map<const core::function*, std::string>;

bool refuse(const core::program& all, const reasons& why, device_calls& calls) {
  if (why.empty()) return true;
  for (const core::function& one : all.functions) {
    each_call(one, [&](const core::function* callee, bool, const span& where) {
      const auto found = why.find(callee);
      if (found != why.end() && !one.kernel) calls.refuse(where, found->second);
    });
  }
  return false;
}

}  // namespace

kernel_members::kernel_members(const core::program& all) : member_(all.functions.size(), false) {
  const std::size_t count = all.functions.size();
  graph calls(count);
  graph inner(count);  // but for tail calls
  for (const core::function& one : all.functions) {
    each_call(one, [&](const core::function* callee, bool device, const span&) {
      if (device) member_[callee->number] = true;
      if (one.kernel) calls[one.number].push_back(callee->number);
    });
    if (!one.kernel) continue;
    walk(one.body, place::tail, [&](const core::block& code, place where) {
      for (const core::step& step : code.steps) {
        if (step.what.callee != nullptr) inner[one.number].push_back(step.what.callee->number);
      }
      if (code.end.callee != nullptr && where != place::tail) {
        inner[one.number].push_back(code.end.callee->number);
      }
    });
  }
  const components circles(calls);
  for (std::size_t from = 0; from < count; ++from) {
    for (const std::size_t to : inner[from]) {
      if (circles.of(from) == circles.of(to)) member_[from] = true;
    }
  }
  // Edges lead to components of smaller numbers, so what is called is known before.
  for (const std::vector<std::size_t>& circle : circles.all()) {
    bool any = false;
    for (const std::size_t one : circle) {
      any = any || member_[one];
      for (const std::size_t callee : calls[one]) any = any || member_[callee];
    }
    if (!any) continue;
    for (const std::size_t one : circle) {
      if (!calls[one].empty()) member_[one] = true;
    }
  }
}

std::vector<const core::function*> kernel_members::of(const core::function& kernel) const {
  std::vector<const core::function*> found{&kernel};
  std::vector<bool> seen(member_.size(), false);
  seen[kernel.number] = true;
  for (std::size_t k = 0; k < found.size(); ++k) {
    each_call(*found[k], [&](const core::function* callee, bool, const span&) {
      if (seen[callee->number] || !has(*callee)) return;
      seen[callee->number] = true;
      found.push_back(callee);
    });
  }
  return found;
}

member_call call_in(const core::block& value, const kernel_members& members) {
  if (value.end.kind == core::ending_kind::tail_call && value.end.callee != nullptr &&
      members.has(*value.end.callee)) {
    return {value.end.callee, &value.end.arguments, value.steps.size()};
  }
  if (value.end.kind != core::ending_kind::give) return {};
  for (std::size_t k = 0; k < value.steps.size(); ++k) {
    const core::operation& what = value.steps[k].what;
    if (what.kind == core::operation_kind::call && members.has(*what.callee)) {
      return {what.callee, &what.arguments, k};
    }
  }
  return {};
}

bool place_kernels(core::program& all, device_calls& calls) {
  number(all);
  simplify(all);
  std::map<const core::function*, const core::function*> launchers;
  for (const core::function& one : all.functions) {
    if (one.kernel) continue;
    each_call(one, [&](const core::function* callee, bool device, const span&) {
      if (device) launchers.emplace(callee, nullptr);
    });
  }
  kernel_check check(all);
  reasons why;
  for (const auto& [kernel, launcher] : launchers) {
    if (std::string reason = check.reason_against(*kernel); !reason.empty()) {
      why.emplace(kernel, std::move(reason));
    }
  }
  if (!refuse(all, why, calls)) return false;

  const std::size_t count = all.functions.size();
  for (auto& [kernel, launcher] : launchers) launcher = &make_launcher(all, *kernel);
  for (std::size_t k = 0; k < count; ++k) {
    each_call(all.functions[k], [&](const core::function*& callee, bool& device, const span&) {
      if (!device) return;
      callee = launchers.at(callee);
      device = false;
    });
  }
  const kernel_members members(all);
  for (core::function& one : all.functions) {
    if (members.has(one)) gather_forks(all, one, members);
  }
  return true;
}

bool kernels_hold(const core::program& all, device_calls& calls) {
  const kernel_members members(all);
  kernel_check check(all);
  reasons why;  // of launchers
  for (const core::function& one : all.functions) {
    if (!one.launches) continue;
    each_call(one, [&](const core::function* kernel, bool, const span&) {
      std::string reason = check.reason_against_owned(*kernel, members);
      if (!reason.empty()) why.emplace(&one, std::move(reason));
    });
  }
  return refuse(all, why, calls);
}

}  // namespace cleave::lang
