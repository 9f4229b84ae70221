// map_scene.hpp -- one moment of the heap as cells, for pictures in SVG and in text.
//
// The reservation is terabytes with little in it. Shown are the regions that were ever in
// use; what lies between them is folded. A region is a row of cells of one size, a power of
// two; a cell knows how much of it is live, how much is held, and the span with most of it.
//
//   const map_scene scene(past, names, {.at = past.peak, .most_cells = 4000});
//   for (const map_region& region : scene.regions()) ...
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replay/play.hpp"

namespace cleave::tool {

enum class map_colours : std::uint8_t { place, size, age };

struct map_cell {
  std::uint64_t live = 0;  // bytes
  std::uint64_t held = 0;
  std::uint32_t span = replay::none;  // the one with most bytes of the cell
};

struct map_region {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::vector<map_cell> cells;
};

// A line of the legend: what a colour stands for, and how much of it there is.
struct map_legend {
  std::size_t colour = 0;
  std::string name;
  std::uint64_t bytes = 0;
  std::uint64_t pieces = 0;
};

class map_scene {
 public:
  struct options {
    replay::moment at = 0;
    std::size_t most_cells = 4096;
    map_colours colours = map_colours::place;
  };
  // One colour each for seven places, sizes or ages, and one for all other places.
  static constexpr std::size_t colours = 8;

  // `names` says each place of the recording in words. The references must outlive the scene.
  map_scene(const replay::history& past, const std::vector<std::string>& names, options chosen);

  [[nodiscard]] const replay::history& past() const noexcept { return past_; }
  [[nodiscard]] const options& chosen() const noexcept { return chosen_; }
  [[nodiscard]] std::uint64_t cell_bytes() const noexcept { return cell_bytes_; }
  [[nodiscard]] const std::vector<map_region>& regions() const noexcept { return regions_; }
  [[nodiscard]] const std::vector<map_legend>& legend() const noexcept { return legend_; }
  // By address.
  [[nodiscard]] const std::vector<std::uint32_t>& live() const noexcept { return live_; }
  [[nodiscard]] std::size_t colour_of(std::uint32_t span) const;
  // "64 B at 0x100000, of 100 B, from parse at reader.cpp:120, since 1.50 s"
  [[nodiscard]] std::string describe(std::uint32_t span) const;

 private:
  void find_regions();
  void fill_cells();
  void make_legend();

  const replay::history& past_;
  const std::vector<std::string>& names_;
  options chosen_;
  std::uint64_t cell_bytes_ = 0;
  std::vector<std::uint32_t> live_;  // by address
  std::vector<std::size_t> place_colours_;
  std::vector<map_region> regions_;
  std::vector<map_legend> legend_;
};

// The places by how much they held at the peak, then by what they ever allocated: the order
// in which they get colours, the same at all moments.
std::vector<std::uint32_t> places_by_weight(const replay::history& past, std::size_t places);

// Ranges of whole pages that were in use at some moment, by address. Gaps of at most
// `widest_gap` bytes are a part of them.
struct map_range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};
std::vector<map_range> used_ranges(const replay::history& past, std::uint64_t widest_gap);

// What the sizes and ages of the colours 0 to 6 are: up to so many bytes or nanoseconds.
extern const std::uint64_t size_limits[6];
extern const std::uint64_t age_limits[6];

// The moment that a user asks for: "1.5s", "20ms", "50%", "peak" or "end". Nothing if it is none.
std::optional<replay::moment> moment_in_words(const replay::history& past,
                                              const std::string& words);

// "0x100000", "2 pieces"
std::string address_in_words(std::uint64_t address);
std::string pieces_in_words(std::uint64_t pieces);

}  // namespace cleave::tool
