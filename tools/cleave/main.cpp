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

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

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
  CLI::App app("Arrays that are cut and joined in place: sorting, measuring, and advice");
  app.name("cleave");
  app.set_version_flag("--version", version(), "Print the version, compiler and build type");
  app.require_subcommand(1);
  app.footer("Exit codes: 0 done, 1 failed, 2 wrong command line.");
  tool::outcome result;
  tool::add_sort_command(app, result);
  tool::add_doctor_command(app, result);
  tool::add_bench_command(app, result);

  // The parser takes arguments last first.
  std::vector<std::string> arguments;
  for (int i = argc - 1; i > 0; --i) arguments.push_back(plain_argument(argv[i]));
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
    const std::string name = chosen.empty() ? "cleave" : "cleave " + chosen.front()->get_name();
    return complain(tool::exit_usage, fmt::format("{}; see '{} --help'", error.what(), name));
  }
  return result.code;
}

}  // namespace

int main(int argc, char** argv) {
  hold_standard_streams();
  // A closed pipe and a full file are errors of the write, not deaths.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return parse_and_run(argc, argv);
  } catch (const tool::usage_error& error) {
    return complain(tool::exit_usage, error.what());
  } catch (const tool::command_error& error) {
    return complain(tool::exit_failure, error.what());
  } catch (const tool::output_closed&) {
    return tool::exit_failure;
  } catch (const std::bad_alloc&) {
    return complain(tool::exit_failure, "out of memory; free some, or raise the limit");
  } catch (const std::exception& error) {
    return complain(tool::exit_failure, error.what());
  }
}
