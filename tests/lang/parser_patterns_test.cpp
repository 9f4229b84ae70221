// parser_patterns_test.cpp -- section 4.4 of the language: patterns.
#include <gtest/gtest.h>

#include "parsed.hpp"

namespace cleave::lang::test {
namespace {

TEST(Patterns, areNames) {
  EXPECT_EQ(patterns_of("x"), "x");
  EXPECT_EQ(patterns_of("+x"), "+x");
  EXPECT_EQ(patterns_of("_"), "_");
}

TEST(Patterns, areConstructors) {
  EXPECT_EQ(patterns_of("True{}"), "{True}");
  EXPECT_EQ(patterns_of("C{p, q}"), "{C p q}");
  EXPECT_EQ(patterns_of("M.C{+p _}"), "{M.C +p _}");
  EXPECT_EQ(patterns_of("ANode{ALeaf{x}, r}"), "{ANode {ALeaf x} r}");
  EXPECT_EQ(patterns_of("SCon{Chr{n}, t}"), "{SCon {Chr n} t}");
}

TEST(Patterns, areNats) {
  EXPECT_EQ(patterns_of("0n"), "0n");
  EXPECT_EQ(patterns_of("3n"), "3n");
  EXPECT_EQ(patterns_of("1n+p"), "(1n+ p)");
  EXPECT_EQ(patterns_of("2n+p"), "(2n+ p)");
  EXPECT_EQ(patterns_of("1n++k"), "(1n+ +k)");
  EXPECT_EQ(patterns_of("1n+ +k"), "(1n+ +k)");
  EXPECT_EQ(patterns_of("1n+1n+p"), "(1n+ (1n+ p))");
  EXPECT_EQ(patterns_of("1n+_"), "(1n+ _)");
}

TEST(Patterns, areLists) {
  EXPECT_EQ(patterns_of("[]"), "{Nil}");
  EXPECT_EQ(patterns_of("[x]"), "{Con x {Nil}}");
  EXPECT_EQ(patterns_of("[x, y]"), "{Con x {Con y {Nil}}}");
  EXPECT_EQ(patterns_of("h <> t"), "{Con h t}");
  EXPECT_EQ(patterns_of("+h <> t"), "{Con +h t}");
  EXPECT_EQ(patterns_of("x <> y <> t"), "{Con x {Con y t}}");
}

TEST(Patterns, areTuples) {
  EXPECT_EQ(patterns_of("(a, b)"), "{Tuple a b}");
  EXPECT_EQ(patterns_of("(a, b, c)"), "{Tuple a {Tuple b c}}");
  EXPECT_EQ(patterns_of("(a)"), "a");
}

TEST(Patterns, areLiterals) {
  EXPECT_EQ(patterns_of("7"), "7");
  EXPECT_EQ(patterns_of("'c'"), "char:99");
  EXPECT_EQ(patterns_of("\"abc\""), "\"abc\"");
}

TEST(Patterns, followEachOther) {
  EXPECT_EQ(patterns_of("a b", 2), "a b");
  EXPECT_EQ(patterns_of("a, b", 2), "a b");
  EXPECT_EQ(patterns_of("(a, b) C{} 0n", 3), "{Tuple a b} {C} 0n");
  EXPECT_EQ(patterns_of("1n+p +q", 2), "(1n+ p) +q");
  EXPECT_EQ(patterns_of("xs []", 2), "xs {Nil}");
  EXPECT_EQ(patterns_of("C{}\n  D{}", 2), "{C} {D}");
}

TEST(Patterns, areNoCalls) {
  EXPECT_EQ(patterns_of("C(x, y)"),
            "3:10 f: expected a braced constructor pattern (C{x, y}), observed 'C(x, y)'");
  // The trap of section 3.2.
  EXPECT_EQ(patterns_of("A{} (x, y)", 2),
            "3:10 f: expected a pattern (behind another one, a tuple is Tuple{x, y}), "
            "observed 'A{} (x, y)'");
}

TEST(Patterns, areNoOtherTerms) {
  EXPECT_EQ(patterns_of("1.5"),
            "3:10 f: expected a pattern (no F32 is one: F32.is_eq compares), observed '1.5'");
  EXPECT_EQ(patterns_of("a + b"), "3:10 f: expected a pattern, observed 'a + b'");
  EXPECT_EQ(patterns_of("x => x"), "3:10 f: expected a pattern, observed 'x => x'");
  EXPECT_EQ(patterns_of("{a : T}"), "3:10 f: expected a pattern, observed '{a : T}'");
  EXPECT_EQ(patterns_of("C{List<A>}"), "3:12 f: expected a pattern, observed 'List<A>'");
  EXPECT_EQ(patterns_of("Type"), "3:10 f: expected a pattern, observed 'Type'");
  EXPECT_EQ(patterns_of("=> x"), "3:10 f: expected a pattern, observed '=>'");
  EXPECT_EQ(patterns_of("(x = 1; x)"), "3:11 f: expected a pattern, observed 'x = 1; x'");
}

TEST(Patterns, coverTheirText) {
  const parsed one("def f() -> T:\n  match x:\n    case C{+a, 1n+p, [b], \"s\"}: a\n");
  const auto* whole =
      as<constructor_pattern>(as<match_term>(one.tree.defs[0]->body)->rows[0].patterns[0]);
  EXPECT_EQ(one.covered(whole->where), "C{+a, 1n+p, [b], \"s\"}");
  EXPECT_EQ(one.covered(as<name_pattern>(whole->fields[0])->name.where), "a");
  EXPECT_EQ(one.covered(whole->fields[1]->where), "1n+p");
  EXPECT_EQ(one.covered(whole->fields[2]->where), "[b]");
  EXPECT_EQ(one.covered(whole->fields[3]->where), "\"s\"");
}

}  // namespace
}  // namespace cleave::lang::test
