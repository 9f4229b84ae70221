// unroll_copy.hpp -- a copy of a function for arrays of one depth.
//
//   std::vector<const core::function*> copies;
//   copies.push_back(&unrolled_copy(all, sum, {0}, copies));     // for one slot
//   copies.push_back(&unrolled_copy(all, sum, {0}, copies));     // for two, calls the other
//
// Where a match of an array is decided by its depth, only that arm is copied. A call with
// arrays of a smaller depth becomes a call of the copy for it. Values of a parallel let
// are computed in order, since the copies are used where no fork is wanted.
#pragma once

#include <cstddef>
#include <vector>

#include "lang/core.hpp"

namespace cleave::lang {

// `parameters` are the numbers of those that have depth smaller.size(); `smaller` are the
// copies for the depths below. O(size of the function).
[[nodiscard]] core::function& unrolled_copy(core::program& all, const core::function& of,
                                            const std::vector<std::size_t>& parameters,
                                            const std::vector<const core::function*>& smaller);

}  // namespace cleave::lang
