// statistics.hpp -- what heap::stats() and verify() know, for callers that must not run out of
// memory.
//
//   heap::statistics sums;
//   heap::class_statistics classes[heap::class_count];
//   heap::sum_up(sums, classes);                         // sums.classes stays empty
//   if (const char* wrong = heap::first_wrong()) ...
#pragma once

#include <cleave/heap.hpp>

#include "heap/size_class.hpp"

namespace cleave::heap {

// The sums of stats() into a fresh struct, and the `class_count` classes behind the pointer; all
// stay as they are if the heap cannot start. O(threads + classes + arenas).
void sum_up(statistics& s, class_statistics* classes) noexcept;

// What verify() says, as static text; nullptr if nothing is wrong.
const char* first_wrong() noexcept;

}  // namespace cleave::heap
