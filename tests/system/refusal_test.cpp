// refusal_test.cpp -- the system says no: each call in turn, for ever, by charge, by map count.
//
// Each case runs in a child, in which the heap has not started. Exit codes name what is wrong.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cleave/heap.hpp>
#include <cleave/run.hpp>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/environment.hpp"
#include "support/memory.hpp"
#include "support/waiting.hpp"
#include "system/interposed.hpp"

namespace cleave::test {
namespace {

template <typename Work>
int exit_code_of_child(const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    die_if_stuck();
    ::_exit(work());
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

// One that verify() walks fast.
const heap::options small_heap{.reserve_bytes = 256_MiB};

// Runs with their marks, which nothing may change but their owner.
class marked_runs {
 public:
  void make(std::size_t bytes) {
    run made = run::try_make(bytes);
    if (made.empty()) {
      ++refused_;
      return;
    }
    std::memset(made.data(), mark_of(runs_.size()), made.size());
    runs_.push_back(std::move(made));
  }

  // Small and large, cut, freed in part and used again: every kind of call, many times.
  void work() {
    for (std::size_t i = 0; i < 40; ++i) {
      make(i * i * 700 % 300'000 + 1);
      make(24 + i);
      if (i % 5 == 0) make(3_MiB + i * 1000);
      if (i % 7 == 3 && !runs_.empty()) shrink(i * 5 % runs_.size());
      if (i % 11 == 5) heap::purge();
    }
    // Its memory is not touched.
    if (run::try_make(20_MiB).empty()) ++refused_;
    heap::purge();
  }

  bool untouched() const {
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      const auto bytes = runs_[r].bytes();
      for (std::size_t i = 0; i < bytes.size(); i += i + 512 < bytes.size() ? 512 : 1) {
        if (bytes[i] != static_cast<std::byte>(mark_of(r))) return false;
      }
    }
    return true;
  }

  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const run& each : runs_) sum += each.size();
    return sum;
  }

  std::size_t refused() const { return refused_; }
  void clear() { runs_.clear(); }

 private:
  static int mark_of(std::size_t number) { return static_cast<int>(number % 255 + 1); }
  void shrink(std::size_t which) { runs_[which].shrink(runs_[which].size() / 2 + 1); }

  std::vector<run> runs_;
  std::size_t refused_ = 0;
};

// The program, with refusals, and again without. 0 if nothing is lost.
int work_against(observer by, std::size_t* refused = nullptr) {
  marked_runs runs;
  {
    const observed watch(std::move(by));
    (void)heap::start(small_heap);
    runs.work();
    if (!runs.untouched()) return 1;
    if (heap::live_bytes() != runs.bytes()) return 2;
  }
  if (refused != nullptr) *refused = runs.refused();
  if (!heap::verify().empty()) return 3;
  const std::size_t before = runs.refused();
  runs.work();
  if (runs.refused() != before) return 4;
  if (!runs.untouched()) return 5;
  runs.clear();
  heap::purge();
  if (heap::live_bytes() != 0 || heap::stats().held != 0) return 6;
  return heap::verify().empty() ? 0 : 7;
}

std::uint64_t calls_without_refusal() {
  int channel[2];
  if (::pipe(channel) != 0) return 0;
  exit_code_of_child([&channel] {
    marked_runs runs;
    const observed watch([](const system_call&) { return 0; });
    (void)heap::start(small_heap);
    runs.work();
    const std::uint64_t calls = observed::calls();
    return ::write(channel[1], &calls, sizeof calls) == sizeof calls ? 0 : 1;
  });
  std::uint64_t calls = 0;
  if (::read(channel[0], &calls, sizeof calls) != sizeof calls) calls = 0;
  ::close(channel[0]);
  ::close(channel[1]);
  return calls;
}

TEST(FieldReport17, eachCallOfTheSystemThatFailsInTurnLosesNothing) {
  const std::uint64_t calls = calls_without_refusal();
  ASSERT_GT(calls, 10U);
  for (std::uint64_t k = 1; k <= calls; ++k) {
    ASSERT_EQ(
        exit_code_of_child([k] {
          return work_against([k](const system_call& c) { return c.number == k ? ENOMEM : 0; });
        }),
        0)
        << "call " << k << " of " << calls;
  }
}

TEST(FieldReport17, theSystemThatSaysNoFromSomeCallOnLosesNothing) {
  const std::uint64_t calls = calls_without_refusal();
  for (std::uint64_t k = 1; k <= calls; ++k) {
    ASSERT_EQ(
        exit_code_of_child([k] {
          return work_against([k](const system_call& c) { return c.number >= k ? ENOMEM : 0; });
        }),
        0)
        << "call " << k << " of " << calls << " and all later ones";
  }
}

TEST(FieldReport17, interruptedReturnsOfMemoryAreRepeated) {
  EXPECT_EQ(exit_code_of_child([] {
              std::uint64_t interrupted = 0;
              return work_against([&interrupted](const system_call& c) {
                if (c.kind != call_kind::discard || ++interrupted % 3 != 0) return 0;
                return interrupted % 2 == 0 ? EAGAIN : EINTR;
              });
            }),
            0);
}

// ---- Strict overcommit: each page that becomes writable is charged, and stays so

TEST(StrictOvercommit, simulatedByACharge) {
  EXPECT_EQ(exit_code_of_child([] {
              std::size_t charged = 0;
              std::size_t refused = 0;
              const int wrong = work_against(
                  [&charged](const system_call& c) {
                    if (c.kind != call_kind::access) return 0;
                    if (charged + c.bytes > 24_MiB) return ENOMEM;
                    charged += c.bytes;
                    return 0;
                  },
                  &refused);
              return wrong != 0 ? wrong : refused > 0 ? 0 : 8;
            }),
            0);
}

// RLIMIT_DATA makes the real system refuse writable memory, as vm.overcommit_memory = 2 does for
// the whole machine.
TEST(StrictOvercommit, byTheSystemItself) {
  EXPECT_EQ(exit_code_of_child([] {
              const rlimit limit{64_MiB, RLIM_INFINITY};
              if (::setrlimit(RLIMIT_DATA, &limit) != 0) return 21;
              if (run::try_make(256_MiB).empty() == false) return 22;
              run half = run::try_make(24_MiB);
              if (half.empty()) return 23;
              touch(half.data(), half.size());
              std::vector<run> rest;
              rest.reserve(4096);
              while (rest.size() < 4096) {
                run made = run::try_make(64_KiB);
                if (made.empty()) break;
                touch(made.data(), made.size());
                rest.push_back(std::move(made));
              }
              if (rest.size() < 100 || rest.size() == 4096) return 24;
              // What is freed serves again, though the system gives nothing.
              half = run();
              half = run::try_make(20_MiB);
              if (half.empty()) return 25;
              half = run();
              rest.clear();
              heap::purge();
              if (heap::stats().held != 0 || !heap::verify().empty()) return 26;
              const rlimit none{RLIM_INFINITY, RLIM_INFINITY};
              ::setrlimit(RLIMIT_DATA, &none);
              return run::try_make(256_MiB).empty() ? 27 : 0;
            }),
            0);
}

// ---- Row 14: strict overcommit or partial unmaps exhaust the map count

std::size_t mappings() {
  std::ifstream maps("/proc/self/maps");
  std::size_t lines = 0;
  for (std::string line; std::getline(maps, line);) ++lines;
  return lines;
}

int free_at_random(std::size_t frees) {
  std::mt19937_64 random(1);
  std::vector<run> runs(4000);
  const std::size_t before = mappings();
  for (std::size_t i = 0; i < frees; ++i) {
    run& each = runs[random() % runs.size()];
    if (each.empty()) {
      each = run::try_make(random() % 8 == 0 ? random() % 100'000 + 1 : random() % 5000 + 1);
      if (each.empty()) return 31;
    } else {
      each = each.cut(random() % each.size());
    }
    if (i % 20'000 == 0) heap::purge();
  }
  // Access is never taken back, so only a border of it or a wish for huge pages splits a mapping.
  if (mappings() > before + 64) return 32;
  runs.clear();
  heap::purge();
  return heap::live_bytes() == 0 && heap::stats().held == 0 && heap::verify().empty() ? 0 : 33;
}

TEST(FieldReport14, aMillionRandomFreesNeedFewMappings) {
  EXPECT_EQ(exit_code_of_child([] { return free_at_random(1'000'000); }), 0);
}

TEST(FieldReport14, aMapLimitThatIsReachedLosesNoMemory) {
  EXPECT_EQ(exit_code_of_child([] {
              run kept = run::try_make(6_MiB);
              if (kept.empty()) return 41;
              touch(kept.data(), kept.size());
              // One mapping more for every second page, until the system has no more of them.
              const std::size_t page = 4096;
              const std::size_t room = std::size_t{200'000} * page;
              auto* const space = static_cast<char*>(reinterpret_cast<void*>(
                  ::syscall(SYS_mmap, nullptr, room, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)));
              std::size_t split = 0;
              while ((split + 1) * 2 * page <= room &&
                     ::syscall(SYS_mprotect, space + split * 2 * page, page, PROT_READ) == 0) {
                ++split;
              }
              if (split * 2 * page + page >= room) return 42;
              // Frees never fail, and what is freed serves again.
              for (int i = 0; i < 20; ++i) {
                run tail = kept.cut(kept.size() / 2);
                tail = run();
                heap::purge();
                run again = run::try_make(100'000);
                if (again.empty()) return 43;
                touch(again.data(), again.size());
                again = run();
                kept = run();
                kept = run::try_make(4_MiB);
                if (kept.empty()) return 44;
                touch(kept.data(), kept.size());
              }
              (void)run::try_make(512_MiB);  // may be refused
              if (heap::live_bytes() != kept.size()) return 45;
              ::syscall(SYS_munmap, space, room);
              run more = run::try_make(512_MiB);
              if (more.empty()) return 46;
              more = run();
              kept = run();
              heap::purge();
              return heap::stats().held == 0 && heap::verify().empty() ? 0 : 47;
            }),
            0);
}

TEST(FieldReport14, strictOvercommitAndRandomFreesGoTogether) {
  EXPECT_EQ(exit_code_of_child([] {
              std::size_t charged = 0;
              const observed watch([&charged](const system_call& c) {
                if (c.kind != call_kind::access) return 0;
                if (charged + c.bytes > 256_MiB) return ENOMEM;
                charged += c.bytes;
                return 0;
              });
              return free_at_random(200'000);
            }),
            0);
}

}  // namespace
}  // namespace cleave::test
