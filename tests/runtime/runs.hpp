// runs.hpp -- code that must leave nothing behind, and programs in a process of their own.
//
//   EXPECT_TRUE(leaves_nothing([] { drop(counting(10)); }));
//   outcome end = run_alone([] { stop("no"); });          // {1, "", "no\n"}
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace cleave::test {

// Calls it in a thread of its own, which gives back what it kept of the heap; then the heap
// has as many live bytes as before, and its invariants hold.
testing::AssertionResult leaves_nothing(const std::function<void()>& work);

// The same with several threads, as a program would have them.
testing::AssertionResult leaves_nothing(std::size_t threads, const std::function<void()>& work);

struct outcome {
  int exit_code;  // minus the signal, if one ended the process
  std::string output;
  std::string error;
};

struct surroundings {
  std::vector<std::string> words{};  // of the command line
  std::map<std::string, std::string> variables{};
  // Where standard output goes, if not to outcome::output.
  std::string output_path{};
  bool output_closed = false;  // a pipe that nobody reads
};

// start(program) in a child process. The program must not use threads of this one.
outcome run_alone(void (*program)(), const surroundings& around = {});

}  // namespace cleave::test
