// doctor_checks.hpp -- what this machine lets an array heap do, one row for each
// property.
//
// Nothing is changed and nothing is required: what cannot be read is unknown.
//
//   for (const finding& row : examine("/")) fmt::print("{} {}\n", row.name, row.value);
#pragma once

#include <string>
#include <vector>

namespace cleave::tool {

enum class verdict { ok, warn, unknown };

struct finding {
  std::string name;
  std::string value;
  verdict state = verdict::ok;
  // What to set, and why; empty when there is nothing to do.
  std::string advice;
};

// Reads <root>/proc and <root>/sys; limits and address space are those of this
// process. Never fails but for std::bad_alloc. Starts the heap.
std::vector<finding> examine(const std::string& root);

}  // namespace cleave::tool
