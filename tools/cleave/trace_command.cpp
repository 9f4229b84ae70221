// trace_command.cpp -- `cleave trace`: what a recording of CLEAVE_TRACE says (docs/seeing.md).
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "commands.hpp"
#include "drawing.hpp"
#include "named_history.hpp"
#include "terminal.hpp"
#include "trace_summary.hpp"

namespace cleave::tool {
namespace {

struct request {
  std::string file;
  std::size_t top = 5;
  bool json = false;
};

constexpr std::size_t usual_width = 100;

void sum_up(const request& asked) {
  const named_history seen = read_history(asked.file, SIZE_MAX);
  const trace_summary all = summed_up(seen.recording, seen.past, asked.top);
  const place_namer name_of = [&seen](std::uint32_t place) { return seen.names[place]; };
  // Names come from files, which need not hold text; in ASCII no terminal obeys them.
  using json = nlohmann::ordered_json;
  if (asked.json) {
    print(as_json(all, name_of).dump(2, ' ', true, json::error_handler_t::replace) + "\n");
  } else {
    const std::optional<extent> screen = extent_of_terminal();
    const style look = style_of(STDOUT_FILENO);
    print(screen ? as_text(all, name_of, look, screen->columns, screen->columns)
                 : as_text(all, name_of, look, usual_width));
  }
}

}  // namespace

void add_trace_command(CLI::App& app, outcome&) {
  const auto asked = std::make_shared<request>();
  CLI::App* const command =
      app.add_subcommand("trace", "Sums up what a program recorded with CLEAVE_TRACE=FILE");
  command->add_option("FILE", asked->file, "The recording")->required()->type_name("");
  command->add_option("--top", asked->top, "Rows of each list (default: 5)")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000}))
      ->type_name("N");
  command->add_flag("--json", asked->json, "Print one JSON object");
  command->callback([asked] { sum_up(*asked); });
}

}  // namespace cleave::tool
