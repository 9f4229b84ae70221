// messages.cpp -- what every command prints with.
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

#include "commands.hpp"

namespace cleave::tool {
namespace {

using handler = void (*)(int);
handler pipe_before = SIG_DFL;
handler size_before = SIG_DFL;

}  // namespace

void ignore_write_signals() {
  pipe_before = std::signal(SIGPIPE, SIG_IGN);
  size_before = std::signal(SIGXFSZ, SIG_IGN);
}

void restore_write_signals() {
  std::signal(SIGPIPE, pipe_before);
  std::signal(SIGXFSZ, size_before);
}

void print(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      if (errno == EPIPE) throw output_closed();
      throw command_error("cannot write to standard output: " + reason(errno));
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string in_quotes(std::string_view name) {
  constexpr std::string_view hex = "0123456789abcdef";
  std::string result = "'";
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == '\n') {
      result += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      result += "\\x";
      result += hex[byte >> 4];
      result += hex[byte & 15];
    } else {
      result += c;
    }
  }
  return result + "'";
}

std::string reason(int error) {
  return std::generic_category().message(error);
}

}  // namespace cleave::tool
