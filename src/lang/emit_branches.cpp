// emit_branches.cpp -- matches: which arm is taken, and where its fields come from.
#include <algorithm>

#include "lang/emit_code.hpp"

namespace cleave::lang {
namespace {

using core::test_kind;
using core::type_kind;

}  // namespace

std::string code_writer::condition(const core::branching& cases, const core::arm& one) const {
  if (holds_in_round(cases, one)) return "true";
  const std::string subject = value(cases.subject);
  switch (cases.test) {
    case test_kind::numbers: return subject + " == " + std::to_string(one.value) + "u";
    case test_kind::at_least: return subject + " >= " + std::to_string(one.value) + "u";
    case test_kind::texts:
      return "is_text(" + subject + ", " + string_literal(one.text) + ", " +
             std::to_string(one.text.size()) + ")";
    case test_kind::small_array:
      // What is above the depth in meta is the control block of a shared array.
      return (cases.in_order ? "!fork_wanted() && " : "") + subject +
             ".meta == " + std::to_string(one.value) + "u";
    case test_kind::constructors: break;
  }
  const core::type& type = *cases.subject.of;
  const layout& found = unit_.types.layout_of(type);
  const std::string number = std::to_string(one.constructor);
  switch (found.form) {
    case form::text: return (one.constructor == 0 ? "is_nil(" : "!is_nil(") + subject + ")";
    case form::array: return (one.constructor == 0 ? "" : "!") + subject + ".is_leaf()";
    case form::choice: return subject + ".constructor == " + number;
    case form::boxed: {
      const auto has_fields = [](const core::constructor& c) { return !c.fields.empty(); };
      const std::vector<core::constructor>& all = type.data->constructors;
      if (!has_fields(all[one.constructor])) {
        return subject + ".bits == " + std::to_string(2 * one.constructor + 1) + "u";
      }
      if (std::count_if(all.begin(), all.end(), has_fields) == 1)
        return "!" + subject + ".is_small()";
      return subject + ".constructor() == " + number;
    }
    default: break;
  }
  if (type.kind == type_kind::data && type.data->name == "Bool") {
    return (one.constructor == 0 ? "!" : "") + subject;
  }
  return subject + " == " + number;
}

void code_writer::branch(const core::branching& cases, const goal& to) {
  alternatives all;
  for (const core::arm& one : cases.arms) all.push_back(&one);
  if (cases.otherwise) all.push_back(nullptr);
  // No arms at all: a value of a type without constructors.
  if (all.empty()) return line("stop(message::fail_stop);");
  const bool by_number = cases.test == test_kind::numbers || cases.test == test_kind::constructors;
  if (by_number && all.size() > 2) {
    switch_arms(cases, all, to);
  } else {
    if_arms(cases, all, to);
  }
}

// if (one) {...} another. The last needs no test.
void code_writer::if_arms(const core::branching& cases, const alternatives& all, const goal& to) {
  const bool turned = all.size() == 2 && weight(body(cases, all[0])) > weight(body(cases, all[1]));
  if (turned) {
    open("if (!(" + condition(cases, *all[0]) + ")) ");
    arm_body(cases, all[1], to);
    close();
    return arm_body(cases, all[0], to);
  }
  for (std::size_t k = 0; k + 1 < all.size(); ++k) {
    open("if (" + condition(cases, *all[k]) + ") ");
    arm_body(cases, all[k], to);
    close();
  }
  arm_body(cases, all.back(), to);
}

void code_writer::switch_arms(const core::branching& cases, const alternatives& all,
                              const goal& to) {
  std::string subject = value(cases.subject);
  if (cases.test == test_kind::constructors) {
    const layout& found = unit_.types.layout_of(*cases.subject.of);
    if (found.form == form::boxed) subject += ".constructor()";
    if (found.form == form::choice) subject += ".constructor";
  }
  const auto longest =
      std::max_element(all.begin(), all.end(), [&](const core::arm* a, const core::arm* b) {
        return weight(body(cases, a)) < weight(body(cases, b));
      });
  const bool covered = cases.otherwise == nullptr;
  open("switch (" + subject + ") ");
  for (auto one = all.begin(); one != all.end(); ++one) {
    // Without `otherwise` the arm behind the switch is what no label names.
    if (covered && one == longest) continue;
    std::string label = "default: ";
    if (*one != nullptr) {
      const std::uint64_t number =
          cases.test == test_kind::constructors ? (*one)->constructor : (*one)->value;
      label = "case " + std::to_string(number) + "u: ";
    }
    if (one == longest) {
      line(label + "break;");
      continue;
    }
    open(label);
    arm_body(cases, *one, to);
    close();
  }
  if (covered) line("default: break;");
  close();
  arm_body(cases, *longest, to);
}

// Null: what no arm covers.
void code_writer::arm_body(const core::branching& cases, const core::arm* one, const goal& to) {
  if (one == nullptr) {
    if (cases.consumes && !unit_.plain(*cases.subject.of)) {
      line("drop(" + value(cases.subject) + ");");
    }
    write(*cases.otherwise, to);
    return;
  }
  take_fields(cases, *one);
  write(*one->body, to);
}

void code_writer::take_fields(const core::branching& cases, const core::arm& one) {
  if (cases.test == test_kind::at_least) {
    if (!one.fields.empty() && one.fields[0] != nullptr) {
      define(one.fields[0], value(cases.subject) + " - " + std::to_string(one.value) + "u");
    }
    return;
  }
  if (cases.test == test_kind::small_array) {
    // The compiler would forget it.
    line(value(cases.subject) + ".meta = " + std::to_string(one.value) + "u;");
    return;
  }
  if (cases.test != test_kind::constructors) {
    if (cases.consumes && !unit_.plain(*cases.subject.of)) {
      line("drop(" + value(cases.subject) + ");");
    }
    return;
  }
  if (one.token != nullptr && !cases.consumes) {
    // The subject lives on, so there is no memory.
    local("void*", name(*one.token), "nullptr");
    tokens_[one.token] = ";";
  }
  switch (unit_.types.layout_of(*cases.subject.of).form) {
    case form::boxed: take_from_cell(cases, one); break;
    case form::pair:
    case form::record:
    case form::choice: take_from_struct(cases, one); break;
    case form::array: take_from_array(cases, one); break;
    case form::text: take_from_string(cases, one); break;
    default: break;
  }
}

void code_writer::take_from_cell(const core::branching& cases, const core::arm& one) {
  const core::type& type = *cases.subject.of;
  const std::vector<const core::type*>& types = type.data->constructors[one.constructor].fields;
  if (types.empty()) return;
  const std::string subject = value(cases.subject);
  const std::string& cell = unit_.types.cell(*type.data, one.constructor);
  const std::string all = fresh("cell");
  const auto field = [&](std::size_t k) {
    return all + "->" + unit_.types.field(type, one.constructor, k);
  };
  const bool any = std::any_of(one.fields.begin(), one.fields.end(),
                               [](const core::variable* v) { return v != nullptr; });
  if (!any && !cases.consumes) return;
  line("auto* const " + all + " = reinterpret_cast<" + cell + "*>(" + subject + ".cell());");
  if (cases.consumes) {
    std::string keeps;
    std::string drops;
    for (std::size_t k = 0; k < types.size(); ++k) {
      if (unit_.plain(*types[k])) continue;
      (one.fields[k] != nullptr ? keeps : drops) +=
          std::string(one.fields[k] != nullptr ? " keep(" : " drop(") + field(k) + ");";
    }
    const std::string last = fresh("last");
    if (one.token != nullptr) line("void* " + name(*one.token) + " = nullptr;");
    line("const bool " + last + " = unique(&" + all + "->head);");
    line("if (!" + last + ") {" + keeps + " }");
    for (std::size_t k = 0; k < types.size(); ++k) {
      if (one.fields[k] != nullptr) define(one.fields[k], field(k));
    }
    const std::string free = one.token != nullptr ? name(*one.token) + " = " + all + ";"
                                                  : "free_cell(" + all + ", sizeof(" + cell + "));";
    line("if (" + last + ") {" + drops + " " + free + " } else release(&" + all + "->head);");
    if (one.token != nullptr) {
      tokens_[one.token] = "free_token(" + name(*one.token) + ", sizeof(" + cell + "));";
    }
  } else {
    for (std::size_t k = 0; k < types.size(); ++k) {
      if (one.fields[k] != nullptr) define(one.fields[k], field(k));
    }
  }
}

void code_writer::take_from_struct(const core::branching& cases, const core::arm& one) {
  const core::type& type = *cases.subject.of;
  const std::vector<const core::type*>& types = type.data->constructors[one.constructor].fields;
  std::string from = value(cases.subject) + ".";
  if (unit_.types.layout_of(type).form == form::choice) {
    from += unit_.types.cell(*type.data, one.constructor) + ".";
  }
  for (std::size_t k = 0; k < types.size(); ++k) {
    const std::string field = from + unit_.types.field(type, one.constructor, k);
    if (one.fields[k] != nullptr) {
      define(one.fields[k], field);
    } else if (cases.consumes && !unit_.plain(*types[k])) {
      line("drop(" + field + ");");
    }
  }
}

void code_writer::take_from_array(const core::branching& cases, const core::arm& one) {
  const std::string subject = value(cases.subject);
  const core::type& element = *cases.subject.of->first;
  if (one.constructor == 0) {
    const core::variable* const field = one.fields[0];
    if (!cases.consumes) {
      if (field != nullptr) define(field, subject + ".data[0]");
    } else if (one.token != nullptr) {
      local("void*", name(*one.token));
      const std::string open = "open_leaf(" + subject + ", " + name(*one.token) + ")";
      if (field != nullptr) {
        define(field, open);
      } else {
        line("drop(" + open + ");");
      }
      tokens_[one.token] =
          "free_leaf<" + unit_.types.name(element) + ">(" + name(*one.token) + ");";
    } else if (field != nullptr) {
      define(field, "open_leaf(" + subject + ")");
    } else {
      line("drop(" + subject + ");");
    }
    return;
  }
  if (!cases.consumes) {
    if (one.fields[0] != nullptr) define(one.fields[0], "left_half(" + subject + ")");
    if (one.fields[1] != nullptr) define(one.fields[1], "right_half(" + subject + ")");
    return;
  }
  if (one.fields[0] == nullptr && one.fields[1] == nullptr) {
    line("drop(" + subject + ");");
    return;
  }
  const std::string halves = fresh("halves");
  const std::string& type = unit_.types.name(*cases.subject.of);
  local(machine_ != nullptr ? "pair<" + type + ", " + type + ">" : "auto", halves,
        "cut(" + subject + ")");
  for (std::size_t k = 0; k < 2; ++k) {
    const std::string half = halves + (k == 0 ? ".fst" : ".snd");
    if (one.fields[k] != nullptr) {
      define(one.fields[k], half);
    } else {
      line("drop(" + half + ");");
    }
  }
}

void code_writer::take_from_string(const core::branching& cases, const core::arm& one) {
  const std::string subject = value(cases.subject);
  if (one.constructor == 0) {
    // An empty string may still be a view of a buffer.
    if (cases.consumes) line("drop(" + subject + ");");
    return;
  }
  if (one.fields[0] != nullptr) define(one.fields[0], "head(" + subject + ")");
  if (one.fields[1] != nullptr) {
    define(one.fields[1], (cases.consumes ? "tail(" : "tail_view(") + subject + ")");
  } else if (cases.consumes) {
    line("drop(" + subject + ");");
  }
}

}  // namespace cleave::lang
