// map_page.cpp -- packs a history into the page.
#include "map_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "drawing.hpp"
#include "map_picture.hpp"
#include "map_scene.hpp"

namespace cleave::tool {
namespace {

// Pins in the table of the page.
constexpr std::size_t most_pins = 200;

// Numbers, seven bits to a byte, the low ones first.
class column {
 public:
  void add(std::uint64_t value) {
    for (; value >= 128; value >>= 7) bytes_ += static_cast<char>(value | 128);
    bytes_ += static_cast<char>(value);
  }
  // From one to the other, doubled, with the sign in the lowest bit.
  void add_change(std::uint64_t from, std::uint64_t to) {
    add(to >= from ? (to - from) << 1 : ((from - to) << 1) - 1);
  }
  [[nodiscard]] const std::string& bytes() const noexcept { return bytes_; }

 private:
  std::string bytes_;
};

std::string in_base64(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string result;
  result.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto byte = i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u;
      group = group << 8 | byte;
    }
    for (std::size_t k = 0; k < 4; ++k) {
      result += i + k > bytes.size() ? '=' : digits[group >> (18 - 6 * k) & 63];
    }
  }
  return result;
}

// A hash as a policy names it.
std::string source_of(std::string_view hash) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hash.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hash.substr(i, 2)), nullptr, 16));
  }
  return "'sha256-" + in_base64(bytes) + "'";
}

void append_column(std::string& to, std::string_view name, const column& numbers) {
  to += fmt::format("<script type=\"text/plain\" id=\"column-{}\">{}</script>\n", name,
                    in_base64(numbers.bytes()));
}

void append_moments(std::string& to, const replay::history& past) {
  column times;
  column held;
  for (std::size_t m = 1; m < past.times.size(); ++m) {
    times.add(past.times[m] - past.times[m - 1]);
    held.add_change(past.held[m - 1] / past.page_bytes, past.held[m] / past.page_bytes);
  }
  append_column(to, "times", times);
  append_column(to, "held", held);
}

void append_allocations(std::string& to, const replay::history& past) {
  column numbers;
  replay::moment moment = 0;
  std::uint64_t address = past.base;
  for (const replay::allocation& one : past.allocations) {
    numbers.add(one.born - moment);
    numbers.add_change(address, one.address);
    numbers.add(one.size);
    numbers.add(one.place);
    numbers.add(one.thread);
    moment = one.born;
    address = one.address;
  }
  append_column(to, "allocations", numbers);
}

void append_spans(std::string& to, const replay::history& past) {
  column numbers;
  for (std::size_t i = 0; i < past.spans.size(); ++i) {
    const replay::span& one = past.spans[i];
    if (one.parent == replay::none) {
      // All of the next allocation, which says the rest.
      numbers.add(0);
    } else {
      numbers.add(i - one.parent);
      numbers.add(one.begin - past.allocations[one.owner].address);
      numbers.add(one.size());
      numbers.add(one.born - past.spans[one.parent].died);
    }
    const bool died = one.died != replay::none;
    numbers.add(died ? (std::uint64_t{one.died - one.born} << 3) | static_cast<unsigned>(one.how)
                     : 0);
  }
  append_column(to, "spans", numbers);
}

std::size_t append_ranges(std::string& to, const replay::history& past) {
  const std::vector<map_range> ranges = used_ranges(past, 16 * past.page_bytes);
  column numbers;
  std::uint64_t end = past.base;
  for (const map_range& one : ranges) {
    numbers.add_change(end, one.begin);
    numbers.add(one.end - one.begin);
    end = one.end;
  }
  append_column(to, "ranges", numbers);
  return ranges.size();
}

using json = nlohmann::ordered_json;

json notes_of(const trace::recording& recording, const replay::history& past) {
  json notes = tool::notes_of(recording);
  if (const std::uint64_t odd = past.odd.count(); odd != 0) {
    notes.push_back(fmt::format(
        "It has {} events that cannot be true of a heap ({} frees of what was not live, {} "
        "allocations of what was): it is damaged, or began late.",
        odd, past.odd.freed_dead, past.odd.reused_live));
  }
  return notes;
}

json places_of(const replay::history& past, const std::vector<std::string>& names) {
  std::vector<std::size_t> colours(names.size(), map_scene::colours - 1);
  const std::vector<std::uint32_t> order = places_by_weight(past, names.size());
  for (std::size_t i = 0; i < order.size() && i + 1 < map_scene::colours; ++i) {
    colours[order[i]] = i;
  }
  json places = json::array();
  for (std::size_t i = 0; i < names.size(); ++i) {
    places.push_back({{"name", plain_name(names[i], true)}, {"colour", colours[i]}});
  }
  return places;
}

json pins_of(const replay::history& past) {
  json pins = json::array();
  for (std::size_t i = 0; i < std::min(most_pins, past.pins.size()); ++i) {
    const replay::pin& one = past.pins[i];
    pins.push_back({{"page", one.page},
                    {"live", one.live},
                    {"length", one.length},
                    {"from", one.from},
                    {"to", one.to},
                    {"keeper", one.keeper}});
  }
  return pins;
}

// As it may stand in a script element.
std::string as_text(const json& value) {
  std::string result;
  for (const char c : value.dump(-1, ' ', false, json::error_handler_t::replace)) {
    if (c == '<') {
      result += "\\u003c";
    } else {
      result += c;
    }
  }
  return result;
}

void replace(std::string& text, std::string_view mark, std::string_view with) {
  const std::size_t at = text.find(mark);
  if (at != text.npos) text.replace(at, mark.size(), with);
}

}  // namespace

std::vector<std::string> notes_of(const trace::recording& recording) {
  std::vector<std::string> notes;
  if (!recording.complete) {
    notes.emplace_back("The recording ends in the middle; shown is what it has.");
  }
  if (recording.lost != 0) {
    notes.push_back(fmt::format("{} events were not recorded.", recording.lost));
  }
  return notes;
}

std::string map_as_page(const trace::recording& recording, const replay::history& past,
                        const std::vector<std::string>& names, std::string_view file,
                        replay::moment at) {
  std::string columns;
  append_moments(columns, past);
  append_allocations(columns, past);
  append_spans(columns, past);
  const std::size_t ranges = append_ranges(columns, past);
  json summary;
  summary["file"] = plain_name(file, true);
  summary["program"] = plain_name(recording.program, true);
  summary["base"] = past.base;
  summary["page_bytes"] = past.page_bytes;
  summary["moments"] = past.times.size();
  summary["allocations"] = past.allocations.size();
  summary["spans"] = past.spans.size();
  summary["ranges"] = ranges;
  summary["peak"] = past.peak;
  summary["start"] = at;
  summary["pinned_pages"] = past.pinned_pages;
  summary["size_limits"] = size_limits;
  summary["age_limits"] = age_limits;
  summary["notes"] = notes_of(recording, past);
  summary["places"] = places_of(past, names);
  summary["pins"] = pins_of(past);
  columns +=
      fmt::format("<script type=\"application/json\" id=\"summary\">{}</script>", as_text(summary));

  const map_page_parts parts = page_parts();
  const std::string policy = fmt::format(
      "default-src 'none'; script-src {}; style-src {}; base-uri 'none'; form-action 'none'",
      source_of(parts.script_hash), source_of(parts.style_hash));
  std::string text = parts.page;
  replace(text, "@policy@", policy);
  replace(text, "@style@", parts.style);
  replace(text, "@script@", parts.script);
  // Last, since these may hold what looks like a mark.
  replace(text, "@data@", columns);
  replace(text, "@title@", escaped(fmt::format("Heap map of {}", file)));
  return text;
}

}  // namespace cleave::tool
