// sort_merge_test.cpp -- merging and the fork tree, on all small cases.
#include "sort_merge.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "sort_tree.hpp"

namespace cleave::tool {
namespace {

// The first is compared, the second tells equal ones apart.
using pair = std::pair<int, int>;

struct first_less {
  bool operator()(const pair& a, const pair& b) const { return a.first < b.first; }
};

// Sorted values below `values`, one range for each multiset of `size` of them.
std::vector<std::vector<pair>> sorted_ranges(std::size_t size, int values, int mark) {
  std::vector<std::vector<pair>> all{{}};
  for (std::size_t i = 0; i < size; ++i) {
    std::vector<std::vector<pair>> longer;
    for (const auto& range : all) {
      for (int v = range.empty() ? 0 : range.back().first; v < values; ++v) {
        longer.push_back(range);
        longer.back().emplace_back(v, mark + static_cast<int>(i));
      }
    }
    all = std::move(longer);
  }
  return all;
}

TEST(SortMerge, isStableForAllShortRangesOfFewValues) {
  for (std::size_t n = 0; n <= 5; ++n) {
    for (std::size_t m = 0; m <= 5; ++m) {
      for (const auto& left : sorted_ranges(n, 3, 0)) {
        for (const auto& right : sorted_ranges(m, 3, 100)) {
          std::vector<pair> expected(n + m);
          std::merge(left.begin(), left.end(), right.begin(), right.end(), expected.begin(),
                     first_less());
          std::vector<pair> got(n + m + 1, pair(-1, -1));
          merge_serial(std::span<const pair>(left), std::span<const pair>(right), got.data(),
                       first_less());
          ASSERT_EQ(got.back(), pair(-1, -1)) << "wrote behind the end";
          got.pop_back();
          ASSERT_EQ(got, expected);

          for (std::size_t count = 0; count <= n + m; ++count) {
            const std::size_t split = merge_split(
                std::span<const pair>(left), std::span<const pair>(right), count, first_less());
            const auto from_left = static_cast<std::size_t>(
                std::count_if(expected.begin(), expected.begin() + static_cast<long>(count),
                              [](const pair& p) { return p.second < 100; }));
            ASSERT_EQ(split, from_left) << "of the first " << count;
          }
        }
      }
    }
  }
}

class SortTree : public testing::TestWithParam<std::size_t> {};

TEST_P(SortTree, sortsAndMovesNothingByJoins) {
  const std::size_t threads = GetParam();
  std::mt19937 random(7);
  for (const std::size_t size : {0UL, 1UL, 65535UL, 65536UL, 65537UL, 300007UL}) {
    array<unsigned> values(size);
    for (unsigned& value : values) value = static_cast<unsigned>(random()) % 100000;
    std::vector<unsigned> expected(values.begin(), values.end());
    std::sort(expected.begin(), expected.end());

    sort_tree tree(threads, size);
    std::atomic<std::size_t> leaves = 0;
    const auto sort = [&](std::span<unsigned> leaf) {
      ++leaves;
      std::sort(leaf.begin(), leaf.end());
    };
    values = tree.sort_leaves(std::move(values), sort);
    values = tree.merge(std::move(values), std::less<>());
    EXPECT_TRUE(std::equal(values.begin(), values.end(), expected.begin(), expected.end()))
        << size << " elements";
    EXPECT_EQ(tree.counts().bytes_moved, 0U);
    // A tree has one join fewer than leaves, and there are two passes.
    EXPECT_EQ(tree.counts().joins, 2 * (leaves - 1));
    if (size > 300000) {
      EXPECT_GE(leaves, std::min<std::size_t>(threads, 8));
    }
  }
}

// Depths 0 to 3: the result stands in the array, and in its room.
INSTANTIATE_TEST_SUITE_P(Threads, SortTree, testing::Values(1, 2, 3, 4, 8));

}  // namespace
}  // namespace cleave::tool
