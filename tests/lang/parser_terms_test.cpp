// parser_terms_test.cpp -- section 3 of the language: primary forms, suffixes, operators.
#include <gtest/gtest.h>

#include "parsed.hpp"

namespace cleave::lang::test {
namespace {

// ---- Primary forms (3.1) ---------------------------------------------------------

TEST(Terms, areNames) {
  EXPECT_EQ(body_of("x"), "x");
  EXPECT_EQ(body_of("U32.add"), "U32.add");
  EXPECT_EQ(body_of("_"), "_");
}

TEST(Terms, areLiterals) {
  EXPECT_EQ(body_of("7"), "7");
  EXPECT_EQ(body_of("12n"), "12n");
  EXPECT_EQ(body_of("1.5"), "f32:1069547520");  // 0x3FC00000
  EXPECT_EQ(body_of("'a'"), "char:97");
  EXPECT_EQ(body_of("\"a\\n\\u{20AC}\""), "\"a\n\u20ac\"");
  EXPECT_EQ(body_of("\"a\nb\""), "\"a\nb\"");
}

TEST(Terms, areCalls) {
  EXPECT_EQ(body_of("f(a, b)"), "(f a b)");
  EXPECT_EQ(body_of("f(a b)"), "(f a b)");
  EXPECT_EQ(body_of("f(a, b,)"), "(f a b)");
  EXPECT_EQ(body_of("f(\n a\n b)"), "(f a b)");
  EXPECT_EQ(body_of("f()"), "(f)");
  EXPECT_EQ(body_of("g(1)(2)"), "((g 1) 2)");
  EXPECT_EQ(body_of("(x)(1)"), "(x 1)");
  EXPECT_EQ(body_of("f (a)"), "(f a)");
}

TEST(Terms, areCallsOnTheDevice) {
  EXPECT_EQ(body_of("f!(a, b)"), "(!f a b)");
  EXPECT_EQ(body_of("M.f!(a)(b)"), "((!M.f a) b)");
}

TEST(Terms, passTemplates) {
  EXPECT_EQ(body_of("map(~U32, ~(x => x), xs)"), "(map ~U32 ~(x => x) xs)");
  EXPECT_EQ(body_of("map(~U32 ~x => x, xs)"), "(map ~U32 ~(x => x) xs)");
}

TEST(Terms, areConstructors) {
  EXPECT_EQ(body_of("C{a, b}"), "{C a b}");
  EXPECT_EQ(body_of("C{a b,}"), "{C a b}");
  EXPECT_EQ(body_of("M.C{}"), "{M.C}");
  EXPECT_EQ(body_of("C {a}"), "{C a}");
  EXPECT_EQ(body_of("f(C\n {a : T})"), "(f C (a : T))");
}

TEST(Terms, areTuplesNestedToTheRight) {
  EXPECT_EQ(body_of("(a, b)"), "{Tuple a b}");
  EXPECT_EQ(body_of("(a, b, c)"), "{Tuple a {Tuple b c}}");
  EXPECT_EQ(body_of("((a, b), c)"), "{Tuple {Tuple a b} c}");
  EXPECT_EQ(body_of("(a, b,)"), "{Tuple a b}");
}

TEST(Terms, areBodiesInParentheses) {
  EXPECT_EQ(body_of("(x)"), "x");
  EXPECT_EQ(body_of("(x = 1; x)"), "(let x = 1; x)");
  EXPECT_EQ(body_of("f((x = 1\n x), (match y: case a: a))"),
            "(f (let x = 1; x) (match y [a -> a]))");
  EXPECT_EQ(body_of("(x : T = 1; x)"), "(let x : T = 1; x)");
}

TEST(Terms, areAnnotated) {
  EXPECT_EQ(body_of("{e : T}"), "(e : T)");
  EXPECT_EQ(body_of("(e : T)"), "(e : T)");
  EXPECT_EQ(body_of("(f(x) : T)"), "((f x) : T)");
  EXPECT_EQ(body_of("(a, b : T)"), "({Tuple a b} : T)");
  EXPECT_EQ(body_of("(x => x : A -> B)"), "((x => x) : (A -> B))");
  EXPECT_EQ(body_of("{x => x : A -> B}"), "((x => x) : (A -> B))");
  EXPECT_EQ(body_of("(y = x; y : T)"), "((let y = x; y) : T)");
  EXPECT_EQ(body_of("(match x: case a: a : T)"), "((match x [a -> a]) : T)");
}

TEST(Terms, areLists) {
  EXPECT_EQ(body_of("[]"), "[]");
  EXPECT_EQ(body_of("[a]"), "[a]");
  EXPECT_EQ(body_of("[a, b c,]"), "[a b c]");
  EXPECT_EQ(body_of("f(x [])"), "(f x [])");
  EXPECT_EQ(body_of("h <> t"), "{Con h t}");
  EXPECT_EQ(body_of("a <> b <> t"), "{Con a {Con b t}}");
}

TEST(Terms, areLambdas) {
  EXPECT_EQ(body_of("x => x"), "(x => x)");
  EXPECT_EQ(body_of("+x => x"), "(+x => x)");
  EXPECT_EQ(body_of("_ => 1"), "(_ => 1)");
  EXPECT_EQ(body_of("a => b => f(a, b)"), "(a => (b => (f a b)))");
  EXPECT_EQ(body_of("f(x => g(x), y)"), "(f (x => (g x)) y)");
  EXPECT_EQ(body_of("f(x =>\n    y = x\n    match y:\n      case a: a)"),
            "(f (x => (let y = x; (match y [a -> a]))))");
}

TEST(Terms, areArrays) {
  EXPECT_EQ(body_of("[0 : U32*4n]"), "[0 : U32 * 4n]");
  EXPECT_EQ(body_of("[0 : U32 * 1n]"), "[0 : U32 * 1n]");
  EXPECT_EQ(body_of("[v : T^D]"), "[v : T ^ D]");
  EXPECT_EQ(body_of("[v : T^f(x)]"), "[v : T ^ (f x)]");
  EXPECT_EQ(body_of("[x : (A & B)*4n]"), "[x : Sigma<A B> * 4n]");
  EXPECT_EQ(body_of("[x : Array<U32>*4n]"), "[x : Array<U32> * 4n]");
  EXPECT_EQ(body_of("[x : List<&2, Maybe<A & B>>^d]"), "[x : List<SORT Maybe<Sigma<A B>>> ^ d]");
  EXPECT_EQ(body_of("[x => x : (A -> B)*2n]"), "[(x => x) : (A -> B) * 2n]");
  EXPECT_EQ(body_of("[0 : U32*2147483648n]"), "[0 : U32 * 2147483648n]");
}

TEST(Terms, areReadsAndWritesOfArrays) {
  EXPECT_EQ(body_of("a[i]"), "(Array.get U32 a i)");
  EXPECT_EQ(body_of("a[i] <- v"), "(Array.set U32 a i v)");
  EXPECT_EQ(body_of("f(p, a[j] <- 0)"), "(f p (Array.set U32 a j 0))");
  EXPECT_EQ(body_of("Two{t, cs[c] <- v}"), "{Two t (Array.set U32 cs c v)}");
  EXPECT_EQ(body_of("(a[j] <- s, t)"), "{Tuple (Array.set U32 a j s) t}");
  EXPECT_EQ(body_of("(a[j] <- s)[q]"), "(Array.get U32 (Array.set U32 a j s) q)");
  EXPECT_EQ(body_of("f(x)[i]"), "(Array.get U32 (f x) i)");
  EXPECT_EQ(body_of("a[i][j]"), "(Array.get U32 (Array.get U32 a i) j)");
  // The value of a write reaches over all operators of values.
  EXPECT_EQ(body_of("a[i] <- (x : T) && y || z"),
            "(Array.set U32 a i (Bool.or (Bool.and (x : T) y) z))");
}

TEST(Terms, areSuccessors) {
  EXPECT_EQ(body_of("1n+p"), "(1n+ p)");
  EXPECT_EQ(body_of("2n+f(x)"), "(2n+ (f x))");
  EXPECT_EQ(body_of("1n+1n+p"), "(1n+ (1n+ p))");
  EXPECT_EQ(body_of("1n+(a + b : Nat)"), "(1n+ ((Nat.add a b) : Nat))");
  EXPECT_EQ(body_of("1n+ p"), "(1n+ p)");
  EXPECT_EQ(body_of("0n+p"), "p");
  // As far to the right as it reaches.
  EXPECT_EQ(body_of("1n+a <> b"), "(1n+ {Con a b})");
}

// ---- Where terms end (3.2) -------------------------------------------------------

TEST(Terms, takeBracketsOnlyFromTheirOwnLine) {
  EXPECT_EQ(body_of("x = f\n  (a, b)"), "(let x = f; {Tuple a b})");
  EXPECT_EQ(body_of("x = f\n  [a]"), "(let x = f; [a])");
  EXPECT_EQ(body_of("x = f\n  {a : T}"), "(let x = f; (a : T))");
}

TEST(Terms, goOnWithAnOperatorOfTheNextLine) {
  EXPECT_EQ(body_of("(a\n  + b\n  * c : U32)"), "((U32.add a (U32.mul b c)) : U32)");
}

TEST(Terms, endWhereAnotherTermBegins) {
  EXPECT_EQ(body_of("f(a b c{d} 1 \"s\" [] 'x')"), "(f a b {c d} 1 \"s\" [] char:120)");
}

// ---- Spans -----------------------------------------------------------------------

TEST(Terms, coverTheirText) {
  const parsed one("def f() -> T:\n  (a + g(b[c], {d : E}) : U32)\n");
  const auto* annotated = as<annotated_term>(one.tree.defs[0]->body);
  EXPECT_EQ(one.covered(annotated->where), "(a + g(b[c], {d : E}) : U32)");
  const auto* sum = as<call_term>(annotated->value);
  EXPECT_EQ(one.covered(sum->where), "a + g(b[c], {d : E})");
  EXPECT_EQ(one.covered(sum->callee->where), "+");
  const auto* call = as<call_term>(sum->arguments[1].value);
  EXPECT_EQ(one.covered(call->where), "g(b[c], {d : E})");
  EXPECT_EQ(one.covered(call->callee->where), "g");
  const auto* get = as<call_term>(call->arguments[0].value);
  EXPECT_EQ(one.covered(get->where), "b[c]");
  EXPECT_EQ(one.covered(get->callee->where), "[c]");
  EXPECT_EQ(one.covered(call->arguments[1].value->where), "{d : E}");
}

}  // namespace
}  // namespace cleave::lang::test
