#include "lang/unroll.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "lang/counted_run.hpp"
#include "lang/front_end.hpp"
#include "lang/random_core.hpp"

namespace cleave::lang {
namespace {

using atoms = std::vector<core::atom>;

// [first, first + 1, ..] with 2^depth slots.
core::atom numbers(writer& to, std::size_t depth, std::uint64_t first = 0) {
  if (depth == 0) return to.leaf(to.number(first));
  const core::atom l = numbers(to, depth - 1, first);
  return to.node(l, numbers(to, depth - 1, first + (std::uint64_t{1} << (depth - 1))));
}

// main gives f(numbers).
void call_with_numbers(builder& make, const core::function& f, std::size_t depth) {
  core::function& main = make.function("main", {}, f.result);
  writer body = make.body(main);
  body.give(body.call(f, {numbers(body, depth)}));
  make.all.main = &main;
}

// The slot where the array has one, else what `both` makes of f(left) and f(right).
template <class Both>
core::function& fold(builder& make, const core::type* result, Both both) {
  core::function& made = make.function("f", {{"a", make.array(make.u32())}}, result);
  writer body = make.body(made);
  arms_writer arms = body.match(body.parameter(0));
  writer leaf = arms.arm(0, {"x"});
  leaf.give(leaf.field(0));
  writer node = arms.arm(1, {"l", "r"});
  both(made, node);
  return made;
}

core::function& sum(builder& make) {
  return fold(make, make.u32(), [](core::function& f, writer& to) {
    const core::atom l = to.call(f, {to.field(0)});
    to.give(to.add(l, to.call(f, {to.field(1)})));
  });
}

// How many functions there are beside those of the program itself.
std::size_t copies(const core::program& all) {
  return static_cast<std::size_t>(
      std::count_if(all.functions.begin(), all.functions.end(),
                    [](const core::function& one) { return one.inlined; }));
}

TEST(Unroll, givesASumCopiesForOneToSixteenSlots) {
  builder make;
  sum(make);
  own(make.all);
  EXPECT_EQ(copies(make.all), 5U);
}

TEST(Unroll, aSumIsTheSameForEveryDepth) {
  for (std::size_t depth = 0; depth < 7; ++depth) {
    builder make;
    call_with_numbers(make, sum(make), depth);
    own(make.all);
    const std::size_t n = std::size_t{1} << depth;
    EXPECT_EQ(run_counted(make.all), std::to_string(n * (n - 1) / 2)) << depth;
  }
}

TEST(Unroll, aCopyHasOneArmWhereTheDepthDecides) {
  builder make;
  sum(make);
  own(make.all);
  for (const core::function& one : make.all.functions) {
    if (one.inlined) {
      EXPECT_EQ(one.body.end.cases->arms.size(), 1U) << one.name;
    }
  }
}

TEST(Unroll, aMapRebuildsEverySlot) {
  builder make;
  const core::type* array = make.array(make.u32());
  core::function& map = make.function("f", {{"a", array}}, array);
  writer body = make.body(map);
  arms_writer arms = body.match(body.parameter(0));
  writer leaf = arms.arm(0, {"x"});
  leaf.give(leaf.leaf(leaf.add(leaf.field(0), leaf.number(10))));
  writer node = arms.arm(1, {"l", "r"});
  const core::atom l = node.call(map, {node.field(0)});
  node.give(node.node(l, node.call(map, {node.field(1)})));
  call_with_numbers(make, map, 4);
  own(make.all);
  ASSERT_EQ(copies(make.all), 5U);
  std::size_t rebuilt = 0;
  EXPECT_EQ(run_counted(make.all, &rebuilt),
            "[10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25]");
  EXPECT_EQ(rebuilt, 16U);
}

TEST(Unroll, aFunctionOfTwoArraysGoesOnAsBeforeWhereOneIsDeeper) {
  for (const std::size_t deeper : {std::size_t{0}, std::size_t{1}}) {
    builder make;
    const core::type* array = make.array(make.u32());
    core::function& dot = make.function("dot", {{"a", array}, {"b", array}}, make.u32());
    writer body = make.body(dot);
    arms_writer arms = body.match(body.parameter(0));
    writer leaf = arms.arm(0, {"x"});
    arms_writer of_leaf = leaf.match(body.parameter(1));
    writer both = of_leaf.arm(0, {"y"});
    both.give(both.add(leaf.field(0), both.field(0)));
    writer uneven = of_leaf.arm(1, {"", ""});
    uneven.give(uneven.number(1000));
    writer node = arms.arm(1, {"l", "r"});
    arms_writer of_node = node.match(body.parameter(1));
    writer other = of_node.arm(0, {""});
    other.give(other.number(2000));
    writer inner = of_node.arm(1, {"m", "s"});
    const core::atom l = inner.call(dot, {node.field(0), inner.field(0)});
    inner.give(inner.add(l, inner.call(dot, {node.field(1), inner.field(1)})));
    core::function& main = make.function("main", {}, make.u32());
    writer to = make.body(main);
    to.give(to.call(dot, {numbers(to, 4), numbers(to, 4 + deeper, 100)}));
    make.all.main = &main;
    own(make.all);
    ASSERT_GT(copies(make.all), 0U);
    EXPECT_EQ(run_counted(make.all), deeper == 0 ? "1840" : "16000");
  }
}

TEST(Unroll, valuesOfAParallelLetComeInOrder) {
  builder make;
  core::function& f = fold(make, make.u32(), [&](core::function& self, writer& to) {
    const core::atom l = to.field(0);
    const core::atom r = to.field(1);
    const atoms both = to.parallel(
        make.u32(), [&](writer one) { one.tail_call(self, {l}); },
        [&](writer one) { one.give(one.add(one.number(1), one.call(self, {r}))); });
    to.give(to.add(both[0], both[1]));
  });
  call_with_numbers(make, f, 3);
  own(make.all);
  ASSERT_EQ(copies(make.all), 4U);
  for (const core::function& one : make.all.functions) {
    if (!one.inlined) continue;
    for (const core::step& step : one.body.end.cases->arms[0].body->steps) {
      EXPECT_NE(step.kind, core::step_kind::parallel);
    }
  }
  EXPECT_TRUE(f.body.end.cases->in_order);
  EXPECT_EQ(run_counted(make.all), std::to_string(28 + 7));
}

// With many threads forks are wanted all the time where nothing forks.
TEST(Unroll, takesTheCopiesOfWhatDoesNotForkAlsoWhereForksAreWanted) {
  builder make;
  const core::function& f = sum(make);
  own(make.all);
  ASSERT_EQ(copies(make.all), 5U);
  EXPECT_EQ(f.body.end.cases->test, core::test_kind::small_array);
  EXPECT_FALSE(f.body.end.cases->in_order);
}

// ---- What is left as it is

TEST(Unroll, leavesOneCallAlone) {
  builder make;
  fold(make, make.u32(), [](core::function& f, writer& to) { to.tail_call(f, {to.field(0)}); });
  own(make.all);
  EXPECT_EQ(copies(make.all), 0U);
}

TEST(Unroll, leavesRecursionWithoutArraysAlone) {
  builder make;
  core::function& f = make.function("f", {{"n", make.nat()}}, make.u32());
  writer body = make.body(f);
  arms_writer count = body.match(body.parameter(0), core::test_kind::at_least);
  writer more = count.value(1, true);
  const core::atom l = more.call(f, {more.field(0)});
  more.give(more.add(l, more.call(f, {more.field(0)})));
  writer last = count.otherwise();
  last.give(last.number(1));
  own(make.all);
  EXPECT_EQ(copies(make.all), 0U);
}

// f(n, a) goes on with the whole array: as a loop that may be long.
TEST(Unroll, leavesALoopOverTheWholeArrayAlone) {
  builder make;
  core::function& f =
      make.function("f", {{"n", make.nat()}, {"a", make.array(make.u32())}}, make.u32());
  writer body = make.body(f);
  arms_writer count = body.match(body.parameter(0), core::test_kind::at_least);
  writer more = count.value(1, true);
  more.tail_call(f, {more.field(0), body.parameter(1)});
  writer last = count.otherwise();
  arms_writer arms = last.match(body.parameter(1));
  writer leaf = arms.arm(0, {"x"});
  leaf.give(leaf.field(0));
  writer node = arms.arm(1, {"l", "r"});
  const core::atom l = node.call(f, {node.nat(0), node.field(0)});
  node.give(node.add(l, node.call(f, {node.nat(0), node.field(1)})));
  own(make.all);
  EXPECT_EQ(copies(make.all), 0U);
}

TEST(Unroll, leavesFunctionsAloneThatAreOneLoopTogether) {
  builder make;
  core::function& g = make.function("g", {{"a", make.array(make.u32())}}, make.u32());
  core::function& f = fold(make, make.u32(), [&](core::function& self, writer& to) {
    to.call(self, {to.field(0)});
    to.call(self, {to.field(1)});
    to.tail_call(g, {to.field(0)});
  });
  writer through = make.body(g);
  through.tail_call(f, {through.parameter(0)});
  // With two calls it does not become a part of f.
  call_with_numbers(make, g, 1);
  own(make.all);
  EXPECT_EQ(copies(make.all), 0U);
}

TEST(Unroll, makesNoMoreCopiesThanFit) {
  using limit = std::pair<std::size_t, std::size_t>;
  for (const auto& [room, expected] : {limit{0, 0}, limit{20, 2}, limit{45, 3}, limit{1000, 5}}) {
    builder make;
    sum(make);
    unroll(make.all, {.room = room});
    EXPECT_EQ(copies(make.all), expected) << room;
  }
}

// ---- Any program

TEST(Unroll, randomProgramsKeepTheirMeaningAndLeaveNothing) {
  std::size_t made = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    builder plain;
    random_core(plain, seed).write();
    std::string expected;
    try {
      expected = core_machine(plain.all, counting::off).run();
    } catch (const std::exception&) {
      continue;  // it stops, or takes too long
    }
    builder copied;
    random_core(copied, seed).write();
    own(copied.all);
    unroll(copied.all, {.levels = 2, .least_calls = 1, .room = 2000});
    made += copies(copied.all);
    ASSERT_EQ(core::check(copied.all, true), "");
    core_machine machine(copied.all, counting::on);
    EXPECT_EQ(machine.run(), expected);
    EXPECT_EQ(machine.live(), 0U);
  }
  EXPECT_GT(made, 0U) << "no program takes an array apart";
}

}  // namespace
}  // namespace cleave::lang
