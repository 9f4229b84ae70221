// elaborate_terms_test.cpp -- values, lets and closures as core.
#include <gtest/gtest.h>

#include "elaborated.hpp"

namespace cleave::lang {
namespace {

TEST(Terms, areEvaluatedFromLeftToRight) {
  EXPECT_EQ(code_of("def g(x: U32) -> U32:\n  x\n"
                    "def f(a: U32, b: U32, c: U32) -> U32:\n  (g(a) * (g(b) - g(c)) : U32)\n"),
            "def f(a: U32, b: U32, c: U32) -> U32:\n"
            "  t = g(a)\n"
            "  t.1 = g(b)\n"
            "  t.2 = g(c)\n"
            "  t.3 = U32.sub(t.1, t.2)\n"
            "  t.4 = U32.mul(t, t.3)\n"
            "  give t.4\n");
}

TEST(Terms, literalsAreOperands) {
  EXPECT_EQ(code_of("def f(x: U32) -> U32 & Nat & F32 & Char:\n  (7, 3n, 1.0, 'a')\n"),
            "def f(x: U32) -> U32 & Nat & F32 & Char:\n"
            "  t = construct 0(bits(1065353216), char(97))\n"
            "  t.1 = construct 0(3n, t)\n"
            "  t.2 = construct 0(7, t.1)\n"
            "  give t.2\n");
}

TEST(Terms, successorsOfLiteralsAreLiterals) {
  EXPECT_EQ(code_of("def f(x: Nat) -> Nat & Nat:\n  (2n+Succ{1n}, 2n+x)\n"),
            "def f(x: Nat) -> Nat & Nat:\n"
            "  t = Nat.add(x, 2n)\n"
            "  t.1 = construct 0(4n, t)\n"
            "  give t.1\n");
}

TEST(Terms, aSuccessorPastTheLimitIsLeftToTheRunTime) {
  EXPECT_EQ(code_of("def f(x: Nat) -> Nat:\n  4294967295n+Nat.mul(4294967295n, x)\n"),
            "def f(x: Nat) -> Nat:\n"
            "  t = Nat.mul(4294967295n, x)\n"
            "  t.1 = Nat.add(t, 4294967295n)\n"
            "  give t.1\n");
}

TEST(Terms, wordsOfCharactersAndFloatsAreConversions) {
  EXPECT_EQ(code_of("def f(+w: U32) -> Char & F32 & U32:\n"
                    "  (Chr{w}, F32{w}, U32{w})\n"),
            "def f(w: U32) -> Char & F32 & U32:\n"
            "  t = copy(w)\n"
            "  t.1 = F32.from_bits.raw(w)\n"
            "  t.2 = construct 0(t.1, w)\n"
            "  t.3 = construct 0(t, t.2)\n"
            "  give t.3\n");
}

TEST(Terms, stringsAreTextsOrCells) {
  EXPECT_EQ(code_of("def f(s: String) -> String:\n  SCon{'a', \"b\"}\n"),
            "def f(s: String) -> String:\n"
            "  t = \"b\"\n"
            "  t.1 = construct 1(char(97), t)\n"
            "  give t.1\n");
}

TEST(Terms, listsAreBuiltFromTheirEnd) {
  EXPECT_EQ(code_of("def g(x: U32) -> U32:\n  x\ndef f(x: U32) -> List<U32>:\n  [g(x), g(2)]\n"),
            "def f(x: U32) -> List<U32>:\n"
            "  t = g(x)\n"
            "  t.1 = g(2)\n"
            "  t.2 = construct 0()\n"
            "  t.3 = construct 1(t.1, t.2)\n"
            "  t.4 = construct 1(t, t.3)\n"
            "  give t.4\n");
}

TEST(Terms, arraysOfACountHaveItsDepth) {
  EXPECT_EQ(code_of("def f(x: U32) -> Array<U32>:\n  [x : U32*16n]\n"),
            "def f(x: U32) -> Array<U32>:\n"
            "  t = Array.new<U32>(4n, x)\n"
            "  give t\n");
}

TEST(Terms, theDepthOfAnArrayIsComputedFirst) {
  EXPECT_EQ(code_of("def g(x: Nat) -> Nat:\n  x\ndef h(x: U32) -> U32:\n  x\n"
                    "def f(x: U32) -> Array<U32>:\n  [h(x) : U32^g(2n)]\n"),
            "def f(x: U32) -> Array<U32>:\n"
            "  t = g(2n)\n"
            "  t.1 = h(x)\n"
            "  t.2 = Array.new<U32>(t, t.1)\n"
            "  give t.2\n");
}

TEST(Terms, leavesAndNodesAreNoData) {
  EXPECT_EQ(code_of("def f(a: Array<U32>) -> Array<U32>:\n  ANode{a, ALeaf{1}}\n"),
            "def f(a: Array<U32>) -> Array<U32>:\n"
            "  t = ALeaf(1)\n"
            "  t.1 = ANode(a, t)\n"
            "  give t.1\n");
}

TEST(Terms, erasedFieldsAreNotStored) {
  EXPECT_EQ(code_of("type P is Data:\n  P{-n: Nat, x: U32}\n"
                    "def g(p: P) -> U32:\n  match p:\n    case P{n, x}: x\n"
                    "def f(x: U32) -> U32:\n  g(P{1n, x})\n"),
            "def f(x: U32) -> U32:\n"
            "  t = construct 0(x)\n"
            "  return g(t)\n");
}

// ---- Lets ------------------------------------------------------------------------

TEST(Lets, ofNamesAndNumbersAreNoCode) {
  EXPECT_EQ(code_of("def f(x: U32) -> U32:\n  +y = x\n  +z : U32 = y\n  n = 3\n  (z + n : U32)\n"),
            "def f(x: U32) -> U32:\n"
            "  t = U32.add(x, 3)\n"
            "  give t\n");
}

TEST(Lets, shadowWhatTheyUse) {
  EXPECT_EQ(code_of("def f(r: U32) -> U32:\n  r = U32.inc(r)\n  r = U32.inc(r)\n  r\n"),
            "def f(r: U32) -> U32:\n"
            "  r.1 = U32.inc(r)\n"
            "  r.2 = U32.inc(r.1)\n"
            "  give r.2\n");
}

TEST(Lets, thatTakeApartContinueInTheArm) {
  EXPECT_EQ(code_of("def f(a: Array<U32>) -> U32:\n  (a, x) = Array.get(U32, a, 1)\n"
                    "  (a, (y, _)) = (a, (x, 2))\n  y\n"),
            "def f(a: Array<U32>) -> U32:\n"
            "  t = Array.get<U32>(a, 1)\n"
            "  match t:\n"
            "    case Tuple{a.1, x}:\n"
            "      t.1 = construct 0(x, 2)\n"
            "      t.2 = construct 0(a.1, t.1)\n"
            "      match t.2:\n"
            "        case Tuple{_, t.3}:\n"
            "          match t.3:\n"
            "            case Tuple{y, _}:\n"
            "              give y\n");
}

TEST(Lets, thatTakeApartInAValueAreABlock) {
  EXPECT_EQ(code_of("def f(p: U32 & U32) -> U32:\n  U32.inc(((a, b) = p; b))\n"),
            "def f(p: U32 & U32) -> U32:\n"
            "  t = block:\n"
            "    match p:\n"
            "      case Tuple{_, b}:\n"
            "        give b\n"
            "  return U32.inc(t)\n");
}

TEST(Lets, ofTypesAreNoCode) {
  EXPECT_EQ(code_of("def f(x: U32) -> Array<U32>:\n  -T = U32\n  Array.new(T, 1n, x)\n"),
            "def f(x: U32) -> Array<U32>:\n"
            "  t = Array.new<U32>(1n, x)\n"
            "  give t\n");
}

TEST(Lets, inParallelForkWhereTheyCallDefs) {
  EXPECT_EQ(code_of("def f(x: U32) -> U32:\n  l r = U32.inc(1) U32.inc(2)\n  (l + r : U32)\n"),
            "def f(x: U32) -> U32:\n"
            "  parallel:\n"
            "    l:\n"
            "      t = U32.inc(1)\n"
            "      give t\n"
            "    r:\n"
            "      t.1 = U32.inc(2)\n"
            "      give t.1\n"
            "  t.2 = U32.add(l, r)\n"
            "  give t.2\n");
}

TEST(Lets, inParallelOfLittleWorkAreInOrder) {
  EXPECT_EQ(code_of("def f(+x: U32) -> U32:\n  l r = (x + 1 : U32) U32.inc(x)\n  (l - r : U32)\n"),
            "def f(x: U32) -> U32:\n"
            "  l = U32.add(x, 1)\n"
            "  r = U32.inc(x)\n"
            "  t = U32.sub(l, r)\n"
            "  give t\n");
}

TEST(Lets, inParallelSeeTheNamesFromOutside) {
  EXPECT_EQ(code_of("def f(a: U32, b: U32) -> U32:\n  a b = b a\n  (a - b : U32)\n"),
            "def f(a: U32, b: U32) -> U32:\n"
            "  t = U32.sub(b, a)\n"
            "  give t\n");
}

TEST(Lets, mayBeMany) {
  std::string text = "def f(+x0: U32) -> U32:\n";
  for (int k = 0; k < 20'000; ++k) {
    text += "  +x" + std::to_string(k + 1) + " = (x" + std::to_string(k) + " + 1 : U32)\n";
  }
  text += "  x20000\n";
  const elaborated made(with_main(text));
  EXPECT_EQ(made.said(), std::vector<std::string>());
  EXPECT_EQ(made.made.functions[1].body.steps.size(), 20'000u);
}

std::size_t depth_of(const core::block& of) {
  std::size_t most = 0;
  const core::block* at = &of;
  while (at->end.cases != nullptr) {
    at = at->end.cases->arms.at(0).body.get();
    ++most;
  }
  return most;
}

TEST(Lets, thatTakeApartMayBeMany) {
  std::string text = "def g(+x: U32) -> U32 & U32:\n  (x, x)\ndef f(x: U32, z: U32) -> U32:\n";
  for (int k = 0; k < 5000; ++k) text += "  (x, y) = g(x)\n";
  const elaborated made(with_main(text + "  (x + z : U32)\n"));
  EXPECT_EQ(made.said(), std::vector<std::string>());
  EXPECT_EQ(made.broken, "");
  std::size_t all = 0;
  for (const core::function& one : made.made.functions) {
    EXPECT_LE(depth_of(one.body), 200u);
    all += depth_of(one.body);
  }
  EXPECT_EQ(all, 5000u);
}

// ---- Closures --------------------------------------------------------------------

TEST(Lambdas, captureWhatTheyUse) {
  EXPECT_EQ(code_of("def f(a: U32, b: U32) -> U32 -> U32 -> U32:\n  x => y => (a - y : U32)\n"),
            "def f(a: U32, b: U32) -> U32 -> U32 -> U32:\n"
            "  t.2 = closure(x: U32) [a.1 = a]:\n"
            "    t.1 = closure(y: U32) [a.2 = a.1]:\n"
            "      t = U32.sub(a.2, y)\n"
            "      give t\n"
            "    give t.1\n"
            "  give t.2\n");
}

TEST(Lambdas, callInTailPosition) {
  EXPECT_EQ(code_of("def f(g: U32 -> U32) -> U32 -> U32:\n  x => g(U32.inc(x))\n"),
            "def f(g: U32 -> U32) -> U32 -> U32:\n"
            "  t.1 = closure(x: U32) [g.1 = g]:\n"
            "    t = U32.inc(x)\n"
            "    return apply(g.1, t)\n"
            "  give t.1\n");
}

}  // namespace
}  // namespace cleave::lang
