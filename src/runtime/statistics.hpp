// statistics.hpp -- what is said of a program when it has ended.
#pragma once

namespace cleave::runtime {

// On standard error, a line for each number. `counted`: the program counted its cells.
void report_statistics(bool counted) noexcept;

// Verifies the heap, in which nothing is live any more; 0, or the exit code for a report on
// standard error. Requires: no other thread runs.
[[nodiscard]] int check_heap() noexcept;

}  // namespace cleave::runtime
