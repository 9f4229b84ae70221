// collector_test.cpp -- objects live while a root reaches them, and keep their contents.
#include <cleave/collector.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>
#include <vector>

#include "collector/objects.hpp"

namespace cleave {
namespace {

using gc::extent;
using gc::local;
using test::node;
using test::pair;

TEST(Collector, keepsWhatALocalReaches) {
  gc::collector c(test::small());
  gc::mutator m(c);
  local<node> leaf = m.make<node>(7u);
  local<node> root = m.make<node>(leaf, leaf, 8u);
  leaf = nullptr;
  for (int i = 0; i < 5; ++i) m.collect(i % 2 == 0 ? extent::young : extent::all);
  EXPECT_EQ(root->number, 8u);
  EXPECT_EQ(root->left->number, 7u);
  EXPECT_EQ(root->left.get(), root->right.get());
}

TEST(Collector, movesYoungObjectsAndFollowsThem) {
  gc::collector c(test::small());
  gc::mutator m(c);
  local<node> n = m.make<node>(1u);
  local<node> copy = n;
  const node* const before = n.get();
  m.collect(extent::young);
  EXPECT_NE(n.get(), before);
  EXPECT_EQ(n.get(), copy.get());
}

TEST(Collector, dropsWhatNoRootReaches) {
  gc::collector c(test::small());
  gc::mutator m(c);
  local<node> kept = m.make<node>(1u);
  for (unsigned i = 0; i < 100'000; ++i) (void)m.make<node>(i);
  m.collect(extent::all);
  m.collect(extent::all);
  // One object takes a block of its generation; 100,000 took 3 MB.
  EXPECT_LE(c.stats().blocks, 2u * 65536);
  EXPECT_EQ(kept->number, 1u);
}

TEST(Collector, remembersAYoungObjectInAnOldOne) {
  gc::collector c(test::small());
  gc::mutator m(c);
  local<node> old = m.make<node>(1u);
  m.collect(extent::young);
  m.collect(extent::young);
  old->left = m.make<node>(2u);
  for (int i = 0; i < 4; ++i) {
    m.collect(extent::young);
    EXPECT_EQ(old->left->number, 2u);
  }
}

TEST(Collector, copiesACycleOnce) {
  gc::collector c(test::small());
  gc::mutator m(c);
  local<node> a = m.make<node>(1u);
  local<node> b = m.make<node>(a, a, 2u);
  a->left = b;
  a->right = a;
  m.collect(extent::all);
  EXPECT_EQ(a->left.get(), b.get());
  EXPECT_EQ(a->right.get(), a.get());
  EXPECT_EQ(b->left.get(), a.get());
}

TEST(Collector, holdsAnyValueAndLeavesImmediatesAlone) {
  gc::collector c(test::small(1));
  gc::mutator m(c);
  local<gc::value> list(m);
  for (int i = 0; i < 100; ++i) {
    const local<gc::value> head(m, gc::immediate::integer(-i));
    list = m.make<pair>(head, list);
  }
  local<pair> at = list.as<pair>();
  for (int i = 99; i >= 0; --i) {
    ASSERT_TRUE(at);
    EXPECT_EQ(at->head.get().integer(), -i);
    EXPECT_FALSE(at->head.get().is_reference());
    at.set(at->tail.get().try_as<pair>());
  }
  EXPECT_FALSE(at);
}

TEST(Collector, knowsTheTypeOfAnObject) {
  gc::collector c(test::small());
  gc::mutator m(c);
  const local<gc::value> any = m.make<node>(1u);
  EXPECT_TRUE(any.get().is<node>());
  EXPECT_FALSE(any.get().is<pair>());
  EXPECT_EQ(any.get().try_as<pair>(), nullptr);
  EXPECT_STREQ(any.get().object_type().name, "node");
  const local<gc::value> bytes = m.make_bytes(3);
  EXPECT_TRUE(bytes.get().is<gc::byte_array>());
}

TEST(Collector, makesLocalsThatEndInAnyOrder) {
  gc::collector c(test::small());
  gc::mutator m(c);
  std::vector<local<node>> many;
  for (unsigned i = 0; i < 50; ++i) many.push_back(m.make<node>(i));
  many.erase(many.begin() + 10, many.begin() + 20);
  std::swap(many[0], many[39]);
  m.collect(extent::all);
  EXPECT_EQ(many[0]->number, 49u);
  EXPECT_EQ(many[39]->number, 0u);
  EXPECT_EQ(many[10]->number, 20u);
}

TEST(Collector, keepsWhatAGlobalOrACallbackReaches) {
  gc::collector c(test::small());
  gc::mutator m(c);
  const gc::global<node> kept(c, m.make<node>(5u));
  std::vector<gc::value> stack;
  const gc::roots shown(c, [&](gc::visitor& to) {
    for (gc::value& v : stack) to.visit(v);
  });
  stack.push_back(m.make<node>(6u).get());
  stack.push_back(gc::immediate::integer(9));
  m.collect(extent::young);
  m.collect(extent::all);
  EXPECT_EQ(kept->number, 5u);
  EXPECT_EQ(stack[0].as<node>()->number, 6u);
  EXPECT_EQ(stack[1].integer(), 9);
}

TEST(Collector, keepsAListOfAMillion) {
  gc::options chosen = test::small();
  chosen.debug.verify = false;
  gc::collector c(chosen);
  gc::mutator m(c);
  local<node> list(m);
  const local<node> nothing(m);
  for (std::uint64_t i = 0; i < 1'000'000; ++i) list = m.make<node>(list, nothing, i);
  EXPECT_GT(c.stats().young_collections, 0u);
  EXPECT_GT(c.stats().full_collections, 0u);
  std::uint64_t n = 1'000'000;
  for (const node* at = list.get(); at != nullptr; at = at->left.get()) {
    ASSERT_EQ(at->number, --n);
  }
  EXPECT_EQ(n, 0u);
}

struct picky {
  static constexpr bool has_references = false;
  explicit picky(int i) : number(i) {
    if (i < 0) throw std::invalid_argument("negative");
  }
  int number;
};

TEST(Collector, aConstructorThatThrowsLeavesNothing) {
  gc::collector c(test::small());
  gc::mutator m(c);
  EXPECT_THROW((void)m.make<picky>(-1), std::invalid_argument);
  const local<picky> good = m.make<picky>(1);
  m.collect(extent::all);
  EXPECT_EQ(good->number, 1);
}

}  // namespace
}  // namespace cleave
