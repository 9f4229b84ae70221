#include "lang/components.hpp"

#include <gtest/gtest.h>

namespace cleave::lang {
namespace {

TEST(Components, nodesThatReachEachOtherAreOne) {
  const components found({{1}, {2}, {0}, {0}});
  EXPECT_EQ(found.of(0), found.of(1));
  EXPECT_EQ(found.of(1), found.of(2));
  EXPECT_NE(found.of(3), found.of(0));
}

TEST(Components, edgesLeadFromLargerNumbersToSmallerOnes) {
  const components found({{1}, {2}, {}, {0, 2}});
  EXPECT_GT(found.of(3), found.of(0));
  EXPECT_GT(found.of(0), found.of(1));
  EXPECT_GT(found.of(1), found.of(2));
}

TEST(Components, aNodeIsCircularIfItReachesItself) {
  const components found({{0}, {2}, {1}, {1}});
  EXPECT_TRUE(found.circular(0));
  EXPECT_TRUE(found.circular(1));
  EXPECT_TRUE(found.circular(2));
  EXPECT_FALSE(found.circular(3));
}

TEST(Components, nodesOfAComponentAreSorted) {
  const components found({{2}, {}, {0}});
  EXPECT_EQ(found.all()[found.of(0)], (std::vector<std::size_t>{0, 2}));
}

TEST(Components, aLongPathNeedsNoStack) {
  graph path(1'000'000);
  for (std::size_t k = 0; k + 1 < path.size(); ++k) path[k].push_back(k + 1);
  EXPECT_EQ(components(path).all().size(), path.size());
}

}  // namespace
}  // namespace cleave::lang
