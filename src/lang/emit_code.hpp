// emit_code.hpp -- the statements of one C++ function.
//
//   code_writer code(unit, out, group_of_the_function);
//   code.write(function.body, {.how = goal::returns});
//
// A block becomes statements of which the last one returns, jumps or stops, unless the
// goal says that the value is needed right behind. Nothing jumps over the initialisation
// of a variable: code that is jumped to is in braces of its own, or stands before.
//
// Of the arms of a match the longest has no braces and comes last, so that braces nest no
// deeper than the logarithm of the code's size, however deep its matches nest: compilers
// have a limit there.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lang/array_loops.hpp"
#include "lang/core.hpp"
#include "lang/emit_unit.hpp"

namespace cleave::lang {

// What happens with the value that a block gives.
struct goal {
  enum kind : std::uint8_t {
    returns,  // it is returned
    assigns,  // to the variable `target`; then on to the label `after`
    drops,    // nobody wants it; then on to the label `after`
    acts,     // it is the result of an action: see function.hpp of the runtime
  };
  kind how = returns;
  std::string target;
  std::string after;  // empty: what comes next in the text
};

// A round of a loop over arrays, while it is written.
struct round_code {
  const array_loop& loop;
  bool straight = false;             // no index wraps here
  std::string round{};               // which one this is
  std::vector<std::string> slots{};  // where those of the loop begin
  std::unordered_map<const core::operation*, std::string> numbers{};  // in the first round
};

struct machine_code;  // emit_kernels.hpp

class code_writer {
 public:
  // `inside` is the function whose tail calls may be jumps; null in a closure. `machine` is
  // what the function is a member of, if it is.
  code_writer(unit_writer& unit, std::string& out, const core::function* inside,
              machine_code* machine = nullptr)
      : unit_(unit), out_(out), inside_(inside), machine_(machine) {}

  void write(const core::block& code, const goal& to);
  // The body of a function of a group.
  void write(const core::function& one);

  [[nodiscard]] static std::string entry_label(const core::function& one) {
    return "enter_" + std::to_string(one.number);
  }
  std::size_t indent = 1;

 private:
  using atoms = std::vector<core::atom>;

  // emit_code.cpp
  void label(const core::label& one, const goal& to);
  void chain(std::span<const core::step> cells);
  [[nodiscard]] std::size_t weight(const core::block& code);
  void line(std::string_view text);
  void local(const std::string& type, const std::string& name, const std::string& value = {});
  void open(std::string_view before = "");
  void close(std::string_view after = "");
  void give(const std::string& value, const goal& to);
  void end(const core::ending& one, const goal& to);
  void assign(const std::vector<core::variable*>& targets, const atoms& values);
  [[nodiscard]] std::string join_label(const core::label& one) const {
    // Labels of the second copy of a loop have names of their own.
    const bool second = round_ != nullptr && !round_->straight;
    return "join_" + std::to_string(one.number) + (second ? "s" : "");
  }
  [[nodiscard]] std::string value(const core::atom& one) const;
  [[nodiscard]] std::string values(const atoms& all) const;
  [[nodiscard]] static std::string name(const core::variable& one) {
    return unit_writer::name(one);
  }
  // No identifier() is a word with a number right behind.
  [[nodiscard]] std::string fresh(const std::string& what) {
    return what + std::to_string(unit_.labels++);
  }

  // emit_steps.cpp
  void step(const core::step& one);
  void let(const core::variable* name, const core::operation& what);
  void define(const core::variable* name, const std::string& value);
  void inner(const core::block& code, const std::string& target);
  [[nodiscard]] std::string native_call(const core::operation& what) const;
  [[nodiscard]] std::string expression(const core::operation& what, const core::type* result);
  void construct(const core::variable& name, const core::operation& what);
  void parallel(const core::step& one);
  [[nodiscard]] std::string closure(const core::closure& made, const core::type& type);

  // emit_loops.cpp
  void straight_rounds(const core::function& one, const array_loop& loop);
  [[nodiscard]] std::string moved(const std::string& from, const loop_step& step,
                                  const std::string& rounds) const;
  void next_round(const core::ending& one);
  [[nodiscard]] bool holds_in_round(const core::branching& cases, const core::arm& one) const;
  [[nodiscard]] std::string straight_slot(const core::operation& what) const;
  [[nodiscard]] std::string straight_number(const core::operation& what) const;

  // emit_kernels.cpp
  [[nodiscard]] bool stops_at(const core::step& one) const;
  void wait_at(const core::block& code, std::size_t at);
  [[nodiscard]] std::string launch(const core::operation& what);

  // emit_branches.cpp
  void branch(const core::branching& cases, const goal& to);
  using alternatives = std::vector<const core::arm*>;  // null stands for `otherwise`
  [[nodiscard]] const core::block& body(const core::branching& cases, const core::arm* one) const {
    return one != nullptr ? *one->body : *cases.otherwise;
  }
  void if_arms(const core::branching& cases, const alternatives& all, const goal& to);
  void switch_arms(const core::branching& cases, const alternatives& all, const goal& to);
  void arm_body(const core::branching& cases, const core::arm* one, const goal& to);
  void take_fields(const core::branching& cases, const core::arm& one);
  void take_from_cell(const core::branching& cases, const core::arm& one);
  void take_from_struct(const core::branching& cases, const core::arm& one);
  void take_from_array(const core::branching& cases, const core::arm& one);
  void take_from_string(const core::branching& cases, const core::arm& one);
  [[nodiscard]] std::string condition(const core::branching& cases, const core::arm& one) const;

  unit_writer& unit_;
  std::string& out_;
  const core::function* inside_;
  machine_code* machine_;
  const round_code* round_ = nullptr;
  // So many in a row that each is a call.
  bool many_cells_ = false;
  // Of each token: how its memory is given back.
  std::unordered_map<const core::variable*, std::string> tokens_;
  std::unordered_map<const core::block*, std::size_t> weights_;
};

}  // namespace cleave::lang
