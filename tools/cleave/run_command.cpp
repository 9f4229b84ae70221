// run_command.cpp -- `cleave run`: compiles a program where that is needed, and becomes it
// (docs/guide/tool.md).
//
// The program takes the place of this process, so that signals, the terminal and the exit
// code are its own.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands.hpp"
#include "diagnosis.hpp"
#include "program_build.hpp"
#include "program_source.hpp"

namespace cleave::tool {
namespace {

struct request {
  std::string file;
  bool named = false;  // in front of "--"
  std::vector<std::string> arguments;
  std::vector<std::string> behind_dashes;
  unsigned threads = 0;
  bool check = false;
  bool statistics = false;
  std::string trace;
  device_choice device = device_choice::off;
  message_format format = message_format::text;
};

// What the command line has in front of "--" and is no option: the arguments of the program
// may stand there as well, if none looks like an option.
void take_arguments(request& asked, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word.size() > 1 && word.front() == '-') {
      throw usage_error(fmt::format(
          "there is no option {}; put -- before the arguments of the program", in_quotes(word)));
    }
    asked.arguments.push_back(word);
  }
  std::vector<std::string>& rest = asked.behind_dashes;
  if (!asked.named) {
    if (rest.empty()) throw usage_error("FILE is required; see 'cleave run --help'");
    asked.file = rest.front();
    rest.erase(rest.begin());
  }
  asked.arguments.insert(asked.arguments.end(), rest.begin(), rest.end());
}

void set(const char* name, const std::string& value) {
  ::setenv(name, value.c_str(), 1);
}

// Does not return.
void become(std::optional<program_build>& build, request& asked) {
  if (asked.threads > 0) set("CLEAVE_THREADS", std::to_string(asked.threads));
  if (asked.check) set("CLEAVE_CHECK", "1");
  if (asked.statistics) set("CLEAVE_STATS", "1");
  if (!asked.trace.empty()) set("CLEAVE_TRACE", asked.trace);
  std::vector<char*> words = {asked.file.data()};
  for (std::string& word : asked.arguments) words.push_back(word.data());
  words.push_back(nullptr);
  const std::string path = build->path();
  if (build->lasting()) {
    restore_write_signals();
    ::execv(path.c_str(), words.data());
  } else {
    // The file goes away, and what is open stays.
    const int program = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    build.reset();
    restore_write_signals();
    ::fexecve(program, words.data(), environ);
  }
  const int error = errno;
  ignore_write_signals();
  throw command_error(fmt::format("cannot run {}: {}{}", in_quotes(path), reason(error),
                                  error == EACCES ? "; set CLEAVE_CACHE to a folder on a disk "
                                                    "that programs may be run from"
                                                  : ""));
}

int run(request& asked) {
  program_source source(asked.file);
  std::optional<program_build> build;
  build.emplace(source, compile_mode{.statistics = asked.statistics,
                                     .pieces = !asked.trace.empty(),
                                     .device = asked.device});
  translation said;
  switch (build->make(said)) {
    case program_build::result::made:
      if (!said.found.warnings().empty()) show(said.found, asked.format);
      become(build, asked);
      break;
    case program_build::result::wrong: show(said.found, asked.format); return exit_failure;
    case program_build::result::no_main: break;
  }
  // It was only checked. Who sits at a terminal may have expected more.
  if (::isatty(STDERR_FILENO) != 0) {
    fmt::print(stderr, "note: {} has no main, so there was nothing to run\n",
               in_quotes(asked.file));
  }
  return exit_ok;
}

}  // namespace

void add_run_command(CLI::App& app, outcome& result, std::vector<std::string> behind_dashes) {
  CLI::App* const command = app.add_subcommand("run", "Runs a program");
  const auto asked = std::make_shared<request>();
  asked->behind_dashes = std::move(behind_dashes);
  CLI::Option* const file =
      command->add_option("FILE", asked->file, "The program, a file whose name ends in .bend")
          ->type_name("");
  command
      ->add_option("--threads", asked->threads,
                   "At most so many threads (default: $CLEAVE_THREADS, else 1)")
      ->check(CLI::Range(1U, 1024U))
      ->type_name("N");
  command->add_flag("--check", asked->check,
                    "Checked mode: names wrong frees and writes, and what is live at the end");
  command->add_flag("--stats", asked->statistics,
                    "Print on standard error what it took: allocations, memory, copies");
  command
      ->add_option("--trace", asked->trace,
                   "Record what happens in the heap, cuts and joins too, in this file")
      ->type_name("FILE");
  add_device_option(*command, asked->device);
  add_format_option(*command, asked->format);
  command->allow_extras();
  command->footer(
      "cleave run FILE [OPTIONS] [--] [ARGUMENT...]\n"
      "The program's arguments stand behind --; it may be left out if none begins with -.\n"
      "The exit code is the program's; 1 if it cannot be run, 2 for a wrong command line.");
  command->callback([asked, command, file, &result] {
    asked->named = file->count() > 0;
    take_arguments(*asked, command->remaining());
    result.code = run(*asked);
  });
}

}  // namespace cleave::tool
