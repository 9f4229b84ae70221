// heap_test.cpp -- the doors of include/cleave/heap.hpp: sizes, alignments, pieces and misuse.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cleave/heap.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <latch>
#include <mutex>
#include <new>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "heap/geometry.hpp"
#include "heap/size_class.hpp"
#include "heap/small_heap.hpp"
#include "heap/tables.hpp"
#include "support/environment.hpp"
#include "support/fresh_heap.hpp"
#include "support/memory.hpp"
#include "support/waiting.hpp"
#include "support/whole_heap.hpp"

namespace cleave::heap {
namespace {

using test::operator""_KiB;
using test::operator""_MiB;
using test::operator""_GiB;

class Heap : public testing::Test {
 protected:
  void TearDown() override { EXPECT_TRUE(test::heap_is_whole()); }
};
class HeapOfRuns : public test::SmallHeap {};

bool is_aligned(const void* p, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(p) % alignment == 0;
}

// ---- Sizes and alignments

TEST_F(HeapOfRuns, areWritableFromTheFirstToTheLastByteAndApart) {
  std::vector<std::pair<unsigned char*, std::size_t>> runs;
  unsigned char mark = 0;
  for (std::size_t bytes = 1; bytes <= 300'000; bytes += bytes / 7 + 1) {
    auto* const p = static_cast<unsigned char*>(allocate(bytes));
    EXPECT_TRUE(is_aligned(p, 16)) << bytes;
    EXPECT_TRUE(contains(p) && contains(p + bytes - 1));
    std::memset(p, ++mark, bytes);
    runs.emplace_back(p, bytes);
  }
  mark = 0;
  for (const auto& [p, bytes] : runs) {
    ++mark;
    ASSERT_TRUE(std::all_of(p, p + bytes, [mark](unsigned char b) { return b == mark; })) << bytes;
    free(p, bytes);
  }
}

TEST_F(Heap, alignsEverySizeToEveryPowerOfTwo) {
  std::vector<std::pair<void*, std::size_t>> runs;
  const std::size_t largest = test::wide_addresses ? max_alignment : 16_MiB;
  for (std::size_t alignment = 1; alignment <= largest; alignment *= 2) {
    for (const std::size_t bytes :
         {std::size_t{1}, std::size_t{3}, alignment - 1, alignment, alignment + 1}) {
      if (bytes == 0) continue;
      // Twice, so that the second one is not the first of anything.
      for (int i = 0; i < (alignment <= 4_MiB ? 2 : 1); ++i) {
        void* const p = try_allocate(bytes, alignment);
        ASSERT_NE(p, nullptr) << bytes << " aligned to " << alignment;
        EXPECT_TRUE(is_aligned(p, alignment)) << bytes << " aligned to " << alignment;
        test::touch(p, std::min(bytes, page_size));
        test::touch(static_cast<std::byte*>(p) + bytes - 1, 1);
        runs.emplace_back(p, bytes);
      }
      const sized_pointer roomy = try_allocate_at_least(bytes, alignment);
      ASSERT_NE(roomy.pointer, nullptr);
      EXPECT_TRUE(is_aligned(roomy.pointer, alignment));
      EXPECT_GE(roomy.bytes, bytes);
      runs.emplace_back(roomy.pointer, roomy.bytes);
    }
  }
  std::size_t sum = 0;
  for (const auto& [p, bytes] : runs) sum += bytes;
  EXPECT_EQ(live_bytes(), sum);
  std::sort(runs.begin(), runs.end());
  for (std::size_t i = 1; i < runs.size(); ++i) {
    EXPECT_LE(static_cast<std::byte*>(runs[i - 1].first) + runs[i - 1].second, runs[i].first);
  }
  for (const auto& [p, bytes] : runs) free(p, bytes);
}

TEST_F(Heap, servesRunsLargerThanAnArena) {
  if (!test::wide_addresses) GTEST_SKIP() << test::needs_wide_addresses;
  auto* const a = static_cast<std::byte*>(allocate(1_GiB + 512_MiB));
  auto* const b = static_cast<std::byte*>(allocate(3_GiB + 1));
  for (std::byte* const p : {a, a + 1_GiB - 1, a + 1_GiB, a + 1_GiB + 512_MiB - 1, b, b + 3_GiB}) {
    *p = std::byte{1};
  }
  EXPECT_TRUE(b >= a + 1_GiB + 512_MiB || a >= b + 3_GiB + 1);
  EXPECT_EQ(live_bytes(), 4_GiB + 512_MiB + 1);
  EXPECT_EQ(verify(), "");
  // The middle of it, over an arena's border, serves others at once.
  free(a + 1_GiB - 4_KiB, 8_KiB);
  free(b, 3_GiB);
  free(b + 3_GiB, 1);
  free(a, 1_GiB - 4_KiB);
  free(a + 1_GiB + 4_KiB, 512_MiB - 4_KiB);
}

TEST_F(Heap, refusesWhatCannotBe) {
  for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - 2, SIZE_MAX - 15, SIZE_MAX - 4095, SIZE_MAX - 4096,
                                  SIZE_MAX / 2 + 1, std::size_t{1} << (test::wide_addresses ? 48 : 31)}) {
    for (const std::size_t alignment :
         {std::size_t{1}, std::size_t{16}, std::size_t{64}, 4_KiB, max_alignment}) {
      EXPECT_EQ(try_allocate(bytes, alignment), nullptr) << bytes;
      EXPECT_EQ(try_allocate_at_least(bytes, alignment).pointer, nullptr) << bytes;
      EXPECT_EQ(try_allocate_at_least(bytes, alignment).bytes, 0U) << bytes;
    }
    EXPECT_THROW((void)allocate(bytes), std::bad_alloc);
  }
  for (const std::size_t alignment :
       {std::size_t{0}, std::size_t{24}, std::size_t{4097}, 2 * max_alignment, SIZE_MAX}) {
    EXPECT_EQ(try_allocate(10'000, alignment), nullptr) << alignment;
    EXPECT_EQ(try_allocate_at_least(10'000, alignment).pointer, nullptr) << alignment;
  }
}

TEST_F(Heap, givesNothingForNoBytes) {
  EXPECT_EQ(try_allocate(0), nullptr);
  EXPECT_EQ(allocate(0), nullptr) << "which is no error";
  EXPECT_EQ(try_allocate_at_least(0).pointer, nullptr);
  EXPECT_EQ(try_allocate(0, max_alignment), nullptr);
  free(nullptr, 0);
}

TEST_F(HeapOfRuns, haveTheRoomThatRoundingLeaves) {
  for (std::size_t bytes = 1; bytes <= 20'000; bytes += bytes / 5 + 1) {
    const sized_pointer got = try_allocate_at_least(bytes);
    ASSERT_NE(got.pointer, nullptr);
    const std::size_t expected = bytes <= largest_aligned_slot
                                     ? slot_size(class_for(bytes, 16))
                                     : (bytes + page_size - 1) / page_size * page_size;
    EXPECT_EQ(got.bytes, expected) << bytes;
    EXPECT_EQ(live_bytes(), got.bytes) << "all of it is the caller's";
    std::memset(got.pointer, 1, got.bytes);
    free(got.pointer, got.bytes);
  }
}

TEST_F(HeapOfRuns, containNoAddressOutside) {
  const int outside = 0;
  void* const p = allocate(1);
  EXPECT_TRUE(contains(p));
  EXPECT_FALSE(contains(&outside));
  EXPECT_FALSE(contains(nullptr));
  EXPECT_FALSE(contains(reinterpret_cast<void*>(UINTPTR_MAX)));
  free(p, 1);
}

// ---- Pieces

// Runs that happen to touch are freed as one, over slots, slabs and pages.
TEST_F(HeapOfRuns, thatTouchAreFreedInOnePieceOverSlotsAndSlabs) {
  constexpr std::size_t bytes = 1024;
  std::vector<std::byte*> slots;
  for (int i = 0; i < 300; ++i) slots.push_back(static_cast<std::byte*>(allocate(bytes)));
  std::sort(slots.begin(), slots.end());
  std::size_t begin = 0;
  std::size_t longest = 0;
  for (std::size_t i = 1; i <= slots.size(); ++i) {
    if (i < slots.size() && slots[i] == slots[i - 1] + bytes) continue;
    const std::size_t length = (i - begin) * bytes;
    longest = std::max(longest, length);
    // In three: cut inside the first and inside the last slot.
    free(slots[begin] + 100, length - 200);
    free(slots[begin], 100);
    free(slots[begin] + length - 100, 100);
    begin = i;
  }
  EXPECT_GT(longest, slab_size) << "neighbouring slabs touch";
  EXPECT_EQ(live_bytes(), 0U);
  EXPECT_EQ(verify(), "");
}

TEST_F(HeapOfRuns, ofSlotsAndPagesThatTouchAreFreedInOnePiece) {
  // A slab whose slots fill it to the last byte, and the pages behind it.
  constexpr std::size_t slots = slab_size / 2048;
  std::vector<std::byte*> small;
  for (std::size_t i = 0; i < slots; ++i) small.push_back(static_cast<std::byte*>(allocate(2048)));
  std::sort(small.begin(), small.end());
  ASSERT_EQ(small.back(), small.front() + slab_size - 2048);
  std::vector<std::byte*> others;
  std::byte* behind = nullptr;
  while (behind != small.front() + slab_size) {
    behind = static_cast<std::byte*>(try_allocate(slab_size));
    ASSERT_NE(behind, nullptr) << "the pages behind the slab are in use";
    others.push_back(behind);
  }
  others.pop_back();
  free(small.front() + 1000, slab_size - 1000 + 5000);
  EXPECT_EQ(verify(), "");
  free(behind + 5000, slab_size - 5000);
  free(small.front(), 1000);
  for (std::byte* const p : others) free(p, slab_size);
  EXPECT_EQ(live_bytes(), 0U);
}

TEST_F(HeapOfRuns, ofWholeSlabsAreFreedInOnePieceThatBeginsAndEndsOnPages) {
  constexpr std::size_t slots = 3 * slab_size / 2048;
  std::vector<std::byte*> small;
  for (std::size_t i = 0; i < slots; ++i) small.push_back(static_cast<std::byte*>(allocate(2048)));
  std::sort(small.begin(), small.end());
  ASSERT_EQ(small.back(), small.front() + 3 * slab_size - 2048) << "three slabs that touch";
  free(small.front() + page_size, 2 * slab_size);
  EXPECT_EQ(live_bytes(), slab_size);
  EXPECT_EQ(verify(), "");
  free(small.front(), page_size);
  free(small.front() + page_size + 2 * slab_size, slab_size - page_size);
  EXPECT_EQ(live_bytes(), 0U);
  EXPECT_EQ(verify(), "");
}

TEST_F(HeapOfRuns, areFreedInAnyRangeOfPagesExactly) {
  // All ranges over the first three pages of a run, cut at the edges of pages and beside them.
  const std::array<std::size_t, 10> cuts{0, 1, 4095, 4096, 4097, 8191, 8192, 8193, 12287, 12288};
  for (const std::size_t from : cuts) {
    for (const std::size_t to : cuts) {
      if (from >= to) continue;
      auto* const p = static_cast<std::byte*>(allocate(12288));
      free(p + from, to - from);
      ASSERT_EQ(live_bytes(), 12288 - (to - from));
      ASSERT_EQ(verify(), "") << from << " to " << to;
      free(p + to, 12288 - to);
      free(p, from);
      ASSERT_EQ(live_bytes(), 0U) << from << " to " << to;
      ASSERT_EQ(verify(), "") << from << " to " << to;
    }
  }
}

TEST_F(HeapOfRuns, giveEachWholePageBackAtOnce) {
  constexpr std::size_t pages = 64;
  auto* const p = static_cast<std::byte*>(allocate(pages * page_size));
  const statistics before = stats();
  // All but the first and the last byte.
  free(p + 1, pages * page_size - 2);
  purge();
  const statistics after = stats();
  EXPECT_EQ(after.live, 2U);
  EXPECT_EQ(after.held, 2 * page_size);
  EXPECT_EQ(after.free, before.free + before.cached + (pages - 2) * page_size);
  free(p, 1);
  free(p + pages * page_size - 1, 1);
}

// ---- Memory that was returned

TEST_F(HeapOfRuns, mayBeUsedAgainAfterTheirMemoryWentBack) {
  for (const std::size_t bytes : {64_KiB, 1_MiB, 5 * page_size, std::size_t{100}}) {
    for (int round = 0; round < 3; ++round) {
      void* const p = allocate(bytes);
      std::memset(p, 0xAB, bytes);
      free(p, bytes);
      purge();
      EXPECT_EQ(stats().held, 0U);
    }
  }
}

TEST_F(HeapOfRuns, areGoneFromPhysicalMemoryAfterAPurge) {
  void* const p = allocate(8_MiB);
  test::touch(p, 8_MiB);
  const std::size_t before = test::resident_bytes();
  free(p, 8_MiB);
  purge();
  EXPECT_LE(test::resident_bytes() + 7_MiB, before);
}

TEST_F(HeapOfRuns, keepTheirContentWhileOthersGoBack) {
  std::mt19937_64 random(test::seed());
  std::vector<std::pair<unsigned char*, std::size_t>> runs;
  for (int step = 0; step < 600; ++step) {
    if (runs.size() < 60 && random() % 3 != 0) {
      const std::size_t bytes = 1 + random() % (std::size_t{1} << random() % 17);
      auto* const p = static_cast<unsigned char*>(try_allocate(bytes));
      if (p == nullptr) continue;
      std::memset(p, static_cast<int>(bytes & 0xFF), bytes);
      runs.emplace_back(p, bytes);
    } else if (!runs.empty()) {
      std::swap(runs[random() % runs.size()], runs.back());
      const auto [p, bytes] = runs.back();
      runs.pop_back();
      const auto mark = static_cast<unsigned char>(bytes & 0xFF);
      ASSERT_TRUE(std::all_of(p, p + bytes, [mark](unsigned char b) { return b == mark; }));
      free(p, bytes);
    }
    if (step % 10 == 0) random() % 2 == 0 ? purge() : purge_expired();
  }
  for (const auto& [p, bytes] : runs) free(p, bytes);
}

// ---- Threads

TEST_F(HeapOfRuns, areHandedFromThreadToThread) {
  std::mutex lock;
  std::vector<std::pair<std::byte*, std::size_t>> market;
  std::latch begun(3);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      begun.arrive_and_wait();
      std::mt19937 random(t);
      for (int i = 0; i < test::by_build(4000, 800); ++i) {
        std::pair<std::byte*, std::size_t> mine{nullptr, 0};
        {
          const std::lock_guard guard(lock);
          if (!market.empty() && random() % 2 == 0) {
            std::swap(market[random() % market.size()], market.back());
            mine = market.back();
            market.pop_back();
          }
        }
        if (mine.first == nullptr) {
          mine.second = 1 + random() % (1U << random() % 15);
          mine.first = static_cast<std::byte*>(try_allocate(mine.second));
          if (mine.first == nullptr) continue;
          std::memset(mine.first, 1, mine.second);
        }
        // Keeps a piece from the middle for nobody, and offers the other two.
        const std::size_t a = random() % (mine.second + 1);
        const std::size_t b = a + random() % (mine.second - a + 1);
        free(mine.first + a, b - a);
        const std::lock_guard guard(lock);
        if (a > 0) market.emplace_back(mine.first, a);
        if (b < mine.second) market.emplace_back(mine.first + b, mine.second - b);
      }
    });
  }
  for (std::thread& one : threads) one.join();
  std::size_t sum = 0;
  for (const auto& [p, bytes] : market) sum += bytes;
  EXPECT_EQ(live_bytes(), sum);
  EXPECT_EQ(verify(), "");
  for (const auto& [p, bytes] : market) free(p, bytes);
}

// A thread whose first use of the heap is in a destructor at its end.
struct late_user {
  std::byte* mine = nullptr;
  ~late_user() {
    free(mine, 50);
    void* const p = try_allocate(200);
    free(p, 200);
    free(mine + 50, 50);
  }
};

TEST_F(HeapOfRuns, mayBeFreedByAThreadThatIsNearlyGone) {
  for (int i = 0; i < 50; ++i) {
    auto* const p = static_cast<std::byte*>(allocate(100));
    std::thread([p] {
      thread_local late_user user;
      user.mine = p;
    }).join();
    ASSERT_EQ(live_bytes(), 0U);
  }
  EXPECT_EQ(verify(), "");
}

// Fork: the child has the runs and the caches of the thread that forked.
TEST_F(HeapOfRuns, ofAThreadThatForksAreWholeInTheChild) {
  auto* const page = static_cast<std::byte*>(allocate(4096));
  auto* const slot = static_cast<std::byte*>(allocate(64));
  free(page, 100);
  free(slot, 10);
  const pid_t child = ::fork();
  if (child == 0) {
    test::die_if_stuck();
    if (live_bytes() != 4096 - 100 + 54 || !verify().empty()) ::_exit(1);
    free(slot + 10, 54);
    free(page + 100, 3996);
    std::thread([] { free(allocate(100'000), 100'000); }).join();
    purge();
    ::_exit(live_bytes() == 0 && stats().held == 0 && verify().empty() ? 0 : 2);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  free(page + 100, 3996);
  free(slot + 10, 54);
}

// ---- Misuse

TEST(HeapDeathTest, seesAFreeOfMemoryOutsideTheHeap) {
  char outside[64];
  void* const p = allocate(64);
  constexpr const char* message = "free of memory outside the heap";
  EXPECT_DEATH(free(outside, 64), message);
  EXPECT_DEATH(free(nullptr, 8), message);
  EXPECT_DEATH(free(reinterpret_cast<void*>(tables.base - 16), 16), message);
  EXPECT_DEATH(free(reinterpret_cast<void*>(tables.base + (tables.pages << page_bits)), 1),
               message);
  EXPECT_DEATH(free(p, SIZE_MAX / 2), message) << "it reaches out of the heap";
  EXPECT_DEATH(free(p, SIZE_MAX), message);
  free(p, 64);
}

TEST(HeapDeathTest, seesAFreeBeforeThereIsAHeap) {
  char outside[64];
  EXPECT_DEATH(free(outside, 64), "free of memory outside the heap");
}

}  // namespace
}  // namespace cleave::heap
