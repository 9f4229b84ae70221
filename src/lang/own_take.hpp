// own_take.hpp -- which matches take their subject apart, and where its memory goes.
//
// A match takes its subject when that is owned and an arm wants a field, or has a construct
// of equal size: then the memory of the subject is a token, and the first construct of that
// size on each path takes it. So does a match of an array in whose arm another handle may be
// written to. All other matches read, and their fields are borrowed.
//
// Sets `consumes` of branches, `token` of arms, `reuse` of operations and `borrowed` of
// fields. Where the subject is used again, own_counts.hpp takes `consumes` back.
#pragma once

#include "lang/borrow.hpp"
#include "lang/core.hpp"
#include "lang/layout.hpp"

namespace cleave::lang {

void take_apart(core::program& all, const layouts& shapes, const array_writes& writes,
                demands& wanted);

}  // namespace cleave::lang
