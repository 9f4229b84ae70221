// What a release build notices of a wrong free, without checked mode: it stops before another
// run is touched, with a line and SIGABRT.

#include <gtest/gtest.h>

#include <cleave/heap.hpp>
#include <cleave/run.hpp>
#include <csignal>
#include <thread>

#include "checked/child.hpp"

namespace cleave {
namespace {

using test::outcome;

template <typename Body>
void expect_stop(const char* text, const Body& body) {
  const outcome end = test::run_checked(body, {.checked = false});
  EXPECT_EQ(end.exit_code, 128 + SIGABRT) << end.error;
  EXPECT_EQ(end.first_line.substr(0, end.first_line.find(" (")), std::string("cleave: ") + text);
}

std::byte* take(std::size_t bytes) {
  return static_cast<std::byte*>(heap::allocate(bytes));
}

constexpr const char* outside = "free of memory outside the heap";
constexpr const char* bytes_twice = "bytes were freed twice";
constexpr const char* slot_twice = "a slot was freed twice";
constexpr const char* pages_twice = "pages were freed twice";
constexpr const char* more_freed = "more bytes were freed than there are: freed twice?";

TEST(AlwaysChecked, memoryOutsideOfTheHeap) {
  expect_stop(outside, [] {
    static std::byte own[4096];
    const run r(16);
    heap::free(own, 16);
  });
  // Before the first allocation, too.
  expect_stop(outside, [] {
    static std::byte own[64];
    heap::free(own, sizeof own);
  });
  expect_stop(outside, [] {
    static std::byte own[2 << 20];
    const run r(16);
    heap::free(own, sizeof own);
  });
}

TEST(AlwaysChecked, memoryThatWasNeverHandedOut) {
  if (sizeof(void*) < 8) GTEST_SKIP() << "SKIP: there is one arena, and all of it is in use";
  for (const std::size_t n : {std::size_t{16}, std::size_t{4096}, std::size_t{1} << 20}) {
    expect_stop(outside, [=] { heap::free(take(16) + heap::stats().reserved / 2, n); });
  }
}

TEST(AlwaysChecked, aRangeThatIsTooLarge) {
  for (const std::size_t n : {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 4}) {
    expect_stop(outside, [=] { heap::free(take(100), n); });
    expect_stop(outside, [=] { heap::free(take(std::size_t{1} << 20), n); });
  }
}

TEST(AlwaysChecked, whatIsNoRunAndIsToGrow) {
  constexpr const char* grown = "extend of memory outside the heap";
  expect_stop(grown, [] {
    static std::byte own[64];
    const run r(16);
    (void)heap::extend(own, 32, 64);
  });
  // Ranges that end behind the heap, or wrap around the addresses.
  for (const std::size_t n : {SIZE_MAX - 1, SIZE_MAX / 2, SIZE_MAX / 4}) {
    expect_stop(grown, [=] { (void)heap::extend(take(100), n, n + 1); });
  }
  if (sizeof(void*) < 8) return;  // There is one arena, and all of it is in use.
  expect_stop(grown, [] {
    std::byte* const p = take(16);
    (void)heap::extend(p + heap::stats().reserved / 2, 16, 32);
  });
}

TEST(AlwaysChecked, whatIsNoRunAndIsAskedFor) {
  constexpr const char* asked = "a run outside the heap was asked for";
  expect_stop(asked, [] {
    static std::byte own[64];
    const run r(16);
    (void)heap::kept_by(own, 64);
  });
  for (const std::size_t n : {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 4}) {
    expect_stop(asked, [=] { (void)heap::kept_by(take(100), n); });
  }
  if (sizeof(void*) < 8) return;  // As above.
  expect_stop(asked, [] {
    std::byte* const p = take(16);
    (void)heap::kept_by(p + heap::stats().reserved / 2, 16);
  });
}

TEST(AlwaysChecked, whatThisThreadFreedLast) {
  // A slot that waits to be handed out again, all of it or its end; then a part of a page.
  for (const std::size_t n : {std::size_t{64}, std::size_t{100}}) {
    expect_stop(bytes_twice, [=] {
      const run first(n);  // a thread's first has no cache to come from
      std::byte* const p = take(n);
      heap::free(p, n);
      heap::free(p, n);
    });
    expect_stop(bytes_twice, [=] {
      const run first(n);
      std::byte* const p = take(n);
      heap::free(p, n);
      heap::free(p + n / 2, n - n / 2);
    });
  }
  expect_stop(bytes_twice, [] {
    const run first(4096);
    std::byte* const p = take(4096);
    heap::free(p, 1000);
    heap::free(p + 500, 10);
  });
}

TEST(AlwaysChecked, pagesThatAreFreeInTheirArena) {
  // Too large to wait in a cache, and pushed out of the place for one.
  constexpr std::size_t n = std::size_t{8} << 20;
  expect_stop(pages_twice, [] {
    std::byte* const p = take(n);
    std::byte* const q = take(n + 4096);
    heap::free(p, n);
    heap::free(q, n + 4096);
    heap::purge();
    heap::free(p, n);
    heap::purge();
  });
}

TEST(AlwaysChecked, pagesThatAreTheFirstInTheCache) {
  expect_stop(pages_twice, [] {
    std::byte* const p = take(65'536);
    heap::free(p, 65'536);
    heap::free(p, 65'536);
  });
}

TEST(AlwaysChecked, slotsThatAreFreeInTheirSlab) {
  expect_stop(slot_twice, [] {
    std::byte* const p = take(64);
    const run keeps_the_slab(64);
    heap::free(p, 64);
    heap::purge();
    heap::free(p, 64);
    heap::purge();
  });
}

TEST(AlwaysChecked, partsOfSlotsThatAreFreeInTheirSlab) {
  // The run does not fill its slot, so the second free is a part of one.
  expect_stop(bytes_twice, [] {
    std::byte* const p = take(100);
    const run keeps_the_slab(100);
    heap::free(p, 100);
    heap::purge();
    heap::free(p, 100);
    heap::purge();
    for (int i = 0; i < 1000; ++i) (void)take(112);
  });
  // By another thread, before this one.
  expect_stop(bytes_twice, [] {
    std::byte* const p = take(100);
    const run keeps_the_slab(100);
    std::thread([p] { heap::free(p, 100); }).join();
    heap::free(p, 100);
    heap::purge();
    for (int i = 0; i < 1000; ++i) (void)take(112);
  });
}

TEST(AlwaysChecked, piecesThatAreMoreThanTheirPage) {
  expect_stop(more_freed, [] {
    std::byte* const p = take(4096);
    run elsewhere(4096);
    heap::free(p, 3000);
    heap::free(elsewhere.data(), 8);
    heap::free(p, 3000);
    heap::purge();
  });
}

}  // namespace
}  // namespace cleave
