// source_test.cpp -- lines and columns of a file.
#include "lang/source.hpp"

#include <gtest/gtest.h>

namespace cleave::lang {
namespace {

TEST(Source, countsLinesAndColumnsFromOne) {
  const source_file file("f", "ab\nc\n\nd");
  const auto at = [&](std::size_t offset) {
    const position one = file.position_of(offset);
    return std::pair(one.line, one.column);
  };
  EXPECT_EQ(at(0), std::pair(std::size_t{1}, std::size_t{1}));
  EXPECT_EQ(at(1), std::pair(std::size_t{1}, std::size_t{2}));
  EXPECT_EQ(at(2), std::pair(std::size_t{1}, std::size_t{3}));
  EXPECT_EQ(at(3), std::pair(std::size_t{2}, std::size_t{1}));
  EXPECT_EQ(at(5), std::pair(std::size_t{3}, std::size_t{1}));
  EXPECT_EQ(at(6), std::pair(std::size_t{4}, std::size_t{1}));
  EXPECT_EQ(at(7), std::pair(std::size_t{4}, std::size_t{2}));
  EXPECT_EQ(file.line_count(), 4U);
}

TEST(Source, givesLinesWithoutTheirEnds) {
  const source_file file("f", "ab\r\n\nc\n");
  ASSERT_EQ(file.line_count(), 4U);
  EXPECT_EQ(file.line(1), "ab");
  EXPECT_EQ(file.line(2), "");
  EXPECT_EQ(file.line(3), "c");
  EXPECT_EQ(file.line(4), "");
}

TEST(Source, ofNoBytesHasOneEmptyLine) {
  const source_file file("f", "");
  EXPECT_EQ(file.line_count(), 1U);
  EXPECT_EQ(file.line(1), "");
  EXPECT_EQ(file.position_of(0).line, 1U);
}

}  // namespace
}  // namespace cleave::lang
