// cells.hpp -- data as the compiler would lay it out: a list, a tree, a function.
//
//   list l = con(1, con(2, nil()));
//   EXPECT_EQ(numbers(l), (std::vector<u32>{1, 2}));
//   drop(l);
#pragma once

#include <cleave/runtime/program.hpp>
#include <vector>

namespace cleave::test {

namespace runtime = cleave::runtime;
using runtime::array;
using runtime::box;
using runtime::character;
using runtime::f32;
using runtime::nat;
using runtime::string;
using runtime::u32;

enum descriptor_number : u32 { con_cell, node_cell, named_cell, adder_cell, chain_cell };

// List<U32>
using list = box<struct list_name>;
struct con_fields {
  runtime::header head;
  u32 value;
  list next;
};
inline list nil() {
  return list::small(0);
}
list con(u32 value, list next);
// 0, 1, ... n - 1
list counting(u32 n);
std::vector<u32> numbers(list l);

// Tip{} | Node{left, right}
using tree = box<struct tree_name>;
struct node_fields {
  runtime::header head;
  tree left;
  tree right;
};
inline tree tip() {
  return tree::small(0);
}
tree branch(tree left, tree right);

// One name and all that has it: a field of each kind that is counted.
using named = box<struct named_name>;
struct named_fields {
  runtime::header head;
  string name;
  array<list> lists;
};
named name_lists(string name, array<list> lists);

// x => n + x, and x => the sum of the captured list and x
runtime::function<u32, u32> add(u32 n);
runtime::function<u32, u32> add_all(list l);

}  // namespace cleave::test
