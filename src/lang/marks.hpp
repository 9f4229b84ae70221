// marks.hpp -- which arguments and values never exist when the program runs.
//
//   argument_marks marks(called_def(call));
//   for (const argument& each : call.arguments) {
//     if (marks.next() == mark::erased) ...
#pragma once

#include <cstddef>

#include "lang/tree.hpp"

namespace cleave::lang {

// The def that is called by its name; null for what else can be called.
[[nodiscard]] const def_decl* called_def(const call_term& call) noexcept;

// True for the name of a type that stands where a function could: `IO(A)`, `Set()`.
[[nodiscard]] bool calls_a_type(const call_term& call) noexcept;

// The marks of the arguments of a call, one after the other, each in O(1). Behind the
// parameters the type of the result says them: f(n, x) of `def f() -> @-n:Nat -> U32 -> U32`.
class argument_marks {
 public:
  // Null for what is no def: its arguments have no marks.
  explicit argument_marks(const def_decl* def) noexcept : def_(def) {}
  mark next() noexcept;

 private:
  const def_decl* def_;
  std::size_t next_ = 0;
  const term* rest_ = nullptr;  // of the type of the result, behind the parameters
};

// What remains of a type when the arguments of a function are given: of A -> B -> C it is C.
[[nodiscard]] const term& final_result(const term& type) noexcept;

// True if the def makes a type, and is never run.
[[nodiscard]] bool makes_a_type(const def_decl& def) noexcept;

}  // namespace cleave::lang
