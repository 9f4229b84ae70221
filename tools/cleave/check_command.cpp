// check_command.cpp -- `cleave check`: what is wrong with a program, and nothing else.
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

int check(const request& asked) {
  program_source source(asked.file);
  translation made;
  source.translate(translation::goal::check, asked.device != device_choice::off, made);
  if (asked.format == message_format::json) {
    print(lang::to_json(made.found) + "\n");
  } else {
    show(made.found, asked.format);
  }
  return made.found.empty() ? exit_ok : exit_failure;
}

}  // namespace

void add_check_command(CLI::App& app, outcome& result) {
  CLI::App* const command = app.add_subcommand("check", "Says what is wrong with a program");
  const auto asked = std::make_shared<request>();
  command->add_option("FILE", asked->file, "The program")->type_name("")->required();
  add_device_option(*command, asked->device);
  add_format_option(*command, asked->format);
  command->footer(
      "Text goes to standard error. JSON goes to standard output: one object, also for a\n"
      "program with nothing wrong.");
  command->callback([asked, &result] { result.code = check(*asked); });
}

}  // namespace cleave::tool
