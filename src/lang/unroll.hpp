// unroll.hpp -- functions that take an array apart down to its slots, for small arrays.
//
//   sum(a):                            sum(a):
//     match a:                           match a: case small 4: return sum of 2^4 (a)
//       case ALeaf{x}: give x    ->        else: as before
//       case ANode{l, r}:              sum of 2^4 (a):
//         ... sum(l) ... sum(r)          match a: case ANode{l, r}: ... sum of 2^3 (l) ...
//
// A function that calls itself with both halves of an array gets copies for arrays of 1, 2,
// 4, 8 and 16 slots. Each knows the depth, so its matches have one arm, and calls the next
// smaller one. All of them are written into the function by the C++ compiler, which sees
// straight code over neighbouring slots: no calls, no tests, no joins.
//
//   unroll(program);                   // after own(): the copies have the same counts
//
// Invariants (tests/lang/unroll_test.cpp):
//   U1  A copy does what the function does for every array of its depth, shared ones too.
//   U2  A copy makes no tail call that leads back to the function, so stacks stay as they are.
#pragma once

#include <cstddef>

#include "lang/core.hpp"

namespace cleave::lang {

struct unrolling {
  std::size_t levels = 4;       // copies are for arrays of up to 2^levels slots
  std::size_t least_calls = 2;  // with halves, in the text of the function
  std::size_t room = 256;       // steps of all copies when one is written into the other
};

// O(size of the program * levels). Requires: own() was there, and functions are numbered by
// their places.
void unroll(core::program& all, const unrolling& how = {});

}  // namespace cleave::lang
