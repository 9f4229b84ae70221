// borrow.hpp -- which parameters are only read, so that callers keep what they pass.
//
// All parameters of functions and labels start as borrowed. One becomes owned when it, or
// what a match takes out of it, is *wanted*: stored, returned, captured, handed to an owned
// parameter or to a native that consumes; when a match of it gives memory that a construct
// in the arm can use again; when a match of an array needs its part as it is now, since the
// arm may write to other handles; or when a tail call to a function that may call back would need
// a drop behind it.
//
//   const demands wanted = infer_borrowing(program, layouts);
//   sum.parameters[0]->borrowed          // true: a match that adds up what it finds
//   wanted.of(*field)                    // whether some use consumes this variable
//
// Invariants (tests/lang/borrow_test.cpp):
//   B1  No use of a borrowed parameter, nor of what is taken out of it, consumes.
//   B2  A tail call that stays one passes no borrowed argument that its caller must drop.
#pragma once

#include <vector>

#include "lang/array_writes.hpp"
#include "lang/core.hpp"
#include "lang/layout.hpp"

namespace cleave::lang {

class demands {
 public:
  explicit demands(std::size_t variables) : wanted_(variables, false) {}

  [[nodiscard]] bool of(const core::variable& one) const {
    return one.number < wanted_.size() && wanted_[one.number];
  }
  void add(const core::variable& one) {
    if (one.number >= wanted_.size()) wanted_.resize(one.number + 1, false);
    wanted_[one.number] = true;
  }

 private:
  std::vector<bool> wanted_;
};

// Sets `borrowed` of all parameters, and makes plain calls of tail calls behind which
// something is to be dropped. O(size of the program). Requires: variables and functions are
// numbered by their places.
[[nodiscard]] demands infer_borrowing(core::program& all, const layouts& shapes,
                                      const array_writes& writes);

}  // namespace cleave::lang
