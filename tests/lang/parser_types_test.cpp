// parser_types_test.cpp -- section 3.4 of the language: types, and proofs in their place.
#include <gtest/gtest.h>

#include "parsed.hpp"

namespace cleave::lang::test {
namespace {

TEST(Types, areNamesAndSorts) {
  EXPECT_EQ(type_of("U32"), "U32");
  EXPECT_EQ(type_of("Type"), "SORT");
  EXPECT_EQ(type_of("Data"), "SORT");
  EXPECT_EQ(type_of("Quant"), "SORT");
  EXPECT_EQ(type_of("Kind(a <&> b)"), "SORT");
  EXPECT_EQ(type_of("&0"), "SORT");
  EXPECT_EQ(type_of("&1"), "SORT");
  EXPECT_EQ(type_of("&2"), "SORT");
  EXPECT_EQ(type_of("a <&> b"), "SORT");
}

TEST(Types, haveArguments) {
  EXPECT_EQ(type_of("Maybe<U32>"), "Maybe<U32>");
  EXPECT_EQ(type_of("Result<&1, &1, E, A>"), "Result<SORT SORT E A>");
  EXPECT_EQ(type_of("M.Tree<a>"), "M.Tree<a>");
  EXPECT_EQ(type_of("IO(A)"), "(IO A)");
  EXPECT_EQ(type_of("IO<A>"), "IO<A>");
  EXPECT_EQ(type_of("Word(32n)"), "(Word 32n)");
  EXPECT_EQ(type_of("Set()"), "(Set)");
}

TEST(Types, mayBeReusable) {
  EXPECT_EQ(type_of("+D"), "D");
  EXPECT_EQ(type_of("+D<A>"), "D<A>");
}

TEST(Types, areFunctionsPairsAndSums) {
  EXPECT_EQ(type_of("A -> B"), "(A -> B)");
  EXPECT_EQ(type_of("A & B"), "Sigma<A B>");
  EXPECT_EQ(type_of("A | B"), "Either<A B>");
  EXPECT_EQ(type_of("A & B -> C | D"), "(Sigma<A B> -> Either<C D>)");
  EXPECT_EQ(type_of("(A -> B) -> C"), "((A -> B) -> C)");
}

TEST(Types, mayDependOnValues) {
  EXPECT_EQ(type_of("@x:A -> B"), "(@x:A -> B)");
  EXPECT_EQ(type_of("@-x:A -> B"), "(@-x:A -> B)");
  EXPECT_EQ(type_of("@+x: A & B -> C -> D"), "(@+x:Sigma<A B> -> (C -> D))");
  EXPECT_EQ(type_of("&x:A -> B"), "Sigma<A (x => B)>");
}

TEST(Types, mayStateEqualities) {
  EXPECT_EQ(type_of("{a == b : T}"), "PROOF[{a == b : T}]");
  EXPECT_EQ(type_of("{f(a) != b : T}"), "PROOF[{a != b : T}]");
  EXPECT_EQ(type_of("@x:Nat -> {x == x : Nat}"), "(@x:Nat -> PROOF[{a == b : T}])");
}

TEST(Proofs, areReadAndLeftOut) {
  EXPECT_EQ(body_of("{==}"), "PROOF[{==}]");
  EXPECT_EQ(body_of("{!=}"), "PROOF[{!=}]");
  EXPECT_EQ(body_of("%e : P; x"), "PROOF[%e : P]");
  EXPECT_EQ(body_of("%f(x) : {x == y : T}\n  y = x\n  match y:\n    case a: a"), "PROOF[%e : P]");
  // Their operators need no type.
  EXPECT_EQ(body_of("{a + b == c : Nat}"), "PROOF[{a == b : T}]");
  EXPECT_EQ(body_of("%e : a + b; c * d"), "PROOF[%e : P]");
}

TEST(Types, refuseOtherQuantities) {
  EXPECT_EQ(type_of("&3"), "1:11 f: expected a quantity (&0, &1 or &2), observed '3'");
  EXPECT_EQ(type_of("& 2"), "1:12 f: expected a quantity (&0, &1 or &2), observed '2'");
}

}  // namespace
}  // namespace cleave::lang::test
