// build_command.cpp -- `cleave build`: a program as a file that the system can run; and
// what the build of Cleave itself asks for, the compiled headers of programs.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>

#include "commands.hpp"
#include "diagnosis.hpp"
#include "output.hpp"
#include "program_build.hpp"
#include "program_source.hpp"

namespace cleave::tool {
namespace {

struct request {
  std::string file;
  std::string output;
  compile_mode mode;
  message_format format = message_format::text;
};

// What was made would replace what somebody wrote.
void keep_sources(const program_source& source, const std::string& output) {
  for (const auto& [path, text] : source.files()) {
    std::error_code no_such_file;
    if (!std::filesystem::equivalent(path, output, no_such_file)) continue;
    throw command_error(
        fmt::format("{} is a file of the program: choose another --output", in_quotes(output)));
  }
}

int build(const request& asked) {
  program_source source(asked.file);
  program_build build(source, asked.mode);
  translation said;
  const program_build::result result = build.make(said);
  show(said.found, asked.format);
  if (result == program_build::result::wrong) return exit_failure;
  if (result == program_build::result::no_main) {
    throw command_error(
        fmt::format("{} has no main, so there is nothing to build", in_quotes(asked.file)));
  }
  keep_sources(source, asked.output);
  const std::optional<std::string> program = read_file(build.path());
  if (!program) throw command_error(fmt::format("cannot read {}", in_quotes(build.path())));
  output target(asked.output, output::kind::program);
  target.write(std::as_bytes(std::span(unsealed(*program))));
  target.finish(false);
  return exit_ok;
}

}  // namespace

void add_build_command(CLI::App& app, outcome& result) {
  CLI::App* const command =
      app.add_subcommand("build", "Makes a program that runs without this tool");
  const auto asked = std::make_shared<request>();
  command->add_option("FILE", asked->file, "The program")->type_name("")->required();
  command->add_option("-o,--output", asked->output, "Where to put what was made")
      ->type_name("BIN")
      ->required();
  command->add_flag("--portable", asked->mode.portable,
                    "For any processor of this kind, not the one that is here");
  command->add_flag("--stats", asked->mode.statistics,
                    "It counts what it does, and prints that if $CLEAVE_STATS is 1");
  add_device_option(*command, asked->mode.device);
  add_format_option(*command, asked->format);
  command->footer(
      "What was made runs wherever libtbb is. It reads CLEAVE_THREADS, the number of threads,\n"
      "and with CLEAVE_CHECK=1 names wrong frees and writes, and what is live at the end.");
  command->callback([asked, &result] { result.code = build(*asked); });
}

void add_headers_command(CLI::App& app, outcome&) {
  CLI::App* const command = app.add_subcommand("compile-headers", "");
  const auto folder = std::make_shared<std::string>();
  command->add_option("folder", *folder)->required();
  command->group("");
  command->callback([folder] { compile_headers_into(*folder); });
}

}  // namespace cleave::tool
