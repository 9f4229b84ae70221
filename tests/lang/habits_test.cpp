// habits_test.cpp -- what is said to somebody who writes as in another language.
#include "lang/habits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checked.hpp"

namespace cleave::lang::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// What stands behind the message of the only error in a body.
std::vector<std::string> remarks_of(const std::string& body) {
  const checked one("import Base\ndef f(+n: U32) -> U32:\n" + body);
  EXPECT_EQ(one.said().size(), 1U);
  return one.remarks();
}

TEST(Habits, areKnownAtThePlaceOrFromTheBeginningOfItsLine) {
  EXPECT_THAT(habit_at("a == b", 2), HasSubstr("U32.is_eq"));
  EXPECT_THAT(habit_at("x\n  if a:\n", 8), HasSubstr("'match'"));
  EXPECT_THAT(habit_at("if a:", 4), HasSubstr("'match'"));
  EXPECT_THAT(habit_at("for", 0), HasSubstr("no loop"));
  EXPECT_THAT(habit_at("f(-1)", 2), HasSubstr("negative"));
}

TEST(Habits, areNoPartsOfLongerWordsAndNotOfOtherLines) {
  EXPECT_EQ(habit_at("iffy a:", 6), "");
  EXPECT_EQ(habit_at("if a\nb c", 7), "");
  EXPECT_EQ(habit_at("former", 0), "");
  EXPECT_EQ(habit_at("a - 1", 2), "");
  EXPECT_EQ(habit_at("", 0), "");
  EXPECT_EQ(habit_at("a\n", 2), "");
}

TEST(Habits, getALineBehindTheMessage) {
  EXPECT_THAT(remarks_of("  if (n < 1 : U32):\n    n\n"),
              ElementsAre(HasSubstr("there is no 'if'")));
  EXPECT_THAT(remarks_of("  while n:\n    n\n"), ElementsAre(HasSubstr("there is no loop")));
  EXPECT_THAT(remarks_of("  return n\n"), ElementsAre(HasSubstr("'do' block")));
  EXPECT_THAT(remarks_of("  U32.inc((n == 1 : U32))\n"),
              ElementsAre(HasSubstr("equality has no operator")));
  EXPECT_THAT(remarks_of("  )\n"), IsEmpty());
}

TEST(Habits, ofActionsWithoutABlock) {
  EXPECT_THAT(remarks_of("  IO.print(\"a\")\n  IO.print(\"b\")\n"),
              ElementsAre(HasSubstr("'do IO<Unit>:'")));
}

TEST(Habits, ofLets) {
  EXPECT_THAT(remarks_of("  let x = 3\n  (x + n : U32)\n"),
              ElementsAre("a let has no word before it: x = e"));
  // The first of two takes the word of the second for a value.
  EXPECT_THAT(remarks_of("  let x = 3\n  let y = x\n  y\n"),
              testing::Contains("a let has no word before it: x = e"));
  EXPECT_THAT(remarks_of("  x = 3\n"), IsEmpty());
}

TEST(Habits, ofJoiningStrings) {
  EXPECT_THAT(remarks_of("  String.length(\"n = \" + n)\n"),
              ElementsAre("strings are joined by ++"));
  EXPECT_THAT(remarks_of("  n + n\n"), IsEmpty());
}

TEST(Habits, ofDeclarations) {
  EXPECT_THAT(checked("type T:\n  A{}\n").remarks(), ElementsAre(HasSubstr("type T is Data:")));
  EXPECT_THAT(checked("import Base\ndef f(n: U32):\n  n\n").remarks(),
              ElementsAre(HasSubstr("'-> T'")));
  EXPECT_THAT(checked("import Bass\n").remarks(), ElementsAre(HasSubstr("'import Base'")));
}

}  // namespace
}  // namespace cleave::lang::test
