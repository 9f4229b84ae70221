// Host and device free parts of the same pages, in both orders and at once.
#include <gtest/gtest.h>

#include <atomic>
#include <cleave/device.hpp>
#include <cleave/heap.hpp>
#include <cstdint>
#include <latch>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "device/kernels.hpp"
#include "device/whole.hpp"
#include "support/memory.hpp"

namespace cleave {
namespace {

using test::is_whole;
using test::operator""_MiB;

device::machine open() {
  return device::machine(device::kind::host, {.bytes = 4_MiB, .threads = 4});
}

constexpr std::size_t words_of_a_page = 512;

// A kernel frees it, and nothing is left of what that took.
void free_there(device::machine& m, test::cell gone) {
  array<test::cell> place = m.make<test::cell>(1);
  place[0] = gone;
  m.launch(1, test::free_cells{place.data()});
  m.synchronise();
  place = {};
  m.synchronise();
}

TEST(DeviceSides, theHostFreesFirst) {
  device::machine m = open();
  auto [left, right] = device::halves(device::lend(m.make<std::uint64_t>(words_of_a_page)));
  (void)device::own(left);
  free_there(m, right);
  EXPECT_TRUE(is_whole(m));
}

TEST(DeviceSides, theDeviceFreesFirst) {
  device::machine m = open();
  auto [left, right] = device::halves(device::lend(m.make<std::uint64_t>(words_of_a_page)));
  free_there(m, right);
  EXPECT_EQ(m.stats().free_bytes, m.stats().shared_bytes - 4096);
  (void)device::own(left);
  EXPECT_TRUE(is_whole(m));
}

// Cells of uneven sizes, alternately freed by both sides while the other one is at it.
TEST(DeviceSides, bothFreeAtOnce) {
  device::machine m = open();
  for (std::size_t round = 0; round < 20; ++round) {
    std::vector<test::cell> of_host;
    array<test::cell> of_device = m.make<test::cell>(2000);
    test::cell left = device::lend(m.make<std::uint64_t>(2000 * (4 + round)));
    for (std::size_t i = 0; i < 2000; ++i) {
      const std::size_t n = 1 + (i * 7 + round) % (2 + round);
      auto [both, rest] = device::cut(left, n + 2);
      auto [first, second] = device::cut(both, n);
      of_host.push_back(first);
      of_device[i] = second;
      left = rest;
    }
    m.launch(2000, test::free_cells{of_device.data()});
    std::thread other([&] {
      for (std::size_t i = 0; i < of_host.size(); i += 2) (void)device::own(of_host[i]);
    });
    for (std::size_t i = 1; i < of_host.size(); i += 2) (void)device::own(of_host[i]);
    (void)device::own(left);
    m.synchronise();
    other.join();
    of_device = {};
    m.synchronise();
    ASSERT_TRUE(is_whole(m));
  }
}

// All lanes of several blocks at the same pages.
TEST(DeviceSides, manyLanesFreePartsOfOnePage) {
  device::machine m = open();
  for (std::size_t bytes : {8u, 1u, 5u, 24u, 100u}) {
    const std::size_t n = 8 * 4096 / bytes;
    auto* const run = static_cast<std::byte*>(m.try_allocate(n * bytes));
    ASSERT_NE(run, nullptr);
    m.launch(n, [run, bytes](device::lane& by, std::size_t i) {
      // Neighbours in other blocks.
      by.free(run + (i * 1021) % (8 * 4096 / bytes) * bytes, bytes);
    });
    if (std::gcd(n, std::size_t{1021}) != 1) GTEST_FAIL() << "the lanes do not hit each cell once";
    m.synchronise();
    EXPECT_TRUE(is_whole(m)) << bytes;
  }
}

TEST(DeviceSides, aPieceGoesBackAndForth) {
  device::machine m = open();
  test::cell whole = device::lend(m.make<std::uint64_t>(100'000));
  array<test::cell> place = m.make<test::cell>(1);
  // Each side frees the last tenth in turns.
  for (int round = 0; whole.size > 0; ++round) {
    auto [kept, gone] = device::cut(whole, whole.size * 9 / 10);
    whole = kept;
    if (round % 2 == 0) {
      (void)device::own(gone);
    } else {
      place[0] = gone;
      m.launch(1, test::free_cells{place.data()});
      m.synchronise();
    }
  }
  place = {};
  m.synchronise();
  EXPECT_TRUE(is_whole(m));
}

TEST(DeviceSides, theHostAllocatesWhileKernelsRun) {
  device::machine m = open();
  array<test::cell> places = m.make<test::cell>(3000);
  m.launch(3000, test::make_cells{places.data(), 8});
  // Waits for them, since the memory is theirs.
  array<int> own = m.make<int>(1000);
  EXPECT_EQ(own.size(), 1000u);
  for (const test::cell each : places) ASSERT_EQ(each.size, 8u);
  m.launch(3000, test::free_cells{places.data()});
  own = {};
  m.synchronise();
  places = {};
  m.synchronise();
  EXPECT_TRUE(is_whole(m));
}

TEST(DeviceSides, severalThreadsUseOneMachine) {
  device::machine m = open();
  std::vector<std::thread> users;
  for (int t = 0; t < 4; ++t) {
    users.emplace_back([&m] {
      for (int round = 0; round < 20; ++round) {
        array<test::cell> places = m.make<test::cell>(100);
        m.launch(100, test::make_cells{places.data(), 3});
        m.synchronise();
        for (std::size_t i = 0; i < 100; ++i) {
          ASSERT_EQ(places[i][2], i + 2);
          (void)device::own(places[i]);
        }
      }
    });
  }
  for (std::thread& each : users) each.join();
  m.synchronise();
  EXPECT_TRUE(is_whole(m));
}

TEST(DeviceSides, figuresAreToldWhileAnotherThreadWaitsForAKernel) {
  device::machine m = open();
  array<std::uint32_t> stop = m.make<std::uint32_t>(1);
  const std::atomic_ref<std::uint32_t> flag(stop[0]);
  m.launch(1, [flag](device::lane&, std::size_t) {
    while (flag.load(std::memory_order_acquire) == 0) {
    }
  });
  std::latch begun(1);
  std::thread other([&] {
    begun.count_down();
    m.synchronise();
  });
  begun.wait();
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(m.stats().launches, 1u);
    std::this_thread::yield();
  }
  flag.store(1, std::memory_order_release);
  other.join();
}

TEST(DeviceSides, anotherThreadFreesWhatWasMadeHere) {
  device::machine m = open();
  array<std::uint64_t> made = m.make<std::uint64_t>(50'000);
  std::thread([mine = std::move(made)]() mutable {
    auto [left, right] = std::move(mine).halves();
    right = {};
  }).join();
  EXPECT_TRUE(is_whole(m));
}

}  // namespace
}  // namespace cleave
