// own_counts.hpp -- where values get owners and lose them.
//
// Code is read from its end, with the set of owned variables that are still needed. The
// last use of a value consumes it; a use before keeps it first; what an arm does not need
// is dropped where the arm begins, and what a call only reads right behind the call.
//
// Invariants (core::check() tests them):
//   C3  An owned variable is consumed exactly once on every path.
//   C4  So is a token.
#pragma once

#include "lang/core.hpp"
#include "lang/layout.hpp"

namespace cleave::lang {

// O(size of the program * variables alive at once). Requires: infer_borrowing() and
// take_apart() have been there.
void count_owners(core::program& all, const layouts& shapes);

}  // namespace cleave::lang
