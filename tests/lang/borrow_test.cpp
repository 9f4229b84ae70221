#include "lang/borrow.hpp"

#include <gtest/gtest.h>

#include "lang/core_builder.hpp"
#include "lang/front_end.hpp"

namespace cleave::lang {
namespace {

// f(a: Array<U32>): match a: case ALeaf{x}: <leaf> case ANode{l, r}: f(l), f(r), <both>.
template <class Leaf, class Node>
core::function& over_array(builder& make, const core::type* result, Leaf leaf, Node both) {
  core::function& made = make.function("f", {{"a", make.array(make.u32())}}, result);
  writer body = make.body(made);
  arms_writer arms = body.match(body.parameter(0));
  writer one = arms.arm(0, {"x"});
  leaf(one);
  writer node = arms.arm(1, {"l", "r"});
  const core::atom l = node.call(made, {node.field(0)});
  const core::atom r = node.call(made, {node.field(1)});
  both(node, l, r);
  return made;
}

core::function& sum(builder& make) {
  return over_array(
      make, make.u32(), [](writer& to) { to.give(to.field(0)); },
      [](writer& to, core::atom l, core::atom r) { to.give(to.add(l, r)); });
}

TEST(Borrow, aSumOfAnArrayOnlyReadsIt) {
  builder make;
  core::function& made = sum(make);
  own(make.all);
  EXPECT_TRUE(made.parameters[0]->borrowed);
}

TEST(Borrow, aMapOfAnArrayOwnsItForTheLeafIsUsedAgain) {
  builder make;
  core::function& made = over_array(
      make, make.array(make.u32()),
      [](writer& to) { to.give(to.leaf(to.add(to.field(0), to.number(1)))); },
      [](writer& to, core::atom l, core::atom r) { to.give(to.node(l, r)); });
  own(make.all);
  EXPECT_FALSE(made.parameters[0]->borrowed);
}

TEST(Borrow, aLeafOfAnotherSizeIsNotUsedAgain) {
  builder make;
  core::function& made = over_array(
      make, make.array(make.nat()), [](writer& to) { to.give(to.leaf(to.nat(1))); },
      [](writer& to, core::atom l, core::atom r) { to.give(to.node(l, r)); });
  own(make.all);
  EXPECT_TRUE(made.parameters[0]->borrowed);
}

// Parts of (b, x) = Array.get(a, 0).
writer get(builder& make, writer& to, core::atom array) {
  const core::atom pair = to.native(make.native("Array.get", 2), {array, to.number(0)},
                                    make.pair(array.of, array.of->first));
  return to.match(pair).arm(0, {"b", "x"});
}

TEST(Borrow, anArrayThatIsReadAndForgottenIsBorrowed) {
  builder make;
  core::function& made = make.function("f", {{"a", make.array(make.u32())}}, make.u32());
  writer body = make.body(made);
  writer once = get(make, body, body.parameter(0));
  writer twice = get(make, once, once.field(0));
  twice.give(twice.add(once.field(1), twice.field(1)));
  own(make.all);
  EXPECT_TRUE(made.parameters[0]->borrowed);
}

TEST(Borrow, anArrayThatIsReadAndReturnedIsOwned) {
  builder make;
  core::function& made =
      make.function("f", {{"a", make.array(make.u32())}}, make.array(make.u32()));
  writer body = make.body(made);
  writer once = get(make, body, body.parameter(0));
  once.give(once.field(0));
  own(make.all);
  EXPECT_FALSE(made.parameters[0]->borrowed);
}

TEST(Borrow, whatIsReturnedIsOwned) {
  builder make;
  core::function& made = make.function("f", {{"s", make.string()}}, make.string());
  writer body = make.body(made);
  body.give(body.parameter(0));
  own(make.all);
  EXPECT_FALSE(made.parameters[0]->borrowed);
}

TEST(Borrow, whatIsTakenOutAndStoredMakesTheWholeOwned) {
  builder make;
  const core::type* list = make.list(make.string());
  core::function& made = make.function("first", {{"xs", list}}, make.string());
  writer body = make.body(made);
  arms_writer arms = body.match(body.parameter(0));
  writer nil = arms.arm(0);
  nil.give(nil.text(""));
  writer con = arms.arm(1, {"h", "t"});
  con.give(con.field(0));
  own(make.all);
  EXPECT_FALSE(made.parameters[0]->borrowed);
}

TEST(Borrow, aNativeSaysWhatItReads) {
  builder make;
  core::function& made =
      make.function("f", {{"s", make.string()}, {"u", make.string()}}, make.u32());
  writer body = make.body(made);
  body.give(body.native(make.native("Test.both", 2, {0}), {body.parameter(0), body.parameter(1)},
                        make.u32()));
  own(make.all);
  EXPECT_TRUE(made.parameters[0]->borrowed);
  EXPECT_FALSE(made.parameters[1]->borrowed);
}

TEST(Borrow, whatAClosureCapturesIsOwned) {
  builder make;
  const core::type* list = make.list(make.u32());
  core::function& made = make.function("f", {{"xs", list}}, make.arrow(make.u32(), list));
  writer body = make.body(made);
  body.give(body.lambda(make.arrow(make.u32(), list), {body.parameter(0)},
                        [](writer inner) { inner.give(inner.parameter(0)); }));
  own(make.all);
  EXPECT_FALSE(made.parameters[0]->borrowed);
}

TEST(Borrow, itFollowsCallsThroughOtherFunctions) {
  builder make;
  core::function& inner = sum(make);
  core::function& made = make.function("g", {{"a", make.array(make.u32())}}, make.u32());
  writer body = make.body(made);
  const core::atom s = body.call(inner, {body.parameter(0)});
  body.give(body.add(s, body.number(1)));
  own(make.all);
  EXPECT_TRUE(made.parameters[0]->borrowed);
}

TEST(Borrow, aTailCallToAnotherFunctionBecomesACallWithADropBehindIt) {
  builder make;
  core::function& inner = sum(make);
  core::function& main = make.function("main", {}, make.u32());
  writer body = make.body(main);
  body.tail_call(inner, {body.leaf(body.number(5))});
  make.all.main = &main;
  own(make.all);
  EXPECT_TRUE(inner.parameters[0]->borrowed);
  EXPECT_EQ(main.body.end.kind, core::ending_kind::give);
  ASSERT_EQ(main.body.steps.size(), 3U);
  EXPECT_EQ(main.body.steps[1].what.kind, core::operation_kind::call);
  EXPECT_EQ(main.body.steps[2].kind, core::step_kind::drop);
}

TEST(Borrow, aTailCallThatLeadsBackStaysOneAndOwns) {
  builder make;
  const core::type* list = make.list(make.u32());
  // loop(n, xs): n >= 1: loop(n - 1, Con{7, Nil}) else look(xs)
  core::function& loop = make.function("loop", {{"n", make.nat()}, {"xs", list}}, make.u32());
  writer body = make.body(loop);
  arms_writer arms = body.match(body.parameter(0), core::test_kind::at_least);
  writer more = arms.value(1, true);
  const core::atom seven = more.construct(list, 1, {more.number(7), more.construct(list, 0, {})});
  more.tail_call(loop, {more.field(0), seven});
  writer end = arms.otherwise();
  end.give(end.native(make.native("Test.look", 1, {0}), {body.parameter(1)}, make.u32()));
  own(make.all);
  EXPECT_FALSE(loop.parameters[1]->borrowed);
}

TEST(Borrow, aLoopThatHandsOnWhatItReadsBorrows) {
  builder make;
  const core::type* list = make.list(make.u32());
  core::function& length = make.function("length", {{"xs", list}, {"n", make.u32()}}, make.u32());
  writer body = make.body(length);
  arms_writer arms = body.match(body.parameter(0));
  writer nil = arms.arm(0);
  nil.give(body.parameter(1));
  writer con = arms.arm(1, {"", "t"});
  con.tail_call(length, {con.field(1), con.add(body.parameter(1), con.number(1))});
  own(make.all);
  EXPECT_TRUE(length.parameters[0]->borrowed);
  EXPECT_EQ(core::check(make.all, true), "");
}

}  // namespace
}  // namespace cleave::lang
