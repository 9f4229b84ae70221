// bench_command.cpp -- `cleave bench`: measures cutting and joining on this machine.
#include <fmt/core.h>
#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "harness.hpp"
#include "progress_line.hpp"
#include "report.hpp"
#include "strategies/memory.hpp"

namespace cleave::tool {
namespace {

struct bench_options {
  bench::settings chosen;
  bool json = false;
};

void measure(const bench_options& options) {
  if (options.chosen.peers) bench::restart_with_room_for_peers();
  progress_line line;
  const bench::listener told{[&](std::string_view text) { line.show(text); },
                             [&](std::string_view text) {
                               line.clear();
                               fmt::print(stderr, "cleave: {}\n", text);
                             }};
  std::vector<bench::result> results;
  try {
    results = bench::run(options.chosen, told);
  } catch (const bench::unknown_name& error) {
    throw usage_error(error.what());
  }
  line.clear();
  if (options.json) {
    print(bench::to_json(results));
    return;
  }
  if (!options.chosen.quick) print(bench::detail_table(results) + "\n");
  print(bench::summary_table(results));
}

}  // namespace

void add_bench_command(CLI::App& app, outcome&) {
  CLI::App* const command = app.add_subcommand(
      "bench", "Measures cutting and joining of arrays, with other ways to do it beside it");
  const auto options = std::make_shared<bench_options>();
  bench::settings& chosen = options->chosen;
  command
      ->add_option("workload", chosen.workloads,
                   "What to measure: a name such as walk-1, or walk for all of them")
      ->option_text("[WORKLOAD...]");
  command->add_flag("--quick", chosen.quick, "Less work and 3 rounds; only the summary");
  command
      ->add_option("--threads", chosen.threads,
                   "Threads of fork-tree and sort: 1, 2, 4, 8 or 16 (default: 1, then 2)")
      ->check(CLI::IsMember({1U, 2U, 4U, 8U, 16U}));
  command->add_option("--rounds", chosen.rounds, "Rounds to take the median of (default: 5)")
      ->check(CLI::Range(1U, 1000U));
  command->add_option("--strategies", chosen.strategies, "Only these, separated by commas")
      ->delimiter(',');
  command->add_flag("--all", chosen.all, "The further workloads and strategies as well");
  command->add_flag("--peers", chosen.peers,
                    "The strategies over mimalloc, jemalloc and oneTBB's allocator as well, where "
                    "installed, and those in $CLEAVE_PEERS");
  command->add_flag("--json", options->json, "Print one array of objects");
  command->footer(
      "Seconds are processor time for one thread and wall clock for more, the median\n"
      "of all rounds; retention shows resident memory. bench/README.md says what each\n"
      "strategy does and how to measure well.");
  command->callback([options] { measure(*options); });
}

}  // namespace cleave::tool
