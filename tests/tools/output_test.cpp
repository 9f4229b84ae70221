// output_test.cpp -- a signal that comes at the worst moment leaves no file behind.
#include "output.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

// Comes as soon as the file beside the output is there; 0 for none.
int signal_behind_the_file = 0;

}  // namespace

// In place of the system's.
extern "C" int mkostemp(char* name, int /*flags*/) {
  const int made = ::mkstemp(name);
  if (signal_behind_the_file != 0) std::raise(signal_behind_the_file);
  return made;
}

namespace cleave::tool {
namespace {

std::string folder() {
  std::string made = testing::TempDir() + "cleave-output-XXXXXX";
  EXPECT_NE(::mkdtemp(made.data()), nullptr);
  return made;
}

TEST(Output, leavesNothingBehindWhereASignalComesWithTheFile) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const std::string where = folder();
    EXPECT_EXIT(
        {
          // Under nohup, or behind a shell's &, it would be ignored.
          std::signal(signal, SIG_DFL);
          signal_behind_the_file = signal;
          const output target(where + "/out");
        },
        testing::KilledBySignal(signal), "");
    EXPECT_TRUE(std::filesystem::is_empty(where));
    std::filesystem::remove_all(where);
  }
}

TEST(Output, takesItsPlaceWhenItIsComplete) {
  const std::string where = folder();
  output target(where + "/out");
  target.write(std::as_bytes(std::span("text", 4)));
  EXPECT_FALSE(std::filesystem::exists(where + "/out"));
  target.finish(false);
  std::ifstream file(where + "/out");
  std::string text;
  file >> text;
  EXPECT_EQ(text, "text");
  std::filesystem::remove_all(where);
}

}  // namespace
}  // namespace cleave::tool
