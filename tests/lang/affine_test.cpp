// affine_test.cpp -- what may be used once is used once on each path.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checked.hpp"

namespace cleave::lang {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Each text begins on line 1 of what follows the import, which is line 2 of the file.
std::vector<std::string> said(const std::string& text) {
  return said_of(text);
}

TEST(Affine, refusesASecondUse) {
  const checked one("import Base\ndef f(x: U32) -> U32:\n  (x + x : U32)\n");
  EXPECT_THAT(one.said(), ElementsAre("3:8 f: x (consumed more than once)"));
  EXPECT_THAT(one.remarks(), ElementsAre("3:4 it was consumed here before", "2:7 bound without +"));
}

TEST(Affine, allowsNoUse) {
  EXPECT_THAT(said("def f(x: U32) -> U32:\n  1\n"), IsEmpty());
}

TEST(Affine, allowsManyUsesOfAPlus) {
  EXPECT_THAT(said("def f(+x: U32) -> U32:\n  +y = (x + x : U32)\n  (y * y : U32)\n"), IsEmpty());
}

TEST(Affine, saysAVariableOnce) {
  EXPECT_THAT(said("def f(x: U32) -> List<U32>:\n  [x, x, x, x]\n"),
              ElementsAre("3:7 f: x (consumed more than once)"));
}

TEST(Affine, saysEachVariable) {
  EXPECT_THAT(
      said("def f(x: U32, y: U32) -> List<U32>:\n  [x, y, x, y]\n"),
      ElementsAre("3:10 f: x (consumed more than once)", "3:13 f: y (consumed more than once)"));
}

TEST(Affine, takesTheMarksOfTheLaw) {
  EXPECT_THAT(said("law f:\n  for +x: U32\n  for y: U32\n  U32\n"
                   "def f(a, b):\n  (a + a + b + b : U32)\n"),
              ElementsAre("7:16 f: b (consumed more than once)"));
}

// ---- Paths -----------------------------------------------------------------------

TEST(Affine, countsTheCasesOfAMatchOnce) {
  EXPECT_THAT(said("def f(c: Bool, x: U32) -> U32:\n  match c:\n    case True{}: x\n"
                   "    case False{}: x\n"),
              IsEmpty());
}

TEST(Affine, countsWithinACase) {
  EXPECT_THAT(said("def f(c: Bool, x: U32) -> U32:\n  match c:\n    case True{}: x\n"
                   "    case False{}: (x + x : U32)\n"),
              ElementsAre("5:24 f: x (consumed more than once)"));
}

TEST(Affine, addsWhatComesBeforeAMatch) {
  EXPECT_THAT(said("def f(c: Bool, x: U32) -> U32:\n  +y = U32.inc(x)\n  match c:\n"
                   "    case True{}: y\n    case False{}: x\n"),
              ElementsAre("6:19 f: x (consumed more than once)"));
}

TEST(Affine, addsWhatComesBehindAMatch) {
  EXPECT_THAT(said("def f(c: Bool, x: U32) -> U32 & U32:\n"
                   "  ((match c:\n    case True{}: 1\n    case False{}: x), x)\n"),
              ElementsAre("5:23 f: x (consumed more than once)"));
}

TEST(Affine, addsMatchesBehindEachOther) {
  EXPECT_THAT(said("def f(c: Bool, d: Bool, x: U32) -> U32 & U32:\n"
                   "  ((match c:\n    case True{}: x\n    case False{}: 1),\n"
                   "   (match d:\n    case True{}: 2\n    case False{}: x))\n"),
              ElementsAre("8:19 f: x (consumed more than once)"));
}

TEST(Affine, addsANestedMatchToItsCase) {
  const std::string text =
      "def f(c: Bool, d: Bool, x: U32, y: U32) -> U32 & U32:\n  match c:\n    case True{}:\n"
      "      match d:\n        case True{}: (x, y)\n        case False{}: (y, x)\n"
      "    case False{}: (x, ";
  EXPECT_THAT(said(text + "y)\n"), IsEmpty());
  EXPECT_THAT(said(text + "x)\n"), ElementsAre("8:23 f: x (consumed more than once)"));
}

TEST(Affine, countsWhatAMatchLooksAt) {
  EXPECT_THAT(said("def f(m: Maybe<U32>) -> Maybe<U32>:\n  match m:\n    case None{}: m\n"
                   "    case Some{x}: Some{x}\n"),
              ElementsAre("4:18 f: m (consumed more than once)"));
}

TEST(Affine, countsTheValuesOfAParallelLet) {
  EXPECT_THAT(said("def f(x: U32) -> U32:\n  a b = x x\n  (a + b : U32)\n"),
              ElementsAre("3:11 f: x (consumed more than once)"));
}

// ---- Binders ---------------------------------------------------------------------

TEST(Affine, countsNamesOfLetsPatternsAndLambdas) {
  EXPECT_THAT(said("def f() -> U32:\n  y = 1\n  (y + y : U32)\n"),
              ElementsAre("4:8 f: y (consumed more than once)"));
  EXPECT_THAT(said("def f(p: U32 & U32) -> U32:\n  (a, b) = p\n  (a + a : U32)\n"),
              ElementsAre("4:8 f: a (consumed more than once)"));
  EXPECT_THAT(said("def f(n: Nat) -> Nat:\n  match n:\n    case 0n: 0n\n"
                   "    case 1n+p: (p + p : Nat)\n"),
              ElementsAre("5:21 f: p (consumed more than once)"));
  EXPECT_THAT(said("def f() -> U32 -> U32:\n  x => (x + x : U32)\n"),
              ElementsAre("3:13 f: x (consumed more than once)"));
}

TEST(Affine, allowsMarkedNamesOfLetsPatternsAndLambdas) {
  EXPECT_THAT(said("def f(p: U32 & U32) -> U32:\n  (+a, b) = p\n  (a + a : U32)\n"), IsEmpty());
  EXPECT_THAT(said("def f(n: Nat) -> Nat:\n  match n:\n    case 0n: 0n\n"
                   "    case 1n++p: (p + p : Nat)\n"),
              IsEmpty());
  EXPECT_THAT(said("def f() -> U32 -> U32:\n  +x => (x + x : U32)\n"), IsEmpty());
}

TEST(Affine, startsAnewWithEachShadow) {
  EXPECT_THAT(said("def f(x: U32) -> U32:\n  x = U32.inc(x)\n  x = U32.inc(x)\n  x\n"), IsEmpty());
}

TEST(Affine, makesPartsOfAPlusAPlus) {
  EXPECT_THAT(said("def f(+p: U32 & U32) -> U32:\n  (a, b) = p\n  (a + a + b + b : U32)\n"),
              IsEmpty());
  EXPECT_THAT(said("def f(+n: Nat) -> Nat:\n  match n:\n    case 0n: 0n\n"
                   "    case 1n+p: (p + p : Nat)\n"),
              IsEmpty());
  EXPECT_THAT(
      said("def f(+n: Nat, m: Nat) -> Nat:\n  match n m:\n    case x y: (x + x + y + y : Nat)\n"),
      ElementsAre("4:28 f: y (consumed more than once)"));
}

TEST(Affine, makesPartsOfAResultNoPlus) {
  EXPECT_THAT(
      said("def g() -> U32 & U32:\n  (1, 2)\ndef f() -> U32:\n  (a, b) = g\n  (a + a : U32)\n"),
      ElementsAre("6:8 f: a (consumed more than once)"));
}

TEST(Affine, takesTheMarksOfFields) {
  EXPECT_THAT(said("type P is Data:\n  P{+x: U32, y: U32}\n"
                   "def f(p: P) -> U32:\n  P{a, b} = p\n  (a + a + b + b : U32)\n"),
              ElementsAre("6:16 f: b (consumed more than once)"));
}

// ---- What counts nothing ---------------------------------------------------------

TEST(Affine, doesNotCountTypes) {
  EXPECT_THAT(said("def f(n: Nat, x: U32) -> Nat:\n  -y : {n == n : Nat} = {==}\n"
                   "  z : U32 = {x : U32}\n  n\n"),
              IsEmpty());
}

TEST(Affine, doesNotCountErasedArguments) {
  EXPECT_THAT(said("def g(-n: Nat, x: Nat) -> Nat:\n  x\ndef f(n: Nat) -> Nat:\n  g(n, g(n, n))\n"),
              IsEmpty());
  EXPECT_THAT(said("type P is Data:\n  P{-n: Nat, x: Nat}\ndef f(n: Nat) -> P:\n  P{n, n}\n"),
              IsEmpty());
}

TEST(Affine, doesNotCountTheErased) {
  EXPECT_THAT(said("def g(-A: Data, -B: Data, x: U32) -> U32:\n  x\n"
                   "def f(-A: Data, x: U32) -> U32:\n  g(A, A, x)\n"),
              IsEmpty());
}

TEST(Affine, doesNotCountDefs) {
  EXPECT_THAT(said("def one() -> U32:\n  1\ndef f() -> U32:\n  (one + one : U32)\n"), IsEmpty());
}

TEST(Affine, doesNotLookAtProofsAndTypes) {
  EXPECT_THAT(said("def same(n: Nat) -> {n == n : Nat}:\n  same(n)(n)\n"
                   "def Two(A: Data) -> Data:\n  A & A\n"),
              IsEmpty());
}

// ---- Functions -------------------------------------------------------------------

TEST(Affine, countsACaptureAsAUse) {
  EXPECT_THAT(said("def f(x: U32) -> (U32 -> U32) & U32:\n  (y => (x + y : U32), x)\n"),
              ElementsAre("3:24 f: x (consumed more than once)"));
  EXPECT_THAT(said("def f(x: U32) -> U32 -> U32:\n  y => (x + y : U32)\n"), IsEmpty());
}

TEST(Affine, countsWhatFollowsABind) {
  EXPECT_THAT(said("def f(a: Array<U32>, m: IO(U32)) -> IO(Array<U32> & U32):\n"
                   "  do IO<Array<U32> & U32>:\n    x : U32 <- m\n    return (a, x)\n"),
              IsEmpty());
  EXPECT_THAT(
      said("def f(s: String) -> IO(Unit):\n  do IO<Unit>:\n    IO.print(s)\n    IO.print(s)\n"),
      ElementsAre("5:14 f: s (consumed more than once)"));
}

TEST(Affine, wantsTemplatesWithoutVariables) {
  const std::string list = "def g(~f: U32 -> U32, x: U32) -> U32:\n  f(f(x))\n";
  EXPECT_THAT(said(list + "def f(+k: U32) -> U32:\n  g(~(x => (x + k : U32)), 1)\n"), IsEmpty());
  EXPECT_THAT(said(list + "def f(~h: U32 -> U32) -> U32:\n  g(~(x => h(h(x))), 1)\n"), IsEmpty());
  EXPECT_THAT(said(list + "def f(k: U32) -> U32:\n  g(~(x => (x + k : U32)), 1)\n"),
              ElementsAre("5:17 f: expected a template argument without variables that may be "
                          "used only once, observed 'k'"));
}

// ---- Size ------------------------------------------------------------------------

TEST(Affine, isLinearInTheNumberOfVariablesAndCases) {
  std::string text = "import Base\ndef f(x: U32, c: Bool) -> U32:\n";
  std::string last = "x";
  for (int k = 0; k < 20'000; ++k) {
    const std::string next = "x" + std::to_string(k);
    text += "  " + next + " = U32.inc(" + last + ")\n";
    last = next;
  }
  text += "  match c:\n    case True{}: " + last + "\n    case False{}: " + last + "\n";
  EXPECT_THAT(checked(text).said(), IsEmpty());
}

}  // namespace
}  // namespace cleave::lang
