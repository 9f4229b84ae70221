#include "lang/kernel_check.hpp"

#include <array>
#include <string_view>
#include <vector>

#include "lang/walk.hpp"

namespace cleave::lang {
namespace {

using core::operation_kind;
using core::step_kind;
using core::type_kind;

// What the math library of a device may round in another way, and what counts owners.
constexpr std::array<std::string_view, 18> host_natives = {
    "F32.exp",  "F32.log",  "F32.log2", "F32.log10", "F32.sin",    "F32.cos",
    "F32.tan",  "F32.asin", "F32.acos", "F32.atan",  "F32.sinh",   "F32.cosh",
    "F32.tanh", "F32.pow",  "F32.mod",  "F32.atan2", "Array.fork", "Array.join"};

bool is_for_hosts(std::string_view native) {
  for (const std::string_view one : host_natives) {
    if (one == native) return true;
  }
  return native.starts_with("Array.atomic.");
}

bool has_effects(const core::function& one) {
  bool found = false;
  walk(one.body, place::tail, [&](const core::block& code, place) {
    for (const core::step& step : code.steps) {
      const def_decl* const native = step.what.native;
      found = found || (native != nullptr &&
                        (native->name.starts_with("IO.") || native->name.starts_with("File.")));
    }
  });
  return found;
}

// Each slot gets, or gives, one more owner of what an element holds.
bool shares_elements(std::string_view native) {
  return native == "Array.get" || native == "Array.new" || native == "Array.clone";
}

// All functions that the first one leads to, itself among them.
std::vector<const core::function*> reached_from(const core::function& first) {
  std::vector<const core::function*> found{&first};
  std::unordered_map<const core::function*, bool> seen{{&first, true}};
  const auto add = [&](const core::function* callee) {
    if (callee != nullptr && seen.emplace(callee, true).second) found.push_back(callee);
  };
  for (std::size_t k = 0; k < found.size(); ++k) {
    walk(found[k]->body, place::tail, [&](const core::block& code, place) {
      for (const core::step& one : code.steps) add(one.what.callee);
      add(code.end.callee);
    });
  }
  return found;
}

std::size_t calls_of_members(const core::block& first, const kernel_members& members) {
  std::size_t count = 0;
  const auto add = [&](const core::function* callee) {
    if (callee != nullptr && members.has(*callee)) ++count;
  };
  walk_here(first, [&](const core::block& code) {
    for (const core::step& one : code.steps) add(one.what.callee);
    add(code.end.callee);
  });
  return count;
}

}  // namespace

std::string kernel_check::reason_against(const core::function& kernel) {
  for (const core::function* one : reached_from(kernel)) {
    if (const std::string reason = reason_in(*one); !reason.empty()) {
      return one->name + " " + reason;
    }
  }
  return {};
}

std::string kernel_check::reason_in(const core::function& one) {
  if (has_effects(one)) return "has effects";
  std::string found;
  const auto look = [&](const core::type* type) {
    if (found.empty() && type != nullptr) found = reason_in(*type);
  };
  const auto look_at = [&](const core::variable* name) {
    if (name != nullptr) look(name->of);
  };
  look(one.result);
  for (const core::variable* parameter : one.parameters) look_at(parameter);
  walk(one.body, place::tail, [&](const core::block& code, place) {
    for (const core::step& step : code.steps) {
      if (found.empty() && step.kind == step_kind::let) found = reason_in(step.what);
      look_at(step.name);
      for (const core::branch_value& value : step.values) look_at(value.name);
      if (!step.target) continue;
      for (const core::variable* parameter : step.target->parameters) look_at(parameter);
    }
    const bool applies =
        code.end.kind == core::ending_kind::tail_call && code.end.callee == nullptr;
    if (found.empty() && applies) found = "calls a function value";
    if (found.empty() && code.end.kind == core::ending_kind::tail_run) found = "has effects";
    if (!code.end.cases) return;
    look(code.end.cases->subject.of);
    for (const core::arm& arm : code.end.cases->arms) {
      for (const core::variable* field : arm.fields) look_at(field);
    }
  });
  return found;
}

const std::string& kernel_check::reason_in(const core::type& type) {
  const auto [at, fresh] = types_.try_emplace(&type);
  if (!fresh) return at->second;
  std::string found;
  switch (type.kind) {
    case type_kind::string: found = "has a String"; break;
    case type_kind::function: found = "has a function value"; break;
    case type_kind::io: found = "has effects"; break;
    case type_kind::array: found = reason_in(*type.first); break;
    case type_kind::data:
      if (shapes_.of(type).form == form::boxed) {
        found = "has " + type.data->name + ", which is made of cells";
        break;
      }
      for (const core::constructor& one : type.data->constructors) {
        for (const core::type* field : one.fields) {
          if (found.empty()) found = reason_in(*field);
        }
      }
      break;
    default: break;
  }
  return types_[&type] = found;
}

std::string kernel_check::reason_in(const core::operation& what) const {
  switch (what.kind) {
    case operation_kind::text: return "has a String";
    case operation_kind::make_closure: return "has a function value";
    case operation_kind::apply: return "calls a function value";
    case operation_kind::run: return "has effects";
    case operation_kind::native:
    case operation_kind::look: break;
    default: return {};
  }
  const std::string name(what.native->name);
  if (is_for_hosts(name)) return "calls " + name;
  if (!shares_elements(name)) return {};
  for (const core::type* one : what.types) {
    if (!shapes_.of(*one).plain) return "calls " + name + " for elements that have an owner";
  }
  return {};
}

std::string kernel_check::reason_against_owned(const core::function& kernel,
                                               const kernel_members& members) {
  std::string found;
  for (const core::function* one : reached_from(kernel)) {
    walk(one->body, place::tail, [&](const core::block& code, place) {
      for (const core::step& step : code.steps) {
        if (!found.empty()) return;
        if (step.kind == step_kind::keep && !core::is_plain(*step.name->of)) {
          found = one->name + " needs a second owner of an array";
        }
        if (!members.has(*one)) continue;
        for (const core::branch_value& value : step.values) {
          if (call_in(*value.value, members).callee == nullptr ||
              calls_of_members(*value.value, members) != 1) {
            found = one->name + " has a parallel value that is more than a call";
          }
        }
        if (step.what.inner && calls_of_members(*step.what.inner, members) != 0) {
          found = one->name + " calls itself where it cannot wait";
        }
      }
    });
    if (!found.empty()) break;
  }
  return found;
}

}  // namespace cleave::lang
