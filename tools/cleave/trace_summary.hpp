// trace_summary.hpp -- what a recording says in all, for people and for programs.
//
//   const trace_summary all = summed_up(recording, replay::play(recording), 10);
//   print(as_text(all, name_of, style_of(STDOUT_FILENO), 80));
//   print(as_json(all, name_of).dump(2) + "\n");
//
// `name_of` says a place in words.
#pragma once

#include <cleave/trace.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "drawing.hpp"
#include "replay/play.hpp"

namespace cleave::tool {

// The pages that pieces from one place kept, though most of each was free.
struct pinning {
  std::uint32_t place = 0;
  std::uint64_t pages = 0;
  // Free bytes on them, when they were let go or at the end.
  std::uint64_t dead_bytes = 0;
  std::uint64_t longest = 0;  // nanoseconds
  std::uint64_t still = 0;    // pages at the end
  // Free bytes times nanoseconds: what they cost the program.
  double weight = 0;
};

struct trace_summary {
  // Lists have at most this many rows.
  std::size_t top = 0;

  std::string program;
  bool complete = false;
  std::string ending;  // why it is not
  std::uint64_t lost = 0;
  std::uint64_t length = 0;  // nanoseconds
  std::uint32_t threads = 0;
  std::uint64_t events[trace::event_kinds] = {};

  std::vector<replay::sample> curve;
  std::uint64_t peak_live = 0;
  std::uint64_t peak_time = 0;
  std::uint64_t most_held = 0;
  std::uint64_t end_live = 0;
  std::uint64_t end_held = 0;
  std::vector<replay::holding> at_peak;
  std::vector<replay::holding> at_end;
  std::vector<replay::size_class> sizes;
  std::vector<replay::holding> copies;
  std::uint64_t page_bytes = 0;
  std::uint64_t pinned_pages = 0;
  std::vector<pinning> pins;  // most weight first
  replay::collections collected;
  std::uint64_t purged = 0;
  std::uint64_t forgotten = 0;
  replay::oddities odd;
};

// O(events + spans).
[[nodiscard]] trace_summary summed_up(const trace::recording& seen, const replay::history& past,
                                      std::size_t top);

using place_namer = std::function<std::string(std::uint32_t)>;

// Drawn for `width` columns; lines with names may be longer, but for `most` columns.
[[nodiscard]] std::string as_text(const trace_summary& all, const place_namer& name_of,
                                  const style& look, std::size_t width,
                                  std::size_t most = SIZE_MAX);
[[nodiscard]] nlohmann::ordered_json as_json(const trace_summary& all, const place_namer& name_of);

}  // namespace cleave::tool
