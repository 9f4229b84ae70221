// Row 10 of the field reports: what a wrong free does in checked mode is a report with a first
// line, the address, the sizes, both places, and exit code 70; never a crash elsewhere.

#include <gtest/gtest.h>

#include <atomic>
#include <cleave/array.hpp>
#include <cleave/heap.hpp>
#include <cleave/run.hpp>
#include <cstring>
#include <thread>

#include "checked/child.hpp"
#include "support/environment.hpp"

namespace cleave {
namespace {

using test::outcome;
using test::run_checked;

constexpr int exit_code = 70;
constexpr const char* leak = "cleave check: leak";
constexpr const char* wrong_size = "cleave check: wrong size";
constexpr const char* double_free = "cleave check: double free";
constexpr const char* not_live = "cleave check: free of memory that is not live";
constexpr const char* joined_away = "cleave check: free of a piece that was joined away";
constexpr const char* strangers = "cleave check: join of strangers";
constexpr const char* write_after_free = "cleave check: write after free";
constexpr const char* write_past_end = "cleave check: write past the end";
constexpr const char* moved_from = "cleave check: use of a moved-from array";

constexpr const char* seen_before = "SKIP: a sanitizer stops the program at the write";

template <typename Body>
outcome expect_report(const char* first_line, const Body& body) {
  const outcome end = run_checked(body);
  EXPECT_EQ(end.first_line, first_line);
  EXPECT_EQ(end.exit_code, exit_code) << end.error;
  return end;
}

template <typename Body>
void expect_silence(const Body& body) {
  const outcome end = run_checked(body);
  EXPECT_EQ(end.error, "");
  EXPECT_EQ(end.exit_code, 0);
}

std::byte* take(std::size_t bytes) {
  return static_cast<std::byte*>(heap::allocate(bytes));
}

// Small ones, a slot's and a page's size, and large ones.
class Misuse : public testing::TestWithParam<std::size_t> {};

INSTANTIATE_TEST_SUITE_P(OfSizes, Misuse,
                         testing::Values(1, 16, 100, 3840, 4096, 70'000, std::size_t{3} << 20,
                                         std::size_t{40} << 20));

TEST_P(Misuse, aSizeThatIsTooSmallIsALeakAtExit) {
  const std::size_t n = GetParam();
  for (const std::size_t given : {n - 1, n / 2, std::size_t{0}}) {
    const outcome end = expect_report(leak, [=] { heap::free(take(n), given); });
    const std::string rest = std::to_string(n - given) + " bytes in 1 pieces";
    EXPECT_NE(end.error.find(rest), std::string::npos) << end.error;
  }
}

TEST_P(Misuse, aSizeThatIsTooLargeIsNamed) {
  const std::size_t n = GetParam();
  for (const std::size_t given : {n + 1, 2 * n + 1, SIZE_MAX / 2, SIZE_MAX}) {
    expect_report(wrong_size, [=] {
      // Neighbours on both sides, which stay as they are.
      const run before(n);
      std::byte* const p = take(n);
      const run behind(n);
      heap::free(p, given);
    });
  }
}

TEST_P(Misuse, aPointerThatIsOffIsNamed) {
  const std::size_t n = GetParam();
  // Behind a run of one byte there is nothing that has a size.
  expect_report(n == 1 ? not_live : wrong_size, [=] { heap::free(take(n) + 1, n); });
  expect_report(not_live, [=] { heap::free(take(n) - 1, n); });
}

TEST_P(Misuse, aSecondFreeIsNamed) {
  const std::size_t n = GetParam();
  expect_report(double_free, [=] {
    std::byte* const p = take(n);
    heap::free(p, n);
    heap::free(p, n);
  });
  // Also when other runs came and went.
  expect_report(double_free, [=] {
    std::byte* const p = take(n);
    heap::free(p, n);
    for (std::size_t i = 1; i < 100; ++i) const run other(i * 7);
    heap::free(p, n);
  });
}

TEST_P(Misuse, aSecondFreeByAnotherThreadIsNamed) {
  const std::size_t n = GetParam();
  expect_report(double_free, [=] {
    std::byte* const p = take(n);
    std::atomic<int> ready{0};
    const auto work = [&] {
      ++ready;
      while (ready < 2) std::this_thread::yield();
      heap::free(p, n);
    };
    std::thread one(work);
    std::thread two(work);
    one.join();
    two.join();
  });
}

TEST_P(Misuse, aPieceThatWasJoinedAwayIsNamed) {
  const std::size_t n = GetParam() + 1;
  const std::size_t at = n / 2;
  // The whole goes first, then a piece that belongs to it.
  expect_report(joined_away, [=] {
    run left(n);
    const run right = left.cut(at);
    const std::span<const std::byte> kept = right.bytes();
    left.join(run::adopt(const_cast<std::byte*>(kept.data()), kept.size()));
    left = run();
  });
  // The piece goes first, then the whole.
  expect_report(joined_away, [=] {
    std::byte* const p = take(n);
    heap::free(p + at, n - at);
    heap::free(p, n);
  });
}

TEST_P(Misuse, aWriteAfterFreeIsFoundAtExit) {
  if (test::sanitized) GTEST_SKIP() << seen_before;
  const std::size_t n = GetParam();
  // Larger runs go back at once.
  if (n > std::size_t{16} << 20) return;
  for (const std::size_t offset : {std::size_t{0}, n / 2, n - 1}) {
    expect_report(write_after_free, [=] {
      std::byte* const p = take(n);
      heap::free(p, n);
      p[offset] = std::byte{1};
    });
  }
}

TEST_P(Misuse, aWritePastTheEndIsFoundAtTheFree) {
  if (test::sanitized) GTEST_SKIP() << seen_before;
  const std::size_t n = GetParam();
  for (const std::size_t behind : {std::size_t{0}, std::size_t{1}, std::size_t{31}}) {
    expect_report(write_past_end, [=] {
      std::byte* const p = take(n);
      p[n + behind] = std::byte{1};
      heap::free(p, n);
    });
  }
  // And at exit, when it is never freed; that it leaks is the smaller fault.
  expect_report(write_past_end, [=] { take(n)[n] = std::byte{1}; });
}

TEST(Checked, namesAJoinOfStrangers) {
  expect_report(strangers, [] {
    std::byte* const one = take(100);
    std::byte* const two = take(100);
    std::byte* const first = std::min(one, two);
    heap::free(first, static_cast<std::size_t>(std::max(one, two) - first) + 100);
  });
}

TEST(Checked, namesMemoryThatIsNotTheHeaps) {
  expect_report(not_live, [] {
    static std::byte own[64];
    (void)run(16);
    heap::free(own, sizeof own);
  });
  expect_report(not_live, [] {
    (void)run(16);
    heap::free(reinterpret_cast<void*>(std::uintptr_t{UINTPTR_MAX - 7}), 8);
  });
}

TEST(Checked, namesMemoryThatWasNeverHandedOut) {
  expect_report(not_live, [] { heap::free(take(16) + heap::stats().reserved / 2, 16); });
}

TEST(Checked, findsAWriteAfterFreeWhenTheMemoryIsUsedAgain) {
  if (test::sanitized) GTEST_SKIP() << seen_before;
  expect_report(write_after_free, [] {
    std::byte* const p = take(1000);
    heap::free(p, 1000);
    std::memset(p, 0, 10);
    // Pushes it out.
    for (int i = 0; i < 100; ++i) const run other(std::size_t{1} << 20);
    ADD_FAILURE() << "it was not noticed";
    ::_exit(1);
  });
}

TEST(Checked, namesAMovedFromArrayThatIsTakenApart) {
  const auto taken = [](array<int>& a) { const array<int> owner = std::move(a); };
  expect_report(moved_from, [=] {
    array<int> a{1, 2, 3};
    taken(a);
    (void)a.at(0);
  });
  expect_report(moved_from, [=] {
    array<int> a{1};
    taken(a);
    (void)std::move(a).into_value();
  });
  expect_report(moved_from, [=] {
    array<int> a{1, 2};
    taken(a);
    (void)match(std::move(a), [](int) { return 0; }, [](array<int>, array<int>) { return 1; });
  });
  // An array that never had elements says what it says without checked mode.
  expect_silence([] {
    array<int> a;
    EXPECT_THROW((void)a.at(0), std::out_of_range);
  });
}

TEST(Checked, saysNothingAboutWhatIsAllowed) {
  expect_silence([] {
    run whole(1000);
    run right = whole.cut(300);
    run middle = right.cut(0);
    whole.join(std::move(middle));
    whole.shrink(7);
    right.shrink(0);
    heap::free(nullptr, 0);
    heap::free(right.data(), 0);
  });
  // Each byte on its own, from the middle outwards.
  expect_silence([] {
    constexpr std::size_t n = 5000;
    std::byte* const p = take(n);
    for (std::size_t i = 0; i < n / 2; ++i) {
      heap::free(p + n / 2 + i, 1);
      heap::free(p + n / 2 - 1 - i, 1);
    }
    EXPECT_EQ(heap::live_bytes(), 0u);
    EXPECT_EQ(heap::verify(), "");
  });
}

TEST(Checked, countsWhatTheProgramHas) {
  expect_silence([] {
    const run one(1000);
    {
      run two(500);
      (void)two.cut(100);
      EXPECT_EQ(heap::live_bytes(), 1100u);
      EXPECT_EQ(heap::stats().live, 1100u);
    }
    EXPECT_EQ(heap::live_bytes(), 1000u);
    EXPECT_EQ(heap::stats().allocations, 2u);
  });
}

TEST(Checked, runsGrowInPlaceWithTheirRedzone) {
  expect_silence([] {
    run one(std::size_t{1} << 20);
    ASSERT_TRUE(one.extend(std::size_t{2} << 20));
    std::memset(one.data(), 1, one.size());
    EXPECT_EQ(heap::live_bytes(), one.size());
    // The redzone behind the old end has gone.
    one.shrink(10);
  });
  // What stands in quarantine is not grown into.
  expect_silence([] {
    run one(1000);
    one.shrink(500);
    EXPECT_FALSE(one.extend(600));
  });
  if (test::sanitized) GTEST_SKIP() << seen_before;
  expect_report(write_past_end, [] {
    run one(std::size_t{1} << 20);
    if (!one.extend(std::size_t{2} << 20)) return;
    one.data()[one.size()] = std::byte{1};
  });
}

}  // namespace
}  // namespace cleave
