// core_test.cpp -- which types are plain, and what check() finds.
#include "lang/core.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core_builder.hpp"

namespace cleave::lang {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// ---- Plain types -----------------------------------------------------------------

TEST(PlainTypes, areNumbersAndWhatIsMadeOfThem) {
  builder make;
  for (const core::type* one : {make.u32(), make.nat(), make.f32(), make.character(), make.unit(),
                                make.boolean(), make.pair(make.u32(), make.boolean())}) {
    EXPECT_TRUE(is_plain(*one)) << builder::name(one);
  }
}

TEST(PlainTypes, areNotCounted) {
  builder make;
  const core::type* const text = make.string();
  for (const core::type* one : {text, make.array(make.u32()), make.io(make.unit()),
                                make.arrow(make.u32(), make.u32()), make.pair(make.u32(), text)}) {
    EXPECT_FALSE(is_plain(*one)) << builder::name(one);
  }
}

TEST(PlainTypes, areNotRecursive) {
  builder make;
  const core::type* const list = make.list(make.u32());
  EXPECT_FALSE(is_plain(*make.pair(make.u32(), list)));
  EXPECT_FALSE(is_plain(*list));
  // Two that are made of each other.
  const core::type* const a = make.data("A");
  const core::type* const b = make.data("B");
  make.constructor(a, "A", {b});
  make.constructor(b, "B", {make.u32(), a});
  EXPECT_FALSE(is_plain(*b));
  EXPECT_FALSE(is_plain(*a));
}

TEST(PlainTypes, mayBeMadeOfEachOtherInALongChain) {
  builder make;
  const core::type* before = make.u32();
  for (int k = 0; k < 200'000; ++k) {
    const core::type* const next = make.data("T" + std::to_string(k));
    make.constructor(next, "C", {before});
    before = next;
  }
  EXPECT_TRUE(is_plain(*before));
}

// ---- Text ------------------------------------------------------------------------

TEST(CoreText, readsLikeAProgram) {
  builder make;
  const core::type* const list = make.list(make.u32());
  core::function& f = make.function("f", {{"xs", list}, {"x", make.u32()}}, make.u32());
  writer body = make.body(f);
  const core::label* join = nullptr;
  writer label = body.define({make.u32()}, join);
  label.give(label.parameter(0));
  auto arms = body.match(body.parameter(0));
  writer nil = arms.arm(0);
  nil.jump(join, {nil.number(7)});
  writer cons = arms.arm(1, {"x", ""});
  const core::atom sum = cons.add(cons.field(0), body.parameter(1));
  cons.jump(join, {sum});
  make.all.main = &f;
  EXPECT_EQ(to_text(make.all),
            "type List<U32>:\n"
            "  Nil{}\n"
            "  Con{f: U32, f: List<U32>}\n"
            "def f(xs: List<U32>, x: U32) -> U32:\n"
            "  label L0(j):\n"
            "    give j\n"
            "  match xs:\n"
            "    case Nil{}:\n"
            "      jump L0(7)\n"
            "    case Con{x.1, _}:\n"
            "      t = U32.add(x.1, x)\n"
            "      jump L0(t)\n"
            "main: f\n");
  EXPECT_EQ(check(make.all, false), "");
}

// ---- C1, C2, C5 ------------------------------------------------------------------

struct Check : testing::Test {
  builder make;
  const core::type* const u32 = make.u32();
  const core::type* const text = make.string();
  core::function& f = make.function("f", {{"x", u32}, {"s", text}}, u32);
  writer body = make.body(f);

  [[nodiscard]] std::string scopes() const { return check(make.all, false); }
  [[nodiscard]] std::string owners() const { return check(make.all, true); }
  // Ends the string's life.
  void drop(core::block& in, core::variable* name) {
    core::step& made = in.steps.emplace_back();
    made.kind = core::step_kind::drop;
    made.name = name;
  }
  void keep(core::block& in, core::variable* name) {
    core::step& made = in.steps.emplace_back();
    made.kind = core::step_kind::keep;
    made.name = name;
  }
};

TEST_F(Check, findsAVariableThatIsBoundTwice) {
  const core::atom sum = body.add(body.parameter(0), body.number(1));
  f.body.steps.emplace_back();
  f.body.steps.back().name = sum.name;
  f.body.steps.back().what.arguments = {body.number(1)};
  body.give(sum);
  EXPECT_THAT(scopes(), StartsWith("f: C1: 't'"));
  EXPECT_THAT(scopes(), HasSubstr("bound twice"));
}

TEST_F(Check, findsAVariableOutsideOfItsScope) {
  auto arms = body.match(body.parameter(0), core::test_kind::numbers);
  writer one = arms.value(1);
  const core::atom sum = one.add(body.parameter(0), one.number(1));
  one.give(sum);
  arms.otherwise().give(sum);
  EXPECT_THAT(scopes(), HasSubstr("is used where it is not bound"));
}

TEST_F(Check, findsACaptureThatWasForgotten) {
  const core::atom closure = body.lambda(make.arrow(u32, u32), {}, [&](writer inside) {
    inside.give(inside.add(inside.parameter(0), body.parameter(0)));
  });
  static_cast<void>(closure);
  body.give(body.number(1));
  EXPECT_THAT(scopes(), HasSubstr("C1: 'x'"));
}

TEST_F(Check, findsAJumpOutOfAValue) {
  const core::label* join = nullptr;
  body.define({}, join).give(body.number(1));
  const core::atom made = body.nested(u32, [&](writer inside) { inside.jump(join, {}); });
  body.give(made);
  EXPECT_THAT(scopes(), StartsWith("f: C2"));
}

TEST_F(Check, findsAJumpWithTooFewValues) {
  const core::label* join = nullptr;
  writer label = body.define({u32}, join);
  label.give(label.parameter(0));
  body.jump(join, {});
  EXPECT_THAT(scopes(), StartsWith("f: C2"));
}

TEST_F(Check, findsTypesThatDoNotAgree) {
  body.give(body.parameter(1));
  EXPECT_EQ(scopes(), "f: C5: what a block gives: String and U32");
}

TEST_F(Check, findsACallWithOtherArguments) {
  const core::atom result = body.call(f, {body.parameter(1), body.parameter(0)});
  body.give(result);
  EXPECT_EQ(scopes(), "f: C5: a call's arguments: String and U32");
}

TEST_F(Check, findsAConstructorWithOtherFields) {
  const core::type* const pair = make.pair(u32, u32);
  static_cast<void>(body.construct(pair, 0, {body.parameter(0)}));
  body.give(body.parameter(0));
  EXPECT_EQ(scopes(), "f: C5: a constructor's fields: other count");
}

TEST_F(Check, findsNoFaultInWhatIsRight) {
  const core::atom closure = body.lambda(make.arrow(u32, u32), {body.parameter(0)}, [&](writer in) {
    in.give(in.add(in.parameter(0), in.parameter(1)));
  });
  const core::atom made = body.apply(closure, body.number(2));
  drop(f.body, body.parameter(1).name);
  body.give(made);
  EXPECT_EQ(owners(), "");
}

// ---- C3, C4 ----------------------------------------------------------------------

TEST_F(Check, findsAValueThatNobodyConsumes) {
  body.give(body.parameter(0));
  EXPECT_THAT(owners(), HasSubstr("C3: 's' (1) has 1 owners and is consumed 0 times"));
}

TEST_F(Check, findsAValueThatIsConsumedTwice) {
  drop(f.body, body.parameter(1).name);
  drop(f.body, body.parameter(1).name);
  body.give(body.parameter(0));
  EXPECT_THAT(owners(), HasSubstr("is consumed 2 times"));
}

TEST_F(Check, countsWhatIsKept) {
  keep(f.body, body.parameter(1).name);
  drop(f.body, body.parameter(1).name);
  drop(f.body, body.parameter(1).name);
  body.give(body.parameter(0));
  EXPECT_EQ(owners(), "");
}

TEST_F(Check, findsAValueThatIsKeptAfterItsEnd) {
  drop(f.body, body.parameter(1).name);
  keep(f.body, body.parameter(1).name);
  body.give(body.parameter(0));
  EXPECT_THAT(owners(), HasSubstr("is kept when it has no owner"));
}

TEST_F(Check, findsAPathThatForgetsAValue) {
  auto arms = body.match(body.parameter(0), core::test_kind::numbers);
  writer one = arms.value(1);
  one.give(body.number(1));
  core::block& first = *f.body.end.cases->arms[0].body;
  drop(first, body.parameter(1).name);
  arms.otherwise().give(body.number(2));
  EXPECT_THAT(owners(), HasSubstr("consumed on one path and not on another"));
}

TEST_F(Check, allowsPathsThatStopToForget) {
  auto arms = body.match(body.parameter(0), core::test_kind::numbers);
  arms.value(1).stop("no");
  arms.otherwise().give(body.number(2));
  drop(*f.body.end.cases->otherwise, body.parameter(1).name);
  EXPECT_EQ(owners(), "");
}

TEST_F(Check, findsAReadThatComesTooLate) {
  const def_decl* const length = make.native("String.length", 1, {0});
  drop(f.body, body.parameter(1).name);
  static_cast<void>(body.native(length, {body.parameter(1)}, make.nat()));
  body.give(body.parameter(0));
  EXPECT_THAT(owners(), HasSubstr("is read too late"));
}

TEST_F(Check, allowsReadsOfWhatIsBorrowed) {
  const def_decl* const length = make.native("String.length", 1, {0});
  static_cast<void>(body.native(length, {body.parameter(1)}, make.nat()));
  body.give(body.parameter(0));
  f.parameters[1]->borrowed = true;
  EXPECT_EQ(owners(), "");
}

TEST_F(Check, findsATailCallThatBorrowsWhatItsCallerOwns) {
  f.parameters[1]->borrowed = true;
  core::function& g = make.function("g", {{"s", text}}, u32);
  writer other = make.body(g);
  other.tail_call(f, {other.number(1), other.parameter(0)});
  body.give(body.parameter(0));
  EXPECT_THAT(owners(), HasSubstr("C3: a tail call borrows 's'"));
}

// A match that takes its list apart, and what becomes of the cell.
struct Tokens : Check {
  Tokens() {
    const core::type* const list = make.list(u32);
    core::function& g = make.function("g", {{"xs", list}}, list);
    writer code = make.body(g);
    auto arms = code.match(code.parameter(0));
    writer nil = arms.arm(0);
    nil.give(nil.construct(list, 0, {}));
    writer cons = arms.arm(1, {"x", "r"});
    const core::atom made = cons.construct(list, 1, {cons.field(0), cons.field(1)});
    cons.give(made);
    core::branching& cases = *g.body.end.cases;
    cases.consumes = true;
    cell = &cases.arms[1];
    cell->token = make.variable(nullptr, "token");
    cell->token->token = true;
    drop(f.body, body.parameter(1).name);
    body.give(body.parameter(0));
  }
  core::arm* cell = nullptr;
};

TEST_F(Tokens, mayBeReused) {
  cell->body->steps[0].what.reuse = cell->token;
  EXPECT_EQ(owners(), "");
}

TEST_F(Tokens, mayBeFreed) {
  core::step& free = cell->body->steps.emplace_back();
  free.kind = core::step_kind::free_token;
  free.name = cell->token;
  EXPECT_EQ(owners(), "");
}

TEST_F(Tokens, areNotForgotten) {
  EXPECT_THAT(owners(), HasSubstr("C4: 'token'"));
}

TEST_F(Tokens, areNotUsedTwice) {
  cell->body->steps[0].what.reuse = cell->token;
  core::step& free = cell->body->steps.emplace_back();
  free.kind = core::step_kind::free_token;
  free.name = cell->token;
  EXPECT_THAT(owners(), HasSubstr("C4: 'token'"));
}

}  // namespace
}  // namespace cleave::lang
