// top_frame.hpp -- one picture of a heap for `cleave top`, as lines of text.
//
//   top_view view;
//   view.add(seen);                                     // at each look
//   for (const std::string& line : frame(view)) ...
//
// A function of what was seen: no clock, no terminal and no process is asked.
#pragma once

#include <cleave/detail/shown.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "drawing.hpp"

namespace cleave::tool {

// What the table of classes begins with: the smallest slots, those that use most memory, or
// those that keep most memory for later.
enum class class_order { size, used, spare };

struct top_view {
  std::string program;
  // The last look, and the one before it that was written at another time.
  cleave::detail::shown now;
  cleave::detail::shown before;
  bool has_before = false;
  // Live bytes of all looks, as far as the graph shows them.
  std::vector<double> live;

  style look;
  std::size_t width = 80;
  // 0: as many lines as there are.
  std::size_t height = 0;
  class_order order = class_order::size;
  double interval = 1;
  bool paused = false;
  bool help = false;
  // Whether keys do anything.
  bool keys = false;

  // Takes what was seen next; the same one again changes nothing.
  void add(const cleave::detail::shown& seen);
};

// What happened in a second, between the last two looks; 0 before there are two.
double allocations_per_second(const top_view& view);
double frees_per_second(const top_view& view);

std::vector<std::string> frame(const top_view& view);

}  // namespace cleave::tool
