// show_test.cpp -- numbers as text and back, and values as a program prints them.
#include <cleave/runtime/show.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/cells.hpp"
#include "runtime/runs.hpp"

namespace {

using namespace cleave::runtime;
using namespace std::literals;
using cleave::test::leaves_nothing;

constexpr f32 infinite = std::numeric_limits<f32>::infinity();
const f32 no_number = std::numeric_limits<f32>::quiet_NaN();

std::string consume(string s) {
  std::string bytes(s.begin(), s.end());
  drop(s);
  return bytes;
}

string make(std::string_view bytes) {
  return make_string(bytes.data(), bytes.size());
}

template <class T>
std::string shown(T v) {
  text_writer to;
  show(to, v);
  return consume(to.take());
}

struct float_example {
  f32 value;
  const char* shown;    // F32.show
  const char* printed;  // of a main that gives an F32
};

const std::vector<float_example> floats = {
    {2.0F, "2", "2.0"},
    {100.25F, "100.25", "100.25"},
    {1.0F / 3, "0.33333334", "0.33333334"},
    {0.0009765625F, "0.0009765625", "0.0009765625"},
    {16777216.0F, "16777216", "16777216.0"},
    {0.1F, "0.1", "0.1"},
    {-1.5F, "-1.5", "-1.5"},
    {0.0F, "0", "0.0"},
    {-0.0F, "-0", "-0.0"},
    // The places where the layout changes.
    {0.000001F, "0.000001", "0.000001"},
    {0.0000015F, "0.0000015", "0.0000015"},
    {0.0000001F, "1e-7", "1.0e-7"},
    {0.00000015F, "1.5e-7", "1.5e-7"},
    {1e20F, "100000000000000000000", "100000000000000000000.0"},
    {1e21F, "1e+21", "1.0e+21"},
    {1.5e21F, "1.5e+21", "1.5e+21"},
    {123456789.0F, "123456790", "123456790.0"},
    // The ends of the range.
    {FLT_MAX, "3.4028235e+38", "3.4028235e+38"},
    {FLT_MIN, "1.1754944e-38", "1.1754944e-38"},
    {FLT_TRUE_MIN, "1e-45", "1.0e-45"},
    {infinite, "inf", "inf"},
    {-infinite, "-inf", "-inf"},
    {no_number, "nan", "nan"},
    {-no_number, "nan", "nan"},
};

TEST(F32Show, laysOutTheShortestDigits) {
  EXPECT_TRUE(leaves_nothing([] {
    for (const float_example& one : floats) {
      EXPECT_EQ(consume(F32_show(one.value)), one.shown);
      EXPECT_EQ(shown(one.value), one.printed);
    }
  }));
}

pair<bool, f32> read_f32(std::string_view text) {
  const string s = make(text);
  const auto result = F32_read_raw(s);
  drop(s);
  return result;
}

TEST(F32Read, readsWhatWasShown) {
  EXPECT_TRUE(leaves_nothing([] {
    EXPECT_TRUE(rc::check("any bits", [] {
      const f32 x = std::bit_cast<f32>(*rc::gen::arbitrary<u32>());
      const std::string text = consume(F32_show(x));
      const auto [read, value] = read_f32(text);
      RC_ASSERT(read);
      RC_ASSERT((std::isnan(x) ? std::isnan(value) : F32_bits(value) == F32_bits(x)));
      const auto [again, printed] = read_f32(shown(x));
      RC_ASSERT(again && (std::isnan(x) || F32_bits(printed) == F32_bits(x)));
    }));
  }));
}

TEST(F32Show, needsNoMoreThanNineDigits) {
  EXPECT_TRUE(leaves_nothing([] {
    EXPECT_TRUE(rc::check("any bits", [] {
      const f32 x = std::bit_cast<f32>(*rc::gen::arbitrary<u32>());
      RC_PRE(std::isfinite(x));
      std::string digits;
      for (const char c : consume(F32_show(x))) {
        if (c == 'e') break;
        if (c >= '0' && c <= '9' && (c != '0' || !digits.empty())) digits += c;
      }
      while (!digits.empty() && digits.back() == '0') digits.pop_back();
      RC_ASSERT(digits.size() <= 9);
    }));
  }));
}

TEST(F32Read, takesSignPointAndExponent) {
  struct example {
    const char* text;
    f32 value;
  };
  const std::vector<example> all = {
      {"1", 1},
      {"+1", 1},
      {"-1", -1},
      {"1.5", 1.5F},
      {".5", 0.5F},
      {"5.", 5},
      {"1e3", 1000},
      {"1E3", 1000},
      {"1e+3", 1000},
      {"25e-2", 0.25F},
      {"-2.5e1", -25},
      {"007", 7},
      {"inf", infinite},
      {"-inf", -infinite},
      {"+Infinity", infinite},
      {"INF", infinite},
      // Past both ends.
      {"1e39", infinite},
      {"-1e999", -infinite},
      {"1e-60", 0.0F},
      {"3.40282356e38", FLT_MAX},
      {"3.4028236e38", infinite},
      // Halfway between two floats: to the even one, and just above it.
      {"16777217", 16777216},
      {"16777217.0000000000000000001", 16777218},
      {"16777219", 16777220}};
  EXPECT_TRUE(leaves_nothing([&] {
    for (const auto& [text, value] : all) {
      const auto [read, got] = read_f32(text);
      EXPECT_TRUE(read) << text;
      EXPECT_EQ(got, value) << text;
    }
    EXPECT_TRUE(std::signbit(read_f32("-0").snd));
    EXPECT_TRUE(std::signbit(read_f32("-1e-60").snd));
    EXPECT_TRUE(read_f32("nan").fst && std::isnan(read_f32("nan").snd));
  }));
}

TEST(F32Read, refusesAllElse) {
  EXPECT_TRUE(leaves_nothing([] {
    for (const char* text :
         {"",   "+",    "-",   ".",   "e5",  "1e",   "1e+",    "1.5.2", " 1",    "1 ",
          "1f", "0x10", "--1", "+-1", "1,5", "infi", "nan(1)", "in",    "1e5e5", "\xC3\xA4"}) {
      EXPECT_FALSE(read_f32(text).fst) << text;
    }
    EXPECT_FALSE(read_f32(std::string_view("1\0", 2)).fst);
  }));
}

TEST(NumberShow, isDecimal) {
  EXPECT_TRUE(leaves_nothing([] {
    EXPECT_EQ(consume(U32_show(0)), "0");
    EXPECT_EQ(consume(U32_show(4294967295)), "4294967295");
    EXPECT_EQ(consume(Nat_show(nat_limit)), "281474976710655");
    EXPECT_EQ(shown(u32{42}), "42");
    EXPECT_EQ(shown(nat{3}), "3n");
  }));
}

TEST(NumberRead, takesDigitsUpToTheLimit) {
  const auto u = [](std::string_view text) {
    const string s = make(text);
    const auto result = U32_read_raw(s);
    drop(s);
    return result;
  };
  const auto n = [](std::string_view text) {
    const string s = make(text);
    const auto result = Nat_read_raw(s);
    drop(s);
    return result;
  };
  EXPECT_TRUE(leaves_nothing([&] {
    EXPECT_TRUE(u("0").fst);
    EXPECT_EQ(u("007").snd, 7u);
    EXPECT_EQ(u("4294967295").snd, 4294967295u);
    EXPECT_TRUE(u("00000000000000000000000000000001").fst);
    EXPECT_EQ(n("281474976710655").snd, nat_limit);
    for (const char* text : {"", "4294967296", "99999999999999999999999", "-1", "+1", " 1", "1 ",
                             "1n", "12a", "\xC2\xB2"}) {
      EXPECT_FALSE(u(text).fst) << text;
    }
    EXPECT_FALSE(n("281474976710656").fst);
    EXPECT_FALSE(n("18446744073709551616").fst);
    EXPECT_FALSE(n("1n").fst);
  }));
}

TEST(Show, escapesCharacters) {
  EXPECT_TRUE(leaves_nothing([] {
    EXPECT_EQ(shown(character{'a'}), "'a'");
    EXPECT_EQ(shown(character{'\''}), "'\\''");
    EXPECT_EQ(shown(character{'"'}), "'\"'");
    EXPECT_EQ(shown(character{'\\'}), "'\\\\'");
    EXPECT_EQ(shown(character{'\n'}), "'\\n'");
    EXPECT_EQ(shown(character{0}), "'\\0'");
    EXPECT_EQ(shown(character{1}), "'\\u{1}'");
    EXPECT_EQ(shown(character{0x1B}), "'\\u{1b}'");
    EXPECT_EQ(shown(character{0x7F}), "'\\u{7f}'");
    EXPECT_EQ(shown(U'ä'), "'\xC3\xA4'");
    EXPECT_EQ(shown(character{0xD800}), "'\\u{d800}'");
    EXPECT_EQ(shown(character{0xFFFFFFFF}), "'\\u{ffffffff}'");
  }));
}

TEST(Show, quotesStrings) {
  EXPECT_TRUE(leaves_nothing([] {
    const string s = make("it's \"a\\b\"\n\t\r\0\x02\xC3\xA4"sv);
    EXPECT_EQ(shown(s), "\"it's \\\"a\\\\b\\\"\\n\\t\\r\\0\\u{2}\xC3\xA4\"");
    drop(s);
    EXPECT_EQ(shown(string(empty_text)), "\"\"");
  }));
}

TEST(Show, listsTheSlotsOfAnArray) {
  EXPECT_TRUE(leaves_nothing([] {
    array<u32> a = Array_new<u32>(2, 0);
    a = Array_set(a, 1, 7U);
    text_writer to;
    show_array(to, a, [](text_writer& inner, u32 x) { show(inner, x); });
    EXPECT_EQ(consume(to.take()), "[0, 7, 0, 0]");
    drop(a);
  }));
}

}  // namespace
