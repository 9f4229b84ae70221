// child.hpp -- runs a body in a process of its own with CLEAVE_CHECK=1, and keeps what it said.
//
//   const outcome end = run_checked([] { heap::free(heap::allocate(16), 17); });
//   EXPECT_EQ(end.first_line, "cleave check: wrong size");
//   EXPECT_EQ(end.exit_code, 70);
//
// The test itself must not use the heap, so that the child is the one that starts it.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace cleave::test {

struct outcome {
  int exit_code = -1;  // 128 + signal, as a shell says it
  std::string first_line;
  std::string error;
};

struct surroundings {
  bool checked = true;
  // Names of functions and lines are looked up by another program, which takes its time.
  bool lines = false;
};

template <typename Body>
outcome run_checked(const Body& body, surroundings around = {}) {
  int ends[2];
  if (::pipe(ends) != 0) std::abort();
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], 2);
    ::close(ends[0]);
    ::close(ends[1]);
    if (around.checked) {
      ::setenv("CLEAVE_CHECK", "1", 1);
    } else {
      ::unsetenv("CLEAVE_CHECK");
    }
    if (!around.lines) ::setenv("PATH", "/nowhere", 1);
    body();
    std::exit(0);
  }
  ::close(ends[1]);
  outcome result;
  char text[4096];
  for (ssize_t n = 0; (n = ::read(ends[0], text, sizeof text)) > 0;) {
    result.error.append(text, static_cast<std::size_t>(n));
  }
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.first_line = result.error.substr(0, result.error.find('\n'));
  return result;
}

}  // namespace cleave::test
