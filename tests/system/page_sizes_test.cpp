// page_sizes_test.cpp -- systems whose pages have 16 KiB and 64 KiB.
//
// The heap believes that it runs on one, and each call is held to it: a range that does not
// begin and end at its pages would be refused there, or take memory away from neighbours.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cleave/heap.hpp>
#include <cleave/run.hpp>
#include <cstring>
#include <random>
#include <vector>

#include "support/memory.hpp"
#include "support/waiting.hpp"
#include "support/whole_heap.hpp"
#include "system/interposed.hpp"

namespace cleave::test {
namespace {

class PageSizes : public testing::TestWithParam<std::size_t> {};

int work_with_pages_of(std::size_t bytes) {
  die_if_stuck();
  pretend_pages_of(bytes);
  std::atomic<std::uint64_t> misplaced = 0;
  const observed watch([bytes, &misplaced](const system_call& call) {
    if (call.begin % bytes == 0 && call.bytes % bytes == 0) return 0;
    ++misplaced;
    return EINVAL;
  });
  // A limit makes every kind of return happen, and must be exact.
  if (!heap::start({.held_limit = 64_MiB, .purge_delay = std::chrono::milliseconds(0)})) return 1;
  std::mt19937_64 random(7);
  std::vector<run> runs(300);
  std::vector<std::byte> marks(runs.size());
  for (std::size_t i = 0; i < 6'000; ++i) {
    const std::size_t which = random() % runs.size();
    run& each = runs[which];
    if (each.empty()) {
      const std::size_t size = random() % 50 == 0 ? random() % 9_MiB : random() % 60'000;
      each = run::try_make(size + 1);
      marks[which] = static_cast<std::byte>(random());
      if (!each.empty()) std::memset(each.data(), static_cast<int>(marks[which]), each.size());
    } else {
      for (std::size_t b = 0; b < each.size(); b += 1021) {
        if (each.data()[b] != marks[which]) return 2;
      }
      each = random() % 2 == 0 ? run() : each.cut(random() % each.size());
    }
    if (i % 50 == 0 && heap::stats().held > 64_MiB) return 3;
    if (i % 300 == 0) heap::purge_expired();
    if (i % 1900 == 0) heap::purge();
  }
  if (!heap::verify().empty()) return 4;
  runs.clear();
  if (!heap_is_whole()) return 5;
  return misplaced == 0 ? 0 : 6;
}

TEST_P(PageSizes, areRespectedByEachCall) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work_with_pages_of(GetParam()));
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status / 256;
}

INSTANTIATE_TEST_SUITE_P(ofSystems, PageSizes, testing::Values(4_KiB, 16_KiB, 64_KiB));

TEST(PageSizesTooLarge, areRefused) {
  const pid_t child = ::fork();
  if (child == 0) {
    pretend_pages_of(128_KiB);
    ::_exit(heap::start({}) || heap::try_allocate(1) != nullptr ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace cleave::test
