// diagnosis.hpp -- how the commands for programs say what is wrong with one.
//
//   command->add_option... add_format_option(*command, asked->format);
//   show(made.found, asked->format, place::standard_error);
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "compiler.hpp"
#include "lang/diagnostic.hpp"

namespace cleave::tool {

enum class message_format { text, json };

// --device off|host|cuda
void add_device_option(CLI::App& command, device_choice& chosen);

// --format text|json
void add_format_option(CLI::App& command, message_format& chosen);

// On standard error: as text, in colour on a terminal unless $NO_COLOR is set, or as JSON.
// Prints nothing if there is nothing to say.
void show(const lang::diagnostics& found, message_format format);

}  // namespace cleave::tool
