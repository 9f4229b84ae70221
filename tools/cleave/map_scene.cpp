// map_scene.cpp -- from spans to cells and a legend.
#include "map_scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "drawing.hpp"

namespace cleave::tool {

const std::uint64_t size_limits[6] = {64, 512, 4096, 32768, 262144, 2097152};
const std::uint64_t age_limits[6] = {1'000'000,     10'000'000,     100'000'000,
                                     1'000'000'000, 10'000'000'000, 100'000'000'000};

namespace {

// The first class whose limit `value` does not exceed.
std::size_t class_of(std::uint64_t value, const std::uint64_t (&limits)[6]) {
  return static_cast<std::size_t>(std::lower_bound(limits, limits + 6, value) - limits);
}

std::string plural(std::uint64_t n, std::string_view one) {
  return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s");
}

}  // namespace

std::string address_in_words(std::uint64_t address) {
  return fmt::format("{:#x}", address);
}

std::string pieces_in_words(std::uint64_t pieces) {
  return plural(pieces, "piece");
}

std::optional<replay::moment> moment_in_words(const replay::history& past,
                                              const std::string& words) {
  if (words == "peak") return past.peak;
  if (words == "end") return past.last();
  double value = 0;
  const char* const end = words.data() + words.size();
  const auto [rest, error] = std::from_chars(words.data(), end, value);
  if (error != std::errc() || !std::isfinite(value) || value < 0) return std::nullopt;
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  const auto last = static_cast<double>(past.times.back());
  double time = 0;
  if (unit == "%") {
    if (value > 100) return std::nullopt;
    time = last * value / 100;
  } else if (unit == "s") {
    time = value * 1e9;
  } else if (unit == "ms") {
    time = value * 1e6;
  } else if (unit == "us") {
    time = value * 1e3;
  } else if (unit == "ns") {
    time = value;
  } else {
    return std::nullopt;
  }
  if (time >= last) return past.last();
  return replay::moment_at(past, static_cast<std::uint64_t>(time));
}

std::vector<std::uint32_t> places_by_weight(const replay::history& past, std::size_t places) {
  std::vector<std::uint64_t> peak(places), ever(places);
  for (const replay::holding& sum : replay::holders(past, past.peak)) {
    if (sum.place < places) peak[sum.place] = sum.bytes;
  }
  for (const replay::allocation& one : past.allocations) {
    if (one.place < places) ever[one.place] += one.size;
  }
  std::vector<std::uint32_t> result;
  for (std::uint32_t place = 0; place < places; ++place) {
    if (ever[place] != 0) result.push_back(place);
  }
  std::sort(result.begin(), result.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (peak[a] != peak[b]) return peak[a] > peak[b];
    return ever[a] != ever[b] ? ever[a] > ever[b] : a < b;
  });
  return result;
}

std::vector<map_range> used_ranges(const replay::history& past, std::uint64_t widest_gap) {
  const std::uint64_t page = past.page_bytes;
  std::vector<map_range> all;
  all.reserve(past.spans.size());
  for (const replay::span& one : past.spans) {
    // Parts of a span add nothing to it.
    if (one.parent != replay::none && past.spans[one.parent].how != replay::ending::extended) {
      continue;
    }
    all.push_back({one.begin / page * page, ((one.end - 1) / page + 1) * page});
  }
  std::sort(all.begin(), all.end(),
            [](const map_range& a, const map_range& b) { return a.begin < b.begin; });
  std::vector<map_range> result;
  for (const map_range& one : all) {
    if (!result.empty() && one.begin <= result.back().end + widest_gap) {
      result.back().end = std::max(result.back().end, one.end);
    } else {
      result.push_back(one);
    }
  }
  return result;
}

map_scene::map_scene(const replay::history& past, const std::vector<std::string>& names,
                     options chosen)
    : past_(past), names_(names), chosen_(chosen), live_(replay::live_at(past, chosen.at)) {
  place_colours_.assign(names.size(), colours - 1);
  const std::vector<std::uint32_t> order = places_by_weight(past, names.size());
  for (std::size_t i = 0; i < order.size() && i + 1 < colours; ++i) place_colours_[order[i]] = i;
  find_regions();
  fill_cells();
  make_legend();
}

void map_scene::find_regions() {
  // Gaps are folded when they would take a row of their own, or two cells of larger ones.
  for (cell_bytes_ = past_.page_bytes;; cell_bytes_ *= 2) {
    const std::uint64_t gap = std::max(16 * past_.page_bytes, 2 * cell_bytes_);
    std::uint64_t cells = 0;
    regions_.clear();
    for (const map_range& range : used_ranges(past_, gap)) {
      const std::uint64_t begin = range.begin / cell_bytes_ * cell_bytes_;
      const std::uint64_t n = (range.end - begin + cell_bytes_ - 1) / cell_bytes_;
      cells += n;
      if (cells > chosen_.most_cells) break;
      regions_.push_back({begin, range.end, std::vector<map_cell>(n)});
    }
    if (cells <= chosen_.most_cells || cell_bytes_ > std::uint64_t{1} << 62) return;
  }
}

void map_scene::fill_cells() {
  const std::uint64_t page = past_.page_bytes;
  auto region = regions_.begin();
  std::vector<std::uint64_t> most;
  std::uint64_t counted = 0;  // pages up to here are counted as held
  for (const std::uint32_t index : live_) {
    const replay::span& one = past_.spans[index];
    while (region != regions_.end() && region->end <= one.begin) {
      ++region;
      most.clear();
    }
    if (region == regions_.end()) return;
    most.resize(region->cells.size());
    const auto each_cell = [&](std::uint64_t begin, std::uint64_t end, const auto& what) {
      while (begin < end) {
        const std::uint64_t number = (begin - region->begin) / cell_bytes_;
        const std::uint64_t next = std::min(end, region->begin + (number + 1) * cell_bytes_);
        what(region->cells[number], number, next - begin);
        begin = next;
      }
    };
    each_cell(one.begin, one.end, [&](map_cell& cell, std::uint64_t number, std::uint64_t bytes) {
      cell.live += bytes;
      if (bytes > most[number]) {
        most[number] = bytes;
        cell.span = index;
      }
    });
    const std::uint64_t from = std::max(one.begin / page * page, counted);
    counted = std::max(counted, ((one.end - 1) / page + 1) * page);
    each_cell(from, counted,
              [](map_cell& cell, std::uint64_t, std::uint64_t bytes) { cell.held += bytes; });
  }
}

std::size_t map_scene::colour_of(std::uint32_t span) const {
  const replay::allocation& owner = past_.allocations[past_.spans[span].owner];
  switch (chosen_.colours) {
    case map_colours::place:
      return owner.place < place_colours_.size() ? place_colours_[owner.place] : colours - 1;
    case map_colours::size: return class_of(owner.size, size_limits);
    case map_colours::age: break;
  }
  return class_of(past_.times[chosen_.at] - owner.time, age_limits);
}

void map_scene::make_legend() {
  std::vector<map_legend> lines(colours);
  for (const std::uint32_t index : live_) {
    map_legend& line = lines[colour_of(index)];
    line.bytes += past_.spans[index].size();
    ++line.pieces;
  }
  for (std::size_t colour = 0; colour < colours; ++colour) {
    map_legend& line = lines[colour];
    if (line.pieces == 0) continue;
    line.colour = colour;
    if (chosen_.colours == map_colours::place) {
      line.name = "other places";
      for (std::size_t place = 0; place < names_.size() && colour + 1 < colours; ++place) {
        if (place_colours_[place] == colour) line.name = names_[place];
      }
    } else if (colour == 6) {
      line.name = chosen_.colours == map_colours::size ? "larger" : "older";
    } else if (chosen_.colours == map_colours::size) {
      line.name = "up to " + bytes_text(size_limits[colour]);
    } else {
      line.name = "up to " + duration_text(age_limits[colour]);
    }
    legend_.push_back(std::move(line));
  }
}

std::string map_scene::describe(std::uint32_t span) const {
  const replay::span& one = past_.spans[span];
  const replay::allocation& owner = past_.allocations[one.owner];
  const std::string of =
      one.size() == owner.size ? "" : fmt::format(", of {}", bytes_text(owner.size));
  const std::string from = owner.place < names_.size() ? names_[owner.place] : "an unknown place";
  return fmt::format("{} at {}{}, from {}, since {}", bytes_text(one.size()),
                     address_in_words(one.begin), of, from, duration_text(owner.time));
}

}  // namespace cleave::tool
