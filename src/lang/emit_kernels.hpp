// emit_kernels.hpp -- the members of a kernel as a machine without recursion.
//
//   struct machine12 {
//     struct a12 { array<u32> x0; };                    // what sum takes
//     struct f1 { u32 v0; };                            // what it keeps while it waits
//     struct slot { u32 state; union { a12 a12; u32 r12; } as; };
//     struct tree_node { ...; union { f1 f1; } frame; slot slots[2]; };
//     static u32 step(tree_node& at) noexcept;
//   };
//
// step() runs a call until it has its result or stops at calls of members. It returns how many:
// then at.slots has what they take, and once it has their results, step() goes on behind them.
// 0: the result is in slots[0]. So a call and the code behind it are one text, which is entered in
// the middle; its variables stand before it, and those that are needed are kept in the frame.
// include/cleave/runtime/kernel.hpp says who calls step().
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lang/core.hpp"
#include "lang/emit_unit.hpp"
#include "lang/kernels.hpp"

namespace cleave::lang {

// One machine, while it is written.
struct machine_code {
  const kernel_members& all;
  std::vector<const core::function*> members{};  // the kernel first; state k enters the k-th
  std::string locals{};                          // all variables of the code
  std::string frames{};                          // structs
  std::string frame_members{};                   // of their union
  std::string resumptions{};                     // cases of the switch
  std::size_t states = 0;
  std::size_t most_calls = 1;  // that one state waits for

  [[nodiscard]] bool has(const core::function& one) const { return all.has(one); }
  [[nodiscard]] std::size_t entry(const core::function& one) const;
  [[nodiscard]] static std::string takes(const core::function& one) {
    return "a" + std::to_string(one.number);
  }
  [[nodiscard]] static std::string result(const core::function& one) {
    return "r" + std::to_string(one.number);
  }
};

[[nodiscard]] std::string machine_name(const core::function& kernel);
[[nodiscard]] std::string machine_call(const core::function& kernel);

struct machine_text {
  std::string types;  // and declarations
  std::string code;
};
// All machines of the program.
[[nodiscard]] machine_text define_machines(unit_writer& unit, const core::program& all,
                                           const kernel_members& members);

}  // namespace cleave::lang
