// map_command.cpp -- `cleave map`: what lived where in the heap (docs/design/replay.md).
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commands.hpp"
#include "drawing.hpp"
#include "map_page.hpp"
#include "map_picture.hpp"
#include "map_scene.hpp"
#include "named_history.hpp"
#include "output.hpp"
#include "terminal.hpp"

namespace cleave::tool {
namespace {

struct request {
  std::string file;
  std::string html;
  std::string svg;
  bool text = false;
  std::optional<std::string> at;
  std::optional<std::uint64_t> tree;
  map_colours colours = map_colours::place;
};

std::size_t columns() {
  if (const std::optional<extent> size = extent_of_terminal()) return size->columns;
  if (const char* const told = std::getenv("COLUMNS")) {
    const std::string_view words(told);
    std::size_t value = 0;
    std::from_chars(words.data(), words.data() + words.size(), value);
    if (value != 0 && value <= 1000) return value;
  }
  return 80;
}

void write(const std::string& file, const std::string& text) {
  output target(file == "-" ? std::nullopt : std::optional(file));
  target.write(std::as_bytes(std::span(text)));
  target.finish(false);
}

void draw(const request& asked) {
  if (asked.html.empty() && asked.svg.empty() && !asked.text && !asked.tree) {
    throw usage_error("say what to make: --html, --svg, --text or --tree; see 'cleave map --help'");
  }
  const named_history seen = read_history(asked.file, 1000);
  const replay::history& past = seen.past;
  const std::vector<std::string>& names = seen.names;
  replay::moment at = past.peak;
  if (asked.at) {
    const auto found = moment_in_words(past, *asked.at);
    if (!found) {
      throw usage_error(fmt::format(
          "--at wants a time such as 1.5s or 20ms, a share such as 50%, peak or end, not {}; "
          "see 'cleave map --help'",
          in_quotes(*asked.at)));
    }
    at = *found;
  }
  if (!asked.html.empty())
    write(asked.html, map_as_page(seen.recording, past, names, asked.file, at));
  if (!asked.svg.empty()) {
    const map_scene scene(past, names, {at, 4096, asked.colours});
    write(asked.svg, map_as_svg(scene, asked.file));
  }
  const style look = style_of(STDOUT_FILENO);
  if (asked.text) {
    for (const std::string& note : notes_of(seen.recording)) print(note + "\n");
    const std::size_t wide = columns();
    const map_scene scene(past, names, {at, cells_of_text(wide), asked.colours});
    print(map_as_text(scene, asked.file, {wide, look}));
  }
  if (asked.tree) {
    const map_scene scene(past, names, {at, 4096, asked.colours});
    const auto tree = tree_as_text(scene, *asked.tree, look);
    if (!tree) {
      throw command_error(fmt::format("nothing lives at {} at {}; --at chooses another moment",
                                      address_in_words(*asked.tree),
                                      duration_text(past.times[at])));
    }
    print(*tree);
  }
}

}  // namespace

void add_map_command(CLI::App& app, outcome&) {
  CLI::App* const command =
      app.add_subcommand("map", "Draws what lived where in the heap of a recorded program");
  const auto asked = std::make_shared<request>();
  command->add_option("FILE", asked->file, "What CLEAVE_TRACE recorded")->type_name("")->required();
  command->add_option("--html", asked->html, "Write a page with the whole recording in it")
      ->type_name("OUT");
  command->add_option("--svg", asked->svg, "Write a picture of one moment; - is standard output")
      ->type_name("OUT");
  command->add_flag("--text", asked->text, "Print the map of one moment");
  command
      ->add_option("--tree", asked->tree,
                   "Print how the allocation was cut that lives at this address")
      ->type_name("ADDRESS");
  command->add_option("--at", asked->at, "The moment: 1.5s, 20ms, 50%, peak or end (default: peak)")
      ->type_name("TIME");
  const std::map<std::string, map_colours> colours{
      {"place", map_colours::place}, {"size", map_colours::size}, {"age", map_colours::age}};
  command
      ->add_option_function<std::string>(
          "--colour",
          [asked, colours](const std::string& word) { asked->colours = colours.at(word); },
          "What colours stand for: place, size or age (default: place)")
      ->check(CLI::IsMember({"place", "size", "age"}))
      ->type_name("WHAT");
  command->footer("Colours in text only if standard output is a terminal and NO_COLOR is not set.");
  command->callback([asked] { draw(*asked); });
}

}  // namespace cleave::tool
