// top_command.cpp -- `cleave top`: the heap of another process while it runs (docs/seeing.md).
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cleave/heap.hpp>
#include <cstdlib>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>

#include "commands.hpp"
#include "drawing.hpp"
#include "terminal.hpp"
#include "top_frame.hpp"
#include "top_process.hpp"

namespace cleave::tool {
namespace {

using cleave::detail::shown;
using json = nlohmann::ordered_json;
using seconds = std::chrono::duration<double>;

struct request {
  pid_t process = 0;
  double interval = 1;
  bool once = false;
  bool json = false;
};

constexpr double shortest = 0.1;
constexpr double longest = 60;

double uptime(const shown& seen) {
  return seen.written > seen.began ? static_cast<double>(seen.written - seen.began) / 1e9 : 0;
}

json as_json(const top_view& view) {
  json all;
  all["process"] = view.now.process;
  all["program"] = view.program;
  all["uptime_seconds"] = uptime(view.now);
  all["idle_bytes"] = view.now.idle;
  all["allocations_per_second"] = allocations_per_second(view);
  all["frees_per_second"] = frees_per_second(view);
  all["heap"] = json::parse(heap::to_json(statistics_of(view.now)));
  return all;
}

void list(bool wants_json) {
  json rows = json::array();
  std::string table = fmt::format("{:>9}  {:<16}  {:>10}  {:>10}  {:>10}  {}\n", "PROCESS",
                                  "PROGRAM", "LIVE", "HELD", "PEAK", "UP");
  for (const pid_t process : shown_processes()) {
    shown seen;
    // It may have ended since, or be another version's.
    if (!look_at(process, seen).empty()) continue;
    top_view view;
    view.program = program_of(process);
    view.add(seen);
    rows.push_back(as_json(view));
    table += fmt::format("{:>9}  {:<16}  {:>10}  {:>10}  {:>10}  {}\n", process, view.program,
                         bytes_text(seen.live), bytes_text(seen.held), bytes_text(seen.peak_held),
                         time_text(uptime(seen)));
  }
  if (wants_json) {
    print(rows.dump(2) + "\n");
  } else if (rows.empty()) {
    print("no process shows its heap; start a program with CLEAVE_TOP=1 in the environment\n");
  } else {
    print(table);
  }
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// The first look. Throws command_error if there is nothing to see.
top_view begin(const request& asked) {
  shown seen;
  if (const std::string why = look_at(asked.process, seen); !why.empty()) throw command_error(why);
  top_view view;
  view.program = program_of(asked.process);
  view.interval = asked.interval;
  view.look = style_of(STDOUT_FILENO);
  view.add(seen);
  return view;
}

// Rates need a second look, at what was written later. The process may end meanwhile.
void look_again(const request& asked, top_view& view) {
  constexpr int tries = 100;
  shown seen;
  for (int i = 0; i < tries && !view.has_before; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (!look_at(asked.process, seen).empty()) return;
    view.add(seen);
  }
}

void show_once(const request& asked) {
  top_view view = begin(asked);
  look_again(asked, view);
  print(asked.json ? as_json(view).dump(2) + "\n" : joined(frame(view)));
}

// A line for each look, until the process ends or the reader goes away.
void stream_json(const request& asked) {
  top_view view = begin(asked);
  look_again(asked, view);
  shown seen;
  for (;;) {
    print(as_json(view).dump() + "\n");
    std::this_thread::sleep_for(seconds(asked.interval));
    if (!look_at(asked.process, seen).empty()) return;
    view.add(seen);
  }
}

// Whether to go on.
bool obey(int key, top_view& view) {
  switch (key) {
    case terminal::ended:
    case 'q':
    case 'Q': return false;
    case 's': {
      const int next = (static_cast<int>(view.order) + 1) % 3;
      view.order = static_cast<class_order>(next);
      break;
    }
    case 'p': view.paused = !view.paused; break;
    case 'h':
    case '?': view.help = !view.help; break;
    case '+': view.interval = std::max(view.interval / 2, shortest); break;
    case '-': view.interval = std::min(view.interval * 2, longest); break;
    default: break;
  }
  return true;
}

void draw(terminal& screen, top_view& view) {
  const extent size = terminal::size();
  view.width = size.columns;
  view.height = size.rows;
  screen.show(frame(view));
}

// A terminal that says of itself that it knows no control sequences.
bool is_dumb() {
  const char* const name = std::getenv("TERM");
  return name != nullptr && std::string_view(name) == "dumb";
}

void watch(const request& asked) {
  top_view view = begin(asked);
  view.keys = true;
  std::string why;
  {
    terminal screen;
    using clock = std::chrono::steady_clock;
    clock::time_point looked = clock::now();
    for (;;) {
      draw(screen, view);
      const seconds left = looked + seconds(view.interval) - clock::now();
      if (!obey(screen.wait(left.count()), view)) return;
      if (seconds(clock::now() - looked).count() < view.interval) continue;
      looked = clock::now();
      if (view.paused) continue;
      shown seen;
      why = look_at(asked.process, seen);
      if (!why.empty()) break;
      view.add(seen);
    }
  }
  // The last picture stays, on the usual screen.
  view.keys = false;
  view.height = 0;
  print(joined(frame(view)));
  print(is_running(asked.process) ? why + "\n"
                                  : fmt::format("process {} has ended\n", asked.process));
}

}  // namespace

void add_top_command(CLI::App& app, outcome&) {
  const auto asked = std::make_shared<request>();
  CLI::App* const command = app.add_subcommand("top", "Shows the heap of a process while it runs");
  command
      ->add_option(
          "PID", asked->process,
          "The process, started with CLEAVE_TOP=1 in the environment; without it, all that are")
      ->check(CLI::Range(pid_t{1}, std::numeric_limits<pid_t>::max()))
      ->type_name("");
  command->add_option("-i,--interval", asked->interval, "Seconds between two looks (default: 1)")
      ->check(CLI::Range(shortest, longest))
      ->type_name("SECONDS");
  command->add_flag("--once", asked->once, "Print one picture, as where the output is no terminal");
  command->add_flag("--json", asked->json,
                    "Print a JSON object, with --once, else one in a line for each look");
  command->footer("Keys: q quits, s sorts, p pauses, + and - change the interval, h helps.");
  command->callback([asked] {
    if (asked->process == 0) return list(asked->json);
    const bool terminals =
        ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1 && !is_dumb();
    if (asked->json && !asked->once) return stream_json(*asked);
    if (asked->once || !terminals) return show_once(*asked);
    watch(*asked);
  });
}

}  // namespace cleave::tool
