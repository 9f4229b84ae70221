#include "lang/array_writes.hpp"

#include <gtest/gtest.h>

#include "lang/core_builder.hpp"
#include "lang/front_end.hpp"

namespace cleave::lang {
namespace {

core::atom set(builder& make, writer& to, core::atom array) {
  return to.native(make.native("Array.set", 3), {array, to.number(0), to.number(7)}, array.of);
}

// Parts of (b, x) = Array.get(a, 0).
writer get(builder& make, writer& to, core::atom array) {
  const core::atom pair = to.native(make.native("Array.get", 2), {array, to.number(0)},
                                    make.pair(array.of, array.of->first));
  return to.match(pair).arm(0, {"", "x"});
}

// An array has two handles somewhere in the program.
void add_fork(builder& make) {
  const core::type* array = make.array(make.u32());
  core::function& fork = make.function("fork", {{"a", array}}, make.pair(array, array));
  writer body = make.body(fork);
  body.give(body.native(make.native("Array.fork", 1), {body.parameter(0)}, fork.result));
}

// f(h, k): match h: case ALeaf{x}: x case ANode{l, r}: <between>(k), then l[0].
template <class Between>
core::function& reads_later(builder& make, Between between) {
  const core::type* array = make.array(make.u32());
  core::function& made = make.function("f", {{"h", array}, {"k", array}}, make.u32());
  writer body = make.body(made);
  arms_writer arms = body.match(body.parameter(0));
  writer leaf = arms.arm(0, {"x"});
  leaf.give(leaf.field(0));
  writer node = arms.arm(1, {"l", "r"});
  between(node, body.parameter(1));
  writer end = get(make, node, node.field(0));
  end.give(end.field(1));
  return made;
}

TEST(ArrayWrites, aMatchTakesItsPartBeforeAWriteToAnotherHandle) {
  builder make;
  add_fork(make);
  core::function& made = reads_later(make, [&](writer& to, core::atom k) { set(make, to, k); });
  EXPECT_TRUE(array_writes(make.all).in(made.body));
  own(make.all);
  EXPECT_FALSE(made.parameters[0]->borrowed);
  EXPECT_TRUE(made.body.end.cases->consumes);
  EXPECT_EQ(core::check(make.all, true), "");
}

TEST(ArrayWrites, aMatchTakesItsPartBeforeACallOfWhatWrites) {
  builder make;
  add_fork(make);
  const core::type* array = make.array(make.u32());
  core::function& writes = make.function("writes", {{"a", array}}, array);
  writer inside = make.body(writes);
  inside.give(set(make, inside, inside.parameter(0)));
  core::function& calls = make.function("calls", {{"a", array}}, array);
  make.body(calls).tail_call(writes, {make.body(calls).parameter(0)});
  core::function& made = reads_later(make, [&](writer& to, core::atom k) { to.call(calls, {k}); });
  own(make.all);
  EXPECT_FALSE(made.parameters[0]->borrowed);
}

TEST(ArrayWrites, aMatchOnlyReadsWhereNobodyWrites) {
  builder make;
  add_fork(make);
  core::function& made = reads_later(make, [&](writer&, core::atom) {});
  EXPECT_FALSE(array_writes(make.all).in(made.body));
  own(make.all);
  EXPECT_TRUE(made.parameters[0]->borrowed);
}

TEST(ArrayWrites, aMatchOnlyReadsWhereEveryArrayHasOneHandle) {
  builder make;
  core::function& made = reads_later(make, [&](writer& to, core::atom k) { set(make, to, k); });
  EXPECT_FALSE(array_writes(make.all).in(made.body));
  own(make.all);
  EXPECT_TRUE(made.parameters[0]->borrowed);
}

TEST(ArrayWrites, arraysInArraysHaveTwoHandlesWhenTheyAreRead) {
  builder make;
  core::function& made = reads_later(make, [&](writer& to, core::atom k) { set(make, to, k); });
  make.array(make.pair(make.u32(), make.array(make.u32())));
  EXPECT_TRUE(array_writes(make.all).in(made.body));
}

TEST(ArrayWrites, anUnknownFunctionMayWrite) {
  builder make;
  add_fork(make);
  const core::type* arrow = make.arrow(make.u32(), make.u32());
  core::function& made = make.function("f", {{"g", arrow}}, make.u32());
  writer body = make.body(made);
  body.give(body.apply(body.parameter(0), body.number(1)));
  EXPECT_TRUE(array_writes(make.all).in(made.body));
}

}  // namespace
}  // namespace cleave::lang
