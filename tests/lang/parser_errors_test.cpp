// parser_errors_test.cpp -- what is refused by name, and how the parser goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parsed.hpp"

namespace cleave::lang::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::string no_type = "expected a type for this operator (write (a + b : Nat)), observed ";
const std::string refused = "not in the supported subset: ";

// ---- Features that are left out (section 9) --------------------------------------

TEST(Refusals, ofHoles) {
  EXPECT_EQ(body_of("?x"), "2:3 f: " + refused + "a hole");
  EXPECT_EQ(body_of("f(?x, ?)"), "2:5 f: " + refused + "a hole\n2:9 f: " + refused + "a hole");
}

TEST(Refusals, ofRawEliminators) {
  EXPECT_EQ(body_of("\\{True: 1; False: {2 : U32}}(b)"), "2:3 f: " + refused + "a raw eliminator");
  EXPECT_EQ(body_of("\\{True: 1"), "3:1 f: expected '}', observed the end of the file");
}

TEST(Refusals, leaveOutProofs) {
  EXPECT_EQ(
      tree_of(
          "law p:\n  for n: Nat\n  {n == n : Nat}\ndef p(n):\n  f(?TODO, \\{Zero: {==}}, a + b)\n"),
      "proof law p(n: Nat) -> PROOF[{a == b : T}]\n"
      "def p(n): (f PROOF[?] PROOF[\\{}] (?.add a b))\n");
  EXPECT_EQ(tree_of("def p() -> {a == b : T}: ?TODO"),
            "proof def p() -> PROOF[{a == b : T}]: PROOF[?]\n");
}

TEST(Refusals, ofForeignDefs) {
  EXPECT_EQ(
      tree_of("def f() -> IO(Unit):\n  import \"./x.c\"\n  import \"./x.js\"\ndef g() -> T: )"),
      "2:3 f: " + refused + "a foreign def\n4:15 g: expected a term, observed ')'");
}

TEST(Refusals, ofTheOldDialect) {
  EXPECT_EQ(tree_of("type T:\n  A{}"),
            "1:6 T: " + refused + "the dialect from before 2.0 (a 'type' without 'is')");
  EXPECT_EQ(tree_of("assert f:\n  forall x: A\n  B"),
            "1:1: " + refused + "the dialect from before 2.0 ('assert' at top level)");
}

// ---- Expected texts of section 8.3 -----------------------------------------------

TEST(Errors, atTopLevel) {
  EXPECT_EQ(tree_of("x"), "1:1: expected 'def', 'type' or 'law', observed 'x'");
  EXPECT_EQ(tree_of("case"), "1:1: expected 'def', 'type' or 'law', observed 'case'");
}

TEST(Errors, ofTerms) {
  EXPECT_EQ(body_of(")"), "2:3 f: expected a term, observed ')'");
  EXPECT_EQ(body_of("f(,)"), "2:5 f: expected a term, observed ','");
  EXPECT_EQ(body_of("f(a,,b)"), "2:7 f: expected a term, observed ','");
  EXPECT_EQ(body_of("()"), "2:4 f: expected a term, observed ')'");
  EXPECT_EQ(body_of("- 1"), "2:3 f: expected a term, observed '-'");
  EXPECT_EQ(body_of("f(-x)"),
            "2:5 f: expected a term, observed a binder '-' (the difference is a - b)");
  EXPECT_EQ(body_of("f(!x)"), "2:5 f: expected a term, observed '!'");
  EXPECT_EQ(body_of("a == b"), "2:5 f: expected 'def', 'type' or 'law', observed '=='");
  EXPECT_EQ(body_of("f(a == b)"), "2:7 f: expected a term, observed '=='");
  EXPECT_EQ(body_of("f(return x)"), "2:5 f: expected a term, observed 'return'");
  EXPECT_EQ(body_of("f(x"), "3:1 f: expected a term, observed the end of the file");
  EXPECT_EQ(body_of("f(x) => x"), "2:3 f: expected one name before '=>', observed 'f(x)'");
  EXPECT_EQ(body_of("(a, b) => a"),
            "2:4 f: expected one name before '=>' (two parameters are a => b => e), "
            "observed 'a, b'");
  EXPECT_EQ(body_of("match x\n    case p: p"),
            "3:5 f: expected ':' (it ends what is matched), observed 'case'");
  EXPECT_EQ(body_of("(a <> x => b)"), "2:11 f: expected ')', observed '=>'");
  EXPECT_EQ(body_of("f(a)!(b)"), "2:7 f: expected 'def', 'type' or 'law', observed '!'");
}

TEST(Errors, ofArrayCounts) {
  const std::string expected = "expected a power of two count (^d takes a depth), observed ";
  EXPECT_EQ(body_of("[0 : U32*3n]"), "2:12 f: " + expected + "'3n'");
  EXPECT_EQ(body_of("[0 : U32*0n]"), "2:12 f: " + expected + "'0n'");
  EXPECT_EQ(body_of("[0 : U32*4]"), "2:12 f: " + expected + "'4'");
  EXPECT_EQ(body_of("[0 : U32*n]"), "2:12 f: " + expected + "'n'");
  EXPECT_EQ(body_of("[0 : U32]"),
            "2:11 f: expected '*' and a count, or '^' and a depth, observed ']'");
  EXPECT_EQ(body_of("[0, 1 : U32*4n]"), "2:9 f: expected a term, observed ':'");
}

TEST(Errors, quoteLongPiecesInPart) {
  EXPECT_EQ(body_of("\"" + std::string(100, 'a') + "\" = x\n  x"),
            "2:3 f: expected a name, a tuple or a constructor left of '=', observed '\"" +
                std::string(39, 'a') + "...'");
  // Not in the middle of a character.
  EXPECT_EQ(body_of("\"" + std::string(38, 'a') + "\u20ac\u20ac\" = x\n  x"),
            "2:3 f: expected a name, a tuple or a constructor left of '=', observed '\"" +
                std::string(38, 'a') + "...'");
}

// ---- Text that is none -----------------------------------------------------------

TEST(Errors, ofBytesThatAreNoText) {
  EXPECT_EQ(tree_of("def f() -> T:\n  \xff\xfe x \xff"),
            "2:3: expected UTF-8 text, observed a byte that is not part of UTF-8");
  EXPECT_EQ(tree_of(std::string("# \0", 3)), "1:3: expected UTF-8 text, observed a NUL byte");
  EXPECT_EQ(tree_of("\"\xc3\""),
            "1:2: expected UTF-8 text, observed a byte that is not part of UTF-8");
}

TEST(Errors, behindAnOpenStringAreNone) {
  EXPECT_EQ(tree_of("def f() -> T:\n  g(\"abc)\n\ndef g() -> T:\n  x\n"),
            "2:5 f: expected a '\"' that ends the string, observed the end of the file");
}

TEST(Errors, ofTokensAreInTheirDef) {
  EXPECT_EQ(tree_of("def f() -> T:\n  12ab\ndef g() -> T:\n  $ x\n"),
            "2:3 f: expected a number (7, 7n or 1.5), observed '12ab'\n"
            "4:3 g: expected a word, a literal or an operator, observed '$'");
}

// ---- Going on --------------------------------------------------------------------

TEST(Recovery, isAtTheNextItem) {
  EXPECT_EQ(tree_of("def f( -> T:\n  x\n\ntype T is Data:\n  A{x}\n\nlaw p:\n  for\n  A\n\nx\n\n"
                    "@unsafe def h() -> T: (\n"),
            "1:8 f: expected a name, observed '->'\n"
            "5:6 T: expected ':' and the type of the field, observed '}'\n"
            "11:1 p: expected ':' and a type, observed 'x'\n"
            "14:1 h: expected a term, observed the end of the file");
}

TEST(Recovery, isAtTheNextCase) {
  EXPECT_EQ(body_of("match x:\n"
                    "    case 0n: )\n"
                    "    case 1n+p:\n"
                    "      match y:\n"
                    "        case =: a\n"
                    "        case b: (\n"
                    "        case c: c\n"
                    "    case q: ]\n"),
            "3:14 f: expected a term, observed ')'\n"
            "6:14 f: expected a pattern, observed '='\n"
            "8:9 f: expected a term, observed 'case'\n"
            "9:13 f: expected a term, observed ']'");
}

TEST(Recovery, leavesCasesToTheMatchAround) {
  EXPECT_EQ(body_of("match x:\n"
                    "    case 0n: f(match y:\n"
                    "      case 0n: a\n"
                    "    case p: )\n"),
            "3:16 f: expected a term (a match stands in a body: put it between parentheses), "
            "observed 'match'\n"
            "5:13 f: expected a term, observed ')'");
  EXPECT_EQ(body_of("match x:\n"
                    "    case 0n: (match y:\n"
                    "      case 0n: a b)\n"
                    "    case p: p\n"),
            "4:19 f: expected '=' on the same line (a parallel let binds names; destructure in its "
            "body), observed ')'");
}

TEST(Recovery, keepsTheHeadersOfDefs) {
  const parsed one("def f(x: A) -> B:\n  g(\ndef g() -> T: f(x)");
  EXPECT_THAT(one.said(), ElementsAre("3:1 f: expected a term, observed 'def'"));
  EXPECT_EQ(one.text(), "def f(x: A) -> B: PROOF[]\ndef g() -> T: (f x)\n");
  EXPECT_FALSE(one.tree.incomplete);
}

TEST(Recovery, saysWhenNamesMayBeMissing) {
  EXPECT_TRUE(parsed("def f( -> T: x").tree.incomplete);
  EXPECT_TRUE(parsed("type T is Data:\n  A{").tree.incomplete);
  EXPECT_TRUE(parsed("law p:").tree.incomplete);
  EXPECT_TRUE(parsed("import ./x.bend").tree.incomplete);
  EXPECT_TRUE(parsed("\xff").tree.incomplete);
  EXPECT_FALSE(parsed("def f() -> T: )").tree.incomplete);
}

// A2
TEST(Recovery, leavesNothingOfABodyWithErrors) {
  EXPECT_EQ(parsed("def f() -> T:\n  match x:\n    case a: )\n    case b: b").text(),
            "def f() -> T: PROOF[]\n");
  EXPECT_EQ(parsed("def f() -> T:\n  a + b").text(), "def f() -> T: PROOF[]\n");
  EXPECT_EQ(parsed("def f() -> T:\n  match x:\n    case a b: b").text(), "def f() -> T: PROOF[]\n");
}

TEST(Recovery, blamesNoOperatorInWhatWasGivenUp) {
  EXPECT_THAT(parsed("def f() -> T:\n  (a + b\n").said(),
              ElementsAre("3:1 f: expected ')', observed the end of the file"));
  EXPECT_THAT(parsed("def f() -> T:\n  match x:\n    case a: (a + b\n    case c: c\n").said(),
              ElementsAre("4:5 f: expected ')', observed 'case'"));
}

TEST(Recovery, blamesTheOperatorsOfHeaders) {
  EXPECT_THAT(parsed("def f(x: T<a + b>) -> T:\n  )\n").said(),
              ElementsAre("2:3 f: expected a term, observed ')'", "1:14 f: " + no_type + "'+'"));
  EXPECT_THAT(parsed("type T is Data:\n  A{x: a + b}\n  B{\n").said(),
              ElementsAre("4:1 T: expected a name, observed the end of the file",
                          "2:10 T: " + no_type + "'+'"));
}

TEST(Recovery, endsAfterTooManyErrors) {
  std::string text;
  for (int k = 0; k < 1000; ++k) text += "def f(\n";
  const parsed one(text);
  EXPECT_EQ(one.found.count(), diagnostics::most);
}

TEST(Recovery, isNotNeededWhereNothingIsWrong) {
  EXPECT_THAT(parsed("def f() -> T:\n  x\n").said(), IsEmpty());
}

}  // namespace
}  // namespace cleave::lang::test
