// map_picture.hpp -- a scene as SVG, and as text for terminals.
//
//   const std::string svg = map_as_svg(scene, "app.trace");
//   print(map_as_text(scene, "app.trace", {.columns = 80, .look = style_of(STDOUT_FILENO)}));
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "drawing.hpp"
#include "map_scene.hpp"

namespace cleave::tool {

// A picture on its own: light or dark as its reader prefers, with titles on all that is live.
std::string map_as_svg(const map_scene& scene, std::string_view file);

struct text_options {
  std::size_t columns = 80;
  style look;
};
// How much of a cell is live shows in its glyph; with colours, by whom. At least 40 columns.
std::string map_as_text(const map_scene& scene, std::string_view file, text_options chosen);

// How the allocation was cut that lives at `address` at the scene's moment, a line for each
// piece; nothing if none lives there.
std::optional<std::string> tree_as_text(const map_scene& scene, std::uint64_t address,
                                        const style& look);

// How many cells such a text should have.
std::size_t cells_of_text(std::size_t columns);

// "app.trace at 1.50 s of 3.00 s, its peak: 1.0 MiB live, 1.5 MiB held, 512.0 KiB pinned (33 %)"
std::string headline(const map_scene& scene, std::string_view file);

// With < > & and quotes as XML and HTML want them; what no XML may hold, and what would turn the
// direction of the text around it, as U+FFFD.
std::string escaped(std::string_view text);

}  // namespace cleave::tool
