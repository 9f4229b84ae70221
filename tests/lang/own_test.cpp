#include <gtest/gtest.h>

#include "lang/counted_run.hpp"
#include "lang/front_end.hpp"
#include "lang/random_core.hpp"

namespace cleave::lang {
namespace {

std::string run(core::program& all, std::size_t* rebuilt = nullptr) {
  own(all);
  return run_counted(all, rebuilt);
}

core::atom list_of(writer& to, const core::type* list, const std::vector<std::uint64_t>& numbers) {
  core::atom made = to.construct(list, 0, {});
  for (std::size_t k = numbers.size(); k > 0; --k) {
    made = to.construct(list, 1, {to.number(numbers[k - 1]), made});
  }
  return made;
}

// inc(xs): each number and one more, by recursion.
core::function& increments(builder& make, const core::type* list) {
  core::function& inc = make.function("inc", {{"xs", list}}, list);
  writer body = make.body(inc);
  arms_writer arms = body.match(body.parameter(0));
  writer nil = arms.arm(0);
  nil.give(nil.construct(list, 0, {}));
  writer con = arms.arm(1, {"h", "t"});
  const core::atom rest = con.call(inc, {con.field(1)});
  con.give(con.construct(list, 1, {con.field(0), rest}));
  return inc;
}

TEST(Own, aMapOfAListRebuildsItsCells) {
  builder make;
  const core::type* list = make.list(make.u32());
  core::function& inc = increments(make, list);
  core::function& main = make.function("main", {}, list);
  writer body = make.body(main);
  body.tail_call(inc, {list_of(body, list, {1, 2, 3})});
  make.all.main = &main;
  std::size_t rebuilt = 0;
  EXPECT_EQ(run(make.all, &rebuilt), "[1, 2, 3]");
  EXPECT_EQ(rebuilt, 3U);
}

TEST(Own, aListThatIsUsedAgainIsNotRebuilt) {
  builder make;
  const core::type* list = make.list(make.u32());
  core::function& inc = increments(make, list);
  core::function& main = make.function("main", {}, make.pair(list, list));
  writer body = make.body(main);
  const core::atom xs = list_of(body, list, {1, 2});
  const core::atom ys = body.call(inc, {xs});
  body.give(body.construct(main.result, 0, {xs, ys}));
  make.all.main = &main;
  std::size_t rebuilt = 0;
  EXPECT_EQ(run(make.all, &rebuilt), "([1, 2], [1, 2])");
  EXPECT_EQ(rebuilt, 0U);
}

TEST(Own, aPathWithoutAConstructFreesTheCell) {
  builder make;
  const core::type* list = make.list(make.u32());
  // drop_small(xs): keeps numbers that are not 1.
  core::function& filter = make.function("filter", {{"xs", list}}, list);
  writer body = make.body(filter);
  arms_writer arms = body.match(body.parameter(0));
  writer nil = arms.arm(0);
  nil.give(nil.construct(list, 0, {}));
  writer con = arms.arm(1, {"h", "t"});
  const core::atom rest = con.call(filter, {con.field(1)});
  arms_writer which = con.match(con.field(0), core::test_kind::numbers);
  writer one = which.value(1);
  one.give(rest);
  writer other = which.otherwise();
  other.give(other.construct(list, 1, {con.field(0), rest}));
  core::function& main = make.function("main", {}, list);
  writer start = make.body(main);
  start.tail_call(filter, {list_of(start, list, {1, 2, 1, 3})});
  make.all.main = &main;
  std::size_t rebuilt = 0;
  EXPECT_EQ(run(make.all, &rebuilt), "[2, 3]");
  EXPECT_EQ(rebuilt, 2U);
}

// merge(xs, ys), as a program writes it:
//   match xs ys: case Nil{} ys: ys  case xs Nil{}: xs  case Con{x, t} Con{y, u}: ...
TEST(Own, aMergeTakesItsListsWhereBothAreMatched) {
  builder make;
  const core::type* list = make.list(make.u32());
  core::function& merge = make.function("merge", {{"xs", list}, {"ys", list}}, list);
  writer body = make.body(merge);
  arms_writer first = body.match(body.parameter(0));
  writer no_xs = first.arm(0);
  no_xs.give(body.parameter(1));
  writer xs = first.arm(1, {"x", "t"});
  arms_writer second = xs.match(body.parameter(1));
  writer no_ys = second.arm(0);
  no_ys.give(body.parameter(0));
  writer ys = second.arm(1, {"y", "u"});
  const core::atom rest = ys.call(merge, {xs.field(1), ys.field(1)});
  const core::atom inner = ys.construct(list, 1, {ys.field(0), rest});
  ys.give(ys.construct(list, 1, {xs.field(0), inner}));
  core::function& main = make.function("main", {}, list);
  writer start = make.body(main);
  const core::atom a = list_of(start, list, {1, 3, 5});
  const core::atom b = list_of(start, list, {2, 4});
  start.tail_call(merge, {a, b});
  make.all.main = &main;
  std::size_t rebuilt = 0;
  EXPECT_EQ(run(make.all, &rebuilt), "[1, 2, 3, 4, 5]");
  EXPECT_EQ(rebuilt, 4U);
  const std::string text = core::to_text(make.all);
  EXPECT_EQ(text.find("keep"), std::string::npos) << text;
}

TEST(Own, aCaptureIsKeptForTheCodeBehindTheClosure) {
  builder make;
  const core::type* list = make.list(make.u32());
  const core::type* arrow = make.arrow(make.u32(), list);
  core::function& main = make.function("main", {}, make.pair(list, list));
  writer body = make.body(main);
  const core::atom xs = list_of(body, list, {4});
  const core::atom f = body.lambda(arrow, {xs}, [&](writer inner) {
    inner.give(inner.construct(list, 1, {inner.parameter(1), inner.parameter(0)}));
  });
  const core::atom ys = body.apply(f, body.number(3));
  body.give(body.construct(main.result, 0, {xs, ys}));
  make.all.main = &main;
  EXPECT_EQ(run(make.all), "([4], [3, 4])");
}

TEST(Own, valuesOfAParallelLetKeepBeforeTheFork) {
  builder make;
  const core::type* list = make.list(make.u32());
  core::function& main = make.function("main", {}, make.pair(list, list));
  writer body = make.body(main);
  const core::atom xs = list_of(body, list, {4});
  const auto both = body.parallel(
      list, [&](writer to) { to.give(to.construct(list, 1, {to.number(1), xs})); },
      [&](writer to) { to.give(to.construct(list, 1, {to.number(2), xs})); });
  body.give(body.construct(main.result, 0, both));
  make.all.main = &main;
  EXPECT_EQ(run(make.all), "([1, 4], [2, 4])");
  // Nothing inside a value changes what another value reads.
  for (const core::step& one : main.body.steps) {
    for (const core::branch_value& value : one.values) {
      for (const core::step& inner : value.value->steps) {
        EXPECT_NE(inner.kind, core::step_kind::keep);
        EXPECT_NE(inner.kind, core::step_kind::drop);
      }
    }
  }
}

TEST(Own, whatAParallelLetOnlyReadsIsDroppedBehindIt) {
  builder make;
  const core::type* list = make.list(make.u32());
  const def_decl* look = make.native("Test.look", 1, {0});
  core::function& main = make.function("main", {}, make.u32());
  writer body = make.body(main);
  const core::atom xs = list_of(body, list, {4});
  const auto both = body.parallel(
      make.u32(), [&](writer to) { to.give(to.native(look, {xs}, make.u32())); },
      [&](writer to) { to.give(to.native(look, {xs}, make.u32())); });
  body.give(body.add(both[0], both[1]));
  make.all.main = &main;
  run(make.all);
  ASSERT_GE(main.body.steps.size(), 4U);
  EXPECT_EQ(main.body.steps[2].kind, core::step_kind::parallel);
  EXPECT_EQ(main.body.steps[3].kind, core::step_kind::drop);
}

TEST(Own, aViewOfAnArrayThatIsStillNeededIsCopied) {
  builder make;
  const core::type* numbers = make.array(make.u32());
  core::function& main = make.function("main", {}, make.pair(numbers, numbers));
  writer body = make.body(main);
  const core::atom a = body.node(body.leaf(body.number(1)), body.leaf(body.number(2)));
  const core::atom left = body.nested(numbers, [&](writer to) {
    arms_writer arms = to.match(a);
    writer leaf = arms.arm(0, {"x"});
    leaf.give(leaf.leaf(leaf.field(0)));
    writer node = arms.arm(1, {"l", "r"});
    node.give(node.field(0));
  });
  body.give(body.construct(main.result, 0, {a, left}));
  make.all.main = &main;
  EXPECT_EQ(run(make.all), "([1, 2], [1])");
}

TEST(Own, whatIsTooLargeForAStructIsCounted) {
  builder make;
  const core::type* wide = make.data("Wide");
  make.constructor(wide, "Wide", std::vector<const core::type*>(100, make.u32()));
  core::function& main = make.function("main", {}, make.pair(wide, wide));
  writer body = make.body(main);
  const core::atom one = body.construct(wide, 0, std::vector<core::atom>(100, body.number(1)));
  body.give(body.construct(main.result, 0, {one, one}));
  make.all.main = &main;
  run(make.all);
  EXPECT_NE(core::to_text(make.all).find("keep"), std::string::npos);
}

// Random programs give with counts what they mean without, and leave nothing.
TEST(Own, randomProgramsKeepTheirMeaningAndLeaveNothing) {
  std::size_t rebuilt = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    builder plain;
    random_core(plain, seed).write();
    ASSERT_EQ(core::check(plain.all, false), "");
    std::string expected;
    bool stops = false;
    try {
      expected = core_machine(plain.all, counting::off).run();
    } catch (const stopped&) {
      stops = true;
    } catch (const broken&) {
      continue;  // it takes too long
    }
    builder owned;
    random_core(owned, seed).write();
    own(owned.all);
    ASSERT_EQ(core::check(owned.all, true), "");
    core_machine machine(owned.all, counting::on);
    try {
      EXPECT_EQ(machine.run(), expected);
      EXPECT_FALSE(stops);
      EXPECT_EQ(machine.live(), 0U);
    } catch (const stopped&) {
      EXPECT_TRUE(stops);
    }
    rebuilt += machine.rebuilt();
  }
  EXPECT_GT(rebuilt, 0U);
}

}  // namespace
}  // namespace cleave::lang
