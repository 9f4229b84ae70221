// shown_test.cpp -- what a heap shows to `cleave top`: its numbers, its file, and what comes
// between.
#include <cleave/detail/shown.hpp>
#include <cleave/heap.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "heap/shown.hpp"
#include "support/environment.hpp"
#include "support/fresh_heap.hpp"
#include "support/memory.hpp"
#include "support/waiting.hpp"

namespace cleave::heap {
namespace {

using page = cleave::detail::shown;
using test::operator""_MiB;

std::string path_of(pid_t process) {
  return page::file_prefix + std::to_string(process);
}

// Whether the process shows something whole.
bool look(pid_t process, page& to) {
  const int file = ::open(path_of(process).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool whole = ::pread(file, &to, sizeof to, 0) == sizeof to && cleave::detail::is_whole(to);
  // With this a process gives up its own lock on it: that of another process alone is asked for.
  ::close(file);
  return whole;
}

// What it shows after everything before this call.
page next_of(pid_t process) {
  page first;
  page next;
  EXPECT_TRUE(test::wait_until([&] { return look(process, first); }));
  // The second one from here began after this call.
  EXPECT_TRUE(
      test::wait_until([&] { return look(process, next) && next.sequence >= first.sequence + 2; }));
  return next;
}

bool exists(const std::string& path) {
  return std::filesystem::exists(std::filesystem::symlink_status(path));
}

class Shown : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("CLEAVE_TOP", "1", 1);
    if (started()) GTEST_SKIP() << test::own_process;
  }
};

TEST_F(Shown, areTheNumbersOfStats) {
  ASSERT_TRUE(start({.reserve_bytes = 64_MiB, .held_limit = 32_MiB}));
  void* const run = allocate(1'234'567);
  std::vector<void*> slots;
  for (int i = 0; i < 100; ++i) slots.push_back(allocate(112));
  const page seen = next_of(::getpid());
  const statistics s = stats();
  EXPECT_EQ(seen.process, static_cast<std::uint64_t>(::getpid()));
  EXPECT_EQ(seen.live, 1'234'567U + 100 * 112);
  EXPECT_EQ(seen.live, s.live);
  EXPECT_EQ(seen.held, s.held);
  EXPECT_EQ(seen.peak_held, s.peak_held);
  EXPECT_EQ(seen.held_limit, 32_MiB);
  EXPECT_EQ(seen.reserved, 64_MiB);
  EXPECT_EQ(seen.committed, s.committed);
  EXPECT_EQ(seen.metadata, s.metadata);
  EXPECT_EQ(seen.free, s.free);
  EXPECT_EQ(seen.cached, s.cached);
  EXPECT_EQ(seen.largest_free, s.largest_free);
  EXPECT_EQ(seen.allocations, 101U);
  EXPECT_EQ(seen.frees, 0U);
  EXPECT_EQ(seen.extensions, 0U);
  EXPECT_EQ(seen.system_calls, s.system_calls);
  EXPECT_EQ(seen.orders, order_count);
  ASSERT_EQ(seen.classes, s.classes.size());
  for (std::size_t c = 0; c < s.classes.size(); ++c) {
    EXPECT_EQ(seen.by_class[c].slot_bytes, s.classes[c].slot_bytes);
    EXPECT_EQ(seen.by_class[c].slabs, s.classes[c].slabs);
    EXPECT_EQ(seen.by_class[c].slots, s.classes[c].slots);
    EXPECT_EQ(seen.by_class[c].slots_used, s.classes[c].slots_used);
  }
  for (std::size_t k = 0; k < order_count; ++k) EXPECT_EQ(seen.free_blocks[k], s.free_blocks[k]);
  free(run, 1'234'567);
  for (void* const slot : slots) free(slot, 112);
  EXPECT_EQ(next_of(::getpid()).live, 0U);
}

TEST_F(Shown, isAFileOfTheOwnerAlone) {
  ASSERT_TRUE(start({}));
  (void)next_of(::getpid());
  struct stat about = {};
  ASSERT_EQ(::lstat(path_of(::getpid()).c_str(), &about), 0);
  EXPECT_TRUE(S_ISREG(about.st_mode));
  EXPECT_EQ(about.st_mode & 0777U, 0600U);
  EXPECT_EQ(about.st_uid, ::geteuid());
  EXPECT_EQ(static_cast<std::size_t>(about.st_size), sizeof(page));
}

// The child starts a heap; then it waits for the pipe's end.
struct child {
  pid_t process = 0;
  int pipe = -1;

  template <class Body>
  explicit child(const Body& body) {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    process = ::fork();
    if (process == 0) {
      test::die_if_stuck();
      ::close(ends[1]);
      body();
      char byte = 0;
      while (::read(ends[0], &byte, 1) > 0) {
      }
      // With the functions of atexit(), as the return from main().
      std::exit(0);
    }
    ::close(ends[0]);
    pipe = ends[1];
  }
  void end() const {
    ::close(pipe);
    EXPECT_EQ(::waitpid(process, nullptr, 0), process);
  }
};

TEST_F(Shown, isLockedWhileTheProcessRuns) {
  const child other([] { (void)start({}); });
  (void)next_of(other.process);
  const int file = ::open(path_of(other.process).c_str(), O_RDONLY | O_CLOEXEC);
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  ASSERT_EQ(::fcntl(file, F_GETLK, &lock), 0);
  EXPECT_EQ(lock.l_type, F_WRLCK);
  EXPECT_EQ(lock.l_pid, other.process);
  ::kill(other.process, SIGKILL);
  other.end();
  lock.l_type = F_WRLCK;
  ASSERT_EQ(::fcntl(file, F_GETLK, &lock), 0);
  EXPECT_EQ(lock.l_type, F_UNLCK) << "what a killed process leaves is known to be stale";
  ::close(file);
  ::unlink(path_of(other.process).c_str());
}

TEST_F(Shown, isGoneAtExit) {
  const child other([] { (void)start({}); });
  (void)next_of(other.process);
  other.end();
  EXPECT_FALSE(exists(path_of(other.process)));
}

TEST_F(Shown, isTheChildsOwnAfterFork) {
  if (test::thread_sanitized) GTEST_SKIP() << "SKIP: the tool ends children of fork() that start threads";
  ASSERT_TRUE(start({.reserve_bytes = 64_MiB}));
  void* const run = allocate(100'000);
  (void)next_of(::getpid());
  const child other([] {
    // Pages that come and go make the child show itself.
    for (int i = 0; i < 100; ++i) free(allocate(4_MiB), 4_MiB);
    static_cast<void>(allocate(1));
  });
  EXPECT_EQ(next_of(other.process).live, 100'001U);
  EXPECT_EQ(next_of(::getpid()).live, 100'000U);
  other.end();
  EXPECT_FALSE(exists(path_of(other.process)));
  EXPECT_EQ(next_of(::getpid()).live, 100'000U) << "the child's end is not the parent's";
  free(run, 100'000);
}

TEST_F(Shown, isNotLeftByAChildThatEndsAtOnce) {
  ASSERT_TRUE(start({.reserve_bytes = 64_MiB}));
  (void)next_of(::getpid());
  const child other([] {});
  other.end();
  EXPECT_FALSE(exists(path_of(other.process)));
  EXPECT_TRUE(exists(path_of(::getpid())));
}

TEST_F(Shown, takesThePlaceOfWhatAnEarlierProcessLeft) {
  std::ofstream(path_of(::getpid())) << "stale";
  ASSERT_TRUE(start({}));
  EXPECT_EQ(next_of(::getpid()).process, static_cast<std::uint64_t>(::getpid()));
}

// Starts the heap, and waits for what it says on standard error.
std::string said_at_start() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return "no pipe";
  const int before = ::dup(STDERR_FILENO);
  ::dup2(ends[1], STDERR_FILENO);
  test::die_if_stuck();
  char said[300] = "";
  const bool started = start({});
  const ssize_t n = ::read(ends[0], said, sizeof said);
  ::dup2(before, STDERR_FILENO);
  for (const int end : {before, ends[0], ends[1]}) ::close(end);
  return started && n > 0 ? std::string(said, static_cast<std::size_t>(n)) : "nothing";
}

TEST_F(Shown, saysOnceThatThereIsNoRoom) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 0;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &none), 0);
  const std::string said = said_at_start();
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(said, "cleave: CLEAVE_TOP: " + path_of(::getpid()) + ": File too large\n");
  // There is room again.
  EXPECT_EQ(next_of(::getpid()).process, static_cast<std::uint64_t>(::getpid()));
}

TEST_F(Shown, followsNoLink) {
  const std::string victim = testing::TempDir() + "/victim." + std::to_string(::getpid());
  std::ofstream(victim) << "precious";
  ASSERT_EQ(::symlink(victim.c_str(), path_of(::getpid()).c_str()), 0);
  const std::string said = said_at_start();
  EXPECT_EQ(said.find("cleave: CLEAVE_TOP: " + path_of(::getpid()) + ": "), 0U) << said;
  std::ifstream file(victim);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "precious");
  free(allocate(100), 100);
  ::unlink(path_of(::getpid()).c_str());
  ::unlink(victim.c_str());
}

TEST_F(Shown, livesOnWhenTheFileIsCut) {
  ASSERT_TRUE(start({}));
  (void)next_of(::getpid());
  ASSERT_EQ(::truncate(path_of(::getpid()).c_str(), 0), 0);
  void* const run = allocate(77);
  EXPECT_EQ(next_of(::getpid()).live, 77U);
  free(run, 77);
}

TEST(ShownUnasked, isNothing) {
  if (started()) GTEST_SKIP() << test::own_process;
  for (const char* const value : {"", "0", "yes", "11"}) {
    const pid_t other = ::fork();
    if (other == 0) {
      ::setenv("CLEAVE_TOP", value, 1);
      (void)start({});
      for (int i = 0; i < 100; ++i) free(allocate(4_MiB), 4_MiB);
      // Relaxed: this thread would have written it.
      const auto now = heap::shown::detail::now.load(std::memory_order_relaxed);
      ::_exit(now == heap::shown::detail::state::off ? 0 : 1);
    }
    int status = -1;
    EXPECT_EQ(::waitpid(other, &status, 0), other);
    EXPECT_EQ(status, 0) << value;
    EXPECT_FALSE(exists(path_of(other)));
  }
}

TEST(ShownWords, areWholeOrNot) {
  page s;
  EXPECT_FALSE(cleave::detail::is_whole(s)) << "no checksum yet";
  s.checksum = cleave::detail::checksum_of(s);
  EXPECT_TRUE(cleave::detail::is_whole(s));
  // Any one bit.
  auto* const bytes = reinterpret_cast<unsigned char*>(&s);
  for (std::size_t i = 0; i < sizeof s; ++i) {
    bytes[i] ^= 0x10;
    EXPECT_FALSE(cleave::detail::is_whole(s)) << i;
    bytes[i] ^= 0x10;
  }
  // Counts beyond the tables, with a checksum that is right.
  s.classes = cleave::detail::shown_classes + 1;
  s.checksum = cleave::detail::checksum_of(s);
  EXPECT_FALSE(cleave::detail::is_whole(s));
}

}  // namespace
}  // namespace cleave::heap
