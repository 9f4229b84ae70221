// thread_test.cpp -- thread exits, forks, the clock and the helper thread.
#include "os/thread.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include "support/waiting.hpp"

namespace cleave::os {
namespace {

std::atomic<int> exits{0};
std::atomic<int> exits_before_destructor{-1};

struct noisy {
  int armed = 0;
  ~noisy() { exits_before_destructor = exits.load(); }
};

TEST(ThreadExit, isToldOnceForEachArmedThreadAfterItsObjectsAreGone) {
  ASSERT_TRUE(at_thread_exit([] { ++exits; }));
  std::thread([] {}).join();
  EXPECT_EQ(exits, 0) << "the thread was not armed";
  std::thread([] {
    thread_local noisy object;
    object.armed = 1;
    (void)arm_thread_exit();
    (void)arm_thread_exit();
  }).join();
  EXPECT_EQ(exits, 1);
  EXPECT_EQ(exits_before_destructor, 0) << "a destructor may still use what the exit takes away";
  std::thread([] { (void)arm_thread_exit(); }).join();
  EXPECT_EQ(exits, 2);
}

TEST(ThreadExit, isToldAgainWhenItWasArmedMeanwhile) {
  exits = 0;
  ASSERT_TRUE(at_thread_exit([] {
    if (++exits == 1) (void)arm_thread_exit();
  }));
  std::thread([] { (void)arm_thread_exit(); }).join();
  EXPECT_EQ(exits, 2);
}

std::string order;

TEST(Fork, callsWhatWasNamedBeforeItAndOnBothSidesAfterIt) {
  at_fork([] { order += "before "; }, [] { order += "parent"; }, [] { order += "child"; });
  const pid_t child = ::fork();
  if (child == 0) ::_exit(order == "before child" ? 0 : 1);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(order, "before parent");
}

TEST(Clock, movesForwardsOnly) {
  const std::uint64_t first = coarse_milliseconds();
  std::uint64_t last = first;
  for (int i = 0; i < 10'000 && last < first + 20; ++i) {
    sleep(std::chrono::milliseconds(1));
    const std::uint64_t now = coarse_milliseconds();
    ASSERT_GE(now, last);
    last = now;
  }
  EXPECT_GE(last, first + 20);
}

std::atomic<int> signals{0};

TEST(Sleep, isNotCutShortBySignals) {
  struct sigaction act {};
  act.sa_handler = [](int) { ++signals; };
  ASSERT_EQ(::sigaction(SIGALRM, &act, nullptr), 0);
  const itimerval every{{0, 5000}, {0, 5000}};
  ASSERT_EQ(::setitimer(ITIMER_REAL, &every, nullptr), 0);
  // Until one came, however late the timer is.
  EXPECT_TRUE(test::wait_until([] {
    const auto begin = std::chrono::steady_clock::now();
    sleep(std::chrono::milliseconds(50));
    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(50));
    return signals > 0;
  }));
  const itimerval none{};
  ::setitimer(ITIMER_REAL, &none, nullptr);
}

TEST(Sleep, ofNoTimeReturns) {
  sleep(std::chrono::milliseconds(0));
}

std::atomic<int> helped{0};
std::thread::id helper_id;

TEST(Helper, runsInAThreadOfItsOwnThatTakesNoSignals) {
  sigset_t before;
  ASSERT_EQ(::pthread_sigmask(SIG_SETMASK, nullptr, &before), 0);
  ASSERT_TRUE(start_helper([] {
    helper_id = std::this_thread::get_id();
    sigset_t mask;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    const bool all = sigismember(&mask, SIGINT) == 1 && sigismember(&mask, SIGCHLD) == 1 &&
                     sigismember(&mask, SIGUSR1) == 1 && sigismember(&mask, SIGALRM) == 1;
    helped = all ? 1 : 2;
    helped.notify_one();
  }));
  helped.wait(0);
  EXPECT_EQ(helped, 1) << "a signal could end a call in it";
  EXPECT_NE(helper_id, std::this_thread::get_id());
  sigset_t after;
  ASSERT_EQ(::pthread_sigmask(SIG_SETMASK, nullptr, &after), 0);
  for (int s = 1; s < NSIG; ++s) EXPECT_EQ(sigismember(&before, s), sigismember(&after, s)) << s;
}

}  // namespace
}  // namespace cleave::os
