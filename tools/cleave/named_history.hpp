// named_history.hpp -- a recording that was read and played, with its places in words.
//
//   const named_history all = read_history("app.trace", 1000);
//   for (const replay::holding& who : replay::holders(all.past, all.past.peak)) {
//     print(all.names[who.place] + "\n");
//   }
//
// A recording has a place for each stack of calls. People call those one place whose words are
// the same: the innermost call that is none of the library's, however the program came there.
#pragma once

#include <cleave/trace.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "replay/play.hpp"

namespace cleave::tool {

struct named_history {
  trace::recording recording;
  replay::history past;
  std::vector<std::string> names;  // by place; words for those in use
};

// Plays with `most_pins`, names what is in use, and merges places of one name. O(log live) an
// event, and a process for each module of the program.
// Error: command_error if the file cannot be read or is no recording.
named_history read_history(const std::string& file, std::size_t most_pins);

// Gives to the first of the places of one name what the others have. O(allocations).
// Requires: a name for each place of the history.
void merge_places(replay::history& past, const std::vector<std::string>& names);

}  // namespace cleave::tool
