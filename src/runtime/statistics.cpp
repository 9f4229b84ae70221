#include "runtime/statistics.hpp"

#include <cleave/heap.hpp>
#include <cleave/runtime/cell.hpp>
#include <cstdlib>
#include <string>
#include <string_view>

#include "runtime/output.hpp"

namespace cleave::runtime {
namespace {

constexpr int exit_code_of_a_bug = 70;

constinit bool was_counted = false;

void add_line(std::string& to, const char* what, std::uint64_t number) {
  to += what;
  to += ": ";
  to += std::to_string(number);
  to += '\n';
}

}  // namespace

void program_counts_cells(bool it_does) noexcept {
  was_counted = it_does;
}

std::string statistics_asked_for() noexcept {
  const char* const asked = std::getenv("CLEAVE_STATS");
  if (asked == nullptr || std::string_view(asked) != "1") return {};
  const heap::statistics now = heap::stats();
  std::string lines;
  if (was_counted) {
    add_line(lines, "cells made", counted.cells_made);
    add_line(lines, "cells rebuilt in place", counted.cells_rebuilt);
    add_line(lines, "arrays made", counted.arrays_made);
    add_line(lines, "bytes copied by cuts and joins", counted.bytes_copied);
  }
  add_line(lines, "allocations of the heap", now.allocations);
  add_line(lines, "bytes live at the end", now.live);
  add_line(lines, "peak bytes held from the system", now.peak_held);
  return lines;
}

int check_heap() noexcept {
  std::string found = heap::verify();
  if (found.empty()) {
    const std::size_t live = heap::live_bytes();
    if (live == 0) return 0;
    cleave::detail::report_live();
    // The heap had started before the variable was set.
    found = std::to_string(live) + " bytes are live";
  }
  output::put_error("bend: check at exit: " + found + "\n");
  return exit_code_of_a_bug;
}

}  // namespace cleave::runtime
