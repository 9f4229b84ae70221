// sort_parts.hpp -- work that is divided by number.
//
//   for_parts(4, [&](std::size_t part) { ... });   // 0, 1, 2 and 3, in any order
#pragma once

#include <cleave/array.hpp>
#include <cleave/parallel.hpp>
#include <cstddef>
#include <numeric>

namespace cleave::tool {

// Calls work(part) for each part below `count`, from several threads, and returns
// when all have ended. Throws what the work throws first, std::bad_alloc.
template <class Work>
void for_parts(std::size_t count, const Work& work) {
  auto parts = array<std::size_t>::for_overwrite(count);
  std::iota(parts.begin(), parts.end(), std::size_t{0});
  parallel::for_each(parts, work, {.grain = 1});
}

}  // namespace cleave::tool
