// midpoint_test.cpp -- the strongest rival is a correct heap, or it would not be one.
#include "strategies/midpoint.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <latch>
#include <random>
#include <thread>
#include <vector>

#include "crew.hpp"

namespace cleave::bench {
namespace {

using views = midpoint<true>;

// Words of all blocks that this thread could take before it needs new ones.
std::size_t words_free() {
  std::size_t sum = 0;
  for (unsigned order = 0; order < midpoint_space::orders; ++order) {
    sum += midpoint_space::free_blocks(order) << order;
  }
  return sum;
}

// The array's leaves of `least` words, in order.
void cut_down(views::array a, std::size_t least, std::vector<views::array>& leaves) {
  if (views::size(a) <= least) return leaves.push_back(a);
  const auto right = views::halve(a);
  cut_down(a, least, leaves);
  cut_down(right, least, leaves);
}

class Midpoint : public testing::Test {
 protected:
  void SetUp() override {
    const std::string missing = views::prepare();
    if (!missing.empty()) GTEST_SKIP() << "SKIP: " << missing;
  }
};

TEST_F(Midpoint, aBlockIsAlignedToItsSize) {
  for (unsigned order = 2; order < midpoint_space::orders; ++order) {
    const auto a = views::make(std::size_t{1} << order);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data) % (sizeof(word) << order), 0u) << order;
    views::free(a);
  }
}

TEST_F(Midpoint, leavesFreedInAnyOrderGiveBackTheRootOnce) {
  std::mt19937 random(1);
  for (const std::size_t least : {1u, 2u, 64u, 4096u, 32768u}) {
    // Twice, since the first time takes fresh blocks for the copies.
    for (int round = 0; round < 2; ++round) {
      std::vector<views::array> leaves;
      const auto root = views::make(1 << 16);
      for (std::size_t i = 0; i < 1 << 16; ++i) root.data[i] = static_cast<word>(i * 3);
      cut_down(root, least, leaves);
      std::size_t i = 0;
      for (const auto& leaf : leaves) {
        for (std::size_t j = 0; j < leaf.size; ++j, ++i) {
          ASSERT_EQ(leaf.data[j], static_cast<word>(i * 3));
        }
      }
      ASSERT_EQ(i, std::size_t{1} << 16);
      std::shuffle(leaves.begin(), leaves.end(), random);
      for (const auto& leaf : leaves) views::free(leaf);
      EXPECT_EQ(midpoint_space::bits_set(), 0u) << least;
    }
    const std::size_t before = words_free();
    std::vector<views::array> leaves;
    cut_down(views::make(1 << 16), least, leaves);
    for (const auto& leaf : leaves) views::free(leaf);
    EXPECT_EQ(words_free(), before) << least;
  }
}

TEST_F(Midpoint, siblingsJoinInPlaceAndOthersAreCopied) {
  auto a = views::make(64);
  for (word i = 0; i < 64; ++i) a.data[i] = i;
  word* const begin = a.data;
  auto right = views::halve(a);
  auto right_left = right;
  auto right_right = views::halve(right_left);
  right = views::join(right_left, right_right);
  EXPECT_EQ(right.data, begin + 32);
  const auto swapped = views::join(right, a);
  EXPECT_NE(swapped.data, begin);
  for (word i = 0; i < 64; ++i) EXPECT_EQ(swapped.data[i], (i + 32) % 64);
  views::free(swapped);
  EXPECT_EQ(midpoint_space::bits_set(), 0u);
}

TEST_F(Midpoint, neighboursOfTwoParentsAreCopied) {
  auto left = views::make(64);
  auto right = views::halve(left);
  auto left_right = views::halve(left);
  auto right_right = views::halve(right);
  // [16, 32) and [32, 48) touch, but no block of 32 words holds just them.
  ASSERT_EQ(left_right.data + 16, right.data);
  const auto joined = views::join(left_right, right);
  EXPECT_EQ(joined.root_size, 32u);
  views::free(joined);
  views::free(left);
  views::free(right_right);
  EXPECT_EQ(midpoint_space::bits_set(), 0u);
}

TEST_F(Midpoint, neighbouringRootsDoNotJoin) {
  // Fresh blocks of one batch lie side by side.
  std::vector<views::array> roots;
  for (int i = 0; i < 64; ++i) roots.push_back(views::make(512));
  std::sort(roots.begin(), roots.end(), [](auto a, auto b) { return a.data < b.data; });
  bool touched = false;
  for (std::size_t i = 0; i + 1 < roots.size() && !touched; ++i) {
    if (roots[i].data + 512 != roots[i + 1].data) continue;
    touched = true;
    const auto whole = views::join(roots[i], roots[i + 1]);
    EXPECT_NE(whole.data, roots[i].data);
    EXPECT_EQ(whole.root_size, 1024u);
    views::free(whole);
    roots.erase(roots.begin() + static_cast<std::ptrdiff_t>(i),
                roots.begin() + static_cast<std::ptrdiff_t>(i) + 2);
  }
  EXPECT_TRUE(touched);
  for (const auto& root : roots) views::free(root);
}

TEST_F(Midpoint, aPieceMoreThanSixteenTimesSmallerIsCopied) {
  auto a = views::make(1024);
  const word* const begin = a.data;
  for (int level = 0; level < 4; ++level) views::free(views::halve(a));
  EXPECT_EQ(a.data, begin);
  EXPECT_EQ(a.root_size, 1024u);
  views::free(views::halve(a));
  EXPECT_NE(a.data, begin);
  EXPECT_EQ(a.root_size, 32u);
  views::free(a);
  EXPECT_EQ(midpoint_space::bits_set(), 0u);
}

TEST_F(Midpoint, whatAnotherThreadFreesIsMadeAgain) {
  constexpr std::size_t size = 1 << 14, batch = 256;
  crew workers(2);
  // More than there is space for, if nothing came back.
  for (std::size_t words = 0; words <= midpoint_space::words; words += size * batch) {
    std::vector<views::array> arrays;
    for (std::size_t i = 0; i < batch; ++i) arrays.push_back(views::make(size));
    workers.both(
        1, [] {}, [&] { std::for_each(arrays.begin(), arrays.end(), views::free); });
  }
}

TEST_F(Midpoint, whatAThreadThatEndedHadFreeIsMadeAgain) {
  const std::size_t before = words_free();
  std::vector<views::array> arrays;
  for (int i = 0; i < 300; ++i) arrays.push_back(views::make(1 << 13));
  std::thread([&] { std::for_each(arrays.begin(), arrays.end(), views::free); }).join();
  EXPECT_GE(words_free(), std::max(before, arrays.size() << 13));
}

TEST_F(Midpoint, twoThreadsFreeTheHalvesOfOneTree) {
  for (int round = 0; round < 50; ++round) {
    std::vector<views::array> leaves;
    cut_down(views::make(1 << 14), 1 << 10, leaves);
    std::latch begun(2);
    std::thread other([&] {
      begun.arrive_and_wait();
      for (std::size_t i = 1; i < leaves.size(); i += 2) views::free(leaves[i]);
    });
    begun.arrive_and_wait();
    for (std::size_t i = 0; i < leaves.size(); i += 2) views::free(leaves[i]);
    other.join();
    EXPECT_EQ(midpoint_space::bits_set(), 0u);
  }
}

}  // namespace
}  // namespace cleave::bench
