// weak_test.cpp -- weak references and finalizers.
#include <cleave/collector.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "collector/objects.hpp"

namespace cleave {
namespace {

using gc::extent;
using gc::local;
using test::node;

TEST(Weak, followsItsObjectAndBecomesNullWithIt) {
  gc::collector c(test::small());
  gc::mutator m(c);
  local<node> n = m.make<node>(4u);
  const gc::weak<node> w(c, n);
  for (const extent what : {extent::young, extent::young, extent::all, extent::young}) {
    m.collect(what);
    EXPECT_EQ(w.lock(m)->number, 4u);
  }
  n = nullptr;
  m.collect(extent::young);
  // It is old by now, and young collections say nothing about the old.
  EXPECT_FALSE(w.dead());
  m.collect(extent::all);
  EXPECT_TRUE(w.dead());
  EXPECT_FALSE(w.lock(m));
}

TEST(Weak, dropsAYoungObjectInAYoungCollection) {
  gc::collector c(test::small());
  gc::mutator m(c);
  gc::weak<node> w(c);
  w = m.make<node>(4u);
  m.collect(extent::young);
  EXPECT_TRUE(w.dead());
  local<node> next = m.make<node>(5u);
  w = next;
  m.collect(extent::young);
  EXPECT_EQ(w.lock(m).get(), next.get());
}

TEST(Weak, pointedAtAYoungObjectAfterAnOldOneStillFollows) {
  gc::collector c(test::small());
  gc::mutator m(c);
  const local<node> old = m.make<node>(1u);
  gc::weak<node> w(c, old);
  m.collect(extent::all);
  m.collect(extent::all);
  m.collect(extent::all);
  local<node> young = m.make<node>(2u);
  w = young;
  m.collect(extent::young);
  EXPECT_EQ(w.lock(m).get(), young.get());
  young = nullptr;
  m.collect(extent::young);
  EXPECT_TRUE(w.dead());
}

struct log {
  std::vector<std::uint64_t> numbers;
};
void note(gc::mutator&, const local<gc::value>& object, void* context) {
  const node* const n = object.get().as<node>();
  static_cast<log*>(context)->numbers.push_back(n->number + (n->left ? n->left->number : 0));
}

TEST(Finalizer, runsOnceAfterTheLastReferenceIsGone) {
  gc::collector c(test::small());
  gc::mutator m(c);
  log seen;
  local<node> n = m.make<node>(1u);
  m.finalize(n, note, &seen);
  m.collect(extent::all);
  EXPECT_EQ(m.run_finalizers(), 0u);
  n = nullptr;
  m.collect(extent::all);
  EXPECT_TRUE(seen.numbers.empty());
  EXPECT_EQ(m.run_finalizers(), 1u);
  EXPECT_EQ(seen.numbers, std::vector<std::uint64_t>{1});
  m.collect(extent::all);
  EXPECT_EQ(m.run_finalizers(), 0u);
}

TEST(Finalizer, seesAllThatItsObjectRefersTo) {
  gc::collector c(test::small());
  gc::mutator m(c);
  log seen;
  {
    const local<node> inner = m.make<node>(10u);
    const local<node> outer = m.make<node>(inner, inner, 1u);
    m.finalize(outer, note, &seen);
  }
  m.collect(extent::young);
  for (int i = 0; i < 4; ++i) m.collect(extent::all);
  EXPECT_EQ(m.run_finalizers(), 1u);
  EXPECT_EQ(seen.numbers, std::vector<std::uint64_t>{11});
}

TEST(Finalizer, comesInTheOrderOfAskingAndAfterWeakReferencesAreNull) {
  gc::collector c(test::small());
  gc::mutator m(c);
  log seen;
  gc::weak<node> w(c);
  for (std::uint64_t i = 0; i < 5; ++i) {
    const local<node> n = m.make<node>(i);
    m.finalize(n, note, &seen);
    if (i == 3) w = n;
  }
  m.collect(extent::young);
  EXPECT_TRUE(w.dead());
  EXPECT_EQ(m.run_finalizers(), 5u);
  EXPECT_EQ(seen.numbers, (std::vector<std::uint64_t>{0, 1, 2, 3, 4}));
}

TEST(Finalizer, ofAnOldObjectRunsToo) {
  gc::collector c(test::small());
  gc::mutator m(c);
  log seen;
  local<node> n = m.make<node>(8u);
  m.finalize(n, note, &seen);
  m.collect(extent::young);
  m.collect(extent::young);
  m.collect(extent::young);
  n = nullptr;
  m.collect(extent::young);
  EXPECT_EQ(m.run_finalizers(), 0u);
  m.collect(extent::all);
  EXPECT_EQ(m.run_finalizers(), 1u);
}

TEST(Finalizer, mayAllocateAndBringItsObjectBack) {
  gc::collector c(test::small());
  gc::mutator m(c);
  static constexpr auto revive = [](gc::mutator& inside, const local<gc::value>& object,
                                    void* context) {
    for (unsigned i = 0; i < 10'000; ++i) (void)inside.make<node>(i);
    *static_cast<gc::global<node>*>(context) = object.as<node>();
  };
  gc::global<node> back(c);
  m.finalize(m.make<node>(3u), revive, &back);
  m.collect(extent::young);
  EXPECT_EQ(m.run_finalizers(), 1u);
  m.collect(extent::all);
  EXPECT_EQ(back->number, 3u);
}

TEST(Finalizer, isToldOfByAnEvent) {
  gc::options chosen = test::small();
  std::size_t waiting = 0;
  chosen.on_event = [&](const gc::event& e) {
    if (e.what == gc::event::kind::finalizers) waiting = e.waiting;
  };
  gc::collector c(chosen);
  gc::mutator m(c);
  log seen;
  m.finalize(m.make<node>(3u), note, &seen);
  m.collect(extent::young);
  EXPECT_EQ(waiting, 1u);
  EXPECT_EQ(m.run_finalizers(), 1u);
}

TEST(Finalizer, isRefusedForWhatIsNoObject) {
  gc::collector c(test::small());
  gc::mutator m(c);
  EXPECT_THROW(m.finalize(local<gc::value>(m), note), std::invalid_argument);
}

}  // namespace
}  // namespace cleave
