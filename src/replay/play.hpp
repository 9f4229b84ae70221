// play.hpp -- plays a recording.
//
//   const trace::recording seen = trace::read("app.trace");
//   const replay::history past = replay::play(seen);
#pragma once

#include <cleave/trace.hpp>
#include <cstddef>

#include "replay/history.hpp"

namespace cleave::replay {

// Plays all events; never fails on what they say, see oddities. O(log live) an event, and
// O(events) memory. Of the pinned pages the `most_pins` that were so for longest are kept.
// Requires: fewer than 2^30 events.
history play(const trace::recording& recording, std::size_t most_pins = 1000);

}  // namespace cleave::replay
