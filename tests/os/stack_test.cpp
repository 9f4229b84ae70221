// stack_test.cpp -- large stacks, and what happens at their ends.
#include "os/stack.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <thread>

#include "support/environment.hpp"
#include "support/memory.hpp"

namespace {

namespace os = cleave::os;
using cleave::test::sanitized;
using cleave::test::operator""_MiB;

// The exit code of the function as a process, or minus the signal that ended it.
int as_process(void (*work)()) {
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int descend(int n) {
  volatile char frame[1000];
  frame[0] = 0;
  return n == 0 ? 0 : descend(n - 1) + 1 + frame[0];
}

TEST(RunOnStack, callsOnce) {
  int calls = 0;
  EXPECT_TRUE(os::run_on_stack(1_MiB, 1_MiB, [](void* n) { ++*static_cast<int*>(n); }, &calls));
  EXPECT_EQ(calls, 1);
}

TEST(RunOnStack, hasTheRoomThatWasAskedFor) {
  if (sanitized) GTEST_SKIP() << "the thread sanitizer keeps a stack of its own";
  int depth = 0;
  // More than the 8 MiB of most threads.
  ASSERT_TRUE(os::run_on_stack(
      512_MiB, 512_MiB, [](void* n) { *static_cast<int*>(n) = descend(100'000); }, &depth));
  EXPECT_EQ(depth, 100'000);
}

TEST(RunOnStack, takesWhatThereIs) {
  if (sanitized) GTEST_SKIP() << "a sanitizer needs terabytes";
  EXPECT_EQ(as_process([] {
              const rlimit all{std::size_t{1} << 30, std::size_t{1} << 30};
              ::setrlimit(RLIMIT_AS, &all);
              int depth = 0;
              const bool ran = os::run_on_stack(
                  16384_MiB, 16_MiB, [](void* n) { *static_cast<int*>(n) = descend(10'000); },
                  &depth);
              const auto nothing = [](void*) {};
              const bool too_much = os::run_on_stack(16384_MiB, 4096_MiB, nothing, nullptr);
              ::_exit(ran && depth == 10'000 && !too_much ? 7 : 8);
            }),
            7);
}

void overflow_ends_with_42() {
  os::on_stack_overflow([] { ::_exit(42); });
  static_cast<void>(os::run_on_stack(
      16_MiB, 16_MiB, [](void*) { static_cast<void>(descend(1 << 30)); }, nullptr));
}

TEST(StackOverflow, callsTheHandler) {
  if (sanitized) GTEST_SKIP() << "the thread sanitizer keeps a stack of its own";
  EXPECT_EQ(as_process(overflow_ends_with_42), 42);
}

TEST(StackOverflow, ofAWatchedThreadCallsTheHandler) {
  if (sanitized) GTEST_SKIP() << "the thread sanitizer keeps a stack of its own";
  EXPECT_EQ(as_process([] {
              os::on_stack_overflow([] { ::_exit(42); });
              std::thread([] {
                os::watch_stack();
                static_cast<void>(descend(1 << 30));
              }).join();
            }),
            42);
}

TEST(StackOverflow, isNoOtherFault) {
  if (sanitized) GTEST_SKIP() << "the sanitizer reports faults itself";
  EXPECT_EQ(as_process([] {
              os::on_stack_overflow([] { ::_exit(42); });
              os::watch_stack();
              const volatile std::uintptr_t nowhere = 64;
              *reinterpret_cast<volatile int*>(nowhere) = 1;
            }),
            -SIGSEGV);
}

TEST(WatchStack, endsAsItBegan) {
  stack_t before = {};
  stack_t after = {};
  ::sigaltstack(nullptr, &before);
  os::watch_stack();
  os::unwatch_stack();
  // Once more is nothing.
  os::unwatch_stack();
  ::sigaltstack(nullptr, &after);
  EXPECT_EQ(after.ss_flags, before.ss_flags);
  EXPECT_EQ(after.ss_sp, before.ss_sp);
}

}  // namespace
