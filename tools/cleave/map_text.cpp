// map_text.cpp -- the map in a terminal.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "map_picture.hpp"

namespace cleave::tool {
namespace {

constexpr std::size_t label = 15;  // "0x123456789abc "

// Of the 256 colours that terminals have, those nearest to the ones in map_svg.cpp.
constexpr int place_codes[map_scene::colours] = {32, 208, 36, 175, 75, 220, 166, 246};
constexpr int step_codes[map_scene::colours] = {53, 61, 31, 30, 35, 113, 220, 246};

// From nothing live to all of it, and what is not in use.
struct glyphs {
  const char* parts[4];
  const char* unused;
};
constexpr glyphs of_unicode = {{"░", "▒", "▓", "█"}, "·"};
constexpr glyphs of_ascii = {{"-", "+", "%", "#"}, "."};

const char* glyph_of(const map_cell& cell, std::uint64_t cell_bytes, const glyphs& all) {
  if (cell.held == 0) return all.unused;
  if (cell.live >= cell_bytes) return all.parts[3];
  if (cell.live * 3 >= cell_bytes * 2) return all.parts[2];
  return cell.live * 3 >= cell_bytes ? all.parts[1] : all.parts[0];
}

class painter {
 public:
  painter(const map_scene& scene, const style& look)
      : scene_(scene), look_(look), glyphs_(look.unicode ? of_unicode : of_ascii) {}

  [[nodiscard]] const glyphs& all() const { return glyphs_; }

  [[nodiscard]] std::string paint(std::size_t colour, std::string_view text) const {
    if (!look_.colour) return std::string(text);
    const auto& codes = scene_.chosen().colours == map_colours::place ? place_codes : step_codes;
    return fmt::format("\x1b[38;5;{}m{}\x1b[0m", codes[colour], text);
  }

  [[nodiscard]] std::string paint(const map_cell& cell) const {
    const char* const glyph = glyph_of(cell, scene_.cell_bytes(), glyphs_);
    return cell.span == replay::none ? glyph : paint(scene_.colour_of(cell.span), glyph);
  }

 private:
  const map_scene& scene_;
  style look_;
  const glyphs& glyphs_;
};

std::string fate_of(const replay::history& past, const replay::span& one) {
  constexpr const char* words[] = {
      "never freed", "freed at ",           "cut at ", "cut at ", "joined at ",
      "grown at ",   "handed out again at "};
  std::string text = words[static_cast<std::size_t>(one.how)];
  if (one.died != replay::none) text += duration_text(past.times[one.died]);
  if (one.how == replay::ending::unseen_cut) text += " (inferred from a free)";
  return text;
}

}  // namespace

std::optional<std::string> tree_as_text(const map_scene& scene, std::uint64_t address,
                                        const style& look) {
  const replay::history& past = scene.past();
  for (const std::uint32_t index : scene.live()) {
    const replay::span& found = past.spans[index];
    if (address < found.begin || address >= found.end) continue;
    const replay::allocation& owner = past.allocations[found.owner];
    std::string text = plain_name(scene.describe(index), look.unicode) + '\n';
    for (const replay::tree_node& node : replay::cut_tree(past, found.owner)) {
      const replay::span& one = past.spans[node.span];
      text += fmt::format("{:{}}{} [{}, {}) from {}, {}\n", "", 2 * node.depth,
                          node.span == index ? '>' : '-', one.begin - owner.address,
                          one.end - owner.address, duration_text(past.times[one.born]),
                          fate_of(past, one));
    }
    return text;
  }
  return std::nullopt;
}

std::size_t cells_of_text(std::size_t columns) {
  return std::max(columns, std::size_t{40}) * 24;
}

std::string headline(const map_scene& scene, std::string_view file) {
  const replay::history& past = scene.past();
  const replay::moment at = scene.chosen().at;
  const std::uint64_t held = past.held[at];
  const std::uint64_t pinned = past.pinned(at);
  return fmt::format("{} at {} of {}{}: {} live, {} held, {} pinned ({} %)", file,
                     duration_text(past.times[at]), duration_text(past.times.back()),
                     at == past.peak ? ", its peak" : "", bytes_text(past.live[at]),
                     bytes_text(held), bytes_text(pinned),
                     held == 0 ? 0 : (pinned * 100 + held / 2) / held);
}

std::string map_as_text(const map_scene& scene, std::string_view file, text_options chosen) {
  const painter paints(scene, chosen.look);
  const glyphs& all = paints.all();
  const std::size_t room = std::max(chosen.columns, std::size_t{40}) - label;
  // A power of two, so that labels are round.
  const std::size_t row = std::size_t{1} << (std::bit_width(room) - 1);
  std::string text = plain_name(headline(scene, file), chosen.look.unicode) + '\n';
  if (const std::uint64_t odd = scene.past().odd.count(); odd != 0) {
    text += fmt::format(
        "events that cannot be true of a heap: {}; the recording is damaged or in part\n", odd);
  }
  if (scene.regions().empty()) return text + "nothing was ever in use\n";
  text += fmt::format("a cell is {}: {} live, {} {} {} in part, {} not in use\n\n",
                      bytes_text(scene.cell_bytes()), all.parts[3], all.parts[2], all.parts[1],
                      all.parts[0], all.unused);
  std::uint64_t end = 0;
  for (const map_region& region : scene.regions()) {
    if (end != 0) {
      text += fmt::format("{:>{}}{} never in use\n", "", label,
                          bytes_text(region.begin > end ? region.begin - end : 0));
    }
    end = region.end;
    for (std::size_t i = 0; i < region.cells.size(); i += row) {
      text += fmt::format("{:<{}}", address_in_words(region.begin + i * scene.cell_bytes()), label);
      const std::size_t last = std::min(i + row, region.cells.size());
      for (std::size_t k = i; k < last; ++k) text += paints.paint(region.cells[k]);
      text += '\n';
    }
  }
  text += '\n';
  for (const map_legend& line : scene.legend()) {
    text += fmt::format("{} {:>10} in {}: {}\n", paints.paint(line.colour, all.parts[3]),
                        bytes_text(line.bytes), pieces_in_words(line.pieces),
                        plain_name(line.name, chosen.look.unicode));
  }
  return text;
}

}  // namespace cleave::tool
