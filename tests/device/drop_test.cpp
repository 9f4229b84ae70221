// Arrays of arrays are dropped on the device, however deep.
#include <gtest/gtest.h>

#include <cleave/device.hpp>
#include <cleave/heap.hpp>
#include <cstdint>
#include <random>
#include <vector>

#include "device/whole.hpp"
#include "support/environment.hpp"
#include "support/memory.hpp"

namespace cleave {
namespace {

using device::piece;
using test::is_whole;
using test::operator""_MiB;

struct link {
  static constexpr unsigned pieces = 1;
  CLEAVE_ON_DEVICE piece<link>& piece_at(unsigned) noexcept { return rest; }
  piece<link> rest;
  std::uint64_t value = 0;
};

struct tree {
  static constexpr unsigned pieces = 2;
  CLEAVE_ON_DEVICE piece<tree>& piece_at(unsigned k) noexcept { return k == 0 ? left : right; }
  CLEAVE_ON_DEVICE void free_parts(device::lane& by) noexcept { by.free(payload); }
  std::uint64_t key = 0;
  piece<tree> left;
  piece<std::uint32_t> payload;
  piece<tree> right;
};

template <class T>
void drop_on(device::machine& m, piece<T> whole) {
  m.launch(1, [whole](device::lane& by, std::size_t) { by.drop(whole); });
  m.synchronise();
}

TEST(DeviceDrop, freesArraysInAnArray) {
  device::machine m(device::kind::host, {.bytes = 4_MiB, .threads = 2});
  auto outer = device::lend(m.make<piece<piece<int>>>(10));
  for (auto& middle : outer) {
    middle = device::lend(m.make<piece<int>>(5));
    for (std::size_t i = 1; i < 5; ++i) middle[i] = device::lend(m.make<int>(i * 10));
  }
  drop_on(m, outer);
  EXPECT_TRUE(is_whole(m));
  drop_on(m, piece<piece<int>>{});
  EXPECT_TRUE(is_whole(m));
}

TEST(DeviceDrop, goesDownAMillionLinks) {
  device::machine m(device::kind::host, {.bytes = 64_MiB, .threads = 2});
  std::size_t n = test::by_build<std::size_t>(1'000'000, 100'000);
  array<piece<link>> first = m.make<piece<link>>(1);
  piece<link>* const to = first.data();
  m.launch(1, [n, to](device::lane& by, std::size_t) {
    piece<link> below;
    for (std::size_t i = 0; i < n; ++i) {
      const piece<link> made = by.make<link>(1);
      if (made.size == 0) return by.fail(1, i);
      made[0] = {below, i};
      below = made;
    }
    *to = below;
  });
  m.synchronise();
  EXPECT_EQ(first[0][0].value, n - 1);
  drop_on(m, first[0]);
  first = {};
  m.synchronise();
  EXPECT_TRUE(is_whole(m));
}

// As deep as it gets where the last element is not the one that goes down.
TEST(DeviceDrop, findsItsWayBackFromAMillionArrays) {
  device::machine m(device::kind::host, {.bytes = 128_MiB, .threads = 2});
  const std::size_t n = test::by_build<std::size_t>(1'000'000, 100'000);
  piece<link> below;
  for (std::size_t i = 0; i < n; ++i) {
    const piece<link> made = device::lend(m.make<link>(3));
    made[0].rest = below;
    below = made;
    if (i % 1000 == 0) made[2].rest = device::lend(m.make<link>(7));
  }
  m.synchronise();
  drop_on(m, below);
  EXPECT_TRUE(is_whole(m));
}

piece<tree> random_tree(device::machine& m, std::mt19937_64& random, std::size_t& budget) {
  if (budget == 0) return {};
  const std::size_t n = 1 + random() % 4;
  const piece<tree> made = device::lend(m.make<tree>(n));
  for (tree& each : made) {
    if (random() % 2 == 0) each.payload = device::lend(m.make<std::uint32_t>(1 + random() % 300));
    if (budget == 0) continue;
    --budget;
    if (random() % 3 != 0) each.left = random_tree(m, random, budget);
    if (random() % 3 != 0) each.right = random_tree(m, random, budget);
  }
  return made;
}

TEST(DeviceDrop, freesAnyTreeWithAllThatItHolds) {
  std::mt19937_64 random(test::seed());
  device::machine m(device::kind::host, {.bytes = 16_MiB, .threads = 2});
  for (int round = 0; round < 100; ++round) {
    std::size_t budget = 200;
    const piece<tree> made = random_tree(m, random, budget);
    m.synchronise();
    drop_on(m, made);
    ASSERT_TRUE(is_whole(m)) << round;
  }
}

}  // namespace
}  // namespace cleave
