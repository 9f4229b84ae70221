// child_process.hpp -- runs another program to its end and collects what it says.
//
// The child reads nothing, and shares the terminal's process group, so that Ctrl-C
// reaches it too. SIGINT, SIGTERM and SIGHUP to this process end the child first; then
// run_child() throws, so that what was begun is taken away on the way out.
//
//   const finished_child done = run_child({"/usr/bin/g++", "x.cpp"}, {"TMPDIR=/tmp/x"}, {});
//   if (done.code != 0) ... done.output ...
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace cleave::tool {

struct finished_child {
  // As a shell says it: 128 + n for signal n.
  int code = 0;
  // Standard output and standard error together; the first MiB.
  std::string output;
};

// Ends this process in main() by the same signal.
struct stopped_by_signal {
  int signal;
};

// `settings` are added to the environment. Calls `patience` once if the child takes longer
// than a second. The first word is a path.
// Throws command_error when the program cannot be started, and stopped_by_signal.
finished_child run_child(const std::vector<std::string>& command,
                         const std::vector<std::string>& settings,
                         const std::function<void()>& patience);

}  // namespace cleave::tool
