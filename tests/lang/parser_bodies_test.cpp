// parser_bodies_test.cpp -- section 4 of the language: lets, writes, matches.
#include <gtest/gtest.h>

#include "parsed.hpp"

namespace cleave::lang::test {
namespace {

// ---- Lets (4.1) ------------------------------------------------------------------

TEST(Lets, bindNames) {
  EXPECT_EQ(body_of("x = 1\n  x"), "(let x = 1; x)");
  EXPECT_EQ(body_of("+x = 1\n  x"), "(let +x = 1; x)");
  EXPECT_EQ(body_of("-x = 1\n  x"), "(let -x = 1; x)");
  EXPECT_EQ(body_of("_ = f(x)\n  x"), "(let _ = (f x); x)");
  EXPECT_EQ(body_of("x = 1; y = 2; x"), "(let x = 1; let y = 2; x)");
  EXPECT_EQ(body_of("x = 1 y = 2 x"), "(let x = 1; let y = 2; x)");
  EXPECT_EQ(body_of("x =\n    1\n  x"), "(let x = 1; x)");
}

TEST(Lets, mayHaveTypes) {
  EXPECT_EQ(body_of("x : T = e\n  x"), "(let x : T = e; x)");
  EXPECT_EQ(body_of("+x : A -> B = e\n  x"), "(let +x : (A -> B) = e; x)");
  EXPECT_EQ(body_of("-x : T = e\n  x"), "(let -x : T = e; x)");
}

TEST(Lets, takeTuplesAndConstructorsApart) {
  EXPECT_EQ(body_of("(a, b) = e\n  a"), "(let {Tuple a b} = e; a)");
  EXPECT_EQ(body_of("(a, +x) = e\n  a"), "(let {Tuple a +x} = e; a)");
  EXPECT_EQ(body_of("((a, b), c) = e\n  a"), "(let {Tuple {Tuple a b} c} = e; a)");
  EXPECT_EQ(body_of("(a, b, _) = e\n  a"), "(let {Tuple a {Tuple b _}} = e; a)");
  EXPECT_EQ(body_of("C{a, D{b}} = e\n  a"), "(let {C a {D b}} = e; a)");
}

TEST(Lets, takeOnlyNamesTuplesAndConstructorsApart) {
  const std::string expected = "2:3 f: expected a name, a tuple or a constructor left of '=', ";
  EXPECT_EQ(body_of("7 = e\n  a"), expected + "observed '7'");
  EXPECT_EQ(body_of("1n+p = e\n  a"), expected + "observed '1n+p'");
  EXPECT_EQ(body_of("\"a\" = e\n  a"), expected + "observed '\"a\"'");
}

TEST(Lets, areFollowedByAResult) {
  EXPECT_EQ(body_of("x = 1"),
            "3:1 f: expected a term (a body ends with its result, not with a let), "
            "observed the end of the file");
  EXPECT_EQ(body_of("(x = 1;)"),
            "2:10 f: expected a term (a body ends with its result, not with a let), observed ')'");
}

TEST(Lets, haveNoMatchForAValue) {
  EXPECT_EQ(body_of("x = match y:\n    case a: a\n  x"),
            "2:7 f: expected a term (a match stands in a body: put it between parentheses), "
            "observed 'match'");
  EXPECT_EQ(body_of("x = (match y:\n    case a: a)\n  x"), "(let x = (match y [a -> a]); x)");
}

// ---- Parallel lets (4.2) ---------------------------------------------------------

TEST(ParallelLets, bindOneValueToEachName) {
  EXPECT_EQ(body_of("l r = f(x) g(y)\n  l"), "(let l r = (f x) (g y); l)");
  EXPECT_EQ(body_of("+a +b = x y\n  a"), "(let +a +b = x y; a)");
  EXPECT_EQ(body_of("a b c d = 1 2\n    3 4\n  a"), "(let a b c d = 1 2 3 4; a)");
  EXPECT_EQ(body_of("a b = x, y;\n  a"), "(let a b = x y; a)");
  EXPECT_EQ(body_of("a b = C{x} y a"), "(let a b = {C x} y; a)");
}

TEST(ParallelLets, standOnOneLine) {
  EXPECT_EQ(body_of("a\n  b = 1 2\n  a"),
            "3:3 f: expected an operator, or the end of the def, observed 'b'");
  EXPECT_EQ(body_of("a b\n  = 1 2\n  a"),
            "3:3 f: expected '=' on the same line (a parallel let binds names; destructure in its "
            "body), observed '='");
}

TEST(ParallelLets, bindOnlyNames) {
  EXPECT_EQ(body_of("a C{b} = 1 2\n  a"),
            "2:6 f: expected '=' on the same line (a parallel let binds names; destructure in its "
            "body), observed '{'");
}

TEST(ParallelLets, haveAValueForEachName) {
  EXPECT_EQ(body_of("a b c = 1 2"),
            "3:1 f: expected 3 terms (one for each name), observed the end of the file");
}

// ---- Writes (4.3) ----------------------------------------------------------------

TEST(Writes, areStatementsBeforeSomethingInTheirColumn) {
  EXPECT_EQ(body_of("a[i] <- v\n  a"), "(let a = (Array.set U32 a i v); a)");
  EXPECT_EQ(body_of("a[i] <- v\n  a[j] <- w\n  a"),
            "(let a = (Array.set U32 a i v); let a = (Array.set U32 a j w); a)");
  EXPECT_EQ(body_of("a[i] <- v; a"), "(let a = (Array.set U32 a i v); a)");
  EXPECT_EQ(body_of("a[i] <- v\n  match a:\n    case b: b"),
            "(let a = (Array.set U32 a i v); (match a [b -> b]))");
  EXPECT_EQ(body_of("a[i] <- v\n  -x = 1\n  a"), "(let a = (Array.set U32 a i v); let -x = 1; a)");
}

TEST(Writes, areValuesOtherwise) {
  EXPECT_EQ(body_of("a[i] <- v"), "(Array.set U32 a i v)");
  EXPECT_EQ(body_of("b = a[i] <- v\n  b"), "(let b = (Array.set U32 a i v); b)");
  EXPECT_EQ(body_of("match x:\n    case 0n: a[i] <- v\n    case p: a"),
            "(match x [0n -> (Array.set U32 a i v)] [p -> a])");
  // Of another column, nothing belongs to the body.
  EXPECT_EQ(body_of("a[i] <- v\n    a"),
            "3:5 f: expected an operator, or the end of the def, observed 'a'");
  EXPECT_EQ(body_of("a[i] <- v\n a"),
            "3:2 f: expected an operator, or the end of the def, observed 'a'");
  // Only of a name is it a statement.
  EXPECT_EQ(body_of("a[i][j] <- v\n  a"),
            "3:3 f: expected an operator, or the end of the def, observed 'a'");
}

TEST(Writes, haveTheirArrowOnTheLineOfTheBracket) {
  EXPECT_EQ(body_of("a[i]\n    <- v"), "3:5 f: expected 'def', 'type' or 'law', observed '<-'");
}

// ---- Matches (4.4) ---------------------------------------------------------------

TEST(Matches, haveRowsOfPatterns) {
  EXPECT_EQ(body_of("match x:\n    case True{}: 1\n    case False{}: 2"),
            "(match x [{True} -> 1] [{False} -> 2])");
  EXPECT_EQ(body_of("match x y:\n    case a b:\n      a"), "(match x y [a b -> a])");
  EXPECT_EQ(body_of("match x, f(y):\n    case a, b: a"), "(match x (f y) [a b -> a])");
  EXPECT_EQ(body_of("match x: case a: a"), "(match x [a -> a])");
  EXPECT_EQ(body_of("match x: case 0n: a case p: b"), "(match x [0n -> a] [p -> b])");
  EXPECT_EQ(body_of("match x:"), "(match x)");
}

TEST(Matches, standBehindLetsAndInRows) {
  EXPECT_EQ(body_of("y = x\n  match y:\n    case 0n:\n      z = 1\n      z\n    case p: p"),
            "(let y = x; (match y [0n -> (let z = 1; z)] [p -> p]))");
}

TEST(Matches, ownTheCasesFromTheColumnOfTheirFirst) {
  EXPECT_EQ(body_of("match x:\n"
                    "    case 0n:\n"
                    "      match y:\n"
                    "        case 0n: a\n"
                    "        case q: b\n"
                    "    case p: c"),
            "(match x [0n -> (match y [0n -> a] [q -> b])] [p -> c])");
  // Right of the first is as good.
  EXPECT_EQ(body_of("match x:\n    case 0n: a\n        case p: b"), "(match x [0n -> a] [p -> b])");
  EXPECT_EQ(body_of("match x:\n"
                    "    case 0n: match y:\n"
                    "      case 0n: a\n"
                    "      case q: b\n"
                    "    case p: c"),
            "(match x [0n -> (match y [0n -> a] [q -> b])] [p -> c])");
}

TEST(Matches, withoutCasesLeaveThemToTheMatchAround) {
  EXPECT_EQ(body_of("match x:\n    case 0n: match y:\n    case p: c"),
            "(match x [0n -> (match y)] [p -> c])");
}

TEST(Matches, inLambdasAndParenthesesHaveCasesRightOfTheCaseAround) {
  EXPECT_EQ(body_of("x => match x:\n    case 0n: a\n    case p: b"),
            "(x => (match x [0n -> a] [p -> b]))");
  EXPECT_EQ(body_of("match x:\n"
                    "    case 0n: f(y => match y:\n"
                    "      case 0n: a)\n"
                    "    case p: b"),
            "(match x [0n -> (f (y => (match y [0n -> a])))] [p -> b])");
}

TEST(Matches, standOnlyInBodies) {
  EXPECT_EQ(body_of("f(match x: case a: a)"),
            "2:5 f: expected a term (a match stands in a body: put it between parentheses), "
            "observed 'match'");
}

TEST(Matches, haveOnePatternForEachScrutinee) {
  EXPECT_EQ(body_of("match x y:\n    case a: a\n    case a b c: b\n    case a b: b"),
            "3:5 f: expected 2 patterns (one per scrutinee), observed 1\n"
            "4:5 f: expected 2 patterns (one per scrutinee), observed 3");
  EXPECT_EQ(body_of("match x:\n    case : a"),
            "3:5 f: expected 1 pattern (one per scrutinee), observed 0");
}

TEST(Matches, coverTheirText) {
  const parsed one("def f() -> T:\n  match x:\n    case C{a} : a\n");
  const auto* match = as<match_term>(one.tree.defs[0]->body);
  EXPECT_EQ(one.covered(match->where), "match x:\n    case C{a} : a");
  EXPECT_EQ(one.covered(match->rows[0].where), "case C{a}");
  EXPECT_EQ(one.covered(match->rows[0].patterns[0]->where), "C{a}");
}

}  // namespace
}  // namespace cleave::lang::test
