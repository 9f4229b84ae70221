// parser_operators_test.cpp -- section 3.3 of the language: levels, types of operators, `<`.
#include <gtest/gtest.h>

#include "parsed.hpp"

namespace cleave::lang::test {
namespace {

// Of operators in a ( ... : U32).
std::string u32_of(const std::string& text) {
  const std::string made = body_of("(" + text + " : U32)");
  const std::size_t end = made.rfind(" : U32)");
  return end == made.npos ? made : made.substr(1, end - 1);
}

TEST(Operators, areTheDefsOfATheirType) {
  EXPECT_EQ(u32_of("a < b"), "(U32.is_lt a b)");
  EXPECT_EQ(u32_of("a <= b"), "(U32.is_le a b)");
  EXPECT_EQ(u32_of("a > b"), "(U32.is_gt a b)");
  EXPECT_EQ(u32_of("a >= b"), "(U32.is_ge a b)");
  EXPECT_EQ(u32_of("a .|. b"), "(U32.or a b)");
  EXPECT_EQ(u32_of("a .^. b"), "(U32.xor a b)");
  EXPECT_EQ(u32_of("a .&. b"), "(U32.and a b)");
  EXPECT_EQ(u32_of("a << 1n"), "(U32.shln a 1n)");
  EXPECT_EQ(u32_of("a >> 1n"), "(U32.shrn a 1n)");
  EXPECT_EQ(u32_of("a + b"), "(U32.add a b)");
  EXPECT_EQ(u32_of("a - b"), "(U32.sub a b)");
  EXPECT_EQ(u32_of("a * b"), "(U32.mul a b)");
  EXPECT_EQ(u32_of("a / b"), "(U32.div a b)");
  EXPECT_EQ(u32_of("a % b"), "(U32.mod a b)");
}

TEST(Operators, ofOneTypeNeedNoneToBeSaid) {
  EXPECT_EQ(body_of("a || b"), "(Bool.or a b)");
  EXPECT_EQ(body_of("a && b"), "(Bool.and a b)");
  EXPECT_EQ(body_of("a ++ b"), "(String.append a b)");
  EXPECT_EQ(body_of("a <> b"), "{Con a b}");
}

TEST(Operators, haveLevels) {
  // Each line binds tighter than the one before.
  const std::vector<std::pair<std::string, std::string>> levels = {
      {"||", "Bool.or"}, {"&&", "Bool.and"}, {"<=", "U32.is_le"}, {"++", "String.append"},
      {".|.", "U32.or"}, {".^.", "U32.xor"}, {".&.", "U32.and"},  {"<<", "U32.shln"},
      {"+", "U32.add"},  {"*", "U32.mul"},
  };
  for (std::size_t k = 0; k + 1 < levels.size(); ++k) {
    const auto& [loose, loose_name] = levels[k];
    const auto& [tight, tight_name] = levels[k + 1];
    EXPECT_EQ(u32_of("a " + loose + " b " + tight + " c"),
              "(" + loose_name + " a (" + tight_name + " b c))");
    EXPECT_EQ(u32_of("a " + tight + " b " + loose + " c"),
              "(" + loose_name + " (" + tight_name + " a b) c)");
  }
}

TEST(Operators, ofOneLevelGoToTheLeft) {
  EXPECT_EQ(u32_of("a - b + c"), "(U32.add (U32.sub a b) c)");
  EXPECT_EQ(u32_of("a / b * c % d"), "(U32.mod (U32.mul (U32.div a b) c) d)");
  EXPECT_EQ(u32_of("a << b >> c"), "(U32.shrn (U32.shln a b) c)");
  EXPECT_EQ(body_of("a || b || c"), "(Bool.or (Bool.or a b) c)");
  EXPECT_EQ(body_of("a && b && c"), "(Bool.and (Bool.and a b) c)");
  EXPECT_EQ(u32_of("a .|. b .|. c"), "(U32.or (U32.or a b) c)");
}

TEST(Operators, ofSomeLevelsGoToTheRight) {
  EXPECT_EQ(body_of("a <> b <> c"), "{Con a {Con b c}}");
  EXPECT_EQ(body_of("a ++ b ++ c"), "(String.append a (String.append b c))");
  EXPECT_EQ(body_of("a ++ b <> c"), "(String.append a {Con b c})");
  EXPECT_EQ(type_of("A -> B -> C"), "(A -> (B -> C))");
  EXPECT_EQ(type_of("A & B & C"), "Sigma<A Sigma<B C>>");
  EXPECT_EQ(type_of("A & B | C"), "Sigma<A Either<B C>>");
}

// ---- The type of an operator -----------------------------------------------------

TEST(Operators, haveTheTypeOfTheirParentheses) {
  EXPECT_EQ(body_of("(a + b : Nat)"), "((Nat.add a b) : Nat)");
  EXPECT_EQ(body_of("(a + b : Vec<&2, U32>)"), "((Vec.add a b) : Vec<SORT U32>)");
  EXPECT_EQ(body_of("(a + b : M.Vec)"), "((M.Vec.add a b) : M.Vec)");
  EXPECT_EQ(body_of("(a + b : Word(32n))"), "((Word.add a b) : (Word 32n))");
}

TEST(Operators, inInnerParenthesesHaveTheSameType) {
  EXPECT_EQ(u32_of("a + (b - c) * d"), "(U32.add a (U32.mul (U32.sub b c) d))");
}

TEST(Operators, haveTheInnermostType) {
  EXPECT_EQ(u32_of("a + (b + c : Nat)"), "(U32.add a ((Nat.add b c) : Nat))");
}

TEST(Operators, haveATypeThroughLogicAndStrings) {
  EXPECT_EQ(u32_of("a < b && c < d || e < f"),
            "(Bool.or (Bool.and (U32.is_lt a b) (U32.is_lt c d)) (U32.is_lt e f))");
  EXPECT_EQ(u32_of("Bool.and(a <= b, c <= d)"), "(Bool.and (U32.is_le a b) (U32.is_le c d))");
  EXPECT_EQ(u32_of("Bool.or(a <= b, c <= d)"), "(Bool.or (U32.is_le a b) (U32.is_le c d))");
  EXPECT_EQ(u32_of("x = y; x + 1"), "(let x = y; (U32.add x 1))");
}

TEST(Operators, haveATypeInIndicesAndArrays) {
  EXPECT_EQ(body_of("a[i + 1]"), "(Array.get U32 a (U32.add i 1))");
  EXPECT_EQ(body_of("a[i + 1] <- v"), "(Array.set U32 a (U32.add i 1) v)");
  EXPECT_EQ(body_of("[1 + 2 : F32*4n]"), "[(F32.add 1 2) : F32 * 4n]");
}

// The type is that of the operands: the result is a Bool.
TEST(Operators, thatCompareHaveNoAnnotation) {
  EXPECT_EQ(body_of("(a < b : U32)"), "(U32.is_lt a b)");
  EXPECT_EQ(body_of("(a < b && c : U32)"), "(Bool.and (U32.is_lt a b) c)");
  EXPECT_EQ(body_of("(x = y; a >= x : U32)"), "(let x = y; (U32.is_ge a x))");
  EXPECT_EQ(body_of("{(a < b : U32) : Bool}"), "((U32.is_lt a b) : Bool)");
}

const std::string no_type = "expected a type for this operator (write (a + b : Nat)), observed ";

TEST(Operators, withoutATypeAreErrors) {
  EXPECT_EQ(body_of("a + b"), "2:5 f: " + no_type + "'+'");
  EXPECT_EQ(body_of("{a < b : U32}"), "2:6 f: " + no_type + "'<'");
  EXPECT_EQ(body_of("a && b < c"), "2:10 f: " + no_type + "'<'");
}

TEST(Operators, passNoTypeToArgumentsLetsAndLambdas) {
  EXPECT_EQ(body_of("(f(a + b) : U32)"), "2:8 f: " + no_type + "'+'");
  EXPECT_EQ(body_of("(C{a + b} : U32)"), "2:8 f: " + no_type + "'+'");
  EXPECT_EQ(body_of("(x = a + b; x : U32)"), "2:10 f: " + no_type + "'+'");
  EXPECT_EQ(body_of("(x => x + 1 : U32)"), "2:11 f: " + no_type + "'+'");
  EXPECT_EQ(body_of("(1n+a + b : Nat)"), "2:9 f: " + no_type + "'+'");
  EXPECT_EQ(body_of("a[i] <- b + c"), "2:13 f: " + no_type + "'+'");
  EXPECT_EQ(body_of("(f(x) : A -> B)"), "((f x) : (A -> B))");
  EXPECT_EQ(body_of("(a + b : A -> B)"), "2:6 f: " + no_type + "'+'");
}

TEST(Operators, withoutATypeAreReportedOnceForEachTerm) {
  EXPECT_EQ(body_of("f(a + b * c - d, e + f)"),
            "2:15 f: " + no_type + "'-'\n2:22 f: " + no_type + "'+'");
}

// ---- `<` -------------------------------------------------------------------------

TEST(LessThan, opensTypeArgumentsBehindAName) {
  EXPECT_EQ(type_of("Array<U32>"), "Array<U32>");
  EXPECT_EQ(type_of("List<&2, U32>"), "List<SORT U32>");
  EXPECT_EQ(type_of("List<List<&2, U32>>"), "List<List<SORT U32>>");
  EXPECT_EQ(type_of("List < List < &2, U32 > >"), "List<List<SORT U32>>");
  EXPECT_EQ(type_of("Maybe<&2, U32 & Bool>"), "Maybe<SORT Sigma<U32 Bool>>");
  EXPECT_EQ(type_of("Foo<(A & B), C>"), "Foo<Sigma<A B> C>");
  EXPECT_EQ(type_of("Foo<A & B, C>"), "Foo<Sigma<A B> C>");
  EXPECT_EQ(type_of("List<U32 -> U32>"), "List<(U32 -> U32)>");
  EXPECT_EQ(type_of("Foo<A, B -> C>"), "Foo<A (B -> C)>");
  EXPECT_EQ(type_of("Foo<A, B >"), "Foo<A B>");
  EXPECT_EQ(type_of("Sigma<&2, &2, A, _ => B>"), "Sigma<SORT SORT A (_ => B)>");
  EXPECT_EQ(type_of("Array<U32>-> B"), "(Array<U32> -> B)");
  EXPECT_EQ(type_of("A & Array<U32> -> B"), "(Sigma<A Array<U32>> -> B)");
  EXPECT_EQ(body_of("x : Array<U32>= y\n  x"), "(let x : Array<U32> = y; x)");
}

TEST(LessThan, isAComparisonOtherwise) {
  EXPECT_EQ(u32_of("a < b"), "(U32.is_lt a b)");
  EXPECT_EQ(u32_of("a<b"), "(U32.is_lt a b)");
  EXPECT_EQ(u32_of("f(x) < b + c"), "(U32.is_lt (f x) (U32.add b c))");
  EXPECT_EQ(u32_of("x + a < b * c"), "(U32.is_lt (U32.add x a) (U32.mul b c))");
  EXPECT_EQ(u32_of("a < b && c < d"), "(Bool.and (U32.is_lt a b) (U32.is_lt c d))");
  EXPECT_EQ(u32_of("a < b < c < d"), "(U32.is_lt (U32.is_lt (U32.is_lt a b) c) d)");
  EXPECT_EQ(u32_of("a < b + c < d"), "(U32.is_lt (U32.is_lt a (U32.add b c)) d)");
  EXPECT_EQ(u32_of("a < b <= c"), "(U32.is_le (U32.is_lt a b) c)");
  EXPECT_EQ(body_of("((a < b : U32), c)"), "{Tuple (U32.is_lt a b) c}");
}

TEST(LessThan, beforeACommaNeedsParentheses) {
  EXPECT_EQ(body_of("(a < b, c)"),
            "2:12 f: expected '>' (a comparison stands in parentheses: (a < b : T)), observed ')'");
  EXPECT_EQ(body_of("(f(x) < b, c)"),
            "2:9 f: expected a name before '<' (or (a < b : T)), observed '<'");
}

TEST(LessThan, inAnElementTypeStandsDirectlyBehindTheName) {
  EXPECT_EQ(body_of("[x : Array <U32>*4n]"),
            "2:14 f: expected '*' and a count, or '^' and a depth, observed '<'");
  EXPECT_EQ(body_of("[x : a<b*4n]"),
            "2:9 f: expected type arguments that end with '>', observed '<'");
}

TEST(GreaterThan, needsABlankBefore) {
  EXPECT_EQ(body_of("(f(x)> y : U32)"),
            "2:8 f: expected ')', observed '>' (a comparison is a > b)");
}

TEST(Signs, withANameBehindAreNoOperators) {
  EXPECT_EQ(body_of("(a +b : U32)"),
            "2:6 f: expected an operator with a blank behind it (a + b), observed '+'");
  EXPECT_EQ(body_of("(a -b : U32)"),
            "2:6 f: expected ')', observed a binder '-' (the difference is a - b)");
}

}  // namespace
}  // namespace cleave::lang::test
