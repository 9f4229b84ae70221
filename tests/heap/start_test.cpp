// start_test.cpp -- the heap starts once, by itself or with options, also in bad conditions.
#include "heap/start.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <cleave/heap.hpp>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <thread>
#include <vector>

#include "heap/geometry.hpp"
#include "heap/tables.hpp"
#include "support/environment.hpp"
#include "support/fresh_heap.hpp"
#include "support/memory.hpp"
#include "support/whole_heap.hpp"

namespace cleave::heap {
namespace {

using test::operator""_KiB;
using test::operator""_MiB;
using test::operator""_GiB;

// Each test starts heaps in children of its own.
class Start : public testing::Test {
 protected:
  void SetUp() override {
    if (tables.pages != 0) GTEST_SKIP() << test::own_process;
  }
};

// Runs `work` in a child, in which the heap has not started, and returns its exit code.
template <typename Work>
int exit_code_of_child(const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

// Allocates, frees and returns memory; 0 if all is well.
int use_and_verify() {
  void* const small = try_allocate(100);
  void* const large = try_allocate(100'000);
  if (small == nullptr || large == nullptr) return 11;
  test::touch(large, 100'000);
  free(small, 100);
  free(large, 100'000);
  purge();
  if (live_bytes() != 0) return 12;
  return verify().empty() ? 0 : 13;
}

TEST_F(Start, happensByItselfWithTheDefaults) {
  EXPECT_EQ(exit_code_of_child([] {
              if (const int wrong = use_and_verify(); wrong != 0) return wrong;
              if (start({})) return 1;
              return stats().held_limit == SIZE_MAX && stats().reserved >= 1_GiB ? 0 : 2;
            }),
            0);
}

TEST_F(Start, happensOnce) {
  EXPECT_EQ(exit_code_of_child([] {
              if (!start({.reserve_bytes = 64_MiB, .held_limit = 8_MiB})) return 1;
              if (start({.reserve_bytes = 1_GiB})) return 2;
              if (stats().reserved != 64_MiB || stats().held_limit != 8_MiB) return 3;
              return use_and_verify();
            }),
            0);
}

TEST_F(Start, withNoAddressSpaceFailsAndMayBeTriedAgain) {
  EXPECT_EQ(exit_code_of_child([] {
              if (start({.reserve_bytes = 0})) return 1;
              const int outside = 0;
              if (contains(&outside)) return 2;
              if (!start({.reserve_bytes = 64_MiB})) return 3;
              return use_and_verify();
            }),
            0);
}

TEST_F(Start, withAnyOddSizeServesWhatItHas) {
  for (const std::size_t bytes : {4_MiB, 4_MiB + 1, 5_MiB, 100_MiB + 12345, 1_GiB - 1, 1_GiB + 1,
                                  3_GiB + 4_MiB, 7_GiB - 4096}) {
    if (!test::wide_addresses && bytes >= 1_GiB - 1) continue;
    EXPECT_EQ(exit_code_of_child([bytes] {
                if (!start({.reserve_bytes = bytes})) return 1;
                const statistics s = stats();
                if (s.reserved > bytes || s.reserved + 4_MiB <= bytes) return 2;
                return use_and_verify();
              }),
              0)
        << bytes;
  }
}

TEST_F(Start, withMoreThanPageNumbersReachIsCut) {
  EXPECT_EQ(exit_code_of_child([] {
              if (!start({.reserve_bytes = SIZE_MAX})) return 1;
              if (stats().reserved > std::uint64_t{4096} << 30) return 2;
              return use_and_verify();
            }),
            0);
}

TEST_F(Start, underAnAddressSpaceLimitLeavesHalfToTheProgram) {
  if (test::sanitized) GTEST_SKIP() << "SKIP: a sanitizer maps more than any limit allows";
  for (const std::size_t room : {32_MiB, 100_MiB, 256_MiB}) {
    EXPECT_EQ(exit_code_of_child([room] {
                std::size_t mapped = 0;
                std::ifstream("/proc/self/statm") >> mapped;
                const rlimit limit{mapped * 4096 + room, RLIM_INFINITY};
                if (::setrlimit(RLIMIT_AS, &limit) != 0) return 1;
                if (const int wrong = use_and_verify(); wrong != 0) return wrong;
                const std::size_t reserved = stats().reserved;
                if (reserved > room / 2 || reserved < room / 8) return 2;
                // All of it can be used, and then it is an answer.
                std::vector<void*> runs;
                runs.reserve(room / 64_KiB);
                while (void* const p = try_allocate(64_KiB)) {
                  test::touch(p, 64_KiB);
                  runs.push_back(p);
                }
                if (runs.size() * 64_KiB + 4_MiB < reserved) return 3;
                for (void* const p : runs) free(p, 64_KiB);
                return use_and_verify();
              }),
              0)
        << room;
  }
}

TEST_F(Start, withoutAnyRoomIsOutOfMemoryAndNotTheEnd) {
  if (test::sanitized) GTEST_SKIP() << "SKIP: a sanitizer maps more than any limit allows";
  EXPECT_EQ(exit_code_of_child([] {
              rlimit before{};
              ::getrlimit(RLIMIT_AS, &before);
              const rlimit none{1_MiB, before.rlim_max};
              if (::setrlimit(RLIMIT_AS, &none) != 0) return 1;
              if (try_allocate(1) != nullptr) return 2;
              if (try_allocate(1_MiB) != nullptr) return 3;
              purge();
              purge_expired();
              set_held_limit(1_GiB);
              if (live_bytes() != 0) return 4;
              if (start({})) return 5;
              ::setrlimit(RLIMIT_AS, &before);
              return use_and_verify();
            }),
            0);
}

TEST_F(Start, fromSeveralThreadsAtOnceHappensOnce) {
  for (int i = 0; i < test::by_build(20, 5); ++i) {
    EXPECT_EQ(exit_code_of_child([] {
                std::barrier<> meet(3);
                std::atomic<int> starts{0};
                std::atomic<int> failed{0};
                std::vector<std::thread> threads;
                for (int t = 0; t < 3; ++t) {
                  threads.emplace_back([&, t] {
                    meet.arrive_and_wait();
                    if (t == 0) {
                      starts += start({.reserve_bytes = 16_MiB}) ? 1 : 0;
                    }
                    void* const p = try_allocate(100);
                    if (p == nullptr) ++failed;
                    free(p, p == nullptr ? 0 : 100);
                  });
                }
                for (std::thread& one : threads) one.join();
                if (failed != 0) return 1;
                if ((stats().reserved == 16_MiB) != (starts == 1)) return 2;
                return use_and_verify();
              }),
              0);
  }
}

TEST_F(Start, asksForNothingBeforeItIsNeeded) {
  EXPECT_EQ(exit_code_of_child([] {
              if (live_bytes() != 0 || contains(nullptr)) return 1;
              free(nullptr, 0);
              return start({.reserve_bytes = 64_MiB}) ? 0 : 2;
            }),
            0);
}

// A process inherits its heap as it is, and the helper thread of the parent is not there.
TEST_F(Start, isInheritedByAChildWithAllOptions) {
  EXPECT_EQ(exit_code_of_child([] {
              if (!start({.reserve_bytes = 64_MiB,
                          .held_limit = 8_MiB,
                          .purge_delay = std::chrono::milliseconds(1),
                          .purge_thread = true})) {
                return 1;
              }
              if (const int wrong = use_and_verify(); wrong != 0) return wrong;
              return exit_code_of_child([] {
                if (stats().held_limit != 8_MiB) return 21;
                if (try_allocate(9_MiB) != nullptr) return 22;
                return use_and_verify();
              });
            }),
            0);
}

}  // namespace
}  // namespace cleave::heap
