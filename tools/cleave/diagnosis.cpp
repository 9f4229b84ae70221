#include "diagnosis.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "commands.hpp"

namespace cleave::tool {
namespace {

// https://no-color.org: any value but an empty one says no.
bool wants_colours() {
  const char* const refused = std::getenv("NO_COLOR");
  if (refused != nullptr && *refused != '\0') return false;
  const char* const terminal = std::getenv("TERM");
  if (terminal != nullptr && std::string_view(terminal) == "dumb") return false;
  return ::isatty(STDERR_FILENO) != 0;
}

void print_error(std::string_view text) {
  // Where standard error cannot be written, the exit code still tells.
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

void add_format_option(CLI::App& command, message_format& chosen) {
  command
      .add_option_function<std::string>(
          "--format",
          [&chosen](const std::string& word) {
            chosen = word == "json" ? message_format::json : message_format::text;
          },
          "How to say what is wrong (default: text)")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORMAT");
}

void add_device_option(CLI::App& command, device_choice& chosen) {
  command
      .add_option_function<std::string>(
          "--device",
          [&chosen](const std::string& word) {
            chosen = word == "cuda"   ? device_choice::cuda
                     : word == "host" ? device_choice::host
                                      : device_choice::off;
          },
          "Where calls f!(x) run: on a CUDA device, on threads as on one, or as others (default: "
          "off)")
      ->check(CLI::IsMember({"off", "host", "cuda"}))
      ->type_name("KIND");
}

void show(const lang::diagnostics& found, message_format format) {
  if (format == message_format::json) {
    if (!found.empty() || !found.notes().empty() || !found.warnings().empty())
      print_error(lang::to_json(found) + "\n");
    return;
  }
  for (const std::string& note : found.notes()) print_error("note: " + note + "\n");
  if (found.empty() && found.warnings().empty()) return;
  print_error(lang::to_text(found, wants_colours() ? lang::colours::always : lang::colours::never));
}

}  // namespace cleave::tool
