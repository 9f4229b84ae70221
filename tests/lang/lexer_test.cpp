// lexer_test.cpp -- tokens of section 1 of the language, and what is no token.
#include "lang/lexer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <limits>

namespace cleave::lang {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using kind = token_kind;

struct lexed {
  explicit lexed(std::string text) : source("f", std::move(text)) {
    lexer words(source, found);
    for (token one = words.next(); one.kind != kind::end; one = words.next()) all.push_back(one);
    EXPECT_EQ(words.next().kind, kind::end);
  }

  [[nodiscard]] std::vector<kind> kinds() const {
    std::vector<kind> made;
    for (const token& one : all) made.push_back(one.kind);
    return made;
  }
  [[nodiscard]] std::vector<std::string> texts() const {
    std::vector<std::string> made;
    for (const token& one : all)
      made.emplace_back(source.text().substr(one.begin, one.end - one.begin));
    return made;
  }
  // "line:column expected, observed"
  [[nodiscard]] std::vector<std::string> said() const {
    std::vector<std::string> made;
    for (const diagnostic& one : found.all()) {
      const position at = source.position_of(one.where.begin);
      made.push_back(std::to_string(at.line) + ":" + std::to_string(at.column) + " " +
                     one.expected + ", " + one.observed);
    }
    return made;
  }

  source_file source;
  diagnostics found;
  std::vector<token> all;
};

std::vector<kind> kinds_of(const std::string& text) {
  const lexed one(text);
  EXPECT_THAT(one.said(), IsEmpty()) << text;
  return one.kinds();
}

float float_of(const std::string& text) {
  const lexed one(text);
  EXPECT_THAT(one.kinds(), ElementsAre(kind::f32)) << text;
  EXPECT_THAT(one.said(), IsEmpty()) << text;
  return one.all.empty() ? 0 : std::bit_cast<float>(static_cast<std::uint32_t>(one.all[0].value));
}

// ---- Blanks and comments ---------------------------------------------------------

TEST(Lexer, passesOverBlanksAndComments) {
  EXPECT_THAT(lexed(" \t\r\n a # b \"\n#|c\n'x' ").texts(), ElementsAre("a", "'x'"));
  EXPECT_THAT(lexed("").kinds(), IsEmpty());
  EXPECT_THAT(lexed("#").kinds(), IsEmpty());
}

TEST(Lexer, passesOverAByteOrderMark) {
  EXPECT_THAT(lexed("\xEF\xBB\xBF"
                    "a")
                  .texts(),
              ElementsAre("a"));
}

TEST(Lexer, knowsWhatIsFirstOnItsLine) {
  const lexed one("a b\n  c# d\ne");
  ASSERT_EQ(one.all.size(), 4U);
  EXPECT_TRUE(one.all[0].first_on_line);
  EXPECT_FALSE(one.all[1].first_on_line);
  EXPECT_TRUE(one.all[2].first_on_line);
  EXPECT_TRUE(one.all[3].first_on_line);
  EXPECT_EQ(one.all[1].column, 3U);
  EXPECT_EQ(one.all[2].column, 3U);
  EXPECT_EQ(one.all[3].column, 1U);
}

TEST(Lexer, countsColumnsBehindAStringOfSeveralLines) {
  const lexed one("\"a\nb\" c");
  ASSERT_EQ(one.all.size(), 2U);
  EXPECT_EQ(one.all[1].column, 4U);
  EXPECT_FALSE(one.all[1].first_on_line);
}

// ---- Names -----------------------------------------------------------------------

TEST(Lexer, joinsWordsWithDotsToNames) {
  EXPECT_THAT(lexed("sum U32.add cell.f4 _ _x9 a.b.c if let as").kinds(),
              ElementsAre(kind::name, kind::name, kind::name, kind::name, kind::name, kind::name,
                          kind::name, kind::name, kind::name));
}

TEST(Lexer, refusesNamesWithADotTooMuch) {
  EXPECT_THAT(lexed("a. b").said(), ElementsAre("1:1 a name (words joined by dots), 'a.'"));
  EXPECT_THAT(lexed("a..b").said(), ElementsAre("1:1 a name (words joined by dots), 'a..b'"));
  EXPECT_THAT(lexed("a.1").said(), ElementsAre("1:1 a name (words joined by dots), 'a.1'"));
  EXPECT_THAT(lexed("a.").kinds(), ElementsAre(kind::name));
}

TEST(Lexer, knowsTheReservedWords) {
  EXPECT_THAT(kinds_of("def type law match case do return for exs where is import"),
              ElementsAre(kind::def_word, kind::type_word, kind::law_word, kind::match_word,
                          kind::case_word, kind::do_word, kind::return_word, kind::for_word,
                          kind::exs_word, kind::where_word, kind::is_word, kind::import_word));
  EXPECT_THAT(kinds_of("Type Data Kind Quant"),
              ElementsAre(kind::type_sort, kind::data_sort, kind::kind_sort, kind::quant_sort));
  EXPECT_THAT(kinds_of("defs Do def.x"), ElementsAre(kind::name, kind::name, kind::name));
}

// ---- Numbers ---------------------------------------------------------------------

TEST(Lexer, readsNumbers) {
  const lexed one("0 7 4294967295 0n 12n 4294967295n 1n+ 007");
  EXPECT_THAT(one.said(), IsEmpty());
  EXPECT_THAT(one.kinds(), ElementsAre(kind::u32, kind::u32, kind::u32, kind::nat, kind::nat,
                                       kind::nat, kind::successor, kind::u32));
  EXPECT_EQ(one.all[2].value, 4294967295U);
  EXPECT_EQ(one.all[5].value, 4294967295U);
  EXPECT_EQ(one.all[6].value, 1U);
  EXPECT_EQ(one.all[7].value, 7U);
}

TEST(Lexer, gluesAPlusToANatOnlyDirectlyBehindIt) {
  EXPECT_THAT(kinds_of("1n+p"), ElementsAre(kind::successor, kind::name));
  EXPECT_THAT(kinds_of("1n++k"), ElementsAre(kind::successor, kind::plus_binder, kind::name));
  EXPECT_THAT(kinds_of("1n+ +k"), ElementsAre(kind::successor, kind::plus_binder, kind::name));
  EXPECT_THAT(kinds_of("1n + p"), ElementsAre(kind::nat, kind::plus, kind::name));
}

TEST(Lexer, refusesNumbersThatAreTooLarge) {
  EXPECT_THAT(lexed("4294967296").said(),
              ElementsAre("1:1 a U32 of at most 4294967295, a larger number"));
  EXPECT_THAT(lexed("4294967296n").said(),
              ElementsAre("1:1 a Nat literal of at most 4294967295n, a larger number"));
  EXPECT_THAT(lexed("4294967296n+p").said(),
              ElementsAre("1:1 a Nat literal of at most 4294967295n, a larger number"));
  // 2^64, 2^64 + 1, and one that no counter holds.
  EXPECT_EQ(lexed("18446744073709551616").said().size(), 1U);
  EXPECT_EQ(lexed("18446744073709551617").said().size(), 1U);
  EXPECT_EQ(lexed(std::string(100'000, '9')).said().size(), 1U);
}

TEST(Lexer, refusesANumberWithALetterBehind) {
  EXPECT_THAT(lexed("12ab").said(), ElementsAre("1:1 a number (7, 7n or 1.5), '12ab'"));
  EXPECT_THAT(lexed("0x10").said(), ElementsAre("1:1 a number (7, 7n or 1.5), '0x10'"));
  EXPECT_THAT(lexed("1_000").said(), ElementsAre("1:1 a number (7, 7n or 1.5), '1_000'"));
  EXPECT_THAT(lexed("1e3").said(), ElementsAre("1:1 a number (7, 7n or 1.5), '1e3'"));
  EXPECT_THAT(lexed("1nn").said(), ElementsAre("1:1 a number (7, 7n or 1.5), '1nn'"));
  EXPECT_THAT(lexed("1.5n").said(), ElementsAre("1:1 a number (7, 7n or 1.5), '1.5n'"));
  EXPECT_THAT(lexed("1.").said(), ElementsAre("1:1 a number (7, 7n or 1.5), '1.'"));
  EXPECT_THAT(lexed("1.x").said(), ElementsAre("1:1 a number (7, 7n or 1.5), '1.x'"));
  EXPECT_THAT(lexed("1.5.2").said(), ElementsAre("1:1 a number (7, 7n or 1.5), '1.5.2'"));
  EXPECT_THAT(lexed("1.5e").said(), ElementsAre("1:1 a number (7, 7n or 1.5), '1.5e'"));
  EXPECT_THAT(lexed("1.5e+").said(), ElementsAre("1:1 a number (7, 7n or 1.5), '1.5e'"));
  EXPECT_THAT(lexed("5n+").said(), IsEmpty());
}

TEST(Lexer, roundsFloatsOnceToTheNearest) {
  EXPECT_EQ(float_of("1.5"), 1.5F);
  EXPECT_EQ(float_of("0.25"), 0.25F);
  EXPECT_EQ(float_of("1.5e3"), 1500.0F);
  EXPECT_EQ(float_of("2.0E-4"), 2.0e-4F);
  EXPECT_EQ(float_of("2.0e+4"), 20000.0F);
  EXPECT_EQ(float_of("0.1"), 0.1F);
  // Halfway between two floats: to the even one; a digit more decides.
  EXPECT_EQ(float_of("16777217.0"), 16777216.0F);
  EXPECT_EQ(float_of("16777219.0"), 16777220.0F);
  EXPECT_EQ(float_of("16777217.0000000000000000000000000000000000001"), 16777218.0F);
  // Rounding to double first would make this 1 + 2^-22: it is just below the half.
  EXPECT_EQ(float_of("1.00000017881393421514957253748434595763683319091796875"), 1.00000012F);
  EXPECT_EQ(float_of("3.4028234e38"), std::numeric_limits<float>::max());
  EXPECT_EQ(float_of("3.40282356e38"), std::numeric_limits<float>::max());
}

TEST(Lexer, takesFloatsNearZeroAsTheyRound) {
  EXPECT_EQ(float_of("1.0e-45"), std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(float_of("1.0e-46"), 0.0F);
  EXPECT_EQ(float_of("0.0e999999999999"), 0.0F);
  EXPECT_EQ(float_of("1.0e-999999999999"), 0.0F);
  EXPECT_EQ(float_of("0." + std::string(1000, '0') + "1"), 0.0F);
  EXPECT_EQ(float_of("0." + std::string(1000, '0') + "1e1001"), 1.0F);
  EXPECT_EQ(float_of("1" + std::string(1000, '0') + ".0e-1000"), 1.0F);
}

TEST(Lexer, refusesFloatsThatRoundToInfinity) {
  for (const std::string text :
       {"3.5e38", "3.4028236e38", "1.0e39", "1.0e999999999999", "0.001e42"}) {
    EXPECT_THAT(lexed(text).said(),
                ElementsAre("1:1 an F32 below 3.4028236e38, a number that rounds to infinity"))
        << text;
  }
  EXPECT_EQ(lexed("1" + std::string(1000, '0') + ".0e-3").said().size(), 1U);
}

// ---- Strings and characters ------------------------------------------------------

std::string string_of(const std::string& literal) {
  EXPECT_THAT(lexed(literal).said(), IsEmpty());
  return unescape(literal);
}

TEST(Lexer, readsStrings) {
  EXPECT_THAT(kinds_of(R"("" "a" "a # b" "\"" "\\")"),
              ElementsAre(kind::text, kind::text, kind::text, kind::text, kind::text));
  EXPECT_EQ(string_of(R"("")"), "");
  EXPECT_EQ(string_of(R"("a'b")"), "a'b");
  EXPECT_EQ(string_of(R"("\n\t\r\\\'\"")"), "\n\t\r\\'\"");
  EXPECT_EQ(string_of(R"("a\0b")"), std::string("a\0b", 3));
  EXPECT_EQ(string_of(R"("\u{41}\u{e9}\u{20AC}\u{1F600}\u{000041}")"), "A\u00e9\u20ac\U0001F600A");
  EXPECT_EQ(string_of("\"a\nb\u20ac\""), "a\nb\u20ac");
}

TEST(Lexer, readsCharacters) {
  const lexed one("'a' '\\n' '\\'' '\"' '\\u{1F600}' '\u20ac' ' ' '\\0'");
  EXPECT_THAT(one.said(), IsEmpty());
  std::vector<std::uint64_t> values;
  for (const token& each : one.all) {
    EXPECT_EQ(each.kind, kind::character);
    values.push_back(each.value);
  }
  EXPECT_THAT(values, ElementsAre('a', '\n', '\'', '"', 0x1F600, 0x20AC, ' ', 0));
}

TEST(Lexer, refusesUnknownEscapes) {
  const std::string expected = R"(an escape: \n \t \r \0 \\ \' \" or \u{hex})";
  EXPECT_THAT(lexed(R"("a\q")").said(), ElementsAre("1:3 " + expected + ", '\\q'"));
  EXPECT_THAT(lexed(R"('\x')").said(), ElementsAre("1:2 " + expected + ", '\\x'"));
  EXPECT_THAT(lexed(R"("\u41")").said(), ElementsAre("1:2 " + expected + ", '\\u'"));
  EXPECT_THAT(lexed("\"\\\u20ac\"").said(), ElementsAre("1:2 " + expected + ", '\\\u20ac'"));
}

TEST(Lexer, refusesEscapesThatAreNoCodePoint) {
  for (const std::string text : {"\\u{}", "\\u{110000}", "\\u{D800}", "\\u{dfff}", "\\u{0000041}",
                                 "\\u{ffffffffffffffff}", "\\u{g}"}) {
    const lexed one("\"" + text + "\"");
    ASSERT_EQ(one.said().size(), 1U) << text;
    EXPECT_THAT(one.said()[0],
                testing::StartsWith("1:2 a code point: \\u{0} to \\u{10FFFF}, no surrogate, "));
    EXPECT_THAT(one.kinds(), ElementsAre(kind::text)) << text;
  }
}

TEST(Lexer, refusesStringsThatDoNotEnd) {
  const std::string said = "1:3 a '\"' that ends the string, the end of the file";
  EXPECT_THAT(lexed("a \"bc\nd").said(), ElementsAre(said));
  EXPECT_THAT(lexed("a \"bc\\").said().back(), said);
  EXPECT_THAT(lexed("a \"").said(), ElementsAre(said));
  source_file source("f", "\"a");
  diagnostics found;
  lexer words(source, found);
  EXPECT_EQ(words.next().end, 1U);
  EXPECT_TRUE(words.cut_short());
}

TEST(Lexer, refusesCharactersThatAreNotOne) {
  EXPECT_THAT(lexed("''").said(), ElementsAre("1:1 a character between quotes, none"));
  EXPECT_THAT(lexed("'\n'a'").said(), ElementsAre("1:1 a character between quotes, none"));
  EXPECT_THAT(lexed("'ab").said(), ElementsAre("1:1 a quote behind one character, no quote"));
  EXPECT_THAT(lexed("'ab' 'c'").said(), ElementsAre("1:1 a quote behind one character, no quote"));
  EXPECT_THAT(lexed("'a b' c").said(), ElementsAre("1:1 a quote behind one character, no quote",
                                                   "1:5 a quote behind one character, no quote"));
  EXPECT_THAT(lexed("'").said(), ElementsAre("1:1 a character between quotes, none"));
  EXPECT_THAT(lexed("'a").said(), ElementsAre("1:1 a quote behind one character, no quote"));
}

// ---- Operators -------------------------------------------------------------------

TEST(Lexer, takesTheLongestOperator) {
  EXPECT_THAT(kinds_of("a <&> .|. .^. .&. <- -> => <= >= <> ++ << >> && || < > & | + - * / % b"),
              ElementsAre(kind::name, kind::quantity_min, kind::bit_or, kind::bit_xor,
                          kind::bit_and, kind::left_arrow, kind::arrow, kind::fat_arrow,
                          kind::less_equal, kind::greater_equal, kind::cons, kind::append,
                          kind::shift_left, kind::shift_right, kind::and_and, kind::or_or,
                          kind::less, kind::greater, kind::amp, kind::bar, kind::plus, kind::minus,
                          kind::star, kind::slash, kind::percent, kind::name));
  EXPECT_THAT(kinds_of("(){}[],;:= == != @ ~ ! ^ ? \\"),
              ElementsAre(kind::left_paren, kind::right_paren, kind::left_brace, kind::right_brace,
                          kind::left_bracket, kind::right_bracket, kind::comma, kind::semicolon,
                          kind::colon, kind::equals, kind::equal_equal, kind::not_equal, kind::at,
                          kind::tilde, kind::bang, kind::caret, kind::question, kind::backslash));
  EXPECT_THAT(kinds_of("<<- ===>"),
              ElementsAre(kind::shift_left, kind::minus, kind::equal_equal, kind::fat_arrow));
}

TEST(Lexer, takesASignWithANameBehindForABinder) {
  EXPECT_THAT(kinds_of("a +b"), ElementsAre(kind::name, kind::plus_binder, kind::name));
  EXPECT_THAT(kinds_of("a+b"), ElementsAre(kind::name, kind::plus_binder, kind::name));
  EXPECT_THAT(kinds_of("a -_"), ElementsAre(kind::name, kind::minus_binder, kind::name));
  EXPECT_THAT(kinds_of("a + b"), ElementsAre(kind::name, kind::plus, kind::name));
  EXPECT_THAT(kinds_of("a -1"), ElementsAre(kind::name, kind::minus, kind::u32));
  EXPECT_THAT(kinds_of("a +(b)"),
              ElementsAre(kind::name, kind::plus, kind::left_paren, kind::name, kind::right_paren));
}

TEST(Lexer, takesAGreaterSignWithoutABlankBeforeForABracket) {
  EXPECT_THAT(kinds_of("a > b"), ElementsAre(kind::name, kind::greater, kind::name));
  EXPECT_THAT(kinds_of("a>"), ElementsAre(kind::name, kind::close_angle));
  EXPECT_THAT(kinds_of("a>>"), ElementsAre(kind::name, kind::close_angle, kind::close_angle));
  EXPECT_THAT(kinds_of("a>= b"),
              ElementsAre(kind::name, kind::close_angle, kind::equals, kind::name));
  EXPECT_THAT(kinds_of("a>-> b"),
              ElementsAre(kind::name, kind::close_angle, kind::arrow, kind::name));
  EXPECT_THAT(kinds_of("a\n> b"), ElementsAre(kind::name, kind::greater, kind::name));
  EXPECT_THAT(kinds_of("a >> b"), ElementsAre(kind::name, kind::shift_right, kind::name));
}

TEST(Lexer, takesAPercentSignWithoutABlankBehindForAProof) {
  EXPECT_THAT(kinds_of("a % b"), ElementsAre(kind::name, kind::percent, kind::name));
  EXPECT_THAT(kinds_of("a %\tb"), ElementsAre(kind::name, kind::percent, kind::name));
  EXPECT_THAT(kinds_of("%e"), ElementsAre(kind::proof_percent, kind::name));
}

// ---- What is no token ------------------------------------------------------------

TEST(Lexer, reportsUnknownBytesAndGoesOn) {
  const lexed one("a $ b \u20ac\u20ac c");
  EXPECT_THAT(one.texts(), ElementsAre("a", "b", "c"));
  EXPECT_THAT(one.said(), ElementsAre("1:3 a word, a literal or an operator, '$'",
                                      "1:7 a word, a literal or an operator, '\u20ac\u20ac'"));
  EXPECT_THAT(lexed(".").said(), ElementsAre("1:1 a word, a literal or an operator, '.'"));
  EXPECT_THAT(lexed("`\x01").said().size(), 1U);
}

TEST(Lexer, endsAfterTooManyErrors) {
  std::string text;
  for (int k = 0; k < 1000; ++k) text += "$ ";
  const lexed one(text + "a");
  EXPECT_THAT(one.all, IsEmpty());
  EXPECT_EQ(one.found.count(), diagnostics::most);
}

// L1
TEST(Lexer, givesTokensInOrder) {
  const lexed one("def f<-A>(x:U32)->U32:\n a[1]<-'b' # c\n\"d\n\"+1.5e3.x");
  std::uint32_t end = 0;
  for (const token& each : one.all) {
    EXPECT_LE(end, each.begin);
    EXPECT_LT(each.begin, each.end);
    end = each.end;
  }
}

// ---- UTF-8 -----------------------------------------------------------------------

TEST(FirstBadByte, isBehindUtf8) {
  for (const std::string good :
       {"", "abc", "\u00e9\u20ac\U0001F600", "\xF4\x8F\xBF\xBF", "\xEF\xBF\xBF"}) {
    EXPECT_EQ(first_bad_byte(good), good.size());
    EXPECT_EQ(first_bad_byte(good + "\xFF" + good), good.size());
  }
}

TEST(FirstBadByte, findsWhatIsNoUtf8) {
  for (const std::string& bad :
       {std::string("\0", 1), std::string("\x80"), std::string("\xC0\xAF"), std::string("\xC1\xBF"),
        std::string("\xC3"), std::string("\xC3("), std::string("\xE2\x82"),
        std::string("\xE0\x80\x80"), std::string("\xED\xA0\x80"), std::string("\xF0\x80\x80\x80"),
        std::string("\xF4\x90\x80\x80"), std::string("\xF5\x80\x80\x80"), std::string("\xFF")}) {
    EXPECT_EQ(first_bad_byte("ab" + bad + "c"), 2U) << testing::PrintToString(bad);
  }
}

}  // namespace
}  // namespace cleave::lang
