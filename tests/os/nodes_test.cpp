// nodes_test.cpp -- the nodes of memory, as the system tells of them.
#include "os/nodes.hpp"

#include <gtest/gtest.h>

namespace cleave::os {
namespace {

TEST(Nodes, areCountedUpToTheLastOfAList) {
  EXPECT_EQ(nodes_in("0\n"), 1U);
  EXPECT_EQ(nodes_in("0-1\n"), 2U);
  EXPECT_EQ(nodes_in("0-3,8\n"), 9U);
  EXPECT_EQ(nodes_in("0,2,16-31"), 32U);
  EXPECT_EQ(nodes_in("1023"), 1024U);
}

TEST(Nodes, areOneWhereTheListSaysNothingOfUse) {
  EXPECT_EQ(nodes_in(""), 1U);
  EXPECT_EQ(nodes_in("\n"), 1U);
  EXPECT_EQ(nodes_in("none"), 1U);
  EXPECT_EQ(nodes_in("0-1024"), 1U);
  EXPECT_EQ(nodes_in("99999999999999999999"), 1U);
}

TEST(Nodes, areAtLeastTheOneThatRunsThis) {
  ASSERT_GE(node_count(), 1U);
  EXPECT_LT(current_node(), node_count());
}

}  // namespace
}  // namespace cleave::os
