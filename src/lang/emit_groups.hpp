// emit_groups.hpp -- which functions become one function of C++.
//
// Functions whose tail calls lead back to each other, such as loop -> step -> loop, are one
// group: one C++ function in which those calls are jumps, so that they need no stack. A
// function that nobody else calls has no name of its own there.
//
//   const function_groups groups(program);
//   groups.jumps(step, loop)           // a tail call from step to loop is a jump
//   for (const function_group& one : groups.all()) ...
#pragma once

#include <cstddef>
#include <vector>

#include "lang/core.hpp"

namespace cleave::lang {

struct function_group {
  std::vector<const core::function*> members;
  // Those of the members that are called, not only jumped to, in the same order.
  std::vector<const core::function*> entries;
};

class function_groups {
 public:
  // O(size of the program).
  explicit function_groups(const core::program& all);

  [[nodiscard]] const std::vector<function_group>& all() const { return groups_; }
  [[nodiscard]] const function_group& of(const core::function& one) const {
    return groups_[group_of_[one.number]];
  }
  // Whether a tail call between them is a jump.
  [[nodiscard]] bool jumps(const core::function& from, const core::function& to) const {
    return group_of_[from.number] == group_of_[to.number] && jumped_to_[to.number];
  }
  [[nodiscard]] bool jumped_to(const core::function& one) const { return jumped_to_[one.number]; }

 private:
  std::vector<std::size_t> group_of_;  // by the number of the function
  std::vector<bool> jumped_to_;
  std::vector<function_group> groups_;
};

}  // namespace cleave::lang
