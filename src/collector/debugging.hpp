// debugging.hpp -- what the environment variable CLEAVE_COLLECTOR asks for.
//
//   CLEAVE_COLLECTOR=verify,stress=10,poison,quarantine=64,prove
#pragma once

#include <cleave/collector.hpp>
#include <string_view>

namespace cleave::gc::detail {

// Adds to `chosen` what the text asks for. Words that mean nothing are named on standard
// error, and left out.
void read_debugging(std::string_view text, debugging& chosen);

// The options as the program and the environment want them.
// Throws std::invalid_argument if one is out of its range.
options checked(options chosen);

}  // namespace cleave::gc::detail
