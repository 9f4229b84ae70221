// elaborate_calls_test.cpp -- calls, generic defs, templates and closures.
#include <gtest/gtest.h>

#include "elaborated.hpp"

namespace cleave::lang {
namespace {

const std::string sub = "def sub(a: U32, b: U32, c: U32) -> U32:\n  (a - b - c : U32)\n";

TEST(Calls, inTailPositionAreJumps) {
  EXPECT_EQ(code_of("def g(x: U32) -> U32:\n  x\ndef f(x: U32) -> U32:\n  g(g(x))\n"),
            "def f(x: U32) -> U32:\n"
            "  t = g(x)\n"
            "  return g(t)\n");
}

TEST(Calls, withTooFewArgumentsAreClosures) {
  EXPECT_EQ(code_of(sub + "def f(x: U32) -> U32 -> U32 -> U32:\n  sub(U32.inc(x))\n"),
            "def f(x: U32) -> U32 -> U32 -> U32:\n"
            "  t = U32.inc(x)\n"
            "  t.7 = closure(t.2: U32) [t.1 = t]:\n"
            "    t.6 = closure(t.5: U32) [t.3 = t.1, t.4 = t.2]:\n"
            "      return sub(t.3, t.4, t.5)\n"
            "    give t.6\n"
            "  give t.7\n");
}

TEST(Calls, withTooManyArgumentsApplyTheResult) {
  EXPECT_EQ(code_of("def g(x: U32) -> U32 -> U32:\n  y => (x + y : U32)\n"
                    "def f(x: U32) -> U32:\n  g(x, 2)\n"),
            "def f(x: U32) -> U32:\n"
            "  t = g(x)\n"
            "  return apply(t, 2)\n");
}

TEST(Calls, mayBeWrittenOneByOne) {
  EXPECT_EQ(code_of(sub + "def f(x: U32) -> U32:\n  sub(x)(1)(2)\n"),
            "def f(x: U32) -> U32:\n"
            "  return sub(x, 1, 2)\n");
}

TEST(Calls, ofClosuresTakeOneArgumentAfterTheOther) {
  EXPECT_EQ(code_of("def f(g: U32 -> U32 -> U32) -> U32:\n  g(1, U32.inc(2))\n"),
            "def f(g: U32 -> U32 -> U32) -> U32:\n"
            "  t = U32.inc(2)\n"
            "  t.1 = apply(g, 1)\n"
            "  return apply(t.1, t)\n");
}

TEST(Calls, ofDefsWithoutParametersNeedNoBrackets) {
  const std::string code =
      "def f() -> U32:\n"
      "  t = one()\n"
      "  t.1 = one()\n"
      "  t.2 = U32.add(t, t.1)\n"
      "  give t.2\n";
  EXPECT_EQ(code_of("def one() -> U32:\n  1\ndef f() -> U32:\n  (one + one() : U32)\n"), code);
}

TEST(Calls, ofNativesAreOperations) {
  EXPECT_EQ(code_of("def f(a: Array<Nat>) -> Array<Nat>:\n  Array.set(Nat, a, 3, 4n)\n"),
            "def f(a: Array<Nat>) -> Array<Nat>:\n"
            "  t = Array.set<Nat>(a, 3, 4n)\n"
            "  give t\n");
}

TEST(Calls, forTheDeviceAreTheSame) {
  EXPECT_EQ(code_of("def g(x: U32) -> U32:\n  x\ndef f(x: U32) -> U32:\n  g!(x)\n"),
            "def f(x: U32) -> U32:\n  return g(x)\n");
}

TEST(Calls, gotThroughLawsHaveTheLawsMarks) {
  EXPECT_EQ(code_of("law g:\n  for -A: Data\n  for x: A\n  A\n"
                    "def f(x: U32) -> U32:\n  g(U32, x)\n"
                    "def g(B, y):\n  y\n"
                    "def h(x: U32) -> U32:\n  f(x)\n"),
            "def h(x: U32) -> U32:\n  return f(x)\n");
}

// ---- Generic defs ----------------------------------------------------------------

TEST(Instances, areMadeOnceForEachType) {
  const elaborated made(
      "def id(-A: Type, x: A) -> A:\n  x\n"
      "def main() -> U32 & Nat & U32:\n  (id(U32, 1), id(Nat, 2n), id(U32, 3))\n");
  EXPECT_EQ(made.said(), std::vector<std::string>());
  EXPECT_EQ(made.count("id<U32>"), 1u);
  EXPECT_EQ(made.count("id<Nat>"), 1u);
  EXPECT_EQ(made.code("id<Nat>"), "def id<Nat>(x: Nat) -> Nat:\n  give x\n");
}

TEST(Instances, areNotMadeOfWhatIsNotUsed) {
  const elaborated made("def lost(x: U32) -> U32:\n  x\ndef main() -> U32:\n  3\n");
  EXPECT_EQ(made.made.functions.size(), 1u);
}

TEST(Instances, doNotDependOnQuantities) {
  const elaborated made(
      "def id(a, -A: Kind(a), x: A) -> A:\n  x\n"
      "def main() -> U32 & U32 & U32:\n  (id(&1, U32, 1), id(&2, U32, 1), id(U32, 1))\n");
  EXPECT_EQ(made.said(), std::vector<std::string>());
  EXPECT_EQ(made.count("id<U32>"), 1u);
}

TEST(Instances, ignoreOtherErasedArguments) {
  EXPECT_EQ(code_of("def g(-n: Nat, x: U32, -b: Bool) -> U32:\n  x\n"
                    "def f(x: U32) -> U32:\n  g(3n, x, True{})\n"),
            "def f(x: U32) -> U32:\n  return g(x)\n");
}

TEST(Instances, ofConstructorsFindTheirTypes) {
  EXPECT_EQ(code_of("def f(x: U32) -> Maybe<Nat> & List<U32>:\n  xs = []\n  m = None{}\n"
                    "  (m, x <> xs)\n"),
            "def f(x: U32) -> Maybe<Nat> & List<U32>:\n"
            "  xs = construct 0()\n"
            "  m = construct 0()\n"
            "  t = construct 1(x, xs)\n"
            "  t.1 = construct 0(m, t)\n"
            "  give t.1\n");
}

TEST(Instances, ofTypesThatNothingTellsAreUnit) {
  const elaborated made("def main() -> U32:\n  xs = []\n  3\n");
  EXPECT_EQ(made.said(), std::vector<std::string>());
  EXPECT_EQ(made.made.data.back().name, "List<Unit>");
}

// ---- Templates -------------------------------------------------------------------

const std::string twice = "def twice(~A: Type, ~g: A -> A, x: A) -> A:\n  g(g(x))\n";

TEST(Templates, callTheDefThatTheyWereGiven) {
  const elaborated made(twice + "def main() -> U32:\n  twice(~U32, ~U32.inc, 1)\n");
  EXPECT_EQ(made.code("main"), "def main() -> U32:\n  return twice<U32>(1)\n");
  EXPECT_EQ(made.code("twice<U32>"),
            "def twice<U32>(x: U32) -> U32:\n  t = U32.inc(x)\n  return U32.inc(t)\n");
}

TEST(Templates, callTheLambdaThatTheyWereGiven) {
  const elaborated made(twice + "def main() -> U32:\n  twice(~U32, ~(x => (x * 3 : U32)), 1)\n");
  EXPECT_EQ(made.code("twice<U32>"),
            "def twice<U32>(x: U32) -> U32:\n  t = lambda(x)\n  return lambda(t)\n");
  EXPECT_EQ(made.code("lambda"), "def lambda(x: U32) -> U32:\n  t = U32.mul(x, 3)\n  give t\n");
}

TEST(Templates, needNoMarkInACall) {
  const elaborated made(twice + "def main() -> U32:\n  twice(U32, U32.inc, 1)\n");
  EXPECT_EQ(made.code("main"), "def main() -> U32:\n  return twice<U32>(1)\n");
}

TEST(Templates, areClosuresIfTheyNeedTheRunTime) {
  const elaborated made(twice +
                        "def f(+k: U32) -> U32:\n  twice(~U32, ~(x => (x * k : U32)), 1)\n"
                        "def main() -> U32:\n  f(2)\n");
  EXPECT_EQ(made.code("f"),
            "def f(k: U32) -> U32:\n"
            "  t.1 = closure(x: U32) [k.1 = k]:\n"
            "    t = U32.mul(x, k.1)\n"
            "    give t\n"
            "  return twice<U32>(t.1, 1)\n");
  EXPECT_EQ(made.code("twice<U32>"),
            "def twice<U32>(g: U32 -> U32, x: U32) -> U32:\n"
            "  t = apply(g, x)\n"
            "  return apply(g, t)\n");
}

TEST(Templates, arePassedOnToOthers) {
  const elaborated made(twice +
                        "def four(~A: Type, ~g: A -> A, x: A) -> A:\n"
                        "  twice(~A, ~g, twice(~A, ~g, x))\n"
                        "def main() -> U32:\n  four(~U32, ~(x => (x + 1 : U32)), 0)\n");
  EXPECT_EQ(made.count("lambda"), 1u);
  EXPECT_EQ(made.count("twice<U32>"), 1u);
  EXPECT_EQ(made.code("four<U32>"),
            "def four<U32>(x: U32) -> U32:\n"
            "  t = twice<U32>(x)\n"
            "  return twice<U32>(t)\n");
}

TEST(Templates, mayUseTheTemplatesAroundThem) {
  const elaborated made(twice +
                        "def four(~A: Type, ~g: A -> A, x: A) -> A:\n"
                        "  twice(~A, ~(y => g(g(y))), x)\n"
                        "def main() -> U32:\n  four(~U32, ~U32.inc, 0)\n");
  EXPECT_EQ(made.code("lambda"),
            "def lambda(y: U32) -> U32:\n  t = U32.inc(y)\n  return U32.inc(t)\n");
}

TEST(Templates, takeSeveralArgumentsAtOnce) {
  const elaborated made(
      "def fold(~g: U32 -> U32 -> U32, x: U32) -> U32:\n  g(x, 2)\n"
      "def main() -> U32:\n  fold(~(a => b => (a - b : U32)), 1)\n");
  EXPECT_EQ(made.code("fold"), "def fold(x: U32) -> U32:\n  return lambda(x, 2)\n");
  EXPECT_EQ(made.code("lambda"),
            "def lambda(a: U32, b: U32) -> U32:\n  t = U32.sub(a, b)\n  give t\n");
}

TEST(Templates, areFunctionsWhereTheyAreValues) {
  const elaborated made(
      "def call(g: U32 -> U32) -> U32:\n  g(1)\n"
      "def f(~g: U32 -> U32) -> U32:\n  call(g)\n"
      "def main() -> U32:\n  f(~U32.inc)\n");
  EXPECT_EQ(made.code("f"),
            "def f() -> U32:\n"
            "  t.1 = closure(t: U32) []:\n"
            "    return U32.inc(t)\n"
            "  return call(t.1)\n");
}

TEST(Templates, mayBeDefsThatLackTheirTypes) {
  const elaborated made(
      "def len(~g: List<U32> -> Nat, xs: List<U32>) -> Nat:\n  g(xs)\n"
      "def size(-A: Type, xs: List<A>) -> Nat:\n  0n\n"
      "def main() -> Nat & Nat:\n  (len(~size, []), len(~(size(U32)), []))\n");
  EXPECT_EQ(made.said(), std::vector<std::string>());
  EXPECT_EQ(made.count("size<U32>"), 1u);
  EXPECT_EQ(made.count("len"), 1u);
}

}  // namespace
}  // namespace cleave::lang
