// kernel_forks.hpp -- the calls of members in a kernel, brought to where a machine can stop.
//
//   gather_forks(program, sum, members);     // see kernels.hpp
//
// Values of a parallel let that are more than a call are computed before and behind it. What
// matches within a value becomes a match of the function itself, and what comes behind it a label.
// Steps that need no result of a call move in front of it: all of them are pure, so what changes is
// which of two failures of a program is met first.
#pragma once

#include "lang/core.hpp"
#include "lang/kernels.hpp"

namespace cleave::lang {

// O(size of the function * calls in a block). Requires: own() was not there yet.
void gather_forks(core::program& all, core::function& one, const kernel_members& members);

}  // namespace cleave::lang
