// own_merge.hpp -- the helpers of a loop become a part of it.
//
// A decision in a loop is a def of its own, since only a def matches a computed value:
//
//   loop(n, a):  ... tail_call decide(b, p, a)        loop(n, a):  ... match b:
//   decide(b, p, a):  match b:                   ->      case False{}: a
//     case False{}: a                                    case True{}: tail_call loop(p, a)
//     case True{}: tail_call loop(p, a)
//
// Then the whole loop is in view of what looks at one function (array_loops.hpp), and its
// values need no second set of variables.
#pragma once

#include "lang/core.hpp"

namespace cleave::lang {

// Puts the body of each function that has one call in the program, a tail call from a
// function that it leads back to, in the place of that call; what is left of it is never
// called. At most `most_merged` helpers go into one function, so that code nests no deeper
// than before by more than that. True if any was found; simplify() then removes the copies
// of arguments. O(size of the program). Requires: simplify() was there, and functions are
// numbered by their places.
bool merge_helpers(core::program& all);

inline constexpr std::size_t most_merged = 32;

}  // namespace cleave::lang
