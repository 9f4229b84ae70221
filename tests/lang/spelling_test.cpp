// spelling_test.cpp -- distances between names.
#include "lang/spelling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cleave::lang {
namespace {

std::string suggestion(std::string_view wanted, const std::vector<std::string_view>& known) {
  nearest_name near(wanted);
  for (const std::string_view name : known) near.consider(name, {});
  const std::vector<remark> said = near.as_remark("");
  return said.empty() ? "" : said[0].text;
}

TEST(EditDistance, countsEachLetterPutInTakenOutOrReplaced) {
  EXPECT_EQ(edit_distance("", "", 3), 0U);
  EXPECT_EQ(edit_distance("sum", "sum", 3), 0U);
  EXPECT_EQ(edit_distance("sum", "sums", 3), 1U);
  EXPECT_EQ(edit_distance("sum", "um", 3), 1U);
  EXPECT_EQ(edit_distance("sum", "sim", 3), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting", 3), 3U);
}

TEST(EditDistance, countsASwapOfNeighboursOnce) {
  EXPECT_EQ(edit_distance("lenght", "length", 3), 1U);
  EXPECT_EQ(edit_distance("ab", "ba", 3), 1U);
}

TEST(EditDistance, endsAtItsLimit) {
  EXPECT_EQ(edit_distance("kitten", "sitting", 2), 3U);
  EXPECT_EQ(edit_distance("a", "abcdef", 2), 3U);
  EXPECT_EQ(edit_distance(std::string(1000, 'a'), std::string(1000, 'a'), 2), 3U);
}

TEST(NearestName, isTheOneWithTheFewestChanges) {
  EXPECT_EQ(suggestion("lenght", {"strength", "length", "light"}), "did you mean 'length'?");
}

TEST(NearestName, isTheFirstOfTheAlphabetAmongEquals) {
  EXPECT_EQ(suggestion("bat", {"hat", "cat", "rat"}), "did you mean 'cat'?");
  EXPECT_EQ(suggestion("bat", {"cat", "rat", "hat"}), "did you mean 'cat'?");
}

TEST(NearestName, isTheOneThatDiffersInCapitalsOnly) {
  EXPECT_EQ(suggestion("u32", {"F32", "U32"}), "did you mean 'U32'?");
  EXPECT_EQ(suggestion("STRING", {"String", "STRINGS"}), "did you mean 'String'?");
}

TEST(NearestName, isNothingThatIsTooDifferent) {
  EXPECT_EQ(suggestion("sum", {"product"}), "");
  EXPECT_EQ(suggestion("sum", {"max"}), "");
  EXPECT_EQ(suggestion("x", {"y"}), "");
}

}  // namespace
}  // namespace cleave::lang
