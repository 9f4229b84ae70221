// stream_test.cpp -- bytes in and out, and what the system says against it.
#include "os/stream.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <string>
#include <thread>

namespace {

namespace os = cleave::os;

TEST(WriteAll, writesAllThatAPipeTakesInParts) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_NONBLOCK), 0);
  // Several times what a pipe holds, to a writer that does not block by itself.
  const std::string all(1 << 20, 'x');
  std::thread writer([&] {
    EXPECT_EQ(os::write_all(ends[1], all.data(), all.size()), 0);
    ::close(ends[1]);
  });
  std::string got;
  std::array<char, 4096> bytes{};
  for (;;) {
    const ssize_t n = ::read(ends[0], bytes.data(), bytes.size());
    if (n == 0) break;
    if (n > 0) got.append(bytes.data(), static_cast<std::size_t>(n));
  }
  writer.join();
  ::close(ends[0]);
  EXPECT_TRUE(got == all);
}

TEST(WriteAll, tellsWhatIsWrong) {
  EXPECT_EQ(os::write_all(-1, "x", 1), EBADF);
  EXPECT_EQ(os::write_all(-1, "x", 0), 0);
  os::report_broken_pipes();
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  ::close(ends[0]);
  EXPECT_EQ(os::write_all(ends[1], "x", 1), EPIPE);
  ::close(ends[1]);
  EXPECT_EQ(os::reason(EPIPE), "Broken pipe");
}

TEST(File, isWrittenAndRead) {
  const auto path =
      std::filesystem::temp_directory_path() / ("cleave_stream_" + std::to_string(::getpid()));
  {
    os::file to;
    ASSERT_EQ(to.open_to_write(path.c_str()), 0);
    EXPECT_EQ(to.write("hello", 5), 0);
    EXPECT_EQ(to.close(), 0);
    EXPECT_EQ(to.close(), 0);
  }
  os::file from;
  ASSERT_EQ(from.open_to_read(path.c_str()), 0);
  EXPECT_EQ(from.size(), 5u);
  std::array<char, 16> bytes{};
  std::size_t got = 0;
  EXPECT_EQ(from.read(bytes.data(), bytes.size(), got), 0);
  EXPECT_EQ(std::string(bytes.data(), got), "hello");
  EXPECT_EQ(from.read(bytes.data(), bytes.size(), got), 0);
  EXPECT_EQ(got, 0u);
  std::filesystem::remove(path);
}

TEST(File, thatIsNotThereIsAnError) {
  os::file from;
  EXPECT_EQ(from.open_to_read("/none/of/these"), ENOENT);
  EXPECT_EQ(from.size(), 0u);
  os::file to;
  EXPECT_EQ(to.open_to_write("/"), EISDIR);
}

TEST(IsTerminal, isNotAPipe) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  EXPECT_FALSE(os::is_terminal(ends[1]));
  EXPECT_FALSE(os::is_terminal(-1));
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(ExitNow, hasTheCode) {
  const pid_t child = ::fork();
  if (child == 0) os::exit_now(9);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 9);
}

}  // namespace
