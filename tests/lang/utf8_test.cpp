// utf8_test.cpp -- every code point as bytes and back, and what is none.
#include "lang/utf8.hpp"

#include <gtest/gtest.h>

#include <string>

namespace cleave::lang {
namespace {

TEST(Utf8, ofEveryCodePointComesBack) {
  for (std::uint32_t c = 0; c <= 0x10FFFF; ++c) {
    if (!is_scalar(c)) continue;
    std::string text = "a";
    append_utf8(text, c);
    const utf8_character found = utf8_at(text, 1);
    ASSERT_EQ(found.code_point, c);
    ASSERT_EQ(found.bytes, text.size() - 1);
    if (found.bytes == 1) continue;
    // Cut off it is none.
    text.pop_back();
    ASSERT_EQ(utf8_at(text, 1).bytes, 0U);
  }
}

TEST(Utf8, hasNoHalvesOfPairsAndNothingBehindTheLastCodePoint) {
  EXPECT_FALSE(is_scalar(0xD800));
  EXPECT_FALSE(is_scalar(0xDFFF));
  EXPECT_FALSE(is_scalar(0x110000));
  EXPECT_EQ(utf8_at("\xed\xa0\x80", 0).bytes, 0U);
  EXPECT_EQ(utf8_at("\xf4\x90\x80\x80", 0).bytes, 0U);
}

TEST(Utf8, hasNoFormsThatAreTooLongOrBeginInTheMiddle) {
  EXPECT_EQ(utf8_at("\xc0\x80", 0).bytes, 0U);
  EXPECT_EQ(utf8_at("\xe0\x82\x80", 0).bytes, 0U);
  EXPECT_EQ(utf8_at("\xf0\x80\x80\x80", 0).bytes, 0U);
  EXPECT_EQ(utf8_at("\x80", 0).bytes, 0U);
  EXPECT_EQ(utf8_at("\xc3(", 0).bytes, 0U);
  EXPECT_EQ(utf8_at("\xff\xff", 0).bytes, 0U);
}

}  // namespace
}  // namespace cleave::lang
