// program_kit.hpp -- what compiled programs are made with: our headers and libraries,
// and the tool itself.
//
// They are found from where the tool is: in the build tree where CMake said, else where
// `make install` puts them, at places relative to the tool, so that the installed tree
// may be moved.
//
//   const program_kit kit = find_kit();     // throws command_error if something is not there
//   ... -I kit.headers, kit.library + "/libcleave.a" ...
#pragma once

#include <string>

namespace cleave::tool {

struct program_kit {
  // The folder with cleave/runtime/program.hpp.
  std::string headers;
  // The folder with libcleave_runtime.a and libcleave.a.
  std::string library;
  // Where the build has put the headers compiled; empty in an installed tree.
  std::string compiled_headers;
  // Another build has others. Sizes and times stand for contents, so that they cost
  // microseconds.
  std::string tool_identity;
  std::string header_identity;
  std::string library_identity;
};

program_kit find_kit();

}  // namespace cleave::tool
