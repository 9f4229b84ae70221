#include "lang/emit_functions.hpp"

#include <algorithm>

#include "lang/emit_code.hpp"
#include "lang/walk.hpp"

namespace cleave::lang {
namespace {

// Helpers up to this size are worth a hint.
constexpr std::size_t small_function = 16;

bool is_small(const core::function& one) {
  std::size_t steps = 0;
  walk(one.body, place::tail,
       [&](const core::block& code, place) { steps += code.steps.size() + 1; });
  return steps <= small_function;
}

std::string signature(const unit_writer& unit, const core::function& one) {
  std::string parameters;
  for (const core::variable* parameter : one.parameters) {
    parameters += parameters.empty() ? "" : ", ";
    parameters += unit.type(*parameter) + " " + unit_writer::name(*parameter);
  }
  return (one.kernel ? "CLEAVE_ON_DEVICE " : "") + unit.types.name(*one.result) + " " +
         unit_writer::name(one) + "(" + parameters + ") noexcept";
}

// The bodies of all members, one behind the other, each with a label if it is jumped to.
void bodies(unit_writer& unit, const function_group& group, std::string& out) {
  for (const core::function* one : group.members) {
    const bool labelled = unit.groups.jumped_to(*one);
    const bool entered =
        std::find(group.entries.begin(), group.entries.end(), one) != group.entries.end();
    if (!labelled && !entered) continue;
    out += "  // " + comment(one->name) + "\n";
    if (labelled || group.entries.size() > 1) out += code_writer::entry_label(*one) + ":\n";
    out += "  {\n";
    code_writer code(unit, out, one);
    code.indent = 2;
    code.write(*one);
    out += "  }\n";
  }
}

// The parameters of the members that are not those of `entry`, as variables.
void locals(unit_writer& unit, const function_group& group, const core::function* entry,
            std::string& out) {
  for (const core::function* one : group.members) {
    if (one == entry) continue;
    for (const core::variable* parameter : one->parameters) {
      out += "  " + unit.type(*parameter) + " " + unit_writer::name(*parameter) + ";\n";
    }
  }
}

void define_single(unit_writer& unit, const function_group& group, std::string& out) {
  const core::function& entry = *group.entries.front();
  out += "static " + signature(unit, entry) + " {\n";
  locals(unit, group, &entry, out);
  if (group.members.front() != &entry) {
    out += "  goto " + code_writer::entry_label(entry) + ";\n";
  }
  bodies(unit, group, out);
  out += "}\n\n";
}

// Several members are called: each gets a function that says where to begin.
void define_many(unit_writer& unit, const function_group& group, std::string& out) {
  const std::string name = "group" + std::to_string(group.entries.front()->number);
  std::string parameters = "u32 begin";
  for (const core::function* one : group.entries) {
    for (const core::variable* parameter : one->parameters) {
      parameters += ", " + unit.type(*parameter) + " " + unit_writer::name(*parameter);
    }
  }
  if (group.entries.front()->kernel) out += "CLEAVE_ON_DEVICE ";
  out += "static " + unit.types.name(*group.entries.front()->result) + " " + name + "(" +
         parameters + ") noexcept {\n";
  function_group others = group;
  std::erase_if(others.members, [&](const core::function* one) {
    return std::find(group.entries.begin(), group.entries.end(), one) != group.entries.end();
  });
  locals(unit, others, nullptr, out);
  out += "  switch (begin) {\n";
  for (std::size_t k = 0; k < group.entries.size(); ++k) {
    out += (k + 1 < group.entries.size() ? "    case " + std::to_string(k) : "    default") +
           ": goto " + code_writer::entry_label(*group.entries[k]) + ";\n";
  }
  out += "  }\n";
  bodies(unit, group, out);
  out += "}\n";
  for (std::size_t k = 0; k < group.entries.size(); ++k) {
    out += "static " + signature(unit, *group.entries[k]) + " {\n  return " + name + "(" +
           std::to_string(k);
    for (const core::function* one : group.entries) {
      for (const core::variable* parameter : one->parameters) {
        out += one == group.entries[k] ? ", " + unit_writer::name(*parameter)
                                       : ", " + unit.type(*parameter) + "{}";
      }
    }
    out += ");\n}\n";
  }
  out += "\n";
}

}  // namespace

std::string declare_functions(const unit_writer& unit) {
  std::string out;
  for (const function_group& group : unit.groups.all()) {
    if (unit.members.has(*group.members.front())) continue;
    const bool loops = group.members.size() > 1 || unit.groups.jumped_to(*group.members.front());
    for (const core::function* one : group.entries) {
      if (one->inlined) out += "[[gnu::always_inline]] ";
      out += one->inlined || (!loops && is_small(*one)) ? "static inline " : "static ";
      out += signature(unit, *one) + ";\n";
    }
  }
  return out;
}

std::string define_functions(unit_writer& unit) {
  std::string out;
  for (const function_group& group : unit.groups.all()) {
    if (unit.members.has(*group.members.front())) continue;
    if (group.entries.size() == 1) define_single(unit, group, out);
    if (group.entries.size() > 1) define_many(unit, group, out);
  }
  return out;
}

}  // namespace cleave::lang
