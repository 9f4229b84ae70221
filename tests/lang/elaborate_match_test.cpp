// elaborate_match_test.cpp -- which tests a match makes, and where its bodies are.
#include <gtest/gtest.h>

#include "elaborated.hpp"
#include "lang/walk.hpp"

namespace cleave::lang {
namespace {

TEST(Match, branchesOnAParameter) {
  EXPECT_EQ(code_of("def f(a: Array<U32>) -> U32:\n  match a:\n    case ALeaf{x}: x\n"
                    "    case ANode{l, r}: f(r)\n"),
            "def f(a: Array<U32>) -> U32:\n"
            "  match a:\n"
            "    case ALeaf{x}:\n"
            "      give x\n"
            "    case ANode{_, r}:\n"
            "      return f(r)\n");
}

TEST(Match, countsDownWithOneTest) {
  EXPECT_EQ(code_of("def f(n: Nat, x: U32) -> U32:\n  match n:\n    case 0n: x\n"
                    "    case 1n+p: f(p, x)\n"),
            "def f(n: Nat, x: U32) -> U32:\n"
            "  match n:\n"
            "    case 1n+p:\n"
            "      return f(p, x)\n"
            "    else:\n"
            "      give x\n");
}

TEST(Match, knowsWhatIsLeftOfANat) {
  EXPECT_EQ(code_of("def f(n: Nat) -> Nat:\n  match n:\n    case 2n+p: p\n    case 1n+q: q\n"
                    "    case m: m\n"),
            "def f(n: Nat) -> Nat:\n"
            "  match n:\n"
            "    case 2n+p:\n"
            "      give p\n"
            "    else:\n"
            "      match n:\n"
            "        case 1n+_:\n"
            "          give 0n\n"
            "        else:\n"
            "          give 0n\n");
}

TEST(Match, subtractsWhatNoTestHasSubtracted) {
  EXPECT_EQ(code_of("def f(n: Nat, b: Bool) -> Nat:\n  match n b:\n    case 2n+p True{}: p\n"
                    "    case 1n+q _: q\n    case _ _: 7n\n"),
            "def f(n: Nat, b: Bool) -> Nat:\n"
            "  label L0(q):\n"
            "    give q\n"
            "  match n:\n"
            "    case 2n+p:\n"
            "      match b:\n"
            "        case True{}:\n"
            "          give p\n"
            "        else:\n"
            "          match n:\n"
            "            case 1n+q.1:\n"
            "              jump L0(q.1)\n"
            "    else:\n"
            "      match n:\n"
            "        case 1n+_:\n"
            "          jump L0(0n)\n"
            "        else:\n"
            "          give 7n\n");
}

TEST(Match, writesNestedSuccessorsAsOneTest) {
  EXPECT_EQ(code_of("def f(n: Nat) -> Nat:\n  match n:\n    case 1n+Succ{1n+p}: p\n"
                    "    case _: 9n\n"),
            "def f(n: Nat) -> Nat:\n"
            "  match n:\n"
            "    case 3n+p:\n"
            "      give p\n"
            "    else:\n"
            "      give 9n\n");
}

TEST(Match, switchesOnManyNumbers) {
  EXPECT_EQ(code_of("def f(n: Nat) -> U32:\n  match n:\n    case 0n: 1\n    case 5n: 2\n"
                    "    case 9n: 3\n    case _: 4\n"),
            "def f(n: Nat) -> U32:\n"
            "  match n:\n"
            "    case 0n:\n"
            "      give 1\n"
            "    case 5n:\n"
            "      give 2\n"
            "    case 9n:\n"
            "      give 3\n"
            "    else:\n"
            "      give 4\n");
}

TEST(Match, takesTheFirstRowThatFits) {
  EXPECT_EQ(code_of("def f(x: U32, y: U32) -> U32:\n  match x y:\n    case 1 _: 10\n"
                    "    case 1 2: 20\n    case _ 2: 30\n    case _ _: 40\n"),
            "def f(x: U32, y: U32) -> U32:\n"
            "  match x:\n"
            "    case 1:\n"
            "      give 10\n"
            "    else:\n"
            "      match y:\n"
            "        case 2:\n"
            "          give 30\n"
            "        else:\n"
            "          give 40\n");
}

TEST(Match, hasOneBodyForARowThatManyPathsReach) {
  EXPECT_EQ(code_of("def g(x: U32) -> U32:\n  x\n"
                    "def f(a: Bool, b: Bool, x: U32) -> U32:\n  match a b:\n"
                    "    case True{} True{}: 1\n    case _ _: g(x)\n"),
            "def f(a: Bool, b: Bool, x: U32) -> U32:\n"
            "  label L0():\n"
            "    return g(x)\n"
            "  match a:\n"
            "    case True{}:\n"
            "      match b:\n"
            "        case True{}:\n"
            "          give 1\n"
            "        else:\n"
            "          jump L0()\n"
            "    else:\n"
            "      jump L0()\n");
}

TEST(Match, givesALabelOnlyTheNamesThatItUses) {
  EXPECT_EQ(code_of("def f(xs: List<U32>, ys: List<U32>) -> List<U32>:\n  match xs ys:\n"
                    "    case a <> r []: r\n    case [] c <> s: s\n    case p q: p\n"),
            "def f(xs: List<U32>, ys: List<U32>) -> List<U32>:\n"
            "  label L0(p):\n"
            "    give p\n"
            "  match xs:\n"
            "    case Nil{}:\n"
            "      match ys:\n"
            "        case Con{_, s}:\n"
            "          give s\n"
            "        else:\n"
            "          jump L0(xs)\n"
            "    case Con{_, r}:\n"
            "      match ys:\n"
            "        case Nil{}:\n"
            "          give r\n"
            "        else:\n"
            "          jump L0(xs)\n");
}

TEST(Match, evaluatesEachSubjectOnce) {
  EXPECT_EQ(code_of("def g(x: U32) -> U32:\n  x\ndef f(x: U32) -> U32:\n  match g(x) 3:\n"
                    "    case 1 4: 1\n    case y _: y\n"),
            "def f(x: U32) -> U32:\n"
            "  t = g(x)\n"
            "  t.1 = copy(3)\n"
            "  label L0(y):\n"
            "    give y\n"
            "  match t:\n"
            "    case 1:\n"
            "      match t.1:\n"
            "        case 4:\n"
            "          give 1\n"
            "        else:\n"
            "          jump L0(t)\n"
            "    else:\n"
            "      jump L0(t)\n");
}

TEST(Match, asAValueIsABlock) {
  EXPECT_EQ(code_of("def g(x: U32) -> U32:\n  x\n"
                    "def f(b: Bool) -> U32:\n  x = (match b:\n    case True{}: g(1)\n"
                    "    case False{}: 2)\n  U32.inc(x)\n"),
            "def f(b: Bool) -> U32:\n"
            "  x = block:\n"
            "    match b:\n"
            "      case False{}:\n"
            "        give 2\n"
            "      case True{}:\n"
            "        t = g(1)\n"
            "        give t\n"
            "  return U32.inc(x)\n");
}

TEST(Match, testsTextsAtOnceAndCellsAfterThem) {
  EXPECT_EQ(code_of("def f(s: String) -> U32:\n  match s:\n    case \"if\": 1\n"
                    "    case SCon{'#', _}: 2\n    case \"\": 3\n    case _: 4\n"),
            "def f(s: String) -> U32:\n"
            "  label L0():\n"
            "    give 4\n"
            "  match s:\n"
            "    case \"\":\n"
            "      give 3\n"
            "    case \"if\":\n"
            "      give 1\n"
            "    else:\n"
            "      match s:\n"
            "        case SCon{t, _}:\n"
            "          match t:\n"
            "            case char(35):\n"
            "              give 2\n"
            "            else:\n"
            "              jump L0()\n"
            "        else:\n"
            "          jump L0()\n");
}

TEST(Match, readsWordsOfCharactersAndFloats) {
  EXPECT_EQ(code_of("def f(c: Char, x: F32) -> U32:\n  match c x:\n    case 'a' _: 1\n"
                    "    case Chr{98} _: 2\n    case Chr{n} F32{0}: n\n    case _ F32{w}: w\n"),
            "def f(c: Char, x: F32) -> U32:\n"
            "  match c:\n"
            "    case char(97):\n"
            "      give 1\n"
            "    else:\n"
            "      n = copy(c)\n"
            "      match n:\n"
            "        case 98:\n"
            "          give 2\n"
            "        else:\n"
            "          w = F32.bits(x)\n"
            "          match w:\n"
            "            case 0:\n"
            "              give n\n"
            "            else:\n"
            "              give w\n");
}

TEST(Match, ofAWordIsOneOfTheNumber) {
  EXPECT_EQ(code_of("def f(x: U32) -> U32:\n  match x:\n    case U32{3}: 1\n    case U32{w}: w\n"),
            "def f(x: U32) -> U32:\n"
            "  match x:\n"
            "    case 3:\n"
            "      give 1\n"
            "    else:\n"
            "      give x\n");
}

TEST(Match, ofNoConstructorsStops) {
  EXPECT_EQ(code_of("def f(x: Empty) -> U32:\n  match x:\n"),
            "def f(x: Empty) -> U32:\n"
            "  stop \"bend: runtime fail-stop\"\n");
}

// ---- Size ------------------------------------------------------------------------

std::size_t blocks_of(const core::program& all) {
  std::size_t count = 0;
  for (const core::function& one : all.functions) {
    walk(one.body, place::tail, [&](const core::block&, place) { ++count; });
  }
  return count;
}

// Rows for which a tree of tests has far more than n * n leaves.
std::string contrived(int columns, int rows) {
  std::string text = "def f(";
  for (int c = 0; c < columns; ++c) text += "x" + std::to_string(c) + ": Bool ";
  text += ") -> U32:\n  match";
  for (int c = 0; c < columns; ++c) text += " x" + std::to_string(c);
  text += ":\n";
  unsigned seed = 12345;
  for (int r = 0; r < rows; ++r) {
    text += "    case";
    for (int c = 0; c < columns; ++c) {
      seed = seed * 1664525 + 1013904223;
      const unsigned what = (seed >> 20) % 6;
      text += what == 0 ? " True{}" : what == 1 ? " False{}" : " _";
    }
    text += ": " + std::to_string(r) + "\n";
  }
  text += "    case";
  for (int c = 0; c < columns; ++c) text += " _";
  return text + ": 99\n";
}

TEST(Match, ofContrivedRowsStaysSmall) {
  const elaborated made(with_main(contrived(40, 200)));
  EXPECT_EQ(made.said(), std::vector<std::string>());
  EXPECT_EQ(made.broken, "");
  EXPECT_LE(blocks_of(made.made), 200u * 40u);
}

TEST(Match, ofManyLiteralsIsOneSwitch) {
  std::string text = "def f(x: U32) -> U32:\n  match x:\n";
  for (int k = 0; k < 10'000; ++k) {
    text += "    case " + std::to_string(k) + ": " + std::to_string(k + 1) + "\n";
  }
  const elaborated made(with_main(text + "    case _: 0\n"));
  EXPECT_EQ(made.said(), std::vector<std::string>());
  EXPECT_EQ(made.made.functions[1].body.end.cases->arms.size(), 10'000u);
}

TEST(Match, ofTooManyTestsIsRefused) {
  std::string parameters;
  std::string subjects;
  std::string patterns;
  std::string others;
  for (int k = 0; k < 600; ++k) {
    const std::string name = "x" + std::to_string(k);
    parameters += name + ": Bool ";
    subjects += " " + name;
    patterns += " True{}";
    others += " _";
  }
  const std::string text = "def f(" + parameters + ") -> U32:\n  match" + subjects + ":\n    case" +
                           patterns + ": 1\n    case" + others + ": 0\n";
  std::string arguments;
  for (int k = 0; k < 600; ++k) arguments += "True{} ";
  EXPECT_EQ(elaborated(text + "def main() -> U32:\n  f(" + arguments + ")\n").said().at(0),
            "3:3 f: not in the supported subset: a match that makes more than 500 tests one after "
            "the other");
}

}  // namespace
}  // namespace cleave::lang
