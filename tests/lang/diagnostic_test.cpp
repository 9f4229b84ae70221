// diagnostic_test.cpp -- errors as text and as JSON.
#include "lang/diagnostic.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace cleave::lang {
namespace {

using testing::HasSubstr;
using testing::Not;

// The text of one error about the bytes [begin, end) of a file life.bend.
std::string text_of(const std::string& source, std::uint32_t begin, std::uint32_t end) {
  const source_file file("life.bend", source);
  diagnostics found;
  found.report({{&file, begin, end}, "a term", "')'", "", "step", {}});
  return to_text(found, colours::never);
}

// The lines behind `Location:`.
std::string lines_of(const std::string& source, std::uint32_t begin, std::uint32_t end) {
  const std::string text = text_of(source, begin, end);
  return text.substr(text.find('\n', text.find("Location:")) + 1);
}

TEST(Diagnostics, showTheLinesAroundThePlace) {
  EXPECT_EQ(text_of("a\nbc d\ne\nf\n", 5, 6),
            "Error:\n"
            "- expected : a term\n"
            "- observed : ')'\n"
            "Location: life.bend:2:4 in step\n"
            "1 | a\n"
            "2>| bc d\n"
            "  |    ^\n"
            "3 | e\n");
}

TEST(Diagnostics, alignTheNumbersOfLines) {
  EXPECT_EQ(lines_of("\n\n\n\n\n\n\n\nprevious\noffending\nnext", 17, 26),
            " 9 | previous\n"
            "10>| offending\n"
            "   | ^^^^^^^^^\n"
            "11 | next\n");
}

TEST(Diagnostics, haveFewerLinesAtTheEndsOfAFile) {
  EXPECT_EQ(lines_of("ab", 0, 1), "1>| ab\n  | ^\n");
  EXPECT_EQ(lines_of("ab\n", 1, 2), "1>| ab\n  |  ^\n");
  EXPECT_EQ(lines_of("ab\n", 3, 3), "1 | ab\n2>|\n  | ^\n");
  EXPECT_EQ(lines_of("", 0, 0), "1>|\n  | ^\n");
}

TEST(Diagnostics, markOnlyTheFirstLineOfAPlace) {
  EXPECT_EQ(lines_of("f(a\n b)\nc", 1, 6), "1>| f(a\n  |  ^^\n2 |  b)\n");
}

TEST(Diagnostics, countCharactersAndNotBytes) {
  EXPECT_EQ(lines_of("\u20ac\u00e9x", 5, 6), "1>| \u20ac\u00e9x\n  |   ^\n");
}

TEST(Diagnostics, keepTabsAligned) {
  EXPECT_EQ(lines_of("\ta\tb", 3, 4), "1>| \ta\tb\n  | \t \t^\n");
}

TEST(Diagnostics, showControlCharactersAsEscapes) {
  EXPECT_EQ(lines_of("a\x1b[1mb", 5, 6), "1>| a\\u{1b}[1mb\n  |           ^\n");
  EXPECT_EQ(lines_of("a\rb\xc2\x9b"
                     "c",
                     2, 3),
            "1>| a\\u{d}b\\u{9b}c\n  |       ^\n");
  // What would turn the text around.
  EXPECT_EQ(lines_of("\u202Eb", 3, 4), "1>| \\u{202e}b\n  |         ^\n");
  EXPECT_EQ(lines_of("\xff"
                     "b",
                     1, 2),
            "1>| \\x{ff}b\n  |       ^\n");
  // Half of a pair, a form that is too long, and what is behind the last code point.
  EXPECT_EQ(lines_of("\xed\xa0\x80", 0, 1), "1>| \\x{ed}\\x{a0}\\x{80}\n  | ^^^^^^\n");
  EXPECT_EQ(lines_of("\xe0\x82\x80", 0, 1), "1>| \\x{e0}\\x{82}\\x{80}\n  | ^^^^^^\n");
  EXPECT_EQ(lines_of("\xf4\x90\x80\x80", 0, 1), "1>| \\x{f4}\\x{90}\\x{80}\\x{80}\n  | ^^^^^^\n");
}

TEST(Diagnostics, showControlCharactersOfMessagesAndNamesAsEscapes) {
  const source_file file("a\nb\x1b.bend", "x");
  diagnostics found;
  found.report({{&file, 0, 1},
                "",
                "",
                "a\x07"
                "b\nc",
                "",
                {}});
  EXPECT_EQ(to_text(found, colours::never),
            "Error:\n- message  : a\\u{7}b\\nc\nLocation: a\\nb\\u{1b}.bend:1:1\n1>| x\n  | ^\n");
}

TEST(Diagnostics, shortenLongLinesAroundThePlace) {
  std::string line(5000, 'a');
  line.replace(3000, 3, "bcd");
  const std::string lines = lines_of(line + "\nnext", 3000, 3003);
  const std::size_t end = lines.find('\n');
  const std::string first = lines.substr(0, end);
  const std::string second = lines.substr(end + 1, lines.find('\n', end + 1) - end - 1);
  EXPECT_LE(first.size(), 120U);
  EXPECT_THAT(first, HasSubstr("| ...aaa"));
  EXPECT_TRUE(first.ends_with("aaa..."));
  EXPECT_EQ(first.find("bcd"), second.find("^^^"));
}

TEST(Diagnostics, shortenLinesAtTheirEndsOnlyWhereSomethingIsLeftOut) {
  std::string line(300, 'a');
  line[0] = 'b';
  line[299] = 'c';
  const std::string at_begin = lines_of(line, 0, 1);
  EXPECT_THAT(at_begin, testing::StartsWith("1>| baaa"));
  EXPECT_THAT(at_begin, HasSubstr("a...\n  | ^\n"));
  const std::string at_end = lines_of(line, 299, 300);
  EXPECT_THAT(at_end, testing::StartsWith("1>| ...a"));
  EXPECT_THAT(at_end, HasSubstr("aac\n"));
  EXPECT_THAT(lines_of(std::string(100, 'a'), 50, 51), Not(HasSubstr("...")));
}

TEST(Diagnostics, takeNoTimeForTheRestOfALine) {
  // Of continuation bytes alone, in the middle of nowhere.
  const std::string lines = lines_of(std::string(2'000'000, '\x80'), 1'000'000, 1'000'001);
  EXPECT_LE(lines.size(), 1000U);
}

TEST(Diagnostics, standOneBehindTheOther) {
  const source_file file("f", "ab");
  diagnostics found;
  found.report({{&file, 0, 1}, "", "", "one", "", {}});
  found.report({{&file, 1, 2}, "", "", "two", "", {}});
  EXPECT_EQ(to_text(found, colours::never),
            "Error:\n- message  : one\nLocation: f:1:1\n1>| ab\n  | ^\n"
            "\n"
            "Error:\n- message  : two\nLocation: f:1:2\n1>| ab\n  |  ^\n");
}

TEST(Diagnostics, mayBeAboutNoPlace) {
  diagnostics found;
  found.report({{}, "", "", "no main", "", {}});
  found.report({{}, "", "", "no body", "f", {}});
  EXPECT_EQ(to_text(found, colours::never),
            "Error:\n- message  : no main\n\nError:\n- message  : no body\nLocation: f\n");
}

TEST(Diagnostics, showTheOtherPlaces) {
  const source_file file("f", "a a");
  diagnostics found;
  found.report(
      {{&file, 2, 3}, "a", "consumed more than once", "", "g", {{{&file, 0, 1}, "used here"}}});
  EXPECT_EQ(to_text(found, colours::never),
            "Error:\n- expected : a\n- observed : consumed more than once\n"
            "Location: f:1:3 in g\n1>| a a\n  |   ^\n"
            "- see also : used here\n"
            "Location: f:1:1\n1>| a a\n  | ^\n");
}

TEST(Diagnostics, areNotKeptWithoutEnd) {
  const source_file file("f", "a");
  diagnostics found;
  EXPECT_TRUE(found.empty());
  for (std::size_t k = 0; k < diagnostics::most + 7; ++k) {
    found.report({{&file, 0, 1}, "", "", "wrong", "", {}});
  }
  EXPECT_FALSE(found.empty());
  EXPECT_EQ(found.count(), diagnostics::most + 7);
  EXPECT_EQ(found.all().size(), diagnostics::most);
  EXPECT_TRUE(to_text(found, colours::never).ends_with("\nand 7 more\n"));
}

TEST(Diagnostics, areColouredOnDemand) {
  const source_file file("f", "ab");
  diagnostics found;
  found.report({{&file, 1, 2}, "", "", "one", "", {}});
  const std::string coloured = to_text(found, colours::always);
  EXPECT_THAT(coloured, testing::StartsWith("\x1b[1;31mError:\x1b[0m\n"));
  std::string plain;
  for (std::size_t at = 0; at < coloured.size(); ++at) {
    if (coloured[at] == '\x1b') {
      at = coloured.find('m', at);
    } else {
      plain.push_back(coloured[at]);
    }
  }
  EXPECT_EQ(plain, to_text(found, colours::never));
}

// ---- JSON ------------------------------------------------------------------------

TEST(DiagnosticsJson, hasAllThatIsKnown) {
  const source_file file("life.bend", "ab\ncd\n");
  diagnostics found;
  found.report({{&file, 1, 4}, "a term", "')'", "", "step", {{{&file, 0, 1}, "here"}}});
  found.report({{}, "", "", "no main", "", {}});
  found.note("law p is skipped");
  const auto made = nlohmann::json::parse(to_json(found));
  EXPECT_EQ(made["count"], 2);
  EXPECT_EQ(made["notes"], nlohmann::json::array({"law p is skipped"}));
  EXPECT_EQ(made["diagnostics"][0], (nlohmann::json{{"file", "life.bend"},
                                                    {"line", 1},
                                                    {"column", 2},
                                                    {"end_line", 2},
                                                    {"end_column", 2},
                                                    {"expected", "a term"},
                                                    {"observed", "')'"},
                                                    {"message", ""},
                                                    {"def", "step"},
                                                    {"remarks",
                                                     {{{"file", "life.bend"},
                                                       {"line", 1},
                                                       {"column", 1},
                                                       {"end_line", 1},
                                                       {"end_column", 2},
                                                       {"text", "here"}}}}}));
  EXPECT_EQ(made["diagnostics"][1]["file"], nullptr);
  EXPECT_EQ(made["diagnostics"][1]["message"], "no main");
}

TEST(DiagnosticsJson, isUtf8WhateverTheNamesAre) {
  const source_file file("\xff", "a");
  diagnostics found;
  found.report({{&file, 0, 1}, "", "", "\xfe", "", {}});
  EXPECT_EQ(nlohmann::json::parse(to_json(found))["diagnostics"][0]["file"], "\uFFFD");
}

TEST(DiagnosticsJson, ofNothingIsEmpty) {
  const auto made = nlohmann::json::parse(to_json({}));
  EXPECT_EQ(made["count"], 0);
  EXPECT_TRUE(made["diagnostics"].empty());
  EXPECT_TRUE(made["notes"].empty());
}

}  // namespace
}  // namespace cleave::lang
