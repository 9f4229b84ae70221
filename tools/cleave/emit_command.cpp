// emit_command.cpp -- `cleave emit`: the C++ that a program becomes.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "commands.hpp"
#include "diagnosis.hpp"
#include "program_source.hpp"

namespace cleave::tool {
namespace {

struct request {
  std::string file;
  device_choice device = device_choice::off;
  message_format format = message_format::text;
};

int emit(const request& asked) {
  program_source source(asked.file);
  translation made;
  source.translate(translation::goal::listing, asked.device != device_choice::off, made);
  show(made.found, asked.format);
  if (!made.found.empty()) return exit_failure;
  if (made.all.main == nullptr) {
    throw command_error(fmt::format("{} has no main", in_quotes(asked.file)));
  }
  print(made.code);
  return exit_ok;
}

}  // namespace

void add_emit_command(CLI::App& app, outcome& result) {
  CLI::App* const command = app.add_subcommand("emit", "Prints the C++ that a program becomes");
  const auto asked = std::make_shared<request>();
  command->add_option("FILE", asked->file, "The program")->type_name("")->required();
  add_device_option(*command, asked->device);
  add_format_option(*command, asked->format);
  command->callback([asked, &result] { result.code = emit(*asked); });
}

}  // namespace cleave::tool
