// field_reports_sizes_test.cpp -- what runs cost beyond their size, and what
// shrinking gives back.
//
// Each suite is a row of the field reports: a complaint that users of other
// systems made in public, turned into a test.
#include <gtest/gtest.h>

#include <algorithm>
#include <cleave/heap.hpp>
#include <cleave/run.hpp>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "support/environment.hpp"
#include "support/fresh_heap.hpp"
#include "support/memory.hpp"
#include "support/whole_heap.hpp"

namespace cleave::test {
namespace {

// ---- Row 11: rounding to powers of two wastes up to half (netty#10267, mimalloc#252, arrow#4079)

// What the heap may hold for many runs of one size, as a part of their sum.
//
// Up to 128 bytes slots are multiples of 16, so the rounding is at most 15 bytes
// a run. Above there are eight classes per doubling. A run above a page has
// whole pages; up to eight of them, one page of rounding is more than an eighth.
struct band {
  std::size_t largest;
  double factor;
  // The rounding, per run, that the factor does not cover.
  std::size_t rounding;
};

constexpr band bands[] = {
    {128, 1.0, 15},
    {4_KiB, 1.125, 0},
    {32_KiB, 1.0, page_bytes - 1},
    {1_GiB, 1.125, 0},
};

// Slabs that are not yet full, and slots that wait in a cache: once per size class.
constexpr std::size_t begun = 128_KiB;

std::size_t most_held(std::size_t size, std::size_t count) {
  const band& of_size = *std::find_if(std::begin(bands), std::end(bands),
                                      [size](const band& b) { return size <= b.largest; });
  const double sum = static_cast<double>(size * count) * of_size.factor;
  return static_cast<std::size_t>(sum) + count * of_size.rounding + begun;
}

bool is_prime(std::size_t n) {
  for (std::size_t d = 2; d * d <= n; ++d) {
    if (n % d == 0) return false;
  }
  return n > 1;
}

// Powers of two and their neighbours (the worst for any rounding), sixteen steps
// between, and from each the next prime.
std::set<std::size_t> geometric_and_prime_sizes() {
  std::set<std::size_t> sizes;
  for (std::size_t power = 1; power <= 1_GiB; power *= 2) {
    for (std::size_t sixteenth = 0; sixteenth < 16; ++sixteenth) {
      const std::size_t size = power + power * sixteenth / 16;
      sizes.insert({size - (size > 1), size, size + 1});
      std::size_t prime = size;
      while (!is_prime(prime)) ++prime;
      sizes.insert(prime);
    }
  }
  sizes.erase(sizes.upper_bound(1_GiB), sizes.end());
  return sizes;
}

TEST(FieldReport11, heldIsAtMostAnEighthOverWhatWasAskedFor) {
  const std::size_t enough = by_build<std::size_t>(8_MiB, 4_MiB);
  for (const std::size_t size : geometric_and_prime_sizes()) {
    heap::purge();
    ASSERT_EQ(heap::stats().held, 0U) << "before runs of " << size << " bytes";
    const std::size_t count = std::clamp<std::size_t>(enough / size, 1, 60'000);
    std::vector<run> runs;
    runs.reserve(count);
    for (std::size_t i = 0; i < count; ++i) runs.emplace_back(size);
    EXPECT_LE(heap::stats().held, most_held(size, count))
        << count << " runs of " << size << " bytes: held over requested is "
        << static_cast<double>(heap::stats().held) / static_cast<double>(size * count);
  }
  EXPECT_TRUE(heap_is_whole());
}

TEST(FieldReport11, theRoomThatRoundingLeavesCanBeHad) {
  for (const std::size_t size : geometric_and_prime_sizes()) {
    const heap::sized_pointer given = heap::try_allocate_at_least(size);
    ASSERT_NE(given.pointer, nullptr);
    ASSERT_GE(given.bytes, size);
    ASSERT_LE(given.bytes, most_held(size, 1));
    EXPECT_EQ(heap::live_bytes(), given.bytes);
    heap::free(given.pointer, given.bytes);
  }
  EXPECT_TRUE(heap_is_whole());
}

// ---- Row 18: shrinking a large array gives nothing back (haskell/bytestring#576, GHC 22994)

constexpr std::size_t element = sizeof(std::uint64_t);

TEST(FieldReport18, whatShrinkingFreesIsUsedAgainAtOnce) {
  if (!start_heap({.held_limit = 1_GiB + 64_KiB})) GTEST_SKIP() << own_process;
  run large(1_GiB);
  touch(large.data(), 1_MiB);
  ASSERT_TRUE(run::try_make(1_MiB).empty()) << "the limit does not hold";
  large.shrink(element);
  EXPECT_EQ(heap::live_bytes(), element);

  // The largest piece that can lie behind the page that is kept.
  run again = run::try_make(1_GiB - page_bytes);
  ASSERT_FALSE(again.empty());
  again = run();
  large = run();
  EXPECT_TRUE(heap_is_whole());
}

TEST(FieldReport18, aShrunkRunTakesItsTailBackInPlace) {
  if (!start_heap({.held_limit = 1_GiB + 64_KiB})) GTEST_SKIP() << own_process;
  run large(1_GiB);
  std::byte* const begin = large.data();
  large.shrink(element);
  std::fill_n(begin, element, std::byte{0x3D});
  ASSERT_TRUE(large.extend(1_GiB));
  EXPECT_EQ(large.data(), begin);
  EXPECT_EQ(heap::live_bytes(), 1_GiB);
  touch(begin + element, 1_MiB);
  EXPECT_EQ(std::count(begin, begin + element, std::byte{0x3D}), element);
  large = run();
  EXPECT_TRUE(heap_is_whole());
}

TEST(FieldReport18, shrinkingByteByByteGivesBackEachPage) {
  constexpr std::size_t pages = 16;
  run shrunk(pages * page_bytes, page_bytes);
  for (std::size_t bytes = shrunk.size(); bytes > 0; --bytes) {
    shrunk.shrink(bytes - 1);
    if (bytes % page_bytes != 1) continue;
    heap::purge();
    ASSERT_EQ(heap::stats().held, bytes - 1) << "after shrinking to " << bytes - 1;
  }
  EXPECT_TRUE(heap_is_whole());
}

}  // namespace
}  // namespace cleave::test
