// Checked mode where things are difficult: threads, fork(), no memory, its own places.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cleave/array.hpp>
#include <cleave/heap.hpp>
#include <cleave/run.hpp>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "checked/child.hpp"
#include "support/environment.hpp"
#include "support/memory.hpp"

namespace cleave {
namespace {

using test::outcome;
using test::run_checked;
using namespace test;

template <typename Body>
void expect_silence(const Body& body) {
  const outcome end = run_checked(body);
  EXPECT_EQ(end.error, "");
  EXPECT_EQ(end.exit_code, 0);
}

void stop_unless(bool condition) {
  if (!condition) ::_exit(3);
}

TEST(CheckedMode, namesTheLinesOfTheProgram) {
  if (std::system("addr2line --version > /dev/null 2>&1") != 0) {
    GTEST_SKIP() << "SKIP: addr2line is not installed";
  }
  const outcome end = run_checked(
      [] {
        std::byte* const p = static_cast<std::byte*>(heap::allocate(100));
        heap::free(p, 100);
        heap::free(p, 100);
      },
      {.lines = true});
  EXPECT_EQ(end.first_line, "cleave check: double free");
  // Once for each of: allocated, freed, freed again.
  std::size_t count = 0;
  for (std::size_t at = 0; (at = end.error.find("surroundings_test.cpp:", at)) != std::string::npos;
       ++at) {
    ++count;
  }
  EXPECT_GE(count, 3u) << end.error;
  EXPECT_EQ(end.error.find("cleave::heap::checked"), std::string::npos) << end.error;
}

// Where no program looks lines up, each place is a symbol, or an offset in its file.
TEST(CheckedMode, namesFilesAndOffsetsWhereLinesCannotBeLookedUp) {
  const outcome end = run_checked([] {
    std::byte* const p = static_cast<std::byte*>(heap::allocate(100));
    heap::free(p, 100);
    heap::free(p, 100);
  });
  EXPECT_EQ(end.first_line, "cleave check: double free");
  for (const char* const heading : {"allocated here:", "freed here:", "this call is here:"}) {
    const std::size_t at = end.error.find(heading);
    ASSERT_NE(at, std::string::npos) << heading << '\n' << end.error;
    // The first place below it.
    const std::size_t line = end.error.find('\n', at) + 1;
    const std::string place = end.error.substr(line, end.error.find('\n', line) - line);
    EXPECT_NE(place.find("checked_test"), std::string::npos) << end.error;
    EXPECT_NE(place.find("+0x"), std::string::npos) << end.error;
  }
}

TEST(CheckedMode, isOffWithoutTheVariable) {
  const outcome end =
      run_checked([] { static_cast<void>(heap::allocate(100)); }, {.checked = false});
  EXPECT_EQ(end.error, "");
  EXPECT_EQ(end.exit_code, 0);
}

TEST(CheckedMode, leavesTheCodeOfAProgramThatFails) {
  const outcome end = run_checked([] {
    static_cast<void>(heap::allocate(100));
    std::exit(5);
  });
  EXPECT_EQ(end.error, "");
  EXPECT_EQ(end.exit_code, 5);
}

TEST(CheckedMode, threadsExchangePieces) {
  expect_silence([] {
    std::mutex lock;
    std::vector<run> box;
    const auto work = [&](unsigned seed) {
      std::mt19937 random(seed);
      for (int i = 0; i < 2000; ++i) {
        run mine(1 + random() % 5000);
        run other = mine.cut(random() % (mine.size() + 1));
        const std::lock_guard guard(lock);
        box.push_back(std::move(other));
        if (box.size() > 50) {
          std::swap(box[random() % box.size()], box.back());
          box.pop_back();
        }
      }
    };
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 4; ++t) threads.emplace_back(work, t);
    for (std::thread& t : threads) t.join();
    std::size_t sum = 0;
    for (const run& r : box) sum += r.size();
    stop_unless(heap::live_bytes() == sum);
    box.clear();
    stop_unless(heap::live_bytes() == 0 && heap::verify().empty());
  });
}

TEST(CheckedMode, aChildOfForkReportsItsOwnLeaksAlone) {
  const auto child_of = [](bool leaks) {
    run parents(1000);
    const pid_t child = ::fork();
    if (child == 0) {
      if (leaks) static_cast<void>(heap::allocate(10));
      std::exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    stop_unless(WIFEXITED(status) && WEXITSTATUS(status) == (leaks ? 70 : 0));
  };
  const outcome silent = run_checked([&] { child_of(false); });
  EXPECT_EQ(silent.error, "");
  EXPECT_EQ(silent.exit_code, 0);
  const outcome told = run_checked([&] { child_of(true); });
  EXPECT_NE(told.error.find("10 bytes in 1 pieces are live"), std::string::npos) << told.error;
  EXPECT_EQ(told.exit_code, 0);
}

TEST(CheckedMode, aChildOfForkFreesWhatItsParentMade) {
  expect_silence([] {
    run whole(100'000);
    std::thread busy([] {
      for (int i = 0; i < 20'000; ++i) const run other(100);
    });
    const pid_t child = ::fork();
    if (child == 0) {
      run piece = whole.cut(50'000);
      piece = run();
      whole = run();
      for (int i = 0; i < 100; ++i) const run other(1000);
      // Without the report at exit: what the other thread had is live here for ever.
      ::_exit(heap::verify().empty() ? 0 : 3);
    }
    busy.join();
    int status = 0;
    ::waitpid(child, &status, 0);
    stop_unless(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  });
}

TEST(CheckedMode, quarantineGivesWayToALimit) {
  expect_silence([] {
    stop_unless(heap::start({.held_limit = 8_MiB}));
    // Each needs most of the limit, and the one before waits in quarantine.
    for (int i = 0; i < 50; ++i) {
      const run r = run::try_make(5_MiB);
      stop_unless(r.size() == 5_MiB);
    }
    stop_unless(run::try_make(9_MiB).empty());
    stop_unless(heap::live_bytes() == 0);
  });
}

TEST(CheckedMode, givesMemoryBackWhenAskedTo) {
  expect_silence([] {
    for (int i = 0; i < 100; ++i) const run other(50'000);
    heap::purge();
    stop_unless(heap::stats().held == 0);
  });
}

TEST(CheckedMode, worksInLittleAddressSpace) {
  if (test::sanitized) GTEST_SKIP() << "SKIP: sanitizers need address space";
  expect_silence([] {
    const rlimit limit{std::size_t{512} << 20, std::size_t{512} << 20};
    ::setrlimit(RLIMIT_AS, &limit);
    std::vector<run> all;
    for (;;) {
      run r = run::try_make(100'000);
      if (r.empty()) break;
      all.push_back(std::move(r));
    }
    stop_unless(all.size() > 100);
    all.clear();
    stop_unless(run::try_make(1'000'000).size() == 1'000'000);
    // Pieces without number: their records run out of nothing either.
    run whole(1'000'000);
    for (std::size_t i = 0; i < 1'000'000; i += 10) heap::free(whole.data() + i, 5);
    for (std::size_t i = 5; i < 1'000'000; i += 10) heap::free(whole.data() + i, 5);
    static_cast<void>(whole.release());
    stop_unless(heap::live_bytes() == 0);
  });
}

TEST(CheckedMode, alignmentsAreKept) {
  expect_silence([] {
    for (std::size_t alignment = 1; alignment <= 1_MiB; alignment *= 2) {
      for (const std::size_t n : {std::size_t{1}, std::size_t{100}, std::size_t{5000}}) {
        const run r(n, alignment);
        stop_unless(reinterpret_cast<std::uintptr_t>(r.data()) % alignment == 0);
      }
    }
    stop_unless(heap::try_allocate(16, 3) == nullptr && heap::try_allocate(0) == nullptr);
    stop_unless(heap::try_allocate(SIZE_MAX) == nullptr);
    stop_unless(heap::try_allocate_at_least(SIZE_MAX - 8).pointer == nullptr);
  });
}

}  // namespace
}  // namespace cleave
