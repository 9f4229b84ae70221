// parser_do_test.cpp -- section 5 of the language: do blocks.
#include <gtest/gtest.h>

#include "parsed.hpp"

namespace cleave::lang::test {
namespace {

TEST(DoBlocks, haveAMonadAndItsArguments) {
  EXPECT_EQ(body_of("do IO<Unit>: x"), "(do IO<Unit>; x)");
  EXPECT_EQ(body_of("do IO(Unit): x"), "(do IO<Unit>; x)");
  EXPECT_EQ(body_of("do Result<&1, &1, E, A & B>: x"), "(do Result<SORT SORT E Sigma<A B>>; x)");
  EXPECT_EQ(body_of("do M.State<S, A -> B >: x"), "(do M.State<S (A -> B)>; x)");
}

TEST(DoBlocks, bindResults) {
  EXPECT_EQ(body_of("do IO<T>:\n    x : T <- m\n    x"), "(do IO<T>; x : T <- m; x)");
  EXPECT_EQ(body_of("do IO<T>:\n    +x : A & B <- f(y)\n    x"),
            "(do IO<T>; +x : Sigma<A B> <- (f y); x)");
  EXPECT_EQ(body_of("do IO<T>:\n    x : (A -> B) <- m\n    x"), "(do IO<T>; x : (A -> B) <- m; x)");
}

TEST(DoBlocks, dropResults) {
  EXPECT_EQ(body_of("do IO<T>:\n    Unit <- m\n    x"), "(do IO<T>; _ : Unit <- m; x)");
  EXPECT_EQ(body_of("do IO<T>:\n    List<U32> <- m\n    x"), "(do IO<T>; _ : List<U32> <- m; x)");
}

TEST(DoBlocks, haveSteps) {
  EXPECT_EQ(body_of("do IO<T>:\n    f(1)\n    g(2)\n    x"),
            "(do IO<T>; step (f 1); step (g 2); x)");
  EXPECT_EQ(body_of("do IO<T>: f(1); g(2); x"), "(do IO<T>; step (f 1); step (g 2); x)");
  EXPECT_EQ(body_of("do IO<T>:\n    f(\n      1)\n    x"), "(do IO<T>; step (f 1); x)");
}

TEST(DoBlocks, haveLets) {
  EXPECT_EQ(body_of("do IO<T>:\n    x : T = 1\n    +y : T = x\n    y"),
            "(do IO<T>; x : T = 1; +y : T = x; y)");
}

TEST(DoBlocks, mayReturn) {
  EXPECT_EQ(body_of("do IO<T>:\n    return e"), "(do IO<T>; return e)");
  EXPECT_EQ(body_of("do IO<T>:\n    f(1)\n    return (a + b : U32);"),
            "(do IO<T>; step (f 1); return ((U32.add a b) : U32))");
}

TEST(DoBlocks, endWhereTheColumnDoes) {
  EXPECT_EQ(
      body_of("match x:\n    case 0n:\n      do IO<T>:\n        f(1)\n        g(1)\n    case p: p"),
      "(match x [0n -> (do IO<T>; step (f 1); (g 1))] [p -> p])");
  EXPECT_EQ(body_of("f(do IO<T>:\n      a\n      b, c)"), "(f (do IO<T>; step a; b) c)");
  EXPECT_EQ(body_of("x = do IO<T>:\n      a\n      b\n  x"), "(let x = (do IO<T>; step a; b); x)");
  EXPECT_EQ(body_of("do IO<T>:\n    f(x => do IO<T>:\n      a\n      b)\n    c"),
            "(do IO<T>; step (f (x => (do IO<T>; step a; b))); c)");
}

TEST(DoBlocks, haveAllTheirLinesInOneColumn) {
  EXPECT_EQ(body_of("do IO<T>:\n    f(1)\n      g(1)\n"),
            "4:7 f: expected an operator, or the end of the def, observed 'g'");
  EXPECT_EQ(body_of("do IO<T>:\n    f(1)\n   g(1)\n"),
            "4:4 f: expected an operator, or the end of the def, observed 'g'");
}

TEST(DoBlocks, endWithAResult) {
  EXPECT_EQ(
      body_of("do IO<T>:\n    x : T <- m"),
      "4:1 f: expected a term (a do block ends with its result), observed the end of the file");
}

TEST(DoBlocks, sayTheTypesOfTheirLets) {
  EXPECT_EQ(body_of("do IO<T>:\n    x = 1\n    x"),
            "3:7 f: expected 'x : T = e' (a let of a do block has a type), observed '='");
}

TEST(DoBlocks, bindOneNameInALine) {
  const std::string expected =
      "expected a name (a line of a do block binds one; a def takes a value apart), observed ";
  EXPECT_EQ(body_of("do IO<T>:\n    (a, b) = c\n    x"), "3:6 f: " + expected + "'a, b'");
  EXPECT_EQ(body_of("do IO<T>:\n    (a, b) : A & B <- c\n    x"), "3:6 f: " + expected + "'a, b'");
  EXPECT_EQ(body_of("do IO<T>:\n    C{a} : C = c\n    x"), "3:5 f: " + expected + "'C{a}'");
  EXPECT_EQ(body_of("(x => do IO<T>:\n    (a, b) = c\n    x)"), "3:6 f: " + expected + "'a, b'");
}

TEST(DoBlocks, mayStandBeforeTheTypeOfTheBracketsAroundThem) {
  EXPECT_EQ(body_of("(do IO<T>: f(x) : IO(T))"), "((do IO<T>; (f x)) : (IO T))");
}

TEST(DoBlocks, refuseOtherHeads) {
  EXPECT_EQ(body_of("do IO: x"), "2:8 f: expected '<' and the result type, observed ':'");
  EXPECT_EQ(body_of("do IO<>: x"), "2:8 f: expected '<' and the result type, observed '<>'");
  EXPECT_EQ(body_of("do IO(): x"), "2:9 f: expected a type, observed ')'");
  EXPECT_EQ(body_of("do IO(A>: x"), "2:10 f: expected ')', observed '>' (a comparison is a > b)");
  EXPECT_EQ(body_of("do 7: x"), "2:6 f: expected a name, observed '7'");
  EXPECT_EQ(body_of("do IO<T>:\n    x : A -> B <- m\n    x"),
            "3:11 f: expected '<-' or '=', observed '->'");
}

}  // namespace
}  // namespace cleave::lang::test
