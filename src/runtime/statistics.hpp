// statistics.hpp -- what is said of a program when it has ended.
#pragma once

#include <string>

namespace cleave::runtime {

// Whether the program counts its cells. Once, before it runs.
void program_counts_cells(bool it_does) noexcept;

// A line for each number, which belongs on standard error. Empty unless $CLEAVE_STATS is 1.
[[nodiscard]] std::string statistics_asked_for() noexcept;

// Verifies the heap, in which nothing is live any more; 0, or the exit code for a report on
// standard error. Requires: no other thread runs.
[[nodiscard]] int check_heap() noexcept;

}  // namespace cleave::runtime
