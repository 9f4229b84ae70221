#include "lang/emit_code.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "lang/emit_kernels.hpp"

namespace cleave::lang {
namespace {

using core::ending_kind;
using core::step_kind;
using core::type_kind;

std::string hexadecimal(std::uint64_t number) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llxu", static_cast<unsigned long long>(number));
  return text;
}

// More constructs in one block are calls, and a chain of them is made in pieces of so many.
constexpr std::ptrdiff_t most_made_inline = 64;

bool makes_many_cells(const core::block& code) {
  return std::count_if(code.steps.begin(), code.steps.end(), [](const core::step& one) {
           return one.kind == step_kind::let && one.what.kind == core::operation_kind::construct;
         }) > most_made_inline;
}

bool makes_cell(const core::step& one) {
  return one.kind == step_kind::let && one.name != nullptr &&
         one.what.kind == core::operation_kind::construct && one.what.reuse == nullptr &&
         !core::is_plain(*one.name->of);
}

// Where the longest chain ends that begins at the step and has no more than most_made_inline: of
// constructs each of which consumes the one before, so that all but the last are gone behind it.
std::size_t chain_end(const std::vector<core::step>& steps, std::size_t from) {
  const std::size_t most = std::min<std::size_t>(from + most_made_inline, steps.size());
  std::size_t end = from;
  while (end < most && makes_cell(steps[end])) {
    const auto is_before = [&](const core::atom& one) { return one.name == steps[end - 1].name; };
    if (end > from && std::ranges::none_of(steps[end].what.arguments, is_before)) break;
    ++end;
  }
  return end;
}

}  // namespace

void code_writer::line(std::string_view text) {
  // Deep code is not moved further to the right: the text would grow with the square.
  out_.append(2 * std::min<std::size_t>(indent, 20), ' ');
  out_ += text;
  out_ += '\n';
}

// A variable, which gets the value if there is one. Those of a machine stand before all of its
// code, so that it can be entered anywhere.
void code_writer::local(const std::string& type, const std::string& name,
                        const std::string& value) {
  if (machine_ != nullptr) {
    machine_->locals += "  " + type + " " + name + ";\n";
    if (!value.empty()) line(name + " = " + value + ";");
  } else {
    line(type + " " + name + (value.empty() ? ";" : " = " + value + ";"));
  }
}

void code_writer::open(std::string_view before) {
  line(std::string(before) + "{");
  ++indent;
}

void code_writer::close(std::string_view after) {
  --indent;
  line("}" + std::string(after));
}

std::string code_writer::value(const core::atom& one) const {
  if (one.name != nullptr) return name(*one.name);
  switch (one.of->kind) {
    case type_kind::u32: return std::to_string(one.number) + "u";
    case type_kind::nat: return "nat{" + std::to_string(one.number) + "u}";
    case type_kind::f32: return "F32_from_bits_raw(" + hexadecimal(one.number) + ")";
    case type_kind::character: return "character{" + hexadecimal(one.number) + "}";
    default: break;
  }
  const layout& found = unit_.types.layout_of(*one.of);
  const std::string& type = unit_.types.name(*one.of);
  if (found.form == form::boxed) return type + "::small(" + std::to_string(one.number) + ")";
  return "static_cast<" + type + ">(" + std::to_string(one.number) + ")";
}

std::string code_writer::values(const atoms& all) const {
  std::string text;
  for (const core::atom& one : all) {
    if (!text.empty()) text += ", ";
    text += value(one);
  }
  return text;
}

void code_writer::write(const core::block& code, const goal& to) {
  const bool outside = std::exchange(many_cells_, many_cells_ || makes_many_cells(code));
  for (std::size_t at = 0; at < code.steps.size();) {
    const core::step& one = code.steps[at];
    const std::size_t chained = many_cells_ ? chain_end(code.steps, at) : at;
    if (chained - at == most_made_inline) {
      chain({code.steps.begin() + static_cast<std::ptrdiff_t>(at), most_made_inline});
      at = chained;
      continue;
    }
    if (one.kind == step_kind::define) {
      label(*one.target, to);
    } else if (stops_at(one)) {
      wait_at(code, at);
    } else {
      step(one);
    }
    ++at;
  }
  end(code.end, to);
  many_cells_ = outside;
}

// Only the last of the cells is used behind them.
void code_writer::chain(std::span<const core::step> cells) {
  const core::variable& last = *cells.back().name;
  open(unit_.type(last) + " " + name(last) + " = out_of_line([&] ");
  for (const core::step& one : cells) step(one);
  line("return " + name(last) + ";");
  close(");");
}

// The body stands before the code that jumps to it, which passes by.
void code_writer::label(const core::label& one, const goal& to) {
  const std::string past = fresh("past");
  for (const core::variable* parameter : one.parameters) {
    local(unit_.type(*parameter), name(*parameter));
  }
  line("goto " + past + ";");
  open(join_label(one) + ": ");
  write(*one.body, to);
  close();
  line(past + ":;");
}

std::size_t code_writer::weight(const core::block& code) {
  if (const auto known = weights_.find(&code); known != weights_.end()) return known->second;
  std::size_t all = 1;
  for (const core::step& one : code.steps) {
    ++all;
    if (one.what.inner) all += weight(*one.what.inner);
    if (one.target) all += weight(*one.target->body);
    for (const core::branch_value& value : one.values) all += weight(*value.value);
  }
  if (code.end.cases) {
    for (const core::arm& arm : code.end.cases->arms) all += weight(*arm.body);
    if (code.end.cases->otherwise) all += weight(*code.end.cases->otherwise);
  }
  return weights_[&code] = all;
}

void code_writer::give(const std::string& value, const goal& to) {
  switch (to.how) {
    case goal::returns:
      if (machine_ != nullptr) {
        line("at.slots[0].as." + machine_->result(*inside_) + " = " + value + ";");
        line("return 0;");
      } else {
        line("return " + value + ";");
      }
      break;
    case goal::assigns:
      line(to.target + " = " + value + ";");
      if (!to.after.empty()) line("goto " + to.after + ";");
      break;
    case goal::drops:
      line("drop(" + value + ");");
      if (!to.after.empty()) line("goto " + to.after + ";");
      break;
    case goal::acts:
      line("*result = " + value + ";");
      line("return true;");
      break;
  }
}

// All targets at once: what a value reads is not overwritten before.
void code_writer::assign(const std::vector<core::variable*>& targets, const atoms& values) {
  std::string later;
  for (std::size_t k = 0; k < targets.size(); ++k) {
    if (values[k].name == targets[k]) continue;
    const bool read_again =
        std::any_of(values.begin() + static_cast<std::ptrdiff_t>(k) + 1, values.end(),
                    [&](const core::atom& one) { return one.name == targets[k]; });
    if (read_again) {
      const std::string kept = fresh("next");
      local(unit_.type(*targets[k]), kept, value(values[k]));
      later += name(*targets[k]) + " = " + kept + "; ";
    } else {
      line(name(*targets[k]) + " = " + value(values[k]) + ";");
    }
  }
  if (!later.empty()) {
    later.pop_back();
    line(later);
  }
}

void code_writer::end(const core::ending& one, const goal& to) {
  switch (one.kind) {
    case ending_kind::give: give(value(one.value), to); break;
    case ending_kind::tail_call:
      if (one.callee == nullptr) {
        give("apply(" + values(one.arguments) + ")", to);
      } else if (one.device) {
        core::operation call;
        call.callee = one.callee;
        call.arguments = one.arguments;
        give(launch(call), to);
      } else if (to.how == goal::returns && machine_ != nullptr && machine_->has(*one.callee)) {
        assign(one.callee->parameters, one.arguments);
        line("goto " + entry_label(*one.callee) + ";");
      } else if (to.how == goal::returns && round_ != nullptr && one.callee == inside_) {
        next_round(one);
      } else if (to.how == goal::returns && inside_ != nullptr &&
                 unit_.groups.jumps(*inside_, *one.callee)) {
        assign(one.callee->parameters, one.arguments);
        line("goto " + entry_label(*one.callee) + ";");
      } else {
        give(unit_writer::name(*one.callee) + "(" + values(one.arguments) + ")", to);
      }
      break;
    case ending_kind::tail_run:
      if (to.how == goal::acts) {
        line("*next = " + value(one.value) + ";");
        line("return false;");
      } else {
        give("run(" + value(one.value) + ")", to);
      }
      break;
    case ending_kind::branch: branch(*one.cases, to); break;
    case ending_kind::jump:
      assign(one.target->parameters, one.arguments);
      line("goto " + join_label(*one.target) + ";");
      break;
    case ending_kind::stop: line("stop(" + string_literal(one.message) + ");"); break;
  }
}

}  // namespace cleave::lang
