// main.cpp -- the `cleave` command: finds the command that is asked for, and
// turns its end into an exit code and at most one line on standard error.
//
//   0  it did what was asked
//   1  it could not: a file, the memory or the system said no
//   2  the command line is wrong
#include <fcntl.h>
#include <fmt/core.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "child_process.hpp"
#include "commands.hpp"

namespace {

namespace tool = cleave::tool;

std::string version() {
#if defined(__clang__)
  const std::string compiler = fmt::format("clang {}", __clang_version__);
#else
  const std::string compiler = fmt::format("g++ {}", __VERSION__);
#endif
  return fmt::format("cleave {} ({}, {})", CLEAVE_TOOL_VERSION, compiler, CLEAVE_TOOL_BUILD);
}

// The parser reads an argument "[a,b]" as a list. Here it is the name of a file
// of the current directory, and this spelling says so.
std::string plain_argument(std::string argument) {
  const bool list = argument.starts_with('[') && argument.ends_with(']');
  return list ? "./" + argument : argument;
}

int complain(int code, std::string text) {
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  fmt::print(stderr, "cleave: {}\n", text);
  return code;
}

// A file that is opened must not get the number of a standard stream that was
// closed. What stands in for it refuses reading or writing, as a closed one does.
void hold_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

int parse_and_run(int argc, char** argv) {
  CLI::App app("Runs array programs, on arrays that are cut and joined in place; sorts, measures");
  app.name("cleave");
  app.set_version_flag("--version", version(), "Print the version, compiler and build type");
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 done, 1 failed, 2 wrong command line; 'cleave run' ends as the program does.");
  tool::outcome result;
  // The arguments of a program are not ours to read.
  char** const end = argv + argc;
  char** const dashes =
      std::find_if(argv, end, [](const char* word) { return std::string_view(word) == "--"; });
  const bool runs = argc > 1 && std::string_view(argv[1]) == "run";
  char** const own_end = runs ? dashes : end;
  std::vector<std::string> behind_dashes;
  if (own_end != end) behind_dashes.assign(own_end + 1, end);
  tool::add_run_command(app, result, std::move(behind_dashes));
  tool::add_build_command(app, result);
  tool::add_check_command(app, result);
  tool::add_emit_command(app, result);
  tool::add_headers_command(app, result);
  tool::add_sort_command(app, result);
  tool::add_map_command(app, result);
  tool::add_doctor_command(app, result);
  tool::add_bench_command(app, result);
  tool::add_trace_command(app, result);
  tool::add_top_command(app, result);

  // The parser takes arguments last first.
  std::vector<std::string> arguments;
  for (char** word = own_end; --word > argv;) {
    // The arguments of a program stay as they are.
    arguments.push_back(runs ? *word : plain_argument(*word));
  }
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    tool::print(chosen.empty() ? app.help() : chosen.front()->help(app.get_name()));
  } catch (const CLI::CallForAllHelp&) {
    tool::print(app.help("", CLI::AppFormatMode::All));
  } catch (const CLI::CallForVersion&) {
    tool::print(version() + "\n");
  } catch (const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    if (chosen.empty() && argc > 1 && argv[1][0] != '-') {
      return complain(tool::exit_usage, fmt::format("there is no command {}; see 'cleave --help'",
                                                    tool::in_quotes(argv[1])));
    }
    const std::string name = chosen.empty() ? "cleave" : "cleave " + chosen.front()->get_name();
    return complain(tool::exit_usage, fmt::format("{}; see '{} --help'", error.what(), name));
  }
  return result.code;
}

}  // namespace

int main(int argc, char** argv) {
  hold_standard_streams();
  tool::ignore_write_signals();
  try {
    return parse_and_run(argc, argv);
  } catch (const tool::usage_error& error) {
    return complain(tool::exit_usage, error.what());
  } catch (const tool::command_error& error) {
    return complain(tool::exit_failure, error.what());
  } catch (const tool::output_closed&) {
    return tool::exit_failure;
  } catch (const tool::stopped_by_signal& stop) {
    std::signal(stop.signal, SIG_DFL);
    std::raise(stop.signal);
    return tool::exit_failure;
  } catch (const std::bad_alloc&) {
    return complain(tool::exit_failure, "out of memory; free some, or raise the limit");
  } catch (const std::exception& error) {
    return complain(tool::exit_failure, error.what());
  }
}
