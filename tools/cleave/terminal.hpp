// terminal.hpp -- the terminal for a command that fills it and reads single keys.
//
//   terminal screen;                       // the alternate screen, keys without echo
//   screen.show(lines);
//   switch (screen.wait(0.5)) { case 'q': ... }
//   // the destructor gives the terminal back as it was
//
// Plain control sequences of ECMA-48, which every terminal of today knows; a library of
// terminals would be one more thing to install, and has no part in drawing bars.
// SIGINT, SIGTERM and SIGHUP end wait() with `ended`, so that the terminal is given back.
#pragma once

#include <termios.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace cleave::tool {

struct extent {
  std::size_t columns;
  std::size_t rows;
};

// Of the terminal at standard output; nothing if it is none, or does not say.
std::optional<extent> extent_of_terminal();

class terminal {
 public:
  static constexpr int nothing = 0;
  // A signal that ends the process; the terminal is gone.
  static constexpr int ended = -1;

  // Requires: standard input and output are terminals. Throws command_error if they refuse.
  terminal();
  ~terminal();
  terminal(const terminal&) = delete;
  terminal& operator=(const terminal&) = delete;

  // The lines from the top of the screen; what was there is gone.
  void show(const std::vector<std::string>& lines);

  // A key, as one byte; keys that send more are `nothing`. Returns when the time is over, and
  // when the size has changed.
  int wait(double seconds);

  static extent size();

 private:
  termios before_{};
};

}  // namespace cleave::tool
