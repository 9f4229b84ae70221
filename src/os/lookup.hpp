// lookup.hpp -- names and lines of addresses in files of programs.
//
//   for (const std::vector<std::string>& calls : os::look_up("/usr/bin/cleave", addresses)) ...
//
// For looking at a program afterwards: print_places() in places.hpp is for the program itself, and
// allocates nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cleave::os {

// For each address, as the file has it, the calls there, innermost first: "parse at
// /src/reader.cpp:120", or "parse" where the file has no lines. None where nothing is known, or
// `addr2line` is not installed. Starts that and waits; throws std::bad_alloc.
std::vector<std::vector<std::string>> look_up(const std::string& file,
                                              std::span<const std::uint64_t> addresses);

}  // namespace cleave::os
