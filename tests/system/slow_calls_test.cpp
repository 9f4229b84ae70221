// slow_calls_test.cpp -- a call of the system that takes for ever stops nobody else.
//
// A thread is held inside each kind of call. Meanwhile others allocate, free, look, end, begin
// and fork: if a lock were held over the call, they would never come back.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cleave/heap.hpp>
#include <cleave/run.hpp>
#include <latch>
#include <optional>
#include <thread>
#include <vector>

#include "support/fresh_heap.hpp"
#include "support/memory.hpp"
#include "support/waiting.hpp"
#include "support/whole_heap.hpp"
#include "system/interposed.hpp"

namespace cleave::test {
namespace {

// Holds the first call of a kind that comes from the thread which asks for it.
class held_call {
 public:
  explicit held_call(call_kind kind)
      : watch_([this, kind](const system_call& call) {
          if (is_victim && call.kind == kind && !used_.exchange(true)) {
            inside_.count_down();
            let_go_.wait();
          }
          return 0;
        }) {}

  void wait_until_inside() { inside_.wait(); }
  void let_go() { let_go_.count_down(); }

  static thread_local bool is_victim;

 private:
  std::atomic<bool> used_ = false;
  std::latch inside_{1};
  std::latch let_go_{1};
  observed watch_;
};

thread_local bool held_call::is_victim = false;

// What needs no memory that the held call has in its hands.
void use_everything() {
  for (std::size_t bytes = 8; bytes <= 200'000; bytes += bytes / 2) {
    std::vector<run> runs;
    for (int i = 0; i < 8; ++i) runs.push_back(run::try_make(bytes));
    for (run& each : runs) {
      EXPECT_FALSE(each.empty());
      run tail = each.cut(each.size() / 3);
      (void)each.extend(each.size() + 1);
    }
  }
  (void)heap::stats();
  (void)heap::live_bytes();
}

void use_from_all_sides() {
  use_everything();
  std::thread(use_everything).join();
  const pid_t child = ::fork();
  if (child == 0) {
    die_if_stuck();
    use_everything();
    ::_exit(0);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
}

template <typename Work>
void hold(call_kind kind, const Work& work) {
  die_if_stuck();
  use_everything();
  held_call call(kind);
  std::thread victim([&work] {
    held_call::is_victim = true;
    work();
  });
  call.wait_until_inside();
  use_from_all_sides();
  call.let_go();
  victim.join();
}

TEST(SlowCalls, thatGiveAccessStopNobody) {
  hold(call_kind::access, [] {
    run large(64_MiB);
    touch(large.data(), large.size());
  });
  EXPECT_TRUE(heap_is_whole());
}

TEST(SlowCalls, thatReturnMemoryStopNobody) {
  // Half of an arena lies idle, and more than enough is in use and free beside it.
  std::optional<run> idle(run(128_MiB));
  touch(idle->data(), 1_MiB);
  hold(call_kind::discard, [&idle] {
    idle.reset();
    heap::purge();
  });
  EXPECT_TRUE(heap_is_whole());
}

TEST(SlowCalls, thatAskForHugePagesStopNobody) {
  hold(call_kind::advice, [] { const run large(32_MiB); });
  EXPECT_TRUE(heap_is_whole());
}

TEST(SlowCalls, thatGiveAccessToTablesStopNobody) {
  // The first run of more than an arena opens arenas, whose tables come first.
  if (!start_heap({.reserve_bytes = 8_GiB, .huge_pages = false})) GTEST_SKIP() << own_process;
  hold(call_kind::access, [] { const run large(2_GiB); });
  EXPECT_TRUE(heap_is_whole());
}

// The one exception: who comes while the heap starts waits for it, and a fork does too.
TEST(SlowCalls, whileTheHeapStartsAreWaitedForByAFork) {
  if (heap::started()) GTEST_SKIP() << own_process;
  die_if_stuck();
  held_call call(call_kind::reserve);
  std::thread victim([] {
    held_call::is_victim = true;
    use_everything();
  });
  call.wait_until_inside();
  std::atomic<bool> done = false;
  int status = -1;
  std::thread forking([&] {
    const pid_t child = ::fork();
    if (child == 0) {
      // Without a lock that a thread which is not here would have to open.
      die_if_stuck();
      use_everything();
      ::_exit(heap::verify().empty() ? 0 : 1);
    }
    ::waitpid(child, &status, 0);
    done = true;
  });
  // The fork may come before or after the start goes on; mostly it now waits.
  for (int i = 0; i < 100 && !done; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  call.let_go();
  victim.join();
  forking.join();
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
}

}  // namespace
}  // namespace cleave::test
