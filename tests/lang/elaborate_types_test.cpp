// elaborate_types_test.cpp -- types that are computed, and what is wrong with types.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "elaborated.hpp"

namespace cleave::lang {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// ---- Types that are computed -----------------------------------------------------

TEST(ComputedTypes, mayBeNamesForOthers) {
  EXPECT_EQ(code_of("def Point() -> Type:\n  U32 & U32\n"
                    "def f(p: Point()) -> U32:\n  (x, y) = p\n  x\n"),
            "def f(p: U32 & U32) -> U32:\n"
            "  match p:\n"
            "    case Tuple{x, _}:\n"
            "      give x\n");
}

TEST(ComputedTypes, mayHaveParameters) {
  EXPECT_EQ(code_of("def Table(K: Type, V: Type) -> Type:\n  P = K & V\n  Array<P>\n"
                    "def f(t: Table(U32, Nat)) -> Table(U32, Nat):\n  t\n"),
            "def f(t: Array<U32 & Nat>) -> Array<U32 & Nat>:\n  give t\n");
}

const std::string word =
    "def Word(n: Nat) -> Type:\n  match n:\n    case 0n: Unit\n    case 1n+p: Bool & Word(p)\n";

TEST(ComputedTypes, mayBeRecursive) {
  EXPECT_EQ(code_of(word + "def f(w: Word(3n)) -> Word(Nat.sub(5n, 2n)):\n  w\n"),
            "def f(w: Bool & Bool & Bool & Unit) -> Bool & Bool & Bool & Unit:\n  give w\n");
}

TEST(ComputedTypes, mayTakeFunctions) {
  EXPECT_EQ(code_of("def Both(F: Type -> Type, A: Type) -> Type:\n  F(A) & F(F(A))\n"
                    "def f(x: Both(A => List<A>, U32)) -> U32:\n  3\n"),
            "def f(x: List<U32> & List<List<U32>>) -> U32:\n  give 3\n");
}

TEST(ComputedTypes, mayBePairsWithAFunction) {
  EXPECT_EQ(code_of("def f(x: Sigma<&2, &2, U32, _ => Nat>) -> U32 & Nat:\n  x\n"),
            "def f(x: U32 & Nat) -> U32 & Nat:\n  give x\n");
}

TEST(ComputedTypes, mayNameTheirArguments) {
  EXPECT_EQ(code_of("def f(g: @x:U32 -> Nat) -> U32 -> Nat:\n  g\n"),
            "def f(g: U32 -> Nat) -> U32 -> Nat:\n  give g\n");
}

TEST(ComputedTypes, ofANumberMakeInstancesForIt) {
  const elaborated made(word +
                        "def zeros(n: Nat) -> Word(n):\n  match n:\n    case 0n: Unit{}\n"
                        "    case 1n+p: (False{}, zeros(p))\n"
                        "def count(+n: Nat, w: Word(n)) -> Nat:\n  match n:\n    case 0n: 0n\n"
                        "    case 1n+p:\n      (b, r) = w\n      match b:\n"
                        "        case True{}: 1n+count(p, r)\n        case False{}: count(p, r)\n"
                        "def main() -> Nat:\n  count(2n, zeros(2n))\n");
  EXPECT_THAT(made.said(), IsEmpty());
  EXPECT_EQ(made.broken, "");
  EXPECT_EQ(made.code("main"), "def main() -> Nat:\n  t = zeros<2n>()\n  return count<2n>(t)\n");
  EXPECT_EQ(made.code("zeros<1n>"),
            "def zeros<1n>() -> Bool & Unit:\n"
            "  t = construct 0()\n"
            "  t.1 = zeros<0n>()\n"
            "  t.2 = construct 0(t, t.1)\n"
            "  give t.2\n");
  EXPECT_EQ(made.code("count<0n>"), "def count<0n>(w: Unit) -> Nat:\n  give 0n\n");
}

TEST(ComputedTypes, ofErasedNumbersMakeInstancesToo) {
  const elaborated made(word +
                        "def f(-n: Nat, w: Word(n)) -> Word(n):\n  w\n"
                        "def main() -> Word(1n):\n  f(1n, (True{}, Unit{}))\n");
  EXPECT_THAT(made.said(), IsEmpty());
  EXPECT_EQ(made.count("f<1n>"), 1u);
}

TEST(ComputedTypes, mayBeOfFunctionsOfErasedArguments) {
  EXPECT_EQ(code_of("def g(h: @-A:Type -> U32 -> U32) -> U32:\n  h(List<Nat>, 3)\n"
                    "def f(x: U32) -> U32:\n  g(A => y => (y + 1 : U32))\n"),
            "def f(x: U32) -> U32:\n"
            "  t.2 = closure(A: Erased) []:\n"
            "    t.1 = closure(y: U32) []:\n"
            "      t = U32.add(y, 1)\n"
            "      give t\n"
            "    give t.1\n"
            "  return g(t.2)\n");
}

TEST(ComputedTypes, mustEnd) {
  EXPECT_THAT(wrong_in("def T(n: Nat) -> Type:\n  T(n)\ndef f(x: T(3n)) -> U32:\n  3\n"),
              ElementsAre("4:10 main: expected a type that is known after 100000 steps, observed a "
                          "computation that takes longer, or for ever"));
}

TEST(ComputedTypes, mustBeKnown) {
  EXPECT_THAT(wrong_in(word + "def f(n: Nat, w: Word(n)) -> U32:\n  3\n"),
              ElementsAre("6:18 main: expected a type that is known when the program is compiled, "
                          "observed Word(n)"));
}

TEST(ComputedTypes, mustBeTypes) {
  EXPECT_THAT(wrong_in("def f(x: 3) -> U32:\n  3\n"),
              ElementsAre("2:10 main: expected a type, observed 3"));
  EXPECT_THAT(
      wrong_in("def f(p: (U32, Nat)) -> U32:\n  1\n"),
      ElementsAre("2:11 main: expected a type (that of pairs is A & B), observed U32, Nat"));
  EXPECT_THAT(wrong_in("def f(x: List) -> U32:\n  3\n"),
              ElementsAre("2:10 main: expected the arguments of List, observed List"));
  EXPECT_THAT(wrong_in("def f(x: IO()) -> U32:\n  3\n"),
              ElementsAre("2:10 main: expected the arguments of IO, observed IO()"));
}

TEST(ComputedTypes, haveALargestSize) {
  EXPECT_THAT(wrong_in("def T(n: Nat) -> Type:\n  match n:\n    case 0n: U32\n"
                       "    case 1n+p: T(p) & T(p)\ndef f(x: T(12n)) -> U32:\n  3\n"),
              ElementsAre("6:10 main: expected a type of at most 4096 parts, observed a "
                          "larger one"));
}

TEST(DataTypes, mayNotGrowForEver) {
  EXPECT_THAT(wrong_in("type Nest<-A: Type> is Type:\n  E{}\n  N{x: Nest<A & A>}\n"
                       "def f(x: Nest<U32>) -> U32:\n  3\n"),
              ElementsAre("4:8: expected a type of at most 4096 parts, observed a larger one"));
}

TEST(DataTypes, mayBeInfiniteButEqual) {
  EXPECT_THAT(wrong_in("type Rose<-A: Type> is Type:\n  Rose{x: A, below: List<Rose<A>>}\n"
                       "def f(x: Rose<U32>) -> U32:\n  3\n"),
              IsEmpty());
}

TEST(Instances, mayNotGrowForEver) {
  const elaborated made(
      "def f(-A: Data, n: Nat, +x: A) -> U32:\n  match n:\n    case 0n: 0\n"
      "    case 1n+p: f(A & A, p, (x, x))\ndef main() -> U32:\n  f(U32, 3n, 1)\n");
  EXPECT_THAT(made.said(), ElementsAre("5:18 f: expected a type of at most 4096 parts, observed "
                                       "a larger one"));
}

TEST(Instances, mayNotBeMadeForEver) {
  const auto wrong = elaborated(
                         "def f(~g: U32 -> U32, n: Nat) -> U32:\n  match n:\n    case 0n: g(3)\n"
                         "    case 1n+p: f(~(x => g(g(x))), p)\n"
                         "def main() -> U32:\n  f(~(x => x), 3n)\n")
                         .said();
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_TRUE(
      wrong[0].ends_with("this needs more than 20000 instances of defs: does a def call "
                         "itself with ever larger types or templates?"))
      << wrong[0];
}

// ---- What is wrong ---------------------------------------------------------------

TEST(Mismatch, ofAResultIsToldAtIt) {
  EXPECT_THAT(wrong_in("def f(x: U32) -> Nat:\n  x\n"),
              ElementsAre("3:3 f: expected Nat, observed U32"));
  EXPECT_THAT(wrong_in("def f(x: U32) -> List<Nat>:\n  [1n, x]\n"),
              ElementsAre("3:8 f: expected Nat, observed U32"));
  EXPECT_THAT(wrong_in("def f(x: U32) -> String:\n  (x, 3)\n"),
              ElementsAre("3:4 f: expected String, observed _ & _"));
}

TEST(Mismatch, ofAnArgumentIsToldAtIt) {
  EXPECT_THAT(wrong_in("def f(x: U32) -> U32:\n  U32.add(x, \"abc\")\n"),
              ElementsAre("3:14 f: expected U32, observed String"));
  EXPECT_THAT(wrong_in("def f(x: U32) -> Array<Nat>:\n  Array.new(Nat, 1n, x)\n"),
              ElementsAre("3:22 f: expected Nat, observed U32"));
}

TEST(Mismatch, ofALetIsToldAtItsValue) {
  EXPECT_THAT(wrong_in("def f(x: U32) -> U32:\n  y : Nat = x\n  3\n"),
              ElementsAre("3:13 f: expected Nat, observed U32"));
}

TEST(Mismatch, ofAPatternIsToldAtIt) {
  EXPECT_THAT(wrong_in("def f(x: Nat) -> U32:\n  match x:\n    case 7: 1\n    case _: 2\n"),
              ElementsAre("4:10 f: expected Nat, observed U32"));
  EXPECT_THAT(wrong_in("def f(x: U32) -> U32:\n  (a, b) = x\n  a\n"),
              ElementsAre("3:4 f: expected a pattern of type U32, observed one of type _ & _"));
}

TEST(Mismatch, ofAPatternOfListsAndAStringSaysHowAStringIsTakenApart) {
  const auto matching = [](const std::string& type) {
    return elaborated(with_main("def f(x: " + type + ") -> U32:\n  match x:\n    case []: 1\n" +
                                "    case _: 2\n"));
  };
  EXPECT_THAT(
      matching("String").said(),
      ElementsAre("4:10 f: expected a pattern of type String, observed one of type List<_>"));
  EXPECT_THAT(matching("String").remarks(), ElementsAre(testing::HasSubstr("SCon{c, rest}")));
  EXPECT_THAT(matching("U32").remarks(), testing::IsEmpty());
}

TEST(Mismatch, ofAnAnnotationIsToldAtIt) {
  EXPECT_THAT(wrong_in("def f(x: U32) -> U32:\n  {x : Nat}\n"),
              ElementsAre("3:3 f: expected U32, observed Nat"));
}

TEST(Mismatch, ofActionsIsToldAtThem) {
  EXPECT_THAT(wrong_in("def f(x: U32) -> IO(Unit):\n  do IO<U32>:\n    return x\n"),
              ElementsAre("3:3 f: expected IO(Unit), observed IO(U32)"));
  EXPECT_THAT(wrong_in("def f(x: U32) -> IO(Unit):\n  do IO<Unit>:\n    y : U32 <- IO.now()\n"
                       "    IO.now()\n    IO.print(\"a\")\n"),
              ElementsAre("4:16 f: expected IO(U32), observed IO(Nat)",
                          "5:5 f: expected IO(Unit), observed IO(Nat)"));
}

TEST(Mismatch, ofTemplatesIsToldAtTheArgument) {
  const std::string call = "def call(~g: U32 -> U32) -> U32:\n  g(1)\n";
  EXPECT_THAT(wrong_in(call + "def f(x: U32) -> U32:\n  call(~Nat.show)\n"),
              ElementsAre("5:9 f: expected U32 -> U32, observed Nat -> String"));
  EXPECT_THAT(wrong_in(call + "def f(x: U32) -> U32:\n  call(~(y => \"a\"))\n"),
              ElementsAre("5:15 f: expected U32, observed String"));
}

TEST(Mismatch, isToldForEachDef) {
  EXPECT_THAT(
      wrong_in("def g(x: U32) -> U32:\n  \"a\"\ndef h(x: U32) -> U32:\n  'a'\n"
               "def f(x: U32) -> U32:\n  (g(x) + h(2n) : U32)\n"),
      ElementsAre("7:13 f: expected U32, observed Nat", "3:3 g: expected U32, observed String",
                  "5:3 h: expected U32, observed Char"));
}

TEST(Mismatch, isToldOnceForAllInstances) {
  EXPECT_THAT(wrong_in("def g(-A: Type, x: A) -> U32:\n  2n\n"
                       "def f(x: U32) -> U32:\n  (g(U32, x) + g(Nat, 1n) : U32)\n"),
              ElementsAre("3:3 g: expected U32, observed Nat"));
}

TEST(Functions, takeNoMoreThanTheirArguments) {
  EXPECT_THAT(wrong_in("def f(x: U32) -> U32:\n  x(3)\n"),
              ElementsAre("3:3 f: expected a function of one more argument, observed U32"));
  EXPECT_THAT(wrong_in("def f(x: U32) -> U32:\n  U32.inc(x, x)\n").size(), 1u);
}

TEST(Functions, withTooFewArgumentsAreFunctions) {
  EXPECT_THAT(wrong_in("def f(x: U32) -> U32:\n  U32.add(x)\n"),
              ElementsAre("3:3 f: expected U32, observed U32 -> U32"));
}

TEST(Functions, areWhatLambdasAre) {
  EXPECT_THAT(wrong_in("def f(x: U32) -> U32:\n  y => y\n"),
              ElementsAre("3:3 f: expected U32, observed a function"));
}

TEST(Values, areNotErased) {
  EXPECT_THAT(wrong_in("def f(-x: Bool, y: U32) -> Bool:\n  x\n"),
              ElementsAre("3:3 f: expected a value that exists at run time, observed 'x', which is "
                          "erased"));
}

TEST(Values, areNoTypes) {
  EXPECT_THAT(wrong_in("def f(x: U32) -> U32:\n  U32\n"),
              ElementsAre("3:3 f: expected U32, observed the type U32"));
  EXPECT_THAT(wrong_in("def f(x: U32) -> U32:\n  Array<U32>\n"),
              ElementsAre("3:3 f: expected U32, observed a type"));
}

}  // namespace
}  // namespace cleave::lang
