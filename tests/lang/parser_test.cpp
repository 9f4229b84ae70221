// parser_test.cpp -- trees keep their invariants whatever the text is, and long or deep
// texts cost what they should.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <utility>

#include "parsed.hpp"
#include "tree_facts.hpp"

namespace cleave::lang::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string times(std::size_t count, const std::string& text) {
  std::string made;
  made.reserve(count * text.size());
  for (std::size_t k = 0; k < count; ++k) made += text;
  return made;
}

std::string in_body(const std::string& text) {
  return "def f() -> T:\n  " + text + "\n";
}

// Forms that nest: the text with so many levels.
struct nesting {
  const char* name;
  std::function<std::string(std::size_t)> text;
};

std::string around(std::size_t n, const char* open, const char* middle, const char* close) {
  return in_body(times(n, open) + middle + times(n, close));
}

const std::vector<nesting>& nestings() {
  static const std::vector<nesting> all = {
      {"parentheses", [](std::size_t n) { return around(n, "(", "x", ")"); }},
      {"calls", [](std::size_t n) { return around(n, "f(", "x", ")"); }},
      {"templates", [](std::size_t n) { return around(n, "f(~", "x", ")"); }},
      {"constructors", [](std::size_t n) { return around(n, "C{", "x", "}"); }},
      {"lists", [](std::size_t n) { return around(n, "[", "x", "]"); }},
      {"arrays", [](std::size_t n) { return around(n, "[", "x", " : T*4n]"); }},
      {"counts", [](std::size_t n) { return around(n, "[x : T^", "x", "]"); }},
      {"typed terms", [](std::size_t n) { return around(n, "(", "x", " : T)"); }},
      {"annotations", [](std::size_t n) { return around(n, "{", "x", " : T}"); }},
      {"types of annotations", [](std::size_t n) { return around(n, "{x : ", "x", "}"); }},
      {"indices", [](std::size_t n) { return around(n, "a[", "x", "]"); }},
      {"lambdas", [](std::size_t n) { return around(n, "x => ", "x", ""); }},
      {"successors", [](std::size_t n) { return around(n, "1n+", "x", ""); }},
      {"writes", [](std::size_t n) { return around(n, "a[x] <- ", "x", ""); }},
      {"suffixes", [](std::size_t n) { return around(n, "", "f", "(x)"); }},
      {"reads", [](std::size_t n) { return around(n, "", "a", "[x]"); }},
      {"sums", [](std::size_t n) { return in_body("(x" + times(n, " + x") + " : T)"); }},
      {"conjunctions", [](std::size_t n) { return around(n, "", "x", " && x"); }},
      {"comparisons", [](std::size_t n) { return in_body("(x" + times(n, " < x") + " : T)"); }},
      {"conses", [](std::size_t n) { return around(n, "x <> ", "x", ""); }},
      {"tuples", [](std::size_t n) { return in_body("(" + times(n, "x, ") + "x)"); }},
      {"blocks", [](std::size_t n) { return around(n, "(x = ", "x", "; x)"); }},
      {"lets in lambdas", [](std::size_t n) { return around(n, "x = x => ", "x", "\n  x"); }},
      {"lambdas with lets", [](std::size_t n) { return around(n, "x => y = x; ", "x", ""); }},
      {"matches", [](std::size_t n) { return around(n, "match x: case a: ", "x", ""); }},
      {"scrutinees", [](std::size_t n) { return around(n, "match (", "x", "): case a: a"); }},
      {"do blocks", [](std::size_t n) { return around(n, "do IO<T>: ", "x", ""); }},
      {"binds", [](std::size_t n) { return around(n, "do IO<T>: x : T <- (", "x", "); x"); }},
      {"rewrites", [](std::size_t n) { return around(n, "%e : P; ", "x", ""); }},
      {"type arguments",
       [](std::size_t n) {
         return in_body("x : " + times(n, "L<") + "T" + times(n, ">") + " = x\n  x");
       }},
      {"later type arguments",
       [](std::size_t n) {
         return in_body("x : " + times(n, "L<a, ") + "T" + times(n, ">") + " = x\n  x");
       }},
      {"functions", [](std::size_t n) { return "law f:\n  " + times(n, "A -> ") + "A"; }},
      {"pairs", [](std::size_t n) { return "law f:\n  " + times(n, "A & ") + "A"; }},
      {"dependent functions",
       [](std::size_t n) { return "law f:\n  " + times(n, "@x:A -> ") + "A"; }},
      {"dependent pairs", [](std::size_t n) { return "law f:\n  " + times(n, "&x:A -> ") + "A"; }},
      {"equalities",
       [](std::size_t n) { return "law f:\n  " + times(n, "{x == ") + "x" + times(n, " : T}"); }},
      {"kinds",
       [](std::size_t n) { return "type T is " + times(n, "Kind(") + "a" + times(n, ")") + ":"; }},
      {"fields",
       [](std::size_t n) {
         return "type T is Data:\n  C{x: " + times(n, "(") + "A" + times(n, ")") + "}";
       }},
      {"patterns",
       [](std::size_t n) {
         return in_body("match x:\n    case " + times(n, "C{") + "x" + times(n, "}") + ": x");
       }},
      {"patterns of lists",
       [](std::size_t n) { return in_body("match x:\n    case [" + times(n, "x, ") + "x]: x"); }},
      {"patterns around lists",
       [](std::size_t n) {
         return in_body("match x:\n    case " + times(n / 2, "C{") + "[" + times(n - n / 2, "x, ") +
                        "x]" + times(n / 2, "}") + ": x");
       }},
      {"patterns of numbers",
       [](std::size_t n) { return in_body("match x:\n    case " + times(n, "1n+") + "p: x"); }},
      {"lets of tuples",
       [](std::size_t n) { return in_body("(" + times(n, "x, ") + "x) = x\n  x"); }},
  };
  return all;
}

// N1: how deep is allowed, in nodes as in brackets.
TEST(Nesting, isAllowedUpToTheLimit) {
  for (const nesting& each : nestings()) {
    const parsed one(each.text(450));
    EXPECT_THAT(one.said(), IsEmpty()) << each.name;
    const tree_facts facts = facts_of(one.tree);
    EXPECT_EQ(facts.broken, "") << each.name;
    EXPECT_LE(facts.depth, depth_limit) << each.name;
  }
}

TEST(Nesting, isRefusedAboveTheLimit) {
  for (const nesting& each : nestings()) {
    for (const std::size_t levels : {std::size_t{1001}, std::size_t{3'000}}) {
      const parsed one(each.text(levels));
      ASSERT_EQ(one.said().size(), 1U) << each.name;
      EXPECT_THAT(one.said()[0],
                  testing::HasSubstr("expected nesting of at most 1000 levels, observed more"))
          << each.name;
      EXPECT_EQ(facts_of(one.tree).broken, "") << each.name;
    }
  }
}

// No tree is deeper than the limit just below the refusal.
TEST(Nesting, endsAtTheLimitInNodes) {
  for (const nesting& each : nestings()) {
    std::size_t allowed = 450;
    std::size_t refused = 1001;
    while (refused - allowed > 1) {
      const std::size_t middle = (allowed + refused) / 2;
      (parsed(each.text(middle)).said().empty() ? allowed : refused) = middle;
    }
    const tree_facts facts = facts_of(parsed(each.text(allowed)).tree);
    EXPECT_LE(facts.depth, depth_limit) << each.name;
  }
}

TEST(Nesting, goesOnAtTheNextDef) {
  const parsed one(in_body(times(5000, "(") + "x") + "def g() -> T: )");
  EXPECT_THAT(one.said(),
              ElementsAre(testing::HasSubstr("f: expected nesting of at most 1000 levels"),
                          "3:15 g: expected a term, observed ')'"));
}

// Brackets that nobody closes.
TEST(Nesting, ofOpenBracketsIsRefused) {
  for (const std::string open : {"(", "f(", "[", "C{", "{", "A<", "A<b,", "a[", "x => ", "match ",
                                 "do IO<", "@x:", "&x:", "Kind(", "\\{", "1n+", "f(~", "[x : "}) {
    const parsed one(in_body(times(20'000, open)));
    EXPECT_EQ(one.said().size(), 1U) << open;
  }
}

// ---- Long and flat ---------------------------------------------------------------

TEST(LongTexts, areParsed) {
  constexpr std::size_t many = 20'000;
  const std::vector<std::pair<std::string, std::size_t>> texts = {
      {in_body(times(many, "x = f(x)\n  ") + "x"), many},
      {in_body(times(many, "a[x] <- x\n  ") + "a"), many},
      {in_body("[" + times(many, "x, ") + "x]"), many},
      {in_body("f(" + times(many, "x ") + ")"), many},
      {in_body("C{" + times(many, "x ") + "}"), many},
      {in_body(times(many, "a ") + "= " + times(many, "x ") + "x"), many},
      {in_body("match x:\n" + times(many, "    case 1n+p: p\n")), many},
      {in_body("do IO<T>:\n" + times(many, "    f(x)\n") + "    x"), many},
      {"type T is Data:\n" + times(many, "  C{a: T}\n"), many},
      {"type T is Data:\n  C{" + times(many, "a: T ") + "}", many},
      {times(many / 4, "def f(x: T) -> T:\n  (x + 1 : U32)\n"), many / 4},
      {times(many / 4, "law f:\n  for x: T\n  T\n"), many / 4},
      {"law f:\n" + times(many, "  for x: T\n") + "  T", many},
      {times(many, "\n"), 0},
  };
  for (const auto& [text, nodes] : texts) {
    const parsed one(text);
    EXPECT_THAT(one.said(), IsEmpty()) << text.substr(0, 40);
    const tree_facts facts = facts_of(one.tree);
    EXPECT_EQ(facts.broken, "") << text.substr(0, 40);
    EXPECT_GE(facts.nodes, nodes) << text.substr(0, 40);
    EXPECT_LE(facts.depth, 10U) << text.substr(0, 40);
  }
}

TEST(LongTexts, ofErrorsEndEarly) {
  for (const std::string line :
       {"def\n", "def f(\n", ")\n", "$ ", "'", "\"\\q\"", "def f() -> T: )\n", "import x\n",
        "type T is Data: C{\n", "law p:\n", "12ab ", "@\n"}) {
    const parsed one(times(20'000, line));
    EXPECT_LE(one.found.count(), diagnostics::most + 1) << line;
    EXPECT_FALSE(one.found.empty()) << line;
  }
  const parsed rows(in_body("match x:\n" + times(20'000, "    case )\n")));
  EXPECT_EQ(rows.found.count(), diagnostics::most);
}

// ---- Any text --------------------------------------------------------------------

// Texts of random tokens: whatever comes out keeps the invariants, with or without errors.
TEST(RandomTexts, giveTreesThatKeepTheInvariants) {
  const std::vector<std::string> words = {"def ",
                                          "type ",
                                          "law ",
                                          "match ",
                                          "case ",
                                          "do ",
                                          "return ",
                                          "for ",
                                          "exs ",
                                          "where ",
                                          "is ",
                                          "import ",
                                          "Type ",
                                          "Data ",
                                          "Kind",
                                          "Quant ",
                                          "x",
                                          "y ",
                                          "C",
                                          "IO",
                                          "f",
                                          "U32",
                                          "7",
                                          "3n",
                                          "1n+",
                                          "1.5",
                                          "'c'",
                                          "\"s\"",
                                          "(",
                                          ")",
                                          "{",
                                          "}",
                                          "[",
                                          "]",
                                          ",",
                                          ";",
                                          ":",
                                          " : ",
                                          "=",
                                          " = ",
                                          "==",
                                          "!=",
                                          "@",
                                          "~",
                                          "!",
                                          "^",
                                          "?",
                                          "\\",
                                          " => ",
                                          " <- ",
                                          "+x",
                                          "-x",
                                          "%e",
                                          " -> ",
                                          "&",
                                          " & ",
                                          "|",
                                          " && ",
                                          "<",
                                          " < ",
                                          ">",
                                          " > ",
                                          "<>",
                                          "++",
                                          " + ",
                                          " - ",
                                          "*",
                                          " % ",
                                          "\n",
                                          "\n  ",
                                          "\n    ",
                                          "&1",
                                          "def f() -> T:\n  ",
                                          "match x:\n    case ",
                                          "(x + y : U32)",
                                          "@unsafe ",
                                          "a[i] <- ",
                                          "do IO<T>:\n    ",
                                          "x : T <- ",
                                          "x : T = ",
                                          "\xff",
                                          "\u20ac"};
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    if (round % 2 == 0) text = "def f() -> T:\n  ";
    const std::size_t length = random() % 60;
    for (std::size_t k = 0; k < length; ++k) text += words[random() % words.size()];
    const parsed one(text, round % 3 == 0);
    ASSERT_EQ(facts_of(one.tree).broken, "") << text;
    ASSERT_FALSE(to_text(one.found, colours::never).empty() && !one.found.empty()) << text;
  }
}

}  // namespace
}  // namespace cleave::lang::test
