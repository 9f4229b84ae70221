#include "progress_line.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>

namespace cleave::tool {

progress_line::progress_line() : terminal_(::isatty(STDERR_FILENO) != 0) {}

void progress_line::show(std::string_view text) {
  if (!terminal_) return;
  fmt::print(stderr, "\r\033[K{}", text);
  std::fflush(stderr);
  shown_ = true;
}

void progress_line::clear() {
  if (!shown_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace cleave::tool
