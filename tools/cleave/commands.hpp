// commands.hpp -- what the commands of the tool share with main().
//
// Each command is one file that adds a CLI11 subcommand and runs in its
// callback. It ends in one of three ways: it returns (exit code 0), it throws
// command_error (1) or usage_error (2); main() turns the exceptions into one line
// on standard error. A command that wants another code sets outcome::code.
//
//   void add_hello_command(CLI::App& app, outcome& result) {
//     CLI::App* const command = app.add_subcommand("hello", "Says hello");
//     command->callback([&result] { print("hello\n"); });
//   }
#pragma once

#include <CLI/CLI.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace cleave::tool {

inline constexpr int exit_ok = 0;
inline constexpr int exit_failure = 1;
inline constexpr int exit_usage = 2;

// What main() returns. It outlives every callback.
struct outcome {
  int code = exit_ok;
};

// The world said no. The text is one line: what is wrong, and what to do.
class command_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The command line asks for something that has no meaning.
class usage_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The reader of standard output has gone away: the tool ends with code 1 and
// without a word.
class output_closed : public std::exception {};

// Each adds its subcommand to `app`. What stands behind "--" on the command line goes to the
// program that is run.
void add_run_command(CLI::App& app, outcome& result, std::vector<std::string> behind_dashes);
void add_build_command(CLI::App& app, outcome& result);
void add_check_command(CLI::App& app, outcome& result);
void add_emit_command(CLI::App& app, outcome& result);
void add_headers_command(CLI::App& app, outcome& result);
void add_sort_command(CLI::App& app, outcome& result);
void add_map_command(CLI::App& app, outcome& result);
void add_doctor_command(CLI::App& app, outcome& result);
void add_bench_command(CLI::App& app, outcome& result);
void add_trace_command(CLI::App& app, outcome& result);
void add_top_command(CLI::App& app, outcome& result);

// Writes all of `text` to standard output, unbuffered, so that the order with
// standard error is the order of the calls. Throws output_closed when the
// reader has gone away, and command_error on any other failure.
void print(std::string_view text);

// A name as it is shown in a message: in quotes, and control characters as
// escapes, so that the message stays on one line.
std::string in_quotes(std::string_view name);

// What the system says of an error number.
std::string reason(int error);

// A closed pipe and a full file are errors of the write from here on, not deaths.
void ignore_write_signals();
// As it was before: for a program that takes the place of this one.
void restore_write_signals();

}  // namespace cleave::tool
