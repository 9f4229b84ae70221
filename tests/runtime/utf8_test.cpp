// utf8_test.cpp -- characters as bytes and back.
#include "runtime/utf8.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>

namespace {

namespace utf8 = cleave::runtime::utf8;

std::string encoded(char32_t c) {
  char bytes[utf8::most];
  return std::string(bytes, utf8::encode(c, bytes));
}

TEST(Encode, isUtf8WhereThatIsDefined) {
  EXPECT_EQ(encoded('a'), "a");
  EXPECT_EQ(encoded(U'ä'), "\xC3\xA4");
  EXPECT_EQ(encoded(U'€'), "\xE2\x82\xAC");
  EXPECT_EQ(encoded(U'😀'), "\xF0\x9F\x98\x80");
}

TEST(Encode, goesOnInTheSameManner) {
  EXPECT_EQ(encoded(0x7FFFFFFF), "\xFD\xBF\xBF\xBF\xBF\xBF");
  EXPECT_EQ(encoded(0xFFFFFFFF), "\xFE\x83\xBF\xBF\xBF\xBF\xBF");
}

TEST(Encode, keepsOrderAndComesBack) {
  EXPECT_TRUE(rc::check("any two", [] {
    // Of each length alike.
    const auto any = [] {
      return static_cast<char32_t>(*rc::gen::arbitrary<std::uint32_t>() >>
                                   *rc::gen::inRange(0, 32));
    };
    const char32_t a = any();
    const char32_t b = any();
    const std::string in_a = encoded(a);
    const std::string in_b = encoded(b);
    RC_ASSERT(utf8::length(in_a[0]) == in_a.size());
    RC_ASSERT(utf8::decode(in_a.data()) == a);
    RC_ASSERT((a < b) == (in_a < in_b));
    RC_ASSERT((utf8::valid_prefix(in_a.data(), in_a.size()) == in_a.size()) == utf8::is_valid(a));
  }));
}

TEST(ValidPrefix, endsBeforeABrokenCharacter) {
  const std::string text = "ab\xC3\xA4\xE2\x82";
  EXPECT_EQ(utf8::valid_prefix(text.data(), text.size()), 4u);
  EXPECT_EQ(utf8::broken_prefix(text.data() + 4, 2), 2u);
  EXPECT_EQ(utf8::valid_prefix(text.data(), 0), 0u);
}

}  // namespace
