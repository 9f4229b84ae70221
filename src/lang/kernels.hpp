// kernels.hpp -- the part of a program that a device runs.
//
// A call f!(x) makes f, and all that f calls, once more for the device (elaborate_instances.hpp).
// These copies are in kernels as long as a kernel can be made of them:
//
//   device_calls calls;
//   elaborate(all, made, found, &calls);
//   if (!place_kernels(made, calls)) ...        // some call is refused: elaborate again
//   own(made);
//   if (!kernels_hold(made, calls)) ...         // the same
//
// What of it calls itself, but for loops, is a *member*: it does not become a function of C++ but
// a part of a machine without recursion (emit_kernels.hpp), which stops at calls of members and
// goes on when their results are there. So that many of these are under way at once, the calls of
// a member that do not need each other's results become one parallel let, whoever wrote them:
//
//   p = call sum(l)                    parallel
//   q = call sum(r)             ->       p = tail_call sum(l)
//   s = native U32.add(p, q)             q = tail_call sum(r)
//                                      s = native U32.add(p, q)
//
// Invariants (tests/lang/kernels_test.cpp):
//   K1  Behind place_kernels() a member calls members in parallel lets of its own blocks alone,
//       never within a nested operation, or it does so in tail position.
//   K2  The host calls a kernel only in functions that launch it, one for each kernel.
//   K3  Nothing in a kernel counts owners.
#pragma once

#include <cstddef>
#include <vector>

#include "lang/core.hpp"
#include "lang/device_calls.hpp"

namespace cleave::lang {

class kernel_members {
 public:
  // O(size of the program). Requires: functions are numbered by their places.
  explicit kernel_members(const core::program& all);

  [[nodiscard]] bool has(const core::function& one) const { return member_[one.number]; }
  // The members that a kernel needs, itself first.
  [[nodiscard]] std::vector<const core::function*> of(const core::function& kernel) const;

 private:
  std::vector<bool> member_;
};

// Makes the host's side of all kernels, and prepares their members. False if a call is refused:
// then the program is of no use. O(size of the program).
[[nodiscard]] bool place_kernels(core::program& all, device_calls& calls);

// The same for what own() has found out. Changes nothing.
[[nodiscard]] bool kernels_hold(const core::program& all, device_calls& calls);

// What is called by the step, or by the ending of the value of a parallel let: a member's call
// that a machine stops at. Null if there is none.
struct member_call {
  const core::function* callee = nullptr;
  const std::vector<core::atom>* arguments = nullptr;
  // The step that calls; past the last one if the value ends in the call.
  std::size_t step = 0;
};
[[nodiscard]] member_call call_in(const core::block& value, const kernel_members& members);

}  // namespace cleave::lang
