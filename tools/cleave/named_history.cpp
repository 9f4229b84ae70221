#include "named_history.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "commands.hpp"
#include "drawing.hpp"

namespace cleave::tool {
namespace {

trace::recording read(const std::string& file) {
  try {
    return trace::read(file);
  } catch (const trace::unreadable& error) {
    // It has the name of the file in it.
    throw command_error(plain_name(error.what(), style_of(STDERR_FILENO).unicode));
  }
}

std::vector<std::uint32_t> places_in_use(const replay::history& past, std::size_t places) {
  std::vector<bool> used(places);
  for (const replay::allocation& one : past.allocations) used[one.place] = true;
  for (const replay::holding& one : past.copies) used[one.place] = true;
  std::vector<std::uint32_t> all;
  // The place 0 is the one that is not known.
  for (std::uint32_t place = 1; place < places; ++place) {
    if (used[place]) all.push_back(place);
  }
  return all;
}

}  // namespace

void merge_places(replay::history& past, const std::vector<std::string>& names) {
  std::unordered_map<std::string_view, std::uint32_t> first;
  std::vector<std::uint32_t> now(names.size());
  for (std::uint32_t place = 0; place < names.size(); ++place) {
    now[place] = first.try_emplace(names[place], place).first->second;
  }
  for (replay::allocation& one : past.allocations) one.place = now[one.place];
  std::unordered_map<std::uint32_t, replay::holding> sums;
  for (const replay::holding& one : past.copies) {
    replay::holding& sum = sums[now[one.place]];
    sum.place = now[one.place];
    sum.bytes += one.bytes;
    sum.count += one.count;
  }
  past.copies.clear();
  for (const auto& [place, sum] : sums) past.copies.push_back(sum);
  std::sort(past.copies.begin(), past.copies.end(),
            [](const replay::holding& a, const replay::holding& b) {
              return a.bytes != b.bytes ? a.bytes > b.bytes : a.place < b.place;
            });
}

named_history read_history(const std::string& file, std::size_t most_pins) {
  named_history all;
  all.recording = read(file);
  all.past = replay::play(all.recording, most_pins);
  const std::size_t places = all.recording.places.size();
  all.names.assign(places, "an unknown place");
  const std::vector<std::uint32_t> used = places_in_use(all.past, places);
  trace::names words(all.recording);
  words.prepare(used);
  for (const std::uint32_t place : used) all.names[place] = words.of(place);
  merge_places(all.past, all.names);
  return all;
}

}  // namespace cleave::tool
