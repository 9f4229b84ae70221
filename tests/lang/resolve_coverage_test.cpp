// resolve_coverage_test.cpp -- matches that leave values out, and columns of two types.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checked.hpp"
#include "lang/coverage_search.hpp"

namespace cleave::lang {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// What is missing in a match of `types` with these rows: "" if nothing is.
std::string missing(const std::vector<std::string>& types, const std::vector<std::string>& rows) {
  std::string parameters;
  std::string subjects;
  for (std::size_t k = 0; k < types.size(); ++k) {
    const std::string name = "s" + std::to_string(k);
    parameters += name + ": " + types[k] + ",";
    subjects += " " + name;
  }
  std::string text =
      "import Base\n"
      "type Tree is Data:\n  Tip{}\n  Fork{left: Tree, right: Tree}\n"
      "type Colour is Data:\n  Red{}\n  Green{}\n  Blue{}\n"
      "def f(" +
      parameters + ") -> U32:\n  match" + subjects + ":\n";
  for (const std::string& row : rows) text += "    case " + row + ": 1\n";
  const checked one(text);
  if (one.found.empty()) return "";
  EXPECT_EQ(one.found.count(), 1U) << testing::PrintToString(one.said());
  return one.found.all()[0].expected;
}

TEST(Coverage, ofAnEnumeration) {
  EXPECT_EQ(missing({"Bool"}, {"True{}", "False{}"}), "");
  EXPECT_EQ(missing({"Bool"}, {"True{}"}), "cases for False");
  EXPECT_EQ(missing({"Colour"}, {"Green{}"}), "cases for Red, Blue");
  EXPECT_EQ(missing({"Colour"}, {"Green{}", "x"}), "");
  EXPECT_EQ(missing({"Colour"}, {"Green{}", "_"}), "");
}

TEST(Coverage, ofConstructorsWithFields) {
  EXPECT_EQ(missing({"Maybe<U32>"}, {"None{}"}), "cases for Some");
  EXPECT_EQ(missing({"Maybe<U32>"}, {"Some{x}"}), "cases for None");
  EXPECT_EQ(missing({"Maybe<Bool>"}, {"None{}", "Some{True{}}"}), "cases for Some{False{}}");
  EXPECT_EQ(missing({"Tree"}, {"Tip{}", "Fork{Tip{}, r}", "Fork{l, Tip{}}"}),
            "cases for Fork{Fork{_, _}, Fork{_, _}}");
}

TEST(Coverage, ofLists) {
  EXPECT_EQ(missing({"List<U32>"}, {"[]", "x <> xs"}), "");
  EXPECT_EQ(missing({"List<U32>"}, {"[]", "[x]"}), "cases for Con{_, Con{_, _}}");
  EXPECT_EQ(missing({"List<U32>"}, {"[]", "x <> y <> r"}), "cases for Con{_, Nil{}}");
}

TEST(Coverage, ofTuples) {
  EXPECT_EQ(missing({"Bool & Bool"}, {"(True{}, x)", "(x, True{})"}),
            "cases for (False{}, False{})");
  EXPECT_EQ(missing({"Bool & Bool"}, {"(a, b)"}), "");
}

TEST(Coverage, ofSeveralColumns) {
  EXPECT_EQ(missing({"Bool", "Bool"}, {"True{} x", "x True{}"}), "cases for False{} False{}");
  EXPECT_EQ(missing({"Bool", "Bool"}, {"True{} x", "False{} True{}", "False{} False{}"}), "");
  EXPECT_EQ(missing({"Nat", "Bool"}, {"0n x", "1n+p True{}"}), "cases for 1n+_ False{}");
  EXPECT_EQ(missing({"Colour", "Bool"}, {"Red{} True{}", "Green{} x"}),
            "cases for Red{} False{}, Blue{} _");
}

TEST(Coverage, ofNats) {
  EXPECT_EQ(missing({"Nat"}, {"0n", "1n+p"}), "");
  EXPECT_EQ(missing({"Nat"}, {"0n"}), "cases for 1n+_");
  EXPECT_EQ(missing({"Nat"}, {"1n+p"}), "cases for 0n");
  EXPECT_EQ(missing({"Nat"}, {"0n", "1n", "3n+p"}), "cases for 2n");
  EXPECT_EQ(missing({"Nat"}, {"0n", "1n", "2n"}), "cases for 3n+_");
  EXPECT_EQ(missing({"Nat"}, {"5n", "x"}), "");
  EXPECT_EQ(missing({"Nat"}, {"0n", "2n+p"}), "cases for 1n");
  EXPECT_EQ(missing({"Nat"}, {"0n", "1n+0n", "1n+1n+p"}), "");
}

TEST(Coverage, ofNatsByTheirConstructors) {
  EXPECT_EQ(missing({"Nat"}, {"Zero{}", "1n+p"}), "");
  EXPECT_EQ(missing({"Nat"}, {"0n", "Succ{Zero{}}", "2n+p"}), "");
  EXPECT_EQ(missing({"Nat"}, {"Succ{p}"}), "cases for 0n");
}

TEST(Coverage, ofLargeNatsTakesNoLongerThanOfSmallOnes) {
  EXPECT_EQ(missing({"Nat"}, {"4294967295n+p", "4294967293n", "x"}), "");
  EXPECT_EQ(missing({"Nat"}, {"4294967295n+p", "0n"}), "cases for 1n");
}

TEST(Coverage, ofNumbers) {
  EXPECT_EQ(missing({"U32"}, {"0", "1"}), "cases for _");
  EXPECT_EQ(missing({"U32"}, {"0", "1", "n"}), "");
  EXPECT_EQ(missing({"U32"}, {"U32{w}"}), "");
  EXPECT_EQ(missing({"F32"}, {"F32{w}"}), "");
  EXPECT_EQ(missing({"U32", "Bool"}, {"0 True{}", "n False{}"}), "cases for _ True{}");
}

TEST(Coverage, ofCharacters) {
  EXPECT_EQ(missing({"Char"}, {"'a'", "'b'"}), "cases for _");
  EXPECT_EQ(missing({"Char"}, {"'a'", "Chr{n}"}), "");
}

TEST(Coverage, ofStrings) {
  EXPECT_EQ(missing({"String"}, {"SNil{}", "SCon{c, t}"}), "");
  EXPECT_EQ(missing({"String"}, {"\"\"", "SCon{c, t}"}), "");
  EXPECT_EQ(missing({"String"}, {"\"a\""}), "cases for _");
  EXPECT_EQ(missing({"String"}, {"\"a\"", "x"}), "");
  EXPECT_EQ(missing({"String"}, {"SNil{}", "\"ab\"", "SCon{c, SNil{}}", "SCon{c, SCon{d, t}}"}),
            "");
  EXPECT_EQ(missing({"String"}, {"SNil{}", "\"ab\"", "SCon{c, SCon{d, t}}"}),
            "cases for SCon{97, SNil{}}, SCon{_, SNil{}}");
}

TEST(Coverage, ofArrays) {
  EXPECT_EQ(missing({"Array<U32>"}, {"ALeaf{x}", "ANode{l, r}"}), "");
  EXPECT_EQ(missing({"Array<U32>"}, {"ALeaf{x}"}), "cases for ANode");
  EXPECT_EQ(missing({"Array<U32>"}, {"ALeaf{x}", "ANode{ALeaf{x}, r}"}),
            "cases for ANode{ANode{_, _}, _}");
}

TEST(Coverage, ofLetsIsAskedToo) {
  EXPECT_THAT(said_of("def f(p: Bool & U32) -> U32:\n  (a, b) = p\n  b\n"), IsEmpty());
  EXPECT_THAT(said_of("def f(m: Maybe<U32>) -> U32:\n  Some{x} = m\n  x\n"),
              ElementsAre("3:3 f: expected cases for None (a match has room for them), "
                          "observed one pattern"));
}

TEST(Coverage, listsEightValuesAtMost) {
  std::string text = "type T is Data:\n";
  for (int k = 0; k < 20; ++k) text += "  C" + std::to_string(k) + "{}\n";
  const std::vector<std::string> said =
      said_of(text + "def f(t: T) -> U32:\n  match t:\n    case C0{}: 1\n");
  EXPECT_THAT(said, ElementsAre(HasSubstr("cases for C1, C2, C3, C4, C5, C6, C7, C8, ...")));
}

// Rows are tried from the top, and nothing forbids one that is never reached.
TEST(Coverage, doesNotMindRowsThatAreNeverReached) {
  EXPECT_EQ(missing({"Bool"}, {"True{}", "_", "False{}"}), "");
  EXPECT_EQ(missing({"Nat"}, {"x", "0n"}), "");
  EXPECT_EQ(missing({"Bool"}, {"True{}", "True{}"}), "cases for False");
}

TEST(Columns, haveOneType) {
  EXPECT_THAT(
      said_of("def f(m: Bool) -> U32:\n  match m:\n    case True{}: 1\n    case None{}: 2\n"),
      ElementsAre("5:10 f: expected a pattern of type Bool, observed None{} of type Maybe"));
  EXPECT_THAT(said_of("def f(n: Nat) -> U32:\n  match n:\n    case 0n: 1\n    case 1: 2\n"),
              ElementsAre("5:10 f: expected a pattern of type Nat, observed 1 of type U32"));
}

TEST(Columns, haveOneTypeWithinConstructorsToo) {
  EXPECT_THAT(
      said_of("def f(m: Maybe<Bool>) -> U32:\n  match m:\n    case Some{True{}}: 1\n"
              "    case Some{Some{x}}: 2\n    case None{}: 3\n"),
      ElementsAre("5:15 f: expected a pattern of type Bool, observed Some{...} of type Maybe"));
}

TEST(Columns, haveOneTypeBehindASuccessorToo) {
  EXPECT_THAT(said_of("def f(n: Nat) -> U32:\n  match n:\n    case 0n: 1\n"
                      "    case 1n+True{}: 2\n    case _: 3\n"),
              ElementsAre("5:13 f: expected a pattern of type Nat, observed True{} of type Bool"));
}

// ---- Hostile matches -------------------------------------------------------------

// The search in the match that is the body of f, with so many steps to take.
coverage_search search_in(const std::string& text, std::size_t budget) {
  checked one(text);
  EXPECT_LE(one.found.count(), 1U);
  diagnostics again;
  const name_table names(one.all, again);
  const known_types types(names);
  const auto& match = *as<match_term>(one.def("f").body);
  return coverage_search(types, match.rows, match.subjects.size(), budget);
}

std::size_t steps_in(const std::string& text) {
  return search_in(text, std::size_t{1} << 40).steps();
}

// Row k looks at the columns k and k + pairs alone: no order of the columns helps.
std::string exploding(std::size_t pairs) {
  std::string text = "import Base\ndef f(";
  for (std::size_t k = 0; k < 2 * pairs; ++k) text += "s" + std::to_string(k) + ": Bool,";
  text += ") -> U32:\n  match";
  for (std::size_t k = 0; k < 2 * pairs; ++k) text += " s" + std::to_string(k);
  text += ":\n";
  for (std::size_t row = 0; row < pairs; ++row) {
    for (const std::string pattern : {" True{}", " False{}"}) {
      text += "    case";
      for (std::size_t k = 0; k < 2 * pairs; ++k) {
        text += k == row || k == row + pairs ? pattern : " _";
      }
      text += ": 1\n";
    }
  }
  return text;
}

TEST(Coverage, givesUpWhereASearchWouldExplode) {
  constexpr std::size_t budget = 100'000;
  const coverage_search search = search_in(exploding(40), budget);
  EXPECT_THAT(search.missing(), IsEmpty());
  EXPECT_GT(search.steps(), budget);
  EXPECT_LT(search.steps(), 2 * budget);
  // Where there are few enough columns it finds what is missing.
  EXPECT_THAT(search_in(exploding(3), budget).missing(), testing::Not(IsEmpty()));
}

TEST(Coverage, ofManyNumbersIsLinear) {
  for (const std::string suffix : {"", "n"}) {
    const auto steps = [&](int count) {
      std::string text = "import Base\ndef f(n: " + std::string(suffix.empty() ? "U32" : "Nat") +
                         ") -> U32:\n  match n:\n";
      for (int k = 0; k < count; ++k) text += "    case " + std::to_string(k) + suffix + ": 1\n";
      return steps_in(text + "    case _: 2\n");
    };
    EXPECT_LT(steps(20'000), 3 * steps(10'000));
  }
}

TEST(Coverage, ofManyConstructorsIsLinear) {
  const auto steps = [](int count) {
    std::string types = "import Base\ntype T is Data:\n";
    std::string rows;
    for (int k = 0; k < count; ++k) {
      types += "  C" + std::to_string(k) + "{}\n";
      rows += "    case C" + std::to_string(k) + "{}: 1\n";
    }
    return steps_in(types + "def f(t: T) -> U32:\n  match t:\n" + rows);
  };
  EXPECT_LT(steps(20'000), 3 * steps(10'000));
}

TEST(Coverage, ofAVeryLongTextIsLinear) {
  const auto steps = [](std::size_t length) {
    return steps_in("import Base\ndef f(s: String) -> U32:\n  match s:\n    case \"" +
                    std::string(length, 'a') +
                    "\": 1\n    case SNil{}: 2\n    case SCon{c, t}: 3\n");
  };
  EXPECT_LT(steps(1'000'000), 3 * steps(500'000));
}

}  // namespace
}  // namespace cleave::lang
