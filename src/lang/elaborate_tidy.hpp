// elaborate_tidy.hpp -- the last look at a program: what each atom's type is, and names that
// nobody uses.
#pragma once

#include "lang/core.hpp"

namespace cleave::lang {

// Atoms have the types of their variables. Fields that no arm uses, and plain values of
// lets, lose their variable. O(size).
void tidy(core::program& all);

}  // namespace cleave::lang
