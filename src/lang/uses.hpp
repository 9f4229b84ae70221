// uses.hpp -- what code does with the values of its operands.
//
//   each_use(operation, [&](core::variable& v, use how) {
//     if (how == use::consumes) ...
//   });
//
// What a call does with an argument is what the parameter says (variable::borrowed), and
// what a native does stands in its declaration. Plain values are no matter here: they are
// left out.
#pragma once

#include <cstdint>

#include "lang/core.hpp"

namespace cleave::lang {

enum class use : std::uint8_t {
  consumes,  // the value has another owner from then on, or none
  reads,     // it has the same owner as before
};

// Whether the native's k-th argument is only read. Erased parameters do not count.
[[nodiscard]] bool reads_argument(const def_decl& native, std::size_t k);

// Whether the k-th argument of a call, native or jump is only read.
[[nodiscard]] bool reads_argument(const core::operation& what, std::size_t k);

// Calls visit(variable*&, use) for each operand, in order; not for what is in inner blocks.
// Captures of a closure are operands.
template <class Visit>
void each_place(core::operation& what, Visit&& visit) {
  for (std::size_t k = 0; k < what.arguments.size(); ++k) {
    core::variable*& name = what.arguments[k].name;
    if (name == nullptr || core::is_plain(*name->of)) continue;
    visit(name, reads_argument(what, k) ? use::reads : use::consumes);
  }
  if (what.made) {
    for (core::variable*& one : what.made->captures) {
      if (!core::is_plain(*one->of)) visit(one, use::consumes);
    }
  }
}

// The same for an ending. The subject of a branch is left out.
template <class Visit>
void each_place(core::ending& end, Visit&& visit) {
  if (core::variable*& name = end.value.name; name != nullptr && !core::is_plain(*name->of)) {
    visit(name, use::consumes);
  }
  for (std::size_t k = 0; k < end.arguments.size(); ++k) {
    core::variable*& name = end.arguments[k].name;
    if (name == nullptr || core::is_plain(*name->of)) continue;
    const core::variable* parameter = nullptr;
    if (end.callee != nullptr) parameter = end.callee->parameters[k];
    if (end.target != nullptr) parameter = end.target->parameters[k];
    visit(name, parameter != nullptr && parameter->borrowed ? use::reads : use::consumes);
  }
}

// The same for visit(variable&, use).
template <class Code, class Visit>
void each_use(Code& code, Visit&& visit) {
  each_place(code, [&](core::variable*& name, use how) { visit(*name, how); });
}

}  // namespace cleave::lang
