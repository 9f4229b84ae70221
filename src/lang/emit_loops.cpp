// emit_loops.cpp -- loops over arrays, in two copies: see array_loops.hpp.
//
//   enter_9:
//   {
//     u32 rounds0 = straight_rounds(n, 1u);                  // as many as the counter has
//     if (rounds0 >= fewest_rounds) {
//       u32* const slots1 = straight_slots<-1, 0u>(a, static_cast<u32>(n) + 4294967295u, rounds0);
//       if (rounds0 >= fewest_rounds) {
//         const nat start2 = n;
//         for (u32 round3 = 0; round3 < rounds0; ++round3) {
//           nat n = start2 - nat{1u} * round3;
//           ... slots1[-1 * round3] = ...; continue;         // a tail call to itself
//         }
//         n = n - nat{1u} * rounds0;
//         if (straight_rounds(n, 1u) >= fewest_rounds) goto enter_9;   // an index wraps here
//       }
//     }
//     for (u32 left4 = 32u; left4 > 0u; --left4) {           // as it is written, some rounds
//       ... a[i & mask] = ...; continue;
//     }
//     goto enter_9;
//   }
#include <algorithm>

#include "lang/array_loops.hpp"
#include "lang/emit_code.hpp"
#include "lang/walk.hpp"

namespace cleave::lang {
namespace {

using core::type_kind;

// Longer code is not written twice.
constexpr std::size_t longest_loop = 400;

// Rounds between two looks at whether the index is straight again. More than what compilers
// unroll to the end.
constexpr std::size_t rounds_between = 32;

std::string u32_text(std::uint32_t value) {
  return std::to_string(value) + "u";
}

std::uint64_t size_of_step(std::int64_t by) {
  return static_cast<std::uint64_t>(by < 0 ? -by : by);
}

bool is_counter(const loop_step& step) {
  return step.by < 0 && step.parameter->of->kind == type_kind::nat;
}

}  // namespace

// The text of what is computed before the first round.
class loop_texts {
 public:
  loop_texts(const array_loop& loop, const unit_writer& unit)
      : loop_(loop), unit_(unit), names_(loop.terms.size()) {}

  // What a sum needs is written before it.
  template <class Line, class Fresh>
  std::string sum(const linear& one, const Line& line, const Fresh& fresh) {
    need(one, line, fresh);
    return text(one);
  }

  [[nodiscard]] std::string place(const loop_place& one) const {
    std::string text = unit_writer::name(*one.parameter);
    const core::type* type = one.parameter->of;
    for (const std::size_t field : one.fields) {
      text += "." + unit_.types.field(*type, 0, field);
      type = type->data->constructors[0].fields[field];
    }
    return text;
  }

 private:
  // Terms stand behind those that they are made of.
  template <class Line, class Fresh>
  void need(const linear& one, const Line& line, const Fresh& fresh) {
    std::vector<bool> wanted(names_.size(), false);
    for (const auto& [term, factor] : one.factors) wanted[term] = true;
    for (std::size_t k = names_.size(); k > 0; --k) {
      if (!wanted[k - 1]) continue;
      for (const linear& argument : loop_.terms[k - 1].arguments) {
        for (const auto& [term, factor] : argument.factors) wanted[term] = true;
      }
    }
    for (std::size_t k = 0; k < names_.size(); ++k) {
      if (!wanted[k] || !names_[k].empty()) continue;
      const std::string value = term(loop_.terms[k]);
      names_[k] = fresh("term");
      line("const u32 " + names_[k] + " = static_cast<u32>(" + value + ");");
    }
  }

  [[nodiscard]] std::string text(const linear& one) const {
    std::string text = u32_text(static_cast<std::uint32_t>(one.constant));
    for (const auto& [term, factor] : one.factors) {
      text += " + " + (factor == 1 ? "" : u32_text(factor) + " * ") + names_[term];
    }
    return text;
  }

  [[nodiscard]] std::string term(const loop_term& one) const {
    if (one.native == nullptr) return place(one.place);
    std::string call(one.native->name);
    std::replace(call.begin(), call.end(), '.', '_');
    call += "(";
    const bool shifts = call.starts_with("U32_sh");
    for (std::size_t k = 0; k < one.arguments.size(); ++k) {
      call += (k > 0 ? ", " : "") +
              (shifts && k == 1 ? whole_nat(one.arguments[k]) : text(one.arguments[k]));
    }
    return call + ")";
  }

  // A Nat is not cut to 32 bits. It is a constant or one term, as array_loop promises.
  [[nodiscard]] std::string whole_nat(const linear& one) const {
    if (one.factors.empty()) return "nat{" + std::to_string(one.constant) + "u}";
    const std::size_t term = one.factors.begin()->first;
    return loop_.terms[term].native == nullptr ? place(loop_.terms[term].place) : names_[term];
  }

  const array_loop& loop_;
  const unit_writer& unit_;
  std::vector<std::string> names_;
};

void code_writer::write(const core::function& one) {
  if (!unit_.groups.jumps(one, one) || weight(one.body) > longest_loop) return write(one.body, {});
  const array_loop loop(one, unit_.types.shapes());
  if (!loop.found()) return write(one.body, {});
  straight_rounds(one, loop);
  const std::string left = fresh("left");
  round_code code{.loop = loop, .straight = false};
  round_ = &code;
  open("for (u32 " + left + " = " + std::to_string(rounds_between) + "u; " + left + " > 0u; --" +
       left + ") ");
  write(one.body, {});
  close();
  round_ = nullptr;
  line("goto " + entry_label(one) + ";");
}

// Rounds in which no index wraps, as many as there are; nothing if they are few.
void code_writer::straight_rounds(const core::function& one, const array_loop& loop) {
  round_code code{.loop = loop, .straight = true};
  const auto write_line = [this](const std::string& text) { line(text); };
  const auto new_name = [this](const std::string& what) { return fresh(what); };
  const std::string rounds = fresh("rounds");
  std::string most;
  for (const loop_step& step : loop.steps) {
    if (!is_counter(step)) continue;
    const std::string counted = "straight_rounds(" + name(*step.parameter) + ", " +
                                std::to_string(size_of_step(step.by)) + "u)";
    most = most.empty() ? counted : "U32_min(" + most + ", " + counted + ")";
  }
  line("u32 " + rounds + " = " + most + ";");
  open("if (" + rounds + " >= fewest_rounds) ");
  loop_texts texts(loop, unit_);
  for (const loop_slots& slots : loop.slots) {
    const std::string first = texts.sum(slots.first, write_line, new_name);
    code.slots.push_back(fresh("slots"));
    line("auto* const " + code.slots.back() + " = straight_slots<" + std::to_string(slots.step) +
         ", " + u32_text(slots.width) + ">(" + texts.place(slots.array) + ", " + first + ", " +
         rounds + ");");
  }
  open("if (" + rounds + " >= fewest_rounds) ");
  walk_here(one.body, [&](const core::block& block) {
    for (const core::step& step : block.steps) {
      const auto number = loop.numbers.find(&step.what);
      if (number == loop.numbers.end() || step.name == nullptr) continue;
      const std::string first = texts.sum(number->second.first, write_line, new_name);
      code.numbers[&step.what] = fresh("first");
      line("const u32 " + code.numbers[&step.what] + " = " + first + ";");
    }
  });
  std::vector<std::string> starts;
  for (const loop_step& step : loop.steps) {
    starts.push_back(fresh("start"));
    line("const " + unit_.type(*step.parameter) + " " + starts.back() + " = " +
         name(*step.parameter) + ";");
  }
  code.round = fresh("round");
  open("for (u32 " + code.round + " = 0u; " + code.round + " < " + rounds + "; ++" + code.round +
       ") ");
  for (std::size_t k = 0; k < loop.steps.size(); ++k) {
    const loop_step& step = loop.steps[k];
    line(unit_.type(*step.parameter) + " " + name(*step.parameter) + " = " +
         moved(starts[k], step, code.round) + ";");
  }
  round_ = &code;
  write(one.body, {});
  round_ = nullptr;
  close();
  for (const loop_step& step : loop.steps) {
    line(name(*step.parameter) + " = " + moved(name(*step.parameter), step, rounds) + ";");
  }
  line("if (" + most + " >= fewest_rounds) goto " + entry_label(one) + ";");
  close();
  close();
}

// Where a parameter is after some rounds.
std::string code_writer::moved(const std::string& from, const loop_step& step,
                               const std::string& rounds) const {
  return from + (step.by < 0 ? " - " : " + ") + unit_.type(*step.parameter) + "{" +
         std::to_string(size_of_step(step.by)) + "u} * " + rounds;
}

// The next round: what changes by a constant is computed there.
void code_writer::next_round(const core::ending& one) {
  std::vector<core::variable*> targets;
  atoms values;
  for (std::size_t k = 0; k < one.arguments.size(); ++k) {
    core::variable* const target = one.callee->parameters[k];
    if (round_->straight &&
        std::any_of(round_->loop.steps.begin(), round_->loop.steps.end(),
                    [&](const loop_step& step) { return step.parameter == target; })) {
      continue;
    }
    targets.push_back(target);
    values.push_back(one.arguments[k]);
  }
  assign(targets, values);
  line("continue;");
}

// A test that a counter is not yet at its end, which is so in all straight rounds.
bool code_writer::holds_in_round(const core::branching& cases, const core::arm& one) const {
  if (round_ == nullptr || !round_->straight || cases.test != core::test_kind::at_least) {
    return false;
  }
  return std::any_of(round_->loop.steps.begin(), round_->loop.steps.end(),
                     [&](const loop_step& step) {
                       return is_counter(step) && step.parameter == cases.subject.name &&
                              one.value <= size_of_step(step.by);
                     });
}

// The slot, if the index of this access is straight; else empty.
std::string code_writer::straight_slot(const core::operation& what) const {
  if (round_ == nullptr || !round_->straight) return {};
  const auto found = round_->loop.accesses.find(&what);
  if (found == round_->loop.accesses.end()) return {};
  const loop_slots& slots = round_->loop.slots[found->second.slots];
  return round_->slots[found->second.slots] + "[std::ptrdiff_t{" + std::to_string(slots.step) +
         "} * " + round_->round + " + " + std::to_string(found->second.offset) + "]";
}

// A number of the code that changes by a constant; empty if this is none.
std::string code_writer::straight_number(const core::operation& what) const {
  if (round_ == nullptr || !round_->straight) return {};
  const auto first = round_->numbers.find(&what);
  if (first == round_->numbers.end()) return {};
  const std::int32_t step = round_->loop.numbers.at(&what).step;
  return first->second + (step < 0 ? " - " : " + ") + std::to_string(size_of_step(step)) + "u * " +
         round_->round;
}

}  // namespace cleave::lang
