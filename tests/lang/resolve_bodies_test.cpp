// resolve_bodies_test.cpp -- constructors, types, rows, counts and do blocks in bodies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checked.hpp"

namespace cleave::lang {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Constructors, haveAsManyArgumentsAsFields) {
  EXPECT_THAT(said_of("type P is Data:\n  P{x: U32, y: U32}\n"
                      "def f() -> P:\n  P{1}\ndef g(p: P) -> U32:\n  match p:\n"
                      "    case P{x, y, z}: x\n"),
              ElementsAre("5:3 f: expected P with 2 fields, observed 1",
                          "8:10 g: expected P with 2 fields, observed 3"));
  EXPECT_THAT(said_of("def f() -> Maybe<U32>:\n  Some{}\n"),
              ElementsAre("3:3 f: expected Some with 1 field, observed 0"));
}

TEST(Constructors, countErasedFields) {
  EXPECT_THAT(said_of("type P is Data:\n  P{-n: Nat, x: U32}\ndef f() -> P:\n  P{1n, 2}\n"),
              IsEmpty());
}

TEST(Constructors, mustBeDeclared) {
  EXPECT_THAT(
      said_of("def f(n: U32) -> U32:\n  match n:\n    case Zork{}: 1\n"),
      ElementsAre("4:10 f: expected a declared constructor (unknown: Zork), observed 'Zork'"));
}

TEST(Constructors, haveBracesInPatterns) {
  EXPECT_THAT(
      said_of("def f(m: Maybe<U32>) -> U32:\n  match m:\n    case None: 1\n    case Some: 2\n"),
      ElementsAre("4:10 f: expected a braced constructor pattern (None{}), observed 'None'",
                  "5:10 f: expected a braced constructor pattern (Some{value}), observed 'Some'"));
}

TEST(TypeNames, haveAsManyArgumentsAsParameters) {
  EXPECT_THAT(said_of("def f(a: Array<U32, U32>) -> U32:\n  1\n"),
              ElementsAre("2:10 f: expected Array with 1 argument, observed 2"));
  EXPECT_THAT(said_of("def f(a: Result<U32>) -> U32:\n  1\n"),
              ElementsAre("2:10 f: expected Result with 2 arguments, observed 1"));
}

TEST(TypeNames, mayLeaveOutTheirQuantitiesAltogether) {
  EXPECT_THAT(said_of("def f(a: Result<U32, U32>, b: Result<&1, &1, U32, U32>) -> U32:\n  1\n"),
              IsEmpty());
  EXPECT_THAT(said_of("def f(a: Result<&1, U32, U32>) -> U32:\n  1\n"),
              ElementsAre("2:10 f: expected Result with 2 arguments, observed 3"));
}

TEST(TypeNames, mustBeDefined) {
  EXPECT_THAT(said_of("type T is Data:\n  C{x: Foo}\n  D{x: List<Bar>}\n"
                      "law l:\n  for x: Baz\n  Qux\n"),
              ElementsAre("3:8 T: expected a defined name, observed 'Foo'",
                          "4:13 T: expected a defined name, observed 'Bar'",
                          "6:10 l: expected a defined name, observed 'Baz'",
                          "7:3 l: expected a defined name, observed 'Qux'"));
}

TEST(TypeNames, mayNameTheirParametersAndEarlierOnes) {
  EXPECT_THAT(said_of("type Box<a, -A: Kind(a)> is Kind(a):\n  Box{value: A, more: List<a, A>}\n"
                      "def f(-n: Nat, -A: Data, x: Box<&2, A>) -> @y:A -> Box<&2, A>:\n"
                      "  y => x\n"),
              IsEmpty());
}

TEST(TypeNames, mayComeLater) {
  EXPECT_THAT(said_of("type A is Data:\n  A{b: List<B>}\ntype B is Data:\n  B{a: List<A>}\n"),
              IsEmpty());
}

TEST(Rows, haveOnePatternPerScrutinee) {
  EXPECT_THAT(said_of("def f(a: Bool, b: Bool) -> U32:\n  match a b:\n    case True{}: 1\n"
                      "    case x y z: 2\n"),
              ElementsAre("4:5 f: expected 2 patterns (one per scrutinee), observed 1",
                          "5:5 f: expected 2 patterns (one per scrutinee), observed 3"));
}

TEST(Counts, arePowersOfTwo) {
  EXPECT_THAT(
      said_of("def f() -> Array<U32>:\n  [0 : U32*3n]\n"),
      ElementsAre("3:12 f: expected a power of two count (^d takes a depth), observed '3n'"));
  EXPECT_THAT(
      said_of("def f() -> Array<U32>:\n  [0 : U32*0n]\n"),
      ElementsAre("3:12 f: expected a power of two count (^d takes a depth), observed '0n'"));
  EXPECT_THAT(said_of("def f() -> Array<U32>:\n  [0 : U32*1n]\n"), IsEmpty());
  EXPECT_THAT(said_of("def f() -> Array<U32>:\n  [0 : U32*2147483648n]\n"), IsEmpty());
}

TEST(Counts, areLiterals) {
  EXPECT_THAT(said_of("def f(n: Nat) -> Array<U32>:\n  [0 : U32*n]\n"),
              ElementsAre("3:12 f: expected a power of two count (^d takes a depth), "
                          "observed 'n'"));
  EXPECT_THAT(said_of("def f(n: Nat) -> Array<U32>:\n  [0 : U32^n]\n"), IsEmpty());
}

TEST(Templates, comeBeforeOtherParameters) {
  EXPECT_THAT(said_of("def f(~A: Type, ~g: A -> A, x: A) -> A:\n  g(x)\n"), IsEmpty());
  EXPECT_THAT(said_of("def f(x: U32, ~g: U32 -> U32) -> U32:\n  g(x)\n"
                      "law l:\n  for x: U32\n  for ~y: U32\n  U32\n"),
              ElementsAre("2:16 f: expected template parameters (~) before all others, "
                          "observed '~g'",
                          "6:8 l: expected template parameters (~) before all others, "
                          "observed '~y'"));
}

TEST(Templates, areTheOnlyOnesThatGetTemplateArguments) {
  const std::string def = "def g(~A: Type, x: U32) -> U32:\n  x\n";
  EXPECT_THAT(said_of(def + "def f() -> U32:\n  g(~U32, g(U32, 1))\n"), IsEmpty());
  EXPECT_THAT(said_of(def + "def f() -> U32:\n  g(~U32, ~1)\n"),
              ElementsAre("5:12 f: expected an argument without ~, "
                          "observed one for a parameter that is no template"));
}

TEST(DoBlocks, findTheirMonad) {
  const checked one(
      "import Base\ndef f(m: Maybe<&2, U32>) -> Maybe<&2, U32>:\n  do Maybe<&2, U32>:\n"
      "    x : U32 <- m\n    return x\n");
  EXPECT_THAT(one.said(), IsEmpty());
  const auto& block = *as<do_term>(one.def("f").body);
  ASSERT_NE(block.bind, nullptr);
  EXPECT_EQ(block.bind->name, "Maybe.bind");
  ASSERT_NE(block.pure, nullptr);
  EXPECT_EQ(block.pure->name, "Maybe.pure");
}

TEST(DoBlocks, ofIoNeedNoDefs) {
  const checked one(
      "def f(m: IO(U32)) -> IO(U32):\n  do IO<U32>:\n    x : U32 <- m\n    return x\n");
  EXPECT_THAT(one.said(), IsEmpty());
  EXPECT_EQ(as<do_term>(one.def("f").body)->bind, nullptr);
}

TEST(DoBlocks, wantTheDefsThatTheyUse) {
  EXPECT_THAT(said_of("def f(m: U32) -> U32:\n  do Foo<U32>:\n    x : U32 <- m\n    return x\n"),
              ElementsAre("3:3 f: expected a defined name, observed 'Foo.bind'",
                          "3:3 f: expected a defined name, observed 'Foo.pure'"));
}

TEST(Bodies, areCheckedToTheirEnd) {
  EXPECT_THAT(said_of("def f(n: Nat) -> Nat:\n  match one:\n    case 0n: two\n    case 1n+p:\n"
                      "      (a, b) = three\n      [four, 1n+five]\ndef g() -> U32:\n  six\n"),
              ElementsAre("3:9 f: expected a defined name, observed 'one'",
                          "4:14 f: expected a defined name, observed 'two'",
                          "6:16 f: expected a defined name, observed 'three'",
                          "7:8 f: expected a defined name, observed 'four'",
                          "7:17 f: expected a defined name, observed 'five'",
                          "9:3 g: expected a defined name, observed 'six'"));
}

}  // namespace
}  // namespace cleave::lang
