// shown_file_test.cpp -- a file that shows a process, in a program that does odd things with it.
#include "os/shown_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace cleave::os {
namespace {

constexpr const char* prefix = "/dev/shm/cleave-test.";

std::string own_path() {
  return prefix + std::to_string(::getpid());
}

off_t size_of(const std::string& path) {
  struct stat about = {};
  return ::stat(path.c_str(), &about) == 0 ? about.st_size : -1;
}

TEST(ShownFile, holdsWhatWasWrittenLast) {
  ASSERT_EQ(open_shown_file(prefix), 0);
  EXPECT_EQ(write_shown_file("first", 5), 0);
  EXPECT_EQ(write_shown_file("other", 5), 0);
  const int file = ::open(own_path().c_str(), O_RDONLY | O_CLOEXEC);
  char bytes[10] = "";
  EXPECT_EQ(::read(file, bytes, sizeof bytes), 5);
  EXPECT_EQ(std::string(bytes), "other");
  ::close(file);
  leave_shown_file();
  ::unlink(own_path().c_str());
}

TEST(ShownFile, isNeverAnotherFileThatGotItsNumber) {
  ASSERT_EQ(open_shown_file(prefix), 0);
  const std::string victim = testing::TempDir() + "/victim." + std::to_string(::getpid());
  const int mine = ::open(victim.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(mine, 0);
  // All numbers that the file may have are the program's now.
  for (int number = 500; number < 600; ++number) ASSERT_EQ(::dup2(mine, number), number);
  EXPECT_EQ(write_shown_file("numbers", 7), EBADF);
  EXPECT_EQ(size_of(victim), 0);
  leave_shown_file();
  EXPECT_GE(::fcntl(500, F_GETFD), 0) << "nor is it closed";
  EXPECT_EQ(write_shown_file("numbers", 7), EBADF);
  for (int number = 500; number < 600; ++number) ::close(number);
  ::close(mine);
  ::unlink(victim.c_str());
  ::unlink(own_path().c_str());
}

}  // namespace
}  // namespace cleave::os
