// threads_test.cpp -- threads that come and go, late frees, and children of fork().
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cleave/heap.hpp>
#include <cleave/run.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <latch>
#include <thread>
#include <utility>
#include <vector>

#include "support/environment.hpp"
#include "support/fresh_heap.hpp"
#include "support/memory.hpp"
#include "support/waiting.hpp"
#include "support/whole_heap.hpp"

namespace cleave::test {
namespace {

// Fills the caches of the calling thread: whole slots, pages, and a slot and a
// page that are freed in part.
void use_the_heap() {
  std::vector<run> runs;
  for (std::size_t bytes = 8; bytes <= 256_KiB; bytes += bytes / 3 + 5) {
    for (int i = 0; i < 4; ++i) runs.emplace_back(bytes);
  }
  for (run& one : runs) {
    run right = one.cut(one.size() / 3);
    right = run();
  }
}

TEST(ShortThreads, giveTheirCachesBackWhenTheyEnd) {
  // No round of returning memory by its age may come just before the first look.
  if (!start_heap({.purge_delay = std::chrono::milliseconds(-1)})) GTEST_SKIP() << own_process;
  const int count = by_build(10'000, 1'000);
  std::size_t after_a_tenth = 0;
  for (int i = 1; i <= count; ++i) {
    std::thread(use_the_heap).join();
    if (i == count / 10) after_a_tenth = heap::stats().held;
  }
  EXPECT_LE(heap::stats().held, after_a_tenth);
  EXPECT_EQ(heap::live_bytes(), 0U);
  EXPECT_TRUE(heap_is_whole());
}

TEST(ShortThreads, mayDoNothingButFree) {
  constexpr std::size_t count = 300;
  std::vector<run> pieces;
  run rest(count * 100);
  for (std::size_t i = 0; i < count; ++i) {
    run tail = rest.cut(100);
    pieces.push_back(std::move(rest));
    rest = std::move(tail);
  }
  for (run& piece : pieces) {
    std::thread([&piece] { piece = run(); }).join();
  }
  EXPECT_EQ(heap::live_bytes(), 0U);
  EXPECT_TRUE(heap_is_whole());
}

// ---- Frees after the thread's work is done

struct freed_late {
  run kept;
  ~freed_late() {
    // Also allocates, when the heap may have said goodbye to this thread.
    const run another(kept.size() + 100);
    run right = kept.cut(kept.size() / 2);
  }
};

void keep_in_thread_local_objects(bool heap_first) {
  // The objects that are constructed first are destroyed last.
  if (heap_first) use_the_heap();
  thread_local freed_late small;
  thread_local freed_late large;
  if (!heap_first) use_the_heap();
  small.kept = run(500);
  large.kept = run(3 * page_bytes + 17);
}

TEST(LateFrees, inDestructorsOfThreadLocalObjectsAreNotLost) {
  for (const bool heap_first : {true, false}) {
    for (int i = 0; i < 20; ++i) std::thread(keep_in_thread_local_objects, heap_first).join();
    EXPECT_EQ(heap::live_bytes(), 0U);
    EXPECT_TRUE(heap_is_whole());
  }
}

pthread_key_t late_key;

// Comes back in each round that the system grants, so it also runs after the
// destructors of all other keys.
void free_a_part_in_each_round(void* value) {
  run* const kept = static_cast<run*>(value);
  if (kept->size() <= 64) {
    delete kept;
    return;
  }
  kept->shrink(kept->size() / 64);
  pthread_setspecific(late_key, kept);
}

TEST(LateFrees, inDestructorsOfThreadKeysAreNotLost) {
  ASSERT_EQ(pthread_key_create(&late_key, free_a_part_in_each_round), 0);
  for (int i = 0; i < 20; ++i) {
    std::thread([] {
      // Three rounds: 100,000 bytes, 1562, 24.
      pthread_setspecific(late_key, new run(100'000));
      use_the_heap();
    }).join();
    EXPECT_EQ(heap::live_bytes(), 0U);
  }
  EXPECT_TRUE(heap_is_whole());
  EXPECT_EQ(pthread_key_delete(late_key), 0);
}

run* freed_at_exit = nullptr;

void free_at_exit() {
  *freed_at_exit = run(50);
  *freed_at_exit = run();
  _exit(heap::live_bytes() == 0 && heap::verify().empty() ? 0 : 1);
}

TEST(LateFrees, atExitAreNotLost) {
  EXPECT_EXIT(
      {
        std::atexit(free_at_exit);
        freed_at_exit = new run(1_MiB);
        use_the_heap();
        std::exit(2);
      },
      testing::ExitedWithCode(0), "");
}

// ---- Children of fork()

// Runs `work` in a child and returns its exit code.
template <typename Work>
int exit_code_of_child(const Work& work) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

TEST(Fork, letsTheChildFreeAndAllocate) {
  run inherited(100'000);
  std::fill(inherited.bytes().begin(), inherited.bytes().end(), std::byte{7});
  use_the_heap();
  EXPECT_EQ(exit_code_of_child([&inherited] {
              if (heap::live_bytes() != 100'000) return 1;
              if (inherited.data()[99'999] != std::byte{7}) return 2;
              inherited.shrink(10);
              use_the_heap();
              if (heap::live_bytes() != 10) return 3;
              inherited = run();
              heap::purge();
              return heap::live_bytes() == 0 && heap::verify().empty() ? 0 : 4;
            }),
            0);
  // The child's frees are its own.
  EXPECT_EQ(heap::live_bytes(), 100'000U);
  EXPECT_EQ(inherited.data()[0], std::byte{7});
  EXPECT_EQ(heap::verify(), "");
}

TEST(Fork, whileOtherThreadsUseTheHeapLeavesTheChildWorking) {
  if (sanitized) GTEST_SKIP() << "SKIP: a sanitizer does not follow a fork of several threads";
  std::atomic<bool> stop = false;
  std::latch begun(2);
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&stop, &begun] {
      use_the_heap();
      begun.count_down();
      while (!stop) use_the_heap();
    });
  }
  begun.wait();
  run inherited(1_MiB);
  int failed = 0;
  for (int i = 0; i < 200 && failed == 0; ++i) {
    failed = exit_code_of_child([&inherited] {
      // A lock that another thread held at the fork would never be released.
      die_if_stuck();
      use_the_heap();
      inherited.shrink(1000);
      run large(4_MiB);
      touch(large.data(), large.size());
      return 0;
    });
  }
  EXPECT_EQ(failed, 0);
  stop = true;
  for (std::thread& one : threads) one.join();
  inherited = run();
  EXPECT_TRUE(heap_is_whole());
}

}  // namespace
}  // namespace cleave::test
