// own_simplify.hpp -- what makes code plainer before ownership is decided.
//
// Copies of variables go, and values that nobody uses; a nested operation without a choice
// becomes part of the code around it; a call whose result is the result is a tail call.
#pragma once

#include "lang/core.hpp"

namespace cleave::lang {

// O(size of the program).
void simplify(core::program& all);

}  // namespace cleave::lang
