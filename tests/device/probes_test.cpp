// The three probes of two language runtimes, on the host device: what a kernel builds the host
// cuts and sums; what the host cuts a kernel sums and frees in part; and a fork tree with a kernel
// in the same program.
#include <gtest/gtest.h>

#include <cleave/device.hpp>
#include <cleave/heap.hpp>
#include <cleave/parallel.hpp>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "device/kernels.hpp"
#include "support/environment.hpp"

namespace cleave {
namespace {

constexpr std::size_t cells = std::size_t{1} << 16;
constexpr std::uint64_t sum_of_all = std::uint64_t{cells} * (cells - 1) / 2;

std::uint64_t sum(std::span<const std::uint64_t> of) {
  return std::accumulate(of.begin(), of.end(), std::uint64_t{0});
}

// Cut down to leaves, each freed as it is read.
std::uint64_t cut_and_sum(array<std::uint64_t>&& tree) {
  if (tree.size() == 0) return 0;
  if (tree.size() == 1) {
    const std::uint64_t only = tree[0];
    tree = {};
    return only;
  }
  auto [left, right] = std::move(tree).halves();
  const std::uint64_t l = cut_and_sum(std::move(left));
  return l + cut_and_sum(std::move(right));
}

struct build_one {
  test::cell* to;
  CLEAVE_ON_DEVICE void operator()(device::lane& by, std::size_t) const noexcept {
    *to = by.make<std::uint64_t>(cells);
    if (to->size == 0) by.fail(test::no_room);
  }
};

struct count_leaf {
  CLEAVE_ON_DEVICE void operator()(device::lane&, device::piece<std::uint64_t> leaf,
                                   std::size_t number) const noexcept {
    for (std::size_t i = 0; i < leaf.size; ++i) leaf[i] = number * leaf.size + i;
  }
};

TEST(DeviceProbes, whatAKernelBuildsTheHostCutsAndSums) {
  array<std::uint64_t> own(100'000);
  std::iota(own.begin(), own.end(), std::uint64_t{0});
  const std::uint64_t own_sum = sum({own.data(), own.size()});
  device::machine m(device::kind::host, {.threads = 4});
  for (std::size_t round = 0; round < test::by_build<std::size_t>(200, 20); ++round) {
    array<test::cell> place = m.make<test::cell>(1);
    m.launch(1, build_one{place.data()});
    m.launch(1, [](device::lane&, std::size_t) {});
    m.synchronise();
    m.launch_tree(place[0], 16, count_leaf());
    m.synchronise();
    ASSERT_EQ(cut_and_sum(device::own(place[0])), sum_of_all);
    ASSERT_EQ(sum({own.data(), own.size()}), own_sum);
  }
  own = {};
  EXPECT_EQ(heap::verify(), "");
}

struct sum_and_free {
  test::cell half;
  std::uint64_t* sum;
  CLEAVE_ON_DEVICE void operator()(device::lane& by, std::size_t) const noexcept {
    for (const std::uint64_t each : half) *sum += each;
    by.free(half);
  }
};

TEST(DeviceProbes, aKernelSumsAndFreesOneHalfOfWhatTheHostCut) {
  device::machine m(device::kind::host, {.threads = 4});
  array<std::uint64_t> result = m.make<std::uint64_t>(1);
  std::size_t held = 0;
  std::size_t live = 0;
  const std::size_t more = test::by_build<std::size_t>(300, 30);
  for (std::size_t round = 0; round < 2 * more; ++round) {
    array<std::uint64_t> whole = m.make<std::uint64_t>(cells);
    std::iota(whole.begin(), whole.end(), std::uint64_t{0});
    auto [left, right] = std::move(whole).halves();
    result[0] = 0;
    m.launch(1, sum_and_free{device::lend(std::move(right)), result.data()});
    m.synchronise();
    const std::uint64_t l = cut_and_sum(std::move(left));
    ASSERT_EQ(l + result[0], sum_of_all);
    if (round + 1 != more) continue;
    held = heap::stats().held;
    live = heap::live_bytes();
  }
  EXPECT_EQ(heap::stats().held, held);
  EXPECT_EQ(heap::live_bytes(), live);
  EXPECT_EQ(heap::verify(), "");
}

TEST(DeviceProbes, aForkTreeWorksBesideAKernel) {
  device::machine m(device::kind::host, {.threads = 2});
  for (int round = 0; round < 10; ++round) {
    array<std::uint64_t> shared = m.make<std::uint64_t>(cells);
    const auto lent = device::lend(std::move(shared));
    m.launch_tree(lent, 64, count_leaf());
    array<std::uint64_t> own(cells);
    std::iota(own.begin(), own.end(), std::uint64_t{0});
    const std::uint64_t total = parallel::fork_tree(
        std::move(own), [](array<std::uint64_t> leaf) { return cut_and_sum(std::move(leaf)); },
        [](std::uint64_t l, std::uint64_t r) { return l + r; }, {.grain = 64});
    m.synchronise();
    EXPECT_EQ(total, sum_of_all);
    EXPECT_EQ(parallel::fork_tree(
                  device::own(lent),
                  [](array<std::uint64_t> leaf) { return cut_and_sum(std::move(leaf)); },
                  [](std::uint64_t l, std::uint64_t r) { return l + r; }, {.grain = 64}),
              sum_of_all);
  }
  m.synchronise();
  EXPECT_EQ(heap::live_bytes(), 0u);
}

}  // namespace
}  // namespace cleave
