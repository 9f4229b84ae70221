#include "lang/emit_kernels.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "lang/emit_code.hpp"

namespace cleave::lang {
namespace {

using core::step_kind;

// The variables that code uses and does not bind itself, in the order of their numbers.
class names_needed {
 public:
  void add(std::span<const core::step> steps) {
    for (const core::step& one : steps) {
      add(one.what.arguments);
      use(one.what.reuse);
      if (one.what.inner) add(*one.what.inner);
      for (const core::branch_value& value : one.values) {
        add(*value.value);
        bind(value.name);
      }
      if (one.target) add(*one.target);
      one.kind == step_kind::let ? bind(one.name) : use(one.name);
    }
  }
  void add(const core::block& code) {
    add(std::span(code.steps));
    add(code.end);
  }
  void add(const core::ending& end) {
    use(end.value.name);
    add(end.arguments);
    if (end.target != nullptr) add(*end.target);
    if (!end.cases) return;
    use(end.cases->subject.name);
    for (const core::arm& arm : end.cases->arms) {
      for (const core::variable* field : arm.fields) bind(field);
      bind(arm.token);
      add(*arm.body);
    }
    if (end.cases->otherwise) add(*end.cases->otherwise);
  }
  void bind(const core::variable* one) { bound_.insert(one); }
  void use(const core::variable* one) {
    if (one != nullptr) used_[one->number] = one;
  }

  [[nodiscard]] std::vector<const core::variable*> all() const {
    std::vector<const core::variable*> found;
    for (const auto& [number, one] : used_) {
      if (!bound_.contains(one)) found.push_back(one);
    }
    return found;
  }

 private:
  void add(const std::vector<core::atom>& atoms) {
    for (const core::atom& one : atoms) use(one.name);
  }
  // Jumps lead to labels that are defined before, so this ends.
  void add(const core::label& one) {
    if (!labels_.insert(&one).second) return;
    for (const core::variable* parameter : one.parameters) bind(parameter);
    add(*one.body);
  }

  std::map<std::size_t, const core::variable*> used_;
  std::set<const core::variable*> bound_;
  std::set<const core::label*> labels_;
};

// A call that a machine waits for, with what its value computes besides.
struct waiting {
  const core::function* callee = nullptr;
  const std::vector<core::atom>* arguments = nullptr;
  const core::variable* result = nullptr;  // null if nobody wants it
  std::span<const core::step> before{};
  std::span<const core::step> behind{};
  const core::variable* name = nullptr;  // of the value, if it is not the result itself
  core::atom value{};
};

std::vector<waiting> calls_of(const core::step& one, const kernel_members& members) {
  std::vector<waiting> made;
  if (one.kind == step_kind::let) {
    made.push_back(
        {.callee = one.what.callee, .arguments = &one.what.arguments, .result = one.name});
  }
  for (const core::branch_value& value : one.values) {
    const member_call call = call_in(*value.value, members);
    const std::span<const core::step> steps(value.value->steps);
    waiting& next = made.emplace_back();
    next.callee = call.callee;
    next.arguments = call.arguments;
    next.before = steps.first(call.step);
    if (call.step == steps.size()) {
      next.result = value.name;
      continue;
    }
    next.result = steps[call.step].name;
    next.behind = steps.subspan(call.step + 1);
    next.name = value.name;
    next.value = value.value->end.value;
  }
  return made;
}

std::string number(std::size_t value) {
  return std::to_string(value);
}

}  // namespace

std::size_t machine_code::entry(const core::function& one) const {
  return static_cast<std::size_t>(std::find(members.begin(), members.end(), &one) -
                                  members.begin());
}

std::string machine_name(const core::function& kernel) {
  return "machine" + number(kernel.number);
}

std::string machine_call(const core::function& kernel) {
  return "launch" + number(kernel.number);
}

bool code_writer::stops_at(const core::step& one) const {
  if (machine_ == nullptr) return false;
  if (one.kind == step_kind::let) {
    return one.what.callee != nullptr && machine_->has(*one.what.callee);
  }
  return one.kind == step_kind::parallel &&
         call_in(*one.values.front().value, machine_->all).callee != nullptr;
}

// The step with the number `at` of the block.
void code_writer::wait_at(const core::block& code, std::size_t at) {
  const std::vector<waiting> calls = calls_of(code.steps[at], machine_->all);
  const std::string state = number(machine_->states++);
  machine_->most_calls = std::max(machine_->most_calls, calls.size());
  names_needed needed;
  std::string results;
  std::string drops;
  for (std::size_t k = 0; k < calls.size(); ++k) {
    const waiting& one = calls[k];
    for (const core::step& before : one.before) step(before);
    const std::string slot = "at.slots[" + number(k) + "].";
    line(slot + "state = " + number(machine_->entry(*one.callee)) + ";");
    line(slot + "as." + machine_code::takes(*one.callee) + " = {" + values(*one.arguments) + "};");
    const std::string result = slot + "as." + machine_code::result(*one.callee);
    needed.bind(one.result);
    if (one.result != nullptr) {
      local(unit_.type(*one.result), name(*one.result));
      results += " " + name(*one.result) + " = " + result + ";";
    } else if (!unit_.plain(*one.callee->result)) {
      results += " drop(" + result + ");";
    }
  }
  // Values are named when all of them are there.
  for (const waiting& one : calls) {
    needed.add(one.behind);
    needed.use(one.value.name);
    needed.bind(one.name);
  }
  needed.add(std::span(code.steps).subspan(at + 1));
  needed.add(code.end);

  std::string fields;
  std::string kept;
  std::string restored;
  for (const core::variable* one : needed.all()) {
    fields += " " + (one->token ? "void*" : unit_.type(*one)) + " " + name(*one) + ";";
    kept += (kept.empty() ? "" : ", ") + name(*one);
    restored += " " + name(*one) + " = at.frame.f" + state + "." + name(*one) + ";";
  }
  if (!fields.empty()) {
    machine_->frames += "  struct frame" + state + " {" + fields + " };\n";
    machine_->frame_members += " frame" + state + " f" + state + ";";
    line("at.frame.f" + state + " = {" + kept + "};");
  }
  machine_->resumptions +=
      "    case " + state + ":" + restored + results + " goto resume_" + state + ";\n";
  line("at.state = " + state + ";");
  line("return " + number(calls.size()) + ";");
  line("resume_" + state + ":;");
  for (const waiting& one : calls) {
    for (const core::step& behind : one.behind) step(behind);
    if (one.value.of != nullptr) define(one.name, value(one.value));
  }
}

// What the host has for the kernel goes to where the device finds it.
std::string code_writer::launch(const core::operation& what) {
  for (const core::atom& one : what.arguments) {
    if (one.name == nullptr || unit_.plain(*one.name->of)) continue;
    line(name(*one.name) + " = to_device(" + name(*one.name) + ");");
  }
  return machine_call(*what.callee) + "(" + values(what.arguments) + ")";
}

namespace {

void define_machine(unit_writer& unit, const core::function& kernel, const kernel_members& all,
                    machine_text& into) {
  machine_code machine{.all = all};
  machine.members = all.of(kernel);
  machine.states = machine.members.size();
  const std::string name = machine_name(kernel);

  std::string bodies;
  std::string entries;
  std::string structs;
  std::string slot;
  for (std::size_t k = 0; k < machine.members.size(); ++k) {
    const core::function& one = *machine.members[k];
    const std::string takes = machine_code::takes(one);
    entries += "    case " + number(k) + ":";
    structs += "  struct takes" + number(one.number) + " {";
    for (const core::variable* parameter : one.parameters) {
      const std::string as = unit_writer::name(*parameter);
      machine.locals += "  " + unit.type(*parameter) + " " + as + ";\n";
      entries += " " + as + " = at.slots[0].as." + takes + "." + as + ";";
      structs += " " + unit.type(*parameter) + " " + as + ";";
    }
    entries += " goto " + code_writer::entry_label(one) + ";\n";
    structs += " };  // " + comment(one.name) + "\n";
    slot += " takes" + number(one.number) + " " + takes + ";";
    slot += " " + unit.types.name(*one.result) + " " + machine_code::result(one) + ";";
    bodies += "  // " + comment(one.name) + "\n" + code_writer::entry_label(one) + ":\n  {\n";
    code_writer code(unit, bodies, &one, &machine);
    code.indent = 2;
    code.write(one.body, {});
    bodies += "  }\n";
  }

  into.types += "struct " + name + " {\n" + structs + machine.frames;
  into.types += "  struct slot { u32 state; union {" + slot + " } as; };\n";
  if (machine.frame_members.empty()) machine.frame_members = " u32 none;";
  into.types += "  struct tree_node { u32 state; u32 waits; u32 first; bool done; union {" +
                machine.frame_members + " } frame; slot slots[" + number(machine.most_calls) +
                "]; };\n";
  into.types += "  static constexpr u32 most_calls = " + number(machine.most_calls) + ";\n";
  into.types += "  CLEAVE_ON_DEVICE static u32 step(tree_node& at) noexcept;\n};\n";

  std::string parameters;
  std::string given;
  for (const core::variable* one : kernel.parameters) {
    const std::string comma = parameters.empty() ? "" : ", ";
    parameters += comma + unit.type(*one) + " " + unit_writer::name(*one);
    given += comma + unit_writer::name(*one);
  }
  into.types += "static " + unit.types.name(*kernel.result) + " " + machine_call(kernel) + "(" +
                parameters + ") noexcept {\n  " + name + "::slot call;\n  call.state = 0;\n";
  into.types += "  call.as." + machine_code::takes(kernel) + " = {" + given + "};\n";
  into.types += "  run_on_device<" + name + ">(call);\n";
  into.types += "  return call.as." + machine_code::result(kernel) + ";\n}\n";

  into.code += "CLEAVE_ON_DEVICE u32 " + name + "::step(tree_node& at) noexcept {\n" +
               machine.locals + "  switch (at.state) {\n" + entries + machine.resumptions +
               "    default: return 0;\n  }\n" + bodies + "}\n\n";
}

}  // namespace

machine_text define_machines(unit_writer& unit, const core::program& all,
                             const kernel_members& members) {
  machine_text made;
  for (const core::function& one : all.functions) {
    if (!one.launches) continue;
    const core::function* kernel = one.body.end.callee;
    for (const core::step& step : one.body.steps) {
      if (step.what.device) kernel = step.what.callee;
    }
    define_machine(unit, *kernel, members, made);
  }
  return made;
}

}  // namespace cleave::lang
