// start.hpp -- where a program begins and ends.
//
//   void run_program() { ... }
//   int main(int argc, char** argv) { return cleave::runtime::start(argc, argv, run_program); }
//
// The program runs on a large stack, which costs memory only where it is used; recursion past
// it ends with the line that the language has for that, exit code 1. Read from the
// environment:
//
//   CLEAVE_THREADS=N   how many threads a parallel let may use (1 to 1024; default 1)
//   CLEAVE_STACK=N     the stack in MiB, or what the system gives of it (default 2048); of other
//                      threads up to 1024
//   CLEAVE_STATS=1     statistics on standard error at the end, also when the program dies of its
//                      own will (IO.die)
//   CLEAVE_CHECK=1     checked mode of the heap; at the end it is verified and must be empty, else
//                      exit code 70
#pragma once

#include <cleave/runtime/stop.hpp>

namespace cleave::runtime {

namespace detail {
int start(int argc, char** argv, void (*program)(), bool counts) noexcept;
}

// Runs the program. The process's exit code.
inline int start(int argc, char** argv, void (*program)()) noexcept {
#if defined(CLEAVE_PROGRAM_STATS) && CLEAVE_PROGRAM_STATS
  return detail::start(argc, argv, program, true);
#else
  return detail::start(argc, argv, program, false);
#endif
}

}  // namespace cleave::runtime
