#include <gtest/gtest.h>

#include <cleave/device.hpp>
#include <cleave/heap.hpp>
#include <climits>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "device/kernels.hpp"
#include "device/whole.hpp"
#include "support/memory.hpp"

namespace cleave {
namespace {

using device::machine;
using test::is_whole;
using test::operator""_KiB;
using test::operator""_MiB;

machine open(std::size_t bytes = 4_MiB, unsigned threads = 3) {
  return machine(device::kind::host, {.bytes = bytes, .threads = threads});
}

TEST(DevicePiece, isCutAndJoinedByArithmetic) {
  int numbers[6] = {0, 1, 2, 3, 4, 5};
  device::piece<int> whole{numbers, 6};
  auto [left, right] = device::cut(whole, 2);
  EXPECT_EQ(left.size, 2u);
  EXPECT_EQ(right[0], 2);
  EXPECT_TRUE(device::join(left, right));
  EXPECT_EQ(left.size, 6u);
  EXPECT_EQ(std::accumulate(left.begin(), left.end(), 0), 15);
}

TEST(DevicePiece, joinsOnlyWhatLiesBehindIt) {
  int numbers[6] = {};
  device::piece<int> left{numbers, 2};
  const device::piece<int> far{numbers + 3, 3};
  EXPECT_FALSE(device::join(left, far));
  EXPECT_EQ(left.size, 2u);
  EXPECT_TRUE(device::join(left, device::piece<int>{}));
  device::piece<int> none;
  EXPECT_TRUE(device::join(none, far));
  EXPECT_EQ(none.data, numbers + 3);
}

TEST(DeviceLeaves, areTheHalvesOfHalves) {
  int numbers[7] = {};
  const device::piece<int> whole{numbers, 7};
  // 3 and 4, then 1 and 2, 2 and 2.
  std::vector<std::size_t> sizes;
  int* at = numbers;
  for (std::uint64_t i = 0; i < 4; ++i) {
    const auto leaf = detail::leaf_of(whole, 2, i);
    EXPECT_EQ(leaf.data, at);
    at += leaf.size;
    sizes.push_back(leaf.size);
  }
  EXPECT_EQ(sizes, (std::vector<std::size_t>{1, 2, 2, 2}));
}

TEST(DeviceMachine, isAlwaysThereOnTheHost) {
  EXPECT_TRUE(machine::is_available(device::kind::host));
}

TEST(DeviceMachine, hasTheSharedMemoryThatWasAskedForInStepsOf4MiB) {
  const machine m = open(5_MiB);
  EXPECT_EQ(m.stats().shared_bytes, 8_MiB);
  EXPECT_EQ(m.stats().free_bytes, 8_MiB);
  EXPECT_EQ(m.which(), device::kind::host);
}

TEST(DeviceMachine, holdsItsMemoryWhileItIsOpenAndNoLonger) {
  const std::size_t before = heap::stats().held;
  {
    const machine m = open(16_MiB);
    EXPECT_EQ(heap::stats().held, before + 16_MiB);
    heap::purge();
    EXPECT_EQ(heap::stats().held, 16_MiB);
  }
  heap::purge();
  EXPECT_EQ(heap::stats().held, 0u);
  EXPECT_EQ(heap::verify(), "");
}

TEST(DeviceMachine, makesArraysThatFillAllOfIt) {
  machine m = open(4_MiB);
  array<std::byte> all = m.make<std::byte>(4_MiB);
  EXPECT_TRUE(m.holds(all.data()));
  EXPECT_FALSE(m.holds(all.data() + all.size()));
  EXPECT_EQ(m.try_allocate(1), nullptr);
  EXPECT_THROW((void)m.make<int>(1), std::bad_alloc);
  EXPECT_EQ(m.try_make<int>(1).size(), 0u);
  all = {};
  EXPECT_TRUE(is_whole(m));
}

TEST(DeviceMachine, hasNoRunOfASizeThatNothingHas) {
  machine m = open();
  for (const std::size_t alignment : {std::size_t{1}, 4_KiB, 1_MiB}) {
    for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX - 4095, SIZE_MAX / 2, 4_MiB + 1}) {
      EXPECT_EQ(m.try_allocate(bytes, alignment), nullptr) << bytes;
    }
  }
  EXPECT_EQ(m.try_make<std::byte>(SIZE_MAX).size(), 0u);
  EXPECT_EQ(m.try_make<std::uint64_t>(SIZE_MAX).size(), 0u);
  EXPECT_TRUE(is_whole(m));
}

TEST(DeviceMachine, hasThreadsUpToALimitWhateverIsAskedFor) {
  machine m = open(4_MiB, UINT_MAX);
  array<std::uint32_t> seen = m.make<std::uint32_t>(1000);
  std::uint32_t* const to = seen.data();
  m.launch(1000, [to](device::lane&, std::size_t i) { ++to[i]; });
  m.synchronise();
  EXPECT_EQ(std::accumulate(seen.begin(), seen.end(), 0u), 1000u);
}

TEST(DeviceMachine, alignsRuns) {
  machine m = open();
  for (std::size_t alignment = 1; alignment <= 1_MiB; alignment *= 2) {
    void* const p = m.try_allocate(24, alignment);
    ASSERT_NE(p, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % alignment, 0u);
    heap::free(p, 24);
  }
  EXPECT_EQ(m.try_allocate(24, 3), nullptr);
  m.synchronise();
  EXPECT_TRUE(is_whole(m));
}

TEST(DeviceMachine, getsBackWhatTheHostFreesInPieces) {
  machine m = open();
  array<std::uint64_t> whole = m.make<std::uint64_t>(1000);
  array<std::uint64_t> rest = whole.cut(333);
  array<std::uint64_t> end = rest.cut(1);
  rest = {};
  whole = {};
  // What is left reaches from the first page into the second.
  EXPECT_EQ(m.stats().free_bytes, 4_MiB - 2 * 4096);
  end = {};
  m.synchronise();
  EXPECT_TRUE(is_whole(m));
}

TEST(DeviceMachine, servesNobodyElse) {
  machine m = open();
  // A thread that has just freed shared memory would get it again, were it any other.
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{100}, 4_KiB, 64_KiB, 2_MiB}) {
    void* const shared = m.try_allocate(bytes);
    ASSERT_NE(shared, nullptr);
    heap::free(shared, bytes);
    void* const own = heap::allocate(bytes);
    EXPECT_FALSE(m.holds(own)) << bytes;
    heap::free(own, bytes);
  }
  // Nor the bytes of a page of which others live.
  auto* const run = static_cast<std::byte*>(m.try_allocate(1000));
  heap::free(run, 100);
  heap::free(run + 100, 100);
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{8}, std::size_t{15}}) {
    void* const own = heap::allocate(bytes);
    EXPECT_FALSE(m.holds(own)) << bytes;
    heap::free(own, bytes);
  }
  heap::free(run + 200, 800);
  m.synchronise();
  EXPECT_TRUE(is_whole(m));
}

TEST(DeviceMachine, growsArraysInPlaceInsideOfItsMemory) {
  machine m = open();
  array<std::uint64_t> made = m.make<std::uint64_t>(4096);
  EXPECT_TRUE(made.extend(2 * 4096));
  EXPECT_FALSE(made.extend(1_MiB));
  made = {};
  EXPECT_TRUE(is_whole(m));
}

TEST(DeviceMachine, isMoved) {
  machine m = open();
  machine other = std::move(m);
  array<int> made = other.make<int>(10);
  m = std::move(other);
  EXPECT_TRUE(m.holds(made.data()));
}

TEST(DeviceMachine, leavesPiecesAliveWhenItIsClosed) {
  array<std::uint64_t> kept;
  {
    machine m = open(8_MiB);
    kept = m.make<std::uint64_t>(1000);
    std::iota(kept.begin(), kept.end(), std::uint64_t{0});
  }
  EXPECT_EQ(kept[999], 999u);
  heap::purge();
  EXPECT_EQ(heap::live_bytes(), 8000u);
  EXPECT_EQ(heap::stats().held, 2 * 4096u);
  {
    // It goes elsewhere, as long as something lives there.
    machine other = open(8_MiB);
    EXPECT_FALSE(other.holds(kept.data()));
    kept = {};
  }
  heap::purge();
  EXPECT_EQ(heap::stats().held, 0u);
  EXPECT_EQ(heap::verify(), "");
}

TEST(DeviceMachine, takesTheAddressesOfTheLastOneAgain) {
  const void* first = nullptr;
  for (const std::size_t bytes : {8_MiB, 8_MiB, 4_MiB, 16_MiB}) {
    machine m = open(bytes);
    array<std::byte> all = m.make<std::byte>(bytes);
    if (first == nullptr) first = all.data();
    EXPECT_EQ(all.data(), first);
  }
  EXPECT_EQ(heap::verify(), "");
}

TEST(DeviceMachine, worksBesideOthers) {
  machine a = open();
  machine b = open();
  array<int> from_a = a.make<int>(100);
  array<int> from_b = b.make<int>(100);
  EXPECT_FALSE(a.holds(from_b.data()));
  EXPECT_FALSE(b.holds(from_a.data()));
  from_a = {};
  from_b = {};
  a.synchronise();
  b.synchronise();
  EXPECT_TRUE(is_whole(a));
  EXPECT_TRUE(is_whole(b));
}

TEST(DeviceMachine, hasMoreThanOneArena) {
  if (!test::wide_addresses) GTEST_SKIP() << test::needs_wide_addresses;
  machine m = open(1040_MiB);
  EXPECT_EQ(m.stats().shared_bytes, 1040_MiB);
  std::vector<void*> runs;
  // None reaches over the end of an arena.
  for (int i = 0; i < 2; ++i) runs.push_back(m.try_allocate(i == 0 ? 1016_MiB : 24_MiB));
  for (void* const each : runs) ASSERT_NE(each, nullptr);
  EXPECT_EQ(m.try_allocate(1), nullptr);
  heap::free(runs[0], 1016_MiB);
  heap::free(runs[1], 24_MiB);
  EXPECT_TRUE(is_whole(m));
}

TEST(DeviceKernel, seesEachNumberOnce) {
  machine m = open();
  for (const std::size_t n : {1u, 31u, 32u, 33u, 128u, 129u, 1000u, 4097u}) {
    array<std::uint32_t> seen = m.make<std::uint32_t>(n);
    std::uint32_t* const to = seen.data();
    m.launch(n, [to](device::lane&, std::size_t i) { ++to[i]; });
    m.synchronise();
    for (const std::uint32_t each : seen) ASSERT_EQ(each, 1u);
  }
  m.launch(0, [](device::lane& by, std::size_t) { by.fail(1); });
  m.synchronise();
  EXPECT_TRUE(is_whole(m));
}

TEST(DeviceKernel, runsBehindTheOneBefore) {
  machine m = open();
  array<std::uint64_t> number = m.make<std::uint64_t>(1);
  std::uint64_t* const at = number.data();
  for (int i = 0; i < 50; ++i) {
    m.launch(1, [at](device::lane&, std::size_t) { *at = *at * 3 + 1; });
  }
  m.synchronise();
  std::uint64_t expected = 0;
  for (int i = 0; i < 50; ++i) expected = expected * 3 + 1;
  EXPECT_EQ(number[0], expected);
}

TEST(DeviceKernel, makesRunsThatTheHostFrees) {
  machine m = open();
  constexpr std::size_t n = 1000;
  for (const std::size_t words : {1u, 3u, 17u, 100u}) {
    array<test::cell> places = m.make<test::cell>(n);
    m.launch(n, test::make_cells{places.data(), words});
    m.synchronise();
    EXPECT_EQ(heap::live_bytes(), n * sizeof(test::cell) + n * words * 8);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_TRUE(m.holds(places[i].data));
      ASSERT_EQ(places[i][words - 1], i + words - 1);
      (void)device::own(places[i]);
    }
    places = {};
    m.synchronise();
    EXPECT_TRUE(is_whole(m));
  }
}

TEST(DeviceKernel, freesRunsThatTheHostMade) {
  machine m = open();
  constexpr std::size_t n = 500;
  array<test::cell> places = m.make<test::cell>(n);
  array<std::uint64_t> sums = m.make<std::uint64_t>(n);
  for (std::size_t i = 0; i < n; ++i) {
    array<std::uint64_t> made = m.make<std::uint64_t>(1 + i % 700);
    std::fill(made.begin(), made.end(), i);
    places[i] = device::lend(std::move(made));
  }
  m.launch(n, test::sum_cells{places.data(), sums.data()});
  m.synchronise();
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(sums[i], i * (1 + i % 700));
  places = {};
  sums = {};
  EXPECT_TRUE(is_whole(m));
  EXPECT_EQ(heap::live_bytes(), 0u);
}

struct make_aligned {
  void** to;
  CLEAVE_ON_DEVICE void operator()(device::lane& by, std::size_t i) const noexcept {
    to[i] = by.try_allocate(i + 1, std::size_t{1} << (i % 14));
  }
};

TEST(DeviceKernel, makesRunsOfAnyAlignmentAndSize) {
  machine m = open(8_MiB);
  constexpr std::size_t n = 300;
  array<void*> places = m.make<void*>(n);
  m.launch(n, make_aligned{places.data()});
  m.synchronise();
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_NE(places[i], nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(places[i]) % (std::size_t{1} << (i % 14)), 0u);
    heap::free(places[i], i + 1);
  }
  places = {};
  m.synchronise();
  EXPECT_TRUE(is_whole(m));
}

// More, all together, than there is memory.
struct make_and_free {
  CLEAVE_ON_DEVICE void operator()(device::lane& by, std::size_t i) const noexcept {
    for (int round = 0; round < 100; ++round) {
      const test::cell a = by.make<std::uint64_t>(1 + i % 100);
      const test::cell b = by.make<std::uint64_t>(512);
      if (a.size == 0 || b.size == 0) {
        by.fail(test::no_room, i);
        return;
      }
      a[0] = b[511] = i;
      const auto [left, right] = device::halves(b);
      by.free(left);
      by.free(a);
      by.free(right);
    }
  }
};

TEST(DeviceKernel, usesAgainWhatItFrees) {
  machine m = open(16_MiB);
  m.launch(2000, make_and_free());
  m.synchronise();
  EXPECT_TRUE(is_whole(m));
}

TEST(DeviceTree, givesEachLeafToOneCall) {
  machine m = open();
  for (const std::size_t n : {1u, 2u, 63u, 64u, 65u, 1000u}) {
    array<std::uint64_t> whole = m.make<std::uint64_t>(n);
    const auto lent = device::lend(std::move(whole));
    m.launch_tree(lent, 10, test::fill_leaf());
    m.synchronise();
    const array<std::uint64_t> back = device::own(lent);
    std::size_t leaf = 0;
    for (std::size_t i = 0; i < n; ++i) {
      leaf = i > 0 && back[i] == back[i - 1] ? leaf + 1 : 1;
      ASSERT_LE(leaf, 10u);
      if (i > 0) {
        ASSERT_GE(back[i], back[i - 1]);
      }
    }
  }
}

TEST(DeviceTree, hasEmptyLeavesThatNobodySees) {
  machine m = open();
  const auto lent = device::lend(m.make<std::uint64_t>(3));
  m.launch_tree(lent, 1, [](device::lane& by, device::piece<std::uint64_t> leaf, std::size_t i) {
    if (leaf.size != 1) by.fail(1, i);
  });
  m.launch_tree(lent, 0, [](device::lane& by, device::piece<std::uint64_t> leaf, std::size_t i) {
    if (leaf.size != 1) by.fail(2, i);
  });
  EXPECT_NO_THROW(m.synchronise());
  (void)device::own(lent);
}

}  // namespace
}  // namespace cleave
