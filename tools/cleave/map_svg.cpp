// map_svg.cpp -- the map as a picture of its own.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "drawing.hpp"
#include "map_picture.hpp"

namespace cleave::tool {
namespace {

// Told apart by all common kinds of colour blindness, on white and on black. Places differ
// in hue; sizes and ages are steps of lightness.
constexpr const char* place_colours[map_scene::colours] = {
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#f0e442", "#d55e00", "#8a8a8a"};
constexpr const char* step_colours[map_scene::colours] = {
    "#440154", "#443983", "#31688e", "#21918c", "#35b779", "#90d743", "#fde725", "#8a8a8a"};

constexpr std::size_t cell_side = 10;
constexpr std::size_t row_cells = 64;
constexpr std::size_t label_width = 130;
constexpr std::size_t margin = 16;
constexpr std::size_t width = 2 * margin + label_width + row_cells * cell_side;

constexpr std::string_view style_sheet = R"(<style>
svg { background: #ffffff; font: 12px system-ui, sans-serif; }
text { fill: #1c1c1c; } .small { font-size: 10px; fill: #555555; }
.free { fill: #f2f2f2; } .dead { fill: #cfcfcf; }
@media (prefers-color-scheme: dark) {
svg { background: #16181c; } text { fill: #ececec; } .small { fill: #a8a8a8; }
.free { fill: #22252b; } .dead { fill: #4a4f58; } }
)";

struct pen {
  std::string text;
  std::size_t y = margin;

  void rectangle(std::string_view kind, double x, double top, double w, double h,
                 std::string_view title) {
    text += fmt::format("<rect class=\"{}\" x=\"{:g}\" y=\"{:g}\" width=\"{:g}\" height=\"{:g}\"",
                        kind, x, top, w, h);
    text += title.empty() ? "/>\n" : fmt::format("><title>{}</title></rect>\n", escaped(title));
  }
  void words(std::string_view kind, std::size_t x, std::size_t base, std::string_view what) {
    text += fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n", kind, x, base,
                        escaped(what));
  }
};

// A row of cells. Neighbours of one span that are full are one rectangle.
void draw_row(pen& to, const map_scene& scene, const map_region& region, std::size_t first,
              std::size_t last) {
  constexpr double side = cell_side - 1;
  const auto full = [&scene](const map_cell& cell) { return cell.live == scene.cell_bytes(); };
  for (std::size_t i = first; i < last;) {
    const map_cell& cell = region.cells[i];
    std::size_t n = 1;
    const auto same = [&](const map_cell& other) {
      if (cell.held == 0) return other.held == 0;
      return full(cell) && full(other) && cell.span == other.span;
    };
    while (i + n < last && same(region.cells[i + n])) ++n;
    const auto x = static_cast<double>(margin + label_width + (i - first) * cell_side);
    const auto y = static_cast<double>(to.y);
    const double w = static_cast<double>(n * cell_side) - 1;
    if (cell.held == 0) {
      to.rectangle("free", x, y, w, side, "");
    } else {
      const std::string what = scene.describe(cell.span);
      if (!full(cell)) {
        to.rectangle("dead", x, y, w, side,
                     fmt::format("{} of {} live; most: {}", bytes_text(cell.live),
                                 bytes_text(scene.cell_bytes()), what));
      }
      // A byte of a large cell still is seen.
      const double share = static_cast<double>(cell.live) / static_cast<double>(scene.cell_bytes());
      const double h = std::max(1.0, std::round(side * share * 10) / 10);
      to.rectangle(fmt::format("c{}", scene.colour_of(cell.span)), x, y + side - h, w, h, what);
    }
    i += n;
  }
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t n = character_length(text.substr(i));
    const bool control = (byte < 0x20 && byte != '\t' && byte != '\n') || byte == 0x7f;
    const std::string_view letter = text.substr(i, n);
    if (n == 0 || control || (n > 1 && is_control(letter)) || letter == "\xef\xbf\xbe" ||
        letter == "\xef\xbf\xbf") {
      result += "\xef\xbf\xbd";
      i += std::max<std::size_t>(n, 1);
      continue;
    }
    switch (text[i]) {
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '&': result += "&amp;"; break;
      case '"': result += "&quot;"; break;
      case '\'': result += "&#39;"; break;
      default: result += letter;
    }
    i += n;
  }
  return result;
}

std::string map_as_svg(const map_scene& scene, std::string_view file) {
  pen to;
  const std::string head = headline(scene, file);
  to.y += 12;
  to.words("", margin, to.y, head);
  to.y += 16;
  to.words("small", margin, to.y,
           fmt::format("a cell is {}, filled as far as it is live; grey is held and not live",
                       bytes_text(scene.cell_bytes())));
  to.y += 12;
  std::uint64_t end = 0;
  for (const map_region& region : scene.regions()) {
    if (end != 0) {
      to.y += 12;
      to.words("small", margin + label_width, to.y,
               bytes_text(region.begin > end ? region.begin - end : 0) + " never in use");
      to.y += 6;
    }
    end = region.end;
    for (std::size_t i = 0; i < region.cells.size(); i += row_cells) {
      to.words("small", margin, to.y + cell_side - 2,
               address_in_words(region.begin + i * scene.cell_bytes()));
      draw_row(to, scene, region, i, std::min(i + row_cells, region.cells.size()));
      to.y += cell_side;
    }
  }
  to.y += 12;
  for (const map_legend& line : scene.legend()) {
    to.rectangle(fmt::format("c{}", line.colour), margin, static_cast<double>(to.y), 10, 10, "");
    to.y += 10;
    to.words("", margin + 18, to.y,
             fmt::format("{} in {}: {}", bytes_text(line.bytes), pieces_in_words(line.pieces),
                         line.name));
    to.y += 8;
  }
  to.y += margin;
  const auto& colours = scene.chosen().colours == map_colours::place ? place_colours : step_colours;
  std::string classes;
  for (std::size_t i = 0; i < map_scene::colours; ++i) {
    classes += fmt::format(".c{} {{ fill: {}; }}\n", i, colours[i]);
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" role=\"img\" aria-labelledby=\"t\">\n<title id=\"t\">{2}</title>\n"
      "{3}{4}</style>\n{5}</svg>\n",
      width, to.y, escaped(head), style_sheet, classes, to.text);
}

}  // namespace cleave::tool
