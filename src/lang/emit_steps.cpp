// emit_steps.cpp -- what a block does before its end: values, counts, forks.
#include <algorithm>

#include "lang/emit_code.hpp"
#include "lang/emit_kernels.hpp"
#include "lang/walk.hpp"

namespace cleave::lang {
namespace {

using core::operation_kind;
using core::step_kind;
using core::type_kind;

// Code of a parallel value that is longer than this is not written twice.
constexpr std::size_t longest_copy = 12;

bool has_forks(const core::block& first) {
  bool found = false;
  walk_here(first, [&](const core::block& code) {
    for (const core::step& one : code.steps) found = found || one.kind == step_kind::parallel;
  });
  return found;
}

// The value is assigned to `target`, or dropped if there is none.
goal to(const std::string& target, const std::string& after) {
  return {target.empty() ? goal::drops : goal::assigns, target, after};
}

// The block has one end, which gives its value.
bool is_straight(const core::block& code) {
  return code.end.kind == core::ending_kind::give || code.end.kind == core::ending_kind::tail_call;
}

// The declared result is a pair, and not a type parameter that stands for one.
bool makes_pair(const def_decl& native) {
  const term* const result = native.result_type();
  const auto* const applied = result != nullptr ? as<apply_type_term>(result) : nullptr;
  return applied != nullptr && applied->name == "Sigma";
}

// The C++ function of a native def: Array.get<U32> is Array_get<u32>; `form` is put behind
// its name.
std::string native_name(const core::operation& what, const type_writer& writer,
                        std::string_view form = {}) {
  std::string name(what.native->name);
  name += form;
  std::replace(name.begin(), name.end(), '.', '_');
  std::string types;
  for (const core::type* one : what.types) {
    types += (types.empty() ? "" : ", ") + writer.name(*one);
  }
  return types.empty() ? name : name + "<" + types + ">";
}

}  // namespace

void code_writer::step(const core::step& one) {
  switch (one.kind) {
    case step_kind::let: let(one.name, one.what); break;
    case step_kind::parallel: parallel(one); break;
    case step_kind::define: break;  // write() does it
    case step_kind::keep: line("keep(" + name(*one.name) + ");"); break;
    case step_kind::drop: line("drop(" + name(*one.name) + ");"); break;
    case step_kind::free_token: line(tokens_.at(one.name)); break;
  }
}

void code_writer::define(const core::variable* variable, const std::string& value) {
  if (variable == nullptr) {
    line("drop(" + value + ");");
  } else {
    local(unit_.type(*variable), name(*variable), value);
  }
}

void code_writer::let(const core::variable* variable, const core::operation& what) {
  if (what.kind == operation_kind::nested) {
    if (variable != nullptr) local(unit_.type(*variable), name(*variable));
    inner(*what.inner, variable != nullptr ? name(*variable) : "");
  } else if (what.kind == operation_kind::construct) {
    if (variable != nullptr) construct(*variable, what);
  } else {
    define(variable, expression(what, variable != nullptr ? variable->of : nullptr));
  }
}

// The block's value goes to the target, or is dropped without one; then what comes next.
void code_writer::inner(const core::block& code, const std::string& target) {
  const std::string after = is_straight(code) ? "" : fresh("after");
  open();
  write(code, to(target, after));
  close();
  if (!after.empty()) line(after + ":;");
}

std::string code_writer::native_call(const core::operation& what) const {
  if (const std::string number = straight_number(what); !number.empty()) return number;
  const std::string slot = straight_slot(what);
  if (slot.empty()) return native_name(what, unit_.types) + "(" + values(what.arguments) + ")";
  // The slot is there instead of its index.
  std::string call = native_name(what, unit_.types, "_slot") + "(" + value(what.arguments[0]);
  call += ", " + slot;
  for (std::size_t k = 2; k < what.arguments.size(); ++k) call += ", " + value(what.arguments[k]);
  return call + ")";
}

std::string code_writer::expression(const core::operation& what, const core::type* result) {
  const std::string arguments = values(what.arguments);
  switch (what.kind) {
    case operation_kind::copy: {
      const core::atom& from = what.arguments[0];
      if (!unit_.plain(*from.of)) return "copy_of_view(" + arguments + ")";
      if (result == nullptr || from.of == result) return arguments;
      if (result->kind == type_kind::f32) return "F32_from_bits_raw(" + arguments + ")";
      if (from.of->kind == type_kind::f32) return "F32_bits(" + arguments + ")";
      return "static_cast<" + unit_.types.name(*result) + ">(" + arguments + ")";
    }
    case operation_kind::text: return unit_.text(what.text);
    case operation_kind::call:
      if (what.device) return launch(what);
      return unit_writer::name(*what.callee) + "(" + arguments + ")";
    case operation_kind::look: return native_call(what) + ".snd";
    case operation_kind::native: {
      const std::string call = native_call(what);
      if (result == nullptr || !makes_pair(*what.native) ||
          unit_.types.layout_of(*result).form != form::boxed) {
        return call;
      }
      // Natives make pairs, and this one is so large that it is a cell here.
      const std::string pair = fresh("pair");
      const std::string& cell = unit_.types.cell(*result->data, 0);
      line("auto " + pair + " = " + call + ";");
      return "make_" + cell + "(new_cell(sizeof(" + cell + ")), " + pair + ".fst, " + pair +
             ".snd)";
    }
    case operation_kind::leaf: {
      const std::string token = what.reuse != nullptr ? ", " + name(*what.reuse) : "";
      return "leaf<" + unit_.types.name(*what.arguments[0].of) + ">(" + arguments + token + ")";
    }
    case operation_kind::node: return "node(" + arguments + ")";
    case operation_kind::make_closure: return closure(*what.made, *result);
    case operation_kind::apply: return "apply(" + arguments + ")";
    case operation_kind::run: return "run(" + arguments + ")";
    case operation_kind::construct:
    case operation_kind::nested: break;
  }
  return {};
}

void code_writer::construct(const core::variable& variable, const core::operation& what) {
  const core::type& type = *variable.of;
  const layout& found = unit_.types.layout_of(type);
  const std::string number = std::to_string(what.constructor);
  if (type.kind == type_kind::string) {
    return define(&variable,
                  what.constructor == 0 ? "empty_text" : "cons(" + values(what.arguments) + ")");
  }
  switch (found.form) {
    case form::enumeration:
      define(&variable, "static_cast<" + unit_.types.name(type) + ">(" + number + ")");
      return;
    case form::choice: {
      local(unit_.type(variable), name(variable));
      line(name(variable) + ".constructor = " + number + ";");
      if (what.arguments.empty()) return;
      const std::string fields =
          name(variable) + "." + unit_.types.cell(*type.data, what.constructor);
      for (std::size_t k = 0; k < what.arguments.size(); ++k) {
        line(fields + "." + unit_.types.field(type, what.constructor, k) + " = " +
             value(what.arguments[k]) + ";");
      }
      return;
    }
    case form::boxed: {
      const std::string& as = unit_.types.name(type);
      if (what.arguments.empty()) return define(&variable, as + "::small(" + number + ")");
      const std::string& cell = unit_.types.cell(*type.data, what.constructor);
      const std::string size = "sizeof(" + cell + ")";
      if (many_cells_ && what.reuse == nullptr) {
        return define(&variable, "make_out_of_line<make_" + cell + ">(" + size + ", " +
                                     values(what.arguments) + ")");
      }
      const std::string memory = what.reuse != nullptr
                                     ? "cell_from(" + name(*what.reuse) + ", " + size + ")"
                                     : "new_cell(" + size + ")";
      define(&variable, "make_" + cell + "(" + memory + ", " + values(what.arguments) + ")");
      return;
    }
    default: break;
  }
  std::string fields;
  for (const std::size_t k : found.cells[what.constructor].order) {
    fields += (fields.empty() ? "" : ", ") + value(what.arguments[k]);
  }
  if (machine_ != nullptr) {
    return local(unit_.type(variable), name(variable), unit_.type(variable) + "{" + fields + "}");
  }
  line(unit_.type(variable) + " " + name(variable) + "{" + fields + "};");
}

// The values in order if no fork is wanted, else as pieces of work that write to places of
// their own, so that the variables stay in registers.
void code_writer::parallel(const core::step& one) {
  std::vector<std::string> work;
  if (inside_ != nullptr && inside_->kernel) {
    // What is worth a fork there is a member of a machine.
    for (const core::branch_value& value : one.values) {
      if (value.name != nullptr) local(unit_.type(*value.name), name(*value.name));
      inner(*value.value, value.name != nullptr ? name(*value.name) : "");
    }
    return;
  }
  for (const core::branch_value& value : one.values) {
    if (value.name != nullptr) line(unit_.type(*value.name) + " " + name(*value.name) + ";");
    work.emplace_back();
    if (weight(*value.value) <= longest_copy && !has_forks(*value.value)) continue;
    work.back() = fresh("work");
    open("auto " + work.back() + " = [=]() mutable noexcept ");
    const core::function* const outside = std::exchange(inside_, nullptr);
    write(*value.value, {});
    inside_ = outside;
    close(";");
  }
  const auto run = [&](std::size_t k, const std::string& target) {
    if (!work[k].empty()) {
      return line(target.empty() ? "drop(" + work[k] + "());" : target + " = " + work[k] + "();");
    }
    inner(*one.values[k].value, target);
  };
  const auto target = [&](std::size_t k) {
    return one.values[k].name != nullptr ? name(*one.values[k].name) : std::string();
  };
  open("if (!fork_wanted()) ");
  for (std::size_t k = 0; k < one.values.size(); ++k) run(k, target(k));
  close(" else {");
  ++indent;
  std::vector<std::string> places;
  for (const core::branch_value& value : one.values) {
    places.push_back(value.name != nullptr ? fresh("value") : "");
    if (value.name != nullptr) line(unit_.type(*value.name) + " " + places.back() + ";");
  }
  line("forked(");
  const core::function* const outside = std::exchange(inside_, nullptr);
  for (std::size_t k = 0; k < one.values.size(); ++k) {
    std::string captures = "[=";
    if (!places[k].empty()) captures += ", &" + places[k];
    if (!work[k].empty()) captures += ", &" + work[k];
    open(captures + "]() mutable noexcept ");
    run(k, places[k]);
    close(k + 1 < one.values.size() ? "," : ");");
  }
  inside_ = outside;
  for (std::size_t k = 0; k < one.values.size(); ++k) {
    if (!places[k].empty()) line(target(k) + " = " + places[k] + ";");
  }
  close();
}

// The environment's struct and code go to their own places; here it is made.
std::string code_writer::closure(const core::closure& made, const core::type& type) {
  const std::string as = "closure_" + std::to_string(unit_.closures++) + "c";
  const std::string& result = unit_.types.name(made.action ? *type.first : *type.second);
  const std::string base =
      made.action ? "action_environment<" + result + ">"
                  : "environment<" + unit_.types.name(*type.first) + ", " + result + ">";
  const std::string signature =
      made.action ? "static bool " + as + "_code(" + base + "* self, " + result + "* result, io<" +
                        result + ">* next) noexcept"
                  : "static " + result + " " + as + "_code(" + base + "* self, " +
                        unit_.types.name(*type.first) + " " + name(*made.parameter) + ") noexcept";
  std::string body;
  code_writer inner(unit_, body, nullptr);
  bool plain = true;
  std::string keeps;
  std::string scans;
  std::string fields;
  for (std::size_t k = 0; k < made.inside.size(); ++k) {
    const std::string field = "c" + std::to_string(k);
    const core::variable& inside = *made.inside[k];
    fields += " " + unit_.type(inside) + " " + field + ";";
    if (unit_.plain(*inside.of)) continue;
    plain = false;
    keeps += " keep(all->" + field + ");";
    scans += " scan(static_cast<" + as + "*>(cell)->" + field + ", dead);";
  }
  if (!made.inside.empty()) {
    inner.line("auto* const all = reinterpret_cast<" + as + "*>(self);");
    const std::string free = "free_cell(all, sizeof(" + as + "));";
    if (!plain) {
      inner.line("const bool last = unique(&self->head);");
      inner.line("if (!last) {" + keeps + " }");
    }
    for (std::size_t k = 0; k < made.inside.size(); ++k) {
      inner.line(unit_.type(*made.inside[k]) + " " + name(*made.inside[k]) + " = all->c" +
                 std::to_string(k) + ";");
    }
    inner.line(plain ? "release(&self->head);"
                     : "if (last) " + free + " else release(&self->head);");
  }
  inner.open();
  inner.write(made.body, {made.action ? goal::acts : goal::returns, {}, {}});
  inner.close();
  unit_.closure_structs += signature + ";\n";
  unit_.closure_code += signature + " {\n" + body + "}\n";

  const std::string value = unit_.types.name(type);
  if (made.captures.empty()) {
    unit_.closure_structs +=
        "static constinit " + base + " " + as + "{immortal_header(), " + as + "_code};\n";
    return value + "{&" + as + "}";
  }
  unit_.closure_structs += "struct " + as + " { " + base + " head;" + fields + " };\n";
  std::string captures;
  for (const core::variable* one : made.captures) captures += ", " + name(*one);
  const std::string descriptor = std::to_string(unit_.descriptor_count++);
  std::string scan = "nullptr";
  if (!plain) {
    scan = "program::scan_" + as;
    unit_.closure_structs +=
        "static void scan_" + as + "(void* cell, pile& dead) noexcept {" + scans + " }\n";
  }
  unit_.descriptor_lines += "    {sizeof(program::" + as + "), " + scan + "},\n";
  unit_.closure_structs += "static inline " + value + " make_" + as + "(";
  std::string takes;
  std::string gives;
  for (std::size_t k = 0; k < made.captures.size(); ++k) {
    takes += (k > 0 ? ", " : "") + unit_.type(*made.captures[k]) + " c" + std::to_string(k);
    gives += ", c" + std::to_string(k);
  }
  unit_.closure_structs += takes + ") {\n  auto* const all = static_cast<" + as +
                           "*>(new_cell(sizeof(" + as + ")));\n  *all = " + as + "{{new_header(" +
                           descriptor + "), " + as + "_code}" + gives +
                           "};\n  return {&all->head};\n}\n";
  return "make_" + as + "(" + captures.substr(2) + ")";
}

}  // namespace cleave::lang
