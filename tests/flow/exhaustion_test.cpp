// exhaustion_test.cpp -- out of memory is an answer, and the next call works.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cleave/heap.hpp>
#include <cleave/run.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <latch>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/environment.hpp"
#include "support/fresh_heap.hpp"
#include "support/memory.hpp"
#include "support/whole_heap.hpp"

namespace cleave::test {
namespace {

constexpr std::size_t limit = 16_MiB;

// Allocates until there is no more.
std::vector<run> all_runs_of(std::size_t bytes) {
  std::vector<run> runs;
  for (;;) {
    run made = run::try_make(bytes);
    if (made.empty()) return runs;
    runs.push_back(std::move(made));
  }
}

TEST(Exhaustion, isReachedAtTheLimitForEverySizeAndLeavesTheHeapWhole) {
  if (!start_heap({.held_limit = limit})) GTEST_SKIP() << own_process;
  for (const std::size_t bytes : {64_KiB, std::size_t{48}, std::size_t{1000}, page_bytes,
                                  5 * page_bytes, 1_MiB, limit, std::size_t{3000}}) {
    std::vector<run> runs = all_runs_of(bytes);
    const std::size_t live = runs.size() * bytes;
    EXPECT_EQ(heap::live_bytes(), live);
    EXPECT_LE(heap::stats().held, limit);
    // Rounding and slabs that are not full take less than a quarter.
    EXPECT_GE(live, limit - limit / 4) << "runs of " << bytes << " bytes";
    EXPECT_EQ(heap::verify(), "");
    runs.clear();
    EXPECT_TRUE(heap_is_whole()) << "after runs of " << bytes << " bytes";
  }
}

TEST(Exhaustion, changesNothing) {
  if (!start_heap({.held_limit = limit})) GTEST_SKIP() << own_process;
  run kept(limit / 2);
  std::fill(kept.bytes().begin(), kept.bytes().end(), std::byte{0x42});
  const std::size_t live = heap::live_bytes();

  EXPECT_EQ(heap::try_allocate(limit), nullptr);
  EXPECT_EQ(heap::try_allocate(SIZE_MAX), nullptr);
  EXPECT_EQ(heap::try_allocate(SIZE_MAX - page_bytes, page_bytes), nullptr);
  EXPECT_EQ(heap::try_allocate_at_least(limit).pointer, nullptr);
  EXPECT_EQ(heap::try_allocate_at_least(limit).bytes, 0U);
  EXPECT_TRUE(run::try_make(limit).empty());
  EXPECT_THROW((void)heap::allocate(limit), std::bad_alloc);
  EXPECT_THROW(const run made(limit), std::bad_alloc);
  EXPECT_FALSE(heap::extend(kept.data(), kept.size(), limit + page_bytes));
  EXPECT_FALSE(kept.extend(SIZE_MAX));

  EXPECT_EQ(heap::live_bytes(), live);
  EXPECT_EQ(kept.size(), limit / 2);
  EXPECT_EQ(heap::verify(), "");
  EXPECT_EQ(std::count(kept.bytes().begin(), kept.bytes().end(), std::byte{0x42}),
            static_cast<std::ptrdiff_t>(kept.size()));

  run next(limit / 4);
  touch(next.data(), next.size());
}

TEST(Exhaustion, endsAsSoonAsAnythingIsFreed) {
  if (!start_heap({.held_limit = limit})) GTEST_SKIP() << own_process;
  std::vector<run> runs = all_runs_of(64_KiB);
  ASSERT_GT(runs.size(), 4U);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(run::try_make(64_KiB).empty());
    // Half of one and half of its neighbour do not make one; all of one does.
    run freed = std::move(runs[static_cast<std::size_t>(i) % runs.size()]);
    freed = run();
    runs[static_cast<std::size_t>(i) % runs.size()] = run(64_KiB);
  }
  // A small size needs no more than the page of a freed one.
  runs.back() = run();
  EXPECT_FALSE(run::try_make(24).empty());
}

TEST(Exhaustion, ofOneSizeIsCuredByFreeingRunsOfAnother) {
  if (!start_heap({.held_limit = limit})) GTEST_SKIP() << own_process;
  std::vector<run> small = all_runs_of(32);
  ASSERT_TRUE(run::try_make(limit / 2).empty());
  small.clear();
  run large = run::try_make(limit / 2);
  EXPECT_FALSE(large.empty()) << "slots that wait in slabs or caches are not given back";
}

TEST(Exhaustion, meetsSeveralThreadsAtOnceAndTheLimitStaysExact) {
  if (!start_heap({.held_limit = limit})) GTEST_SKIP() << own_process;
  std::latch begun(3);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 3; ++t) {
    threads.emplace_back([&begun, t] {
      begun.arrive_and_wait();
      for (std::size_t i = 0; i < by_build<std::size_t>(40, 10); ++i) {
        const std::vector<run> runs = all_runs_of((i * 7 + t) % 5 * 10'000 + 700);
        EXPECT_LE(heap::stats().held, limit);
      }
    });
  }
  for (std::thread& one : threads) one.join();
  EXPECT_LE(heap::stats().peak_held, limit);
  EXPECT_TRUE(heap_is_whole());
}

TEST(Exhaustion, followsALimitThatChanges) {
  run kept(4_MiB);
  touch(kept.data(), kept.size());
  heap::set_held_limit(1_MiB);
  EXPECT_TRUE(run::try_make(64_KiB).empty());
  EXPECT_EQ(heap::live_bytes(), 4_MiB);
  kept.shrink(512_KiB);
  EXPECT_FALSE(run::try_make(64_KiB).empty());
  EXPECT_TRUE(run::try_make(1_MiB).empty());
  heap::set_held_limit(SIZE_MAX);
  EXPECT_FALSE(run::try_make(64_MiB).empty());
}

// ---- A program under ulimit -v

constexpr const char* child_mark = "CLEAVE_TEST_UNDER_ULIMIT";

void work_under_the_limit() {
  std::vector<run> runs;
  for (std::size_t i = 0; i < 2000; ++i) {
    runs.emplace_back(1 + i * 37 % 20'000);
    touch(runs.back().data(), runs.back().size());
    if (i % 3 == 0) runs.push_back(runs.back().cut(runs.back().size() / 2));
    if (i % 5 == 0) runs[i / 2] = run();
  }
  std::thread other([&runs] { runs.resize(runs.size() / 2); });
  other.join();
  run large(32_MiB);
  touch(large.data(), large.size());
  EXPECT_TRUE(run::try_make(1_GiB).empty());
  runs.clear();
  large = run();
  EXPECT_TRUE(heap_is_whole());
  EXPECT_LE(heap::stats().reserved, 256_MiB);
}

TEST(Exhaustion, ofAddressSpaceLetsAProgramStartAndWorkUnder256MiB) {
  if (std::getenv(child_mark) != nullptr) return work_under_the_limit();
  if (sanitized) GTEST_SKIP() << "SKIP: a sanitizer needs terabytes of address space";
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const rlimit most{256_MiB, 256_MiB};
    const std::string only = "--gtest_filter=Exhaustion.ofAddressSpace*";
    if (setrlimit(RLIMIT_AS, &most) == 0 && setenv(child_mark, "1", 1) == 0) {
      execl("/proc/self/exe", "flow_test", only.c_str(), nullptr);
    }
    _exit(99);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
}

}  // namespace
}  // namespace cleave::test
