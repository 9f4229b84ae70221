// top_frame_test.cpp -- pictures of known numbers, and the letters that they are drawn with.
#include "top_frame.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "drawing.hpp"
#include "tools/lines.hpp"

namespace cleave::tool {
namespace {

using cleave::detail::shown;

constexpr std::uint64_t second = 1'000'000'000;

shown some_process() {
  shown s;
  s.process = 4711;
  s.began = 10 * second;
  s.written = 75 * second;
  s.live = 3 << 20;
  s.held = 4 << 20;
  s.peak_held = 8 << 20;
  s.held_limit = UINT64_MAX;
  s.idle = 512 << 10;
  s.cached = 64 << 10;
  s.metadata = 2048;
  s.allocations = 1'000'000;
  s.frees = 900'000;
  s.system_calls = 50;
  s.classes = 3;
  s.by_class[0] = {16, 2, 1000, 500};
  s.by_class[1] = {32, 0, 0, 0};
  s.by_class[2] = {1024, 1, 64, 60};
  return s;
}

// One second later.
shown a_second_later() {
  shown s = some_process();
  s.written += second;
  s.allocations += 12'345;
  s.frees += 300;
  s.live = 1 << 20;
  return s;
}

std::string text_of(const top_view& view) {
  std::string text;
  for (const std::string& line : frame(view)) text += line + "\n";
  return text;
}

top_view seen_once() {
  top_view view;
  view.program = "server";
  view.add(some_process());
  return view;
}

TEST(TopFrame, hasTheNumbersOfTheProcess) {
  const std::string text = text_of(seen_once());
  EXPECT_TRUE(has_line(text, {"cleave top", "4711", "server", "up 1:05 min"}));
  EXPECT_TRUE(has_line(text, {"live", "3.0 MiB", "75 % of what is held"}));
  EXPECT_TRUE(has_line(text, {"held", "4.0 MiB", "50 % of the peak"}));
  EXPECT_TRUE(has_line(text, {"peak", "8.0 MiB", "limit none"}));
  EXPECT_TRUE(has_line(text, {"idle", "512.0 KiB", "64.0 KiB in caches, 2.0 KiB in tables"}));
  EXPECT_TRUE(has_line(text, {"allocations", "0/s", "1,000,000 since the start"}));
}

TEST(TopFrame, showsTheLimitWhereThereIsOne) {
  top_view view = seen_once();
  view.now.held_limit = 16 << 20;
  const std::string text = text_of(view);
  EXPECT_TRUE(has_line(text, {"held", "4.0 MiB", "25 % of the limit"}));
  EXPECT_TRUE(has_line(text, {"peak", "limit 16.0 MiB"}));
}

TEST(TopFrame, hasRatesBetweenTwoLooks) {
  top_view view = seen_once();
  view.add(a_second_later());
  EXPECT_DOUBLE_EQ(allocations_per_second(view), 12'345);
  EXPECT_DOUBLE_EQ(frees_per_second(view), 300);
  const std::string text = text_of(view);
  EXPECT_TRUE(has_line(text, {"allocations", "12,345/s", "1,012,345 since the start"}));
  EXPECT_TRUE(has_line(text, {"frees", "300/s", "900,300 since the start"}));
  // The same look again is no look.
  view.add(a_second_later());
  EXPECT_DOUBLE_EQ(allocations_per_second(view), 12'345);
  EXPECT_EQ(view.live.size(), 2U);
}

TEST(TopFrame, listsTheClassesThatHaveSlabs) {
  const std::string text = text_of(seen_once());
  EXPECT_TRUE(has_line(text, {"16", "2", "1,000", "500", "7.8 KiB", "7.8 KiB", "#####"}));
  EXPECT_TRUE(has_line(text, {"1,024", "1", "64", "60", "60.0 KiB", "4.0 KiB"}));
  EXPECT_FALSE(has_line(text, {" 32 ", " 0 "}));
}

TEST(TopFrame, sortsTheClasses) {
  top_view view = seen_once();
  const auto first_is_small = [&view] {
    const std::string text = text_of(view);
    return text.find("\n       16 ") < text.find("\n    1,024 ");
  };
  EXPECT_TRUE(first_is_small());
  view.order = class_order::used;
  EXPECT_FALSE(first_is_small()) << "60 KiB are in use there, and 8 KiB here";
  view.order = class_order::spare;
  EXPECT_TRUE(first_is_small()) << "8 KiB are spare, and 4 KiB there";
}

TEST(TopFrame, fitsTheScreen) {
  top_view view = seen_once();
  for (int i = 0; i < 200; ++i) {
    shown next = a_second_later();
    next.written += static_cast<std::uint64_t>(i) * second;
    view.add(next);
  }
  view.now.classes = 60;
  for (std::size_t c = 0; c < 60; ++c) view.now.by_class[c] = {16 * (c + 1), 1, 10, 5};
  view.keys = true;
  for (const bool help : {false, true}) {
    view.help = help;
    for (const bool unicode : {false, true}) {
      view.look = {unicode, unicode};
      for (std::size_t width = 1; width < 200; width += 7) {
        for (std::size_t height = 1; height < 90; height += 4) {
          view.width = width;
          view.height = height;
          const std::vector<std::string> lines = frame(view);
          EXPECT_EQ(lines.size(), height) << width;
          for (const std::string& line : lines) EXPECT_LE(columns_of(line), width) << line;
        }
      }
    }
  }
  view.help = false;
  view.width = 80;
  view.height = 30;
  EXPECT_TRUE(has_line(text_of(view), {"and ", " more"}));
}

TEST(TopFrame, bearsAnyNumbers) {
  top_view view;
  view.program = "odd";
  shown s;
  for (std::uint64_t* word = &s.began; word < &s.orders; ++word) *word = UINT64_MAX;
  s.classes = cleave::detail::shown_classes;
  for (auto& c : s.by_class) c = {UINT64_MAX, UINT64_MAX, 1, UINT64_MAX};
  view.add(s);
  s.written = 0;
  s.allocations = 0;
  view.add(s);
  view.add(some_process());
  view.look = {true, true};
  EXPECT_FALSE(frame(view).empty());
}

TEST(TopFrame, hasNoLetterBeyondAsciiWithoutUtf8) {
  top_view view = seen_once();
  view.add(a_second_later());
  view.keys = true;
  view.height = 40;
  const std::string text = text_of(view);
  EXPECT_TRUE(std::all_of(text.begin(), text.end(),
                          [](char c) { return c == '\n' || (c >= 0x20 && c <= 0x7E); }));
}

TEST(Drawing, saysBytesAsPeopleDo) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(1023), "1023 B");
  EXPECT_EQ(bytes_text(1024), "1.0 KiB");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(bytes_text((1 << 20) - 1), "1.0 MiB");
  EXPECT_EQ(bytes_text(std::uint64_t{1} << 40), "1.0 TiB");
  EXPECT_EQ(bytes_text(UINT64_MAX), "16.0 EiB");
}

TEST(Drawing, saysCountsTimesAndShares) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1000), "1,000");
  EXPECT_EQ(count_text(1'234'567), "1,234,567");
  EXPECT_EQ(time_text(59.9), "59 s");
  EXPECT_EQ(time_text(62), "1:02 min");
  EXPECT_EQ(time_text(3723), "1:02:03 h");
  EXPECT_EQ(duration_text(0), "0 ns");
  EXPECT_EQ(duration_text(999), "999 ns");
  EXPECT_EQ(duration_text(1500), "1.5 us");
  EXPECT_EQ(duration_text(999'940), "999.9 us");
  EXPECT_EQ(duration_text(999'960), "1.0 ms");
  EXPECT_EQ(duration_text(999'960'000), "1.00 s");
  EXPECT_EQ(duration_text(61'500'000'000), "61.50 s");
  EXPECT_EQ(percent_text(1, 4), "25 %");
  EXPECT_EQ(percent_text(1, 1000), "<1 %");
  EXPECT_EQ(percent_text(0, 0), "0 %");
}

TEST(Drawing, fillsBarsByEighths) {
  const style fine{true, false};
  EXPECT_EQ(bar(0.5, 4, fine), "██  ");
  EXPECT_EQ(bar(1.0 / 32, 4, fine), "▏   ");
  EXPECT_EQ(bar(1e-9, 4, fine), "▏   ") << "what is there shows";
  EXPECT_EQ(bar(0, 4, fine), "    ");
  EXPECT_EQ(bar(7, 4, fine), "████");
  EXPECT_EQ(bar(0.5, 4, {}), "##  ");
}

TEST(Drawing, drawsGraphsFromTheTopRowDown) {
  const std::vector<double> values = {0, 1, 2, 4};
  EXPECT_EQ(graph(values, 4, 2, {true, false}), (std::vector<std::string>{"   █", " ▄██"}));
  EXPECT_EQ(graph(values, 4, 2, {}), (std::vector<std::string>{"   #", " ###"}));
  // With fewer columns than values the largest of each part; with more, blanks.
  EXPECT_EQ(graph(values, 2, 1, {true, false}), (std::vector<std::string>{"▂█"}));
  EXPECT_EQ(graph(values, 6, 1, {}), (std::vector<std::string>{" ###  "}));
  EXPECT_EQ(graph({}, 2, 1, {}), (std::vector<std::string>{"  "}));
}

TEST(Drawing, countsColumnsAndNotBytes) {
  EXPECT_EQ(columns_of("\033[1m██\033[0mab"), 4U);
  EXPECT_EQ(cut_to_columns("\033[1m██\033[0mab", 1), "\033[1m█\033[0m");
  EXPECT_EQ(right("ab", 4), "  ab");
  EXPECT_EQ(left("█", 3), "█  ");
}

TEST(Drawing, namesControlNothing) {
  EXPECT_TRUE(is_control("\xc2\x85"));
  EXPECT_FALSE(is_control("\xc2\xa0"));
  EXPECT_EQ(plain_name("a\033[2Jb\n", true), "a?[2Jb?");
  EXPECT_EQ(plain_name("é€😀", true), "é€😀");
  EXPECT_EQ(plain_name("é€😀", false), "???");
  // Alone, too long, cut, a surrogate; controls of two bytes; what turns or breaks a line.
  EXPECT_EQ(plain_name("\x9b|\xc0\x80|\xe2\x82|\xed\xa0\x80", true), "?|??|??|???");
  EXPECT_EQ(plain_name("\xc2\x9b|\xe2\x80\xae|\xe2\x81\xa7|\xe2\x80\xa8", true), "?|?|?|?");
}

}  // namespace
}  // namespace cleave::tool
