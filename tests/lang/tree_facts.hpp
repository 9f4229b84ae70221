// tree_facts.hpp -- the invariants of trees, N1 to N3 of tree.hpp, checked.
//
//   const tree_facts facts = facts_of(tree);
//   EXPECT_EQ(facts.broken, "");
//   EXPECT_LE(facts.depth, depth_limit);
#pragma once

#include <cstddef>
#include <string>

#include "lang/tree.hpp"

namespace cleave::lang::test {

struct tree_facts {
  std::size_t nodes = 0;
  std::size_t depth = 0;  // nodes on the longest path from an item to a leaf
  std::string broken;     // the first invariant that does not hold; empty if all do
};

// Uses no recursion, so that any depth is told.
tree_facts facts_of(const file_tree& file);

}  // namespace cleave::lang::test
