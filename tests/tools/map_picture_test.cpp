// map_picture_test.cpp -- scenes, SVG and text of recordings whose map is known.
#include "map_picture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "map_scene.hpp"
#include "replay/recordings.hpp"

namespace {

using namespace cleave;
using namespace cleave::tool;
using test::recorder;

const std::vector<std::string> names = {"an unknown place", "first at a.cpp:1", "second at b.cpp:2",
                                        "<script>\"x\" & 'y'"};

// Page 0 is full of place 1, page 1 half, page 2 has 16 bytes of place 2; page 1000 is full.
recorder four_pages() {
  recorder tape;
  tape.allocate(0, 6144, 1).allocate(8192, 4096, 2).free(8208, 4080);
  tape.allocate(4096 * 1000, 4096, 3);
  return tape;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(MapScene, foldsWhatWasNeverInUse) {
  const replay::history past = replay::play(four_pages().made);
  const map_scene scene(past, names, {past.last(), 4096, map_colours::place});
  ASSERT_EQ(scene.regions().size(), 2u);
  EXPECT_EQ(scene.cell_bytes(), 4096u);
  EXPECT_EQ(scene.regions()[0].cells.size(), 3u);
  EXPECT_EQ(scene.regions()[1].begin, recorder::base + 4096 * 1000);
}

TEST(MapScene, aCellKnowsWhatLivesInIt) {
  const replay::history past = replay::play(four_pages().made);
  const map_scene scene(past, names, {past.last(), 4096, map_colours::place});
  const auto& cells = scene.regions()[0].cells;
  EXPECT_EQ(cells[0].live, 4096u);
  EXPECT_EQ(cells[1].live, 2048u);
  EXPECT_EQ(cells[1].held, 4096u);
  EXPECT_EQ(cells[2].live, 16u);
  EXPECT_EQ(scene.describe(cells[2].span),
            "16 B at 0x1000002000, of 4.0 KiB, from second at b.cpp:2, since 2.0 us");
  // Place 1 held most at the peak.
  EXPECT_EQ(scene.colour_of(cells[0].span), 0u);
  EXPECT_NE(scene.colour_of(cells[2].span), 0u);
}

TEST(MapScene, cellsGrowUntilThereAreFewEnough) {
  recorder tape;
  tape.allocate(0, 4096 * 1024, 1);
  const replay::history past = replay::play(tape.made);
  const map_scene scene(past, names, {1, 256, map_colours::place});
  EXPECT_EQ(scene.cell_bytes(), 4 * 4096u);
  ASSERT_EQ(scene.regions().size(), 1u);
  EXPECT_EQ(scene.regions()[0].cells.size(), 256u);
  EXPECT_EQ(scene.regions()[0].cells[255].live, 4 * 4096u);
}

TEST(MapScene, sizesAndAgesHaveColoursToo) {
  recorder tape;
  tape.allocate(0, 64, 1).allocate(64, 65, 1).wait(50'000'000).allocate(4096, 3'000'000, 1);
  const replay::history past = replay::play(tape.made);
  const map_scene sizes(past, names, {3, 4096, map_colours::size});
  EXPECT_EQ(sizes.colour_of(0), 0u);
  EXPECT_EQ(sizes.colour_of(1), 1u);
  EXPECT_EQ(sizes.colour_of(2), 6u);
  const map_scene ages(past, names, {3, 4096, map_colours::age});
  EXPECT_EQ(ages.colour_of(0), 2u);
  EXPECT_EQ(ages.colour_of(2), 0u);
}

TEST(MapScene, aMomentIsATimeAShareOrAWord) {
  recorder tape;
  tape.allocate(0, 1).wait(998'000).allocate(64, 1).wait(999'000).free(0, 1);  // 1 us, 1 ms, 2 ms
  const replay::history past = replay::play(tape.made);
  EXPECT_EQ(moment_in_words(past, "peak"), 2u);
  EXPECT_EQ(moment_in_words(past, "end"), 3u);
  EXPECT_EQ(moment_in_words(past, "0s"), 0u);
  EXPECT_EQ(moment_in_words(past, "1us"), 1u);
  EXPECT_EQ(moment_in_words(past, "1.5ms"), 2u);
  EXPECT_EQ(moment_in_words(past, "50%"), 2u);
  EXPECT_EQ(moment_in_words(past, "1e30s"), 3u);
  for (const char* const wrong : {"", "s", "5", "101%", "-1s", "nan%", "1 s", "1h", "inf%"}) {
    EXPECT_EQ(moment_in_words(past, wrong), std::nullopt) << wrong;
  }
}

TEST(MapText, glyphsSayHowMuchIsLive) {
  const replay::history past = replay::play(four_pages().made);
  const map_scene scene(past, names, {past.last(), 4096, map_colours::place});
  const std::string text = map_as_text(scene, "a.trace", {80, {true, false}});
  EXPECT_NE(text.find("0x1000000000   █▒░\n"), text.npos) << text;
  EXPECT_NE(text.find("3.9 MiB never in use\n"), text.npos) << text;
  EXPECT_NE(text.find("0x10003e8000   █\n"), text.npos) << text;
  EXPECT_NE(text.find("6.0 KiB in 1 piece: first at a.cpp:1\n"), text.npos) << text;
  EXPECT_EQ(text.find('\x1b'), text.npos);
  const map_scene before(past, names, {0, 4096, map_colours::place});
  EXPECT_NE(map_as_text(before, "a.trace", {80, {true, false}}).find("   ···\n"), text.npos);
}

TEST(MapText, coloursTellWhose) {
  const replay::history past = replay::play(four_pages().made);
  const map_scene scene(past, names, {past.last(), 4096, map_colours::place});
  const std::string text = map_as_text(scene, "a.trace", {80, {true, true}});
  EXPECT_NE(text.find("\x1b[38;5;32m█\x1b[0m\x1b[38;5;32m▒\x1b[0m"), text.npos) << text;
}

TEST(MapText, rowsFitTheTerminal) {
  recorder tape;
  tape.allocate(0, 4096 * 200, 1);
  const replay::history past = replay::play(tape.made);
  const map_scene scene(past, names, {1, 4096, map_colours::place});
  const std::string text = map_as_text(scene, "a", {50, {true, false}});
  EXPECT_EQ(count(text, "\n0x"), 7u) << text;  // 32 cells in a row
}

TEST(MapText, aTerminalDoesNotObeyNames) {
  const std::vector<std::string> bad = {"", "\x1b[2Jgone"};
  recorder tape;
  tape.allocate(0, 64, 1);
  const replay::history past = replay::play(tape.made);
  const map_scene scene(past, bad, {1, 4096, map_colours::place});
  const std::string text = map_as_text(scene, "\x1b]0;x\x07", {80, {true, false}});
  EXPECT_EQ(text.find('\x1b'), text.npos);
  EXPECT_NE(text.find("?[2Jgone"), text.npos);
  // Controls have other forms too: one byte alone, and two of UTF-8.
  const std::vector<std::string> others = {"",
                                           "\x9b"
                                           "2J\xc2\x9b"
                                           "2J\xe2\x80\xaeé"};
  const map_scene more(past, others, {1, 4096, map_colours::place});
  const style look{true, false};
  EXPECT_NE(map_as_text(more, "a", {80, look}).find(": ?2J?2J?é\n"), text.npos);
  EXPECT_NE(tree_as_text(more, recorder::base, look)->find(" from ?2J?2J?é, "), text.npos);
}

TEST(MapText, hasNoLetterBeyondAsciiWithoutUtf8) {
  const replay::history past = replay::play(four_pages().made);
  const map_scene scene(past, {"", "é", "é", "é"}, {past.last(), 4096, map_colours::place});
  const std::string text = map_as_text(scene, "é", {80, {}});
  EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) { return c > 0; })) << text;
  EXPECT_NE(text.find("0x1000000000   #+-\n"), text.npos) << text;
}

TEST(MapText, aTreeHasALineForEachPiece) {
  const replay::history past = replay::play(four_pages().made);
  const map_scene scene(past, names, {past.last(), 4096, map_colours::place});
  EXPECT_EQ(tree_as_text(scene, recorder::base + 8192 + 15, {true, false}),
            "16 B at 0x1000002000, of 4.0 KiB, from second at b.cpp:2, since 2.0 us\n"
            "- [0, 4096) from 2.0 us, cut at 3.0 us (inferred from a free)\n"
            "  > [0, 16) from 3.0 us, never freed\n"
            "  - [16, 4096) from 3.0 us, freed at 3.0 us\n");
  EXPECT_EQ(tree_as_text(scene, recorder::base + 8192 + 16, {true, false}), std::nullopt);
}

TEST(MapText, oddEventsAreSaid) {
  recorder tape;
  tape.free(0, 64);
  const replay::history past = replay::play(tape.made);
  const map_scene scene(past, names, {1, 4096, map_colours::place});
  const std::string text = map_as_text(scene, "a", {80, {true, false}});
  EXPECT_NE(text.find("\nevents that cannot be true of a heap: 1;"), text.npos) << text;
  EXPECT_NE(text.find("nothing was ever in use\n"), text.npos) << text;
}

TEST(MapSvg, hasARectangleForEachCell) {
  const replay::history past = replay::play(four_pages().made);
  const map_scene scene(past, names, {past.last(), 4096, map_colours::place});
  const std::string svg = map_as_svg(scene, "a.trace");
  // Three cells from x = 146 on, ten wide; a full one, a half one, and one of 16 bytes.
  EXPECT_NE(svg.find("<rect class=\"c0\" x=\"146\" y=\"56\" width=\"9\" height=\"9\">"), svg.npos)
      << svg;
  EXPECT_NE(svg.find("<rect class=\"dead\" x=\"156\" y=\"56\" width=\"9\" height=\"9\">"),
            svg.npos);
  EXPECT_NE(svg.find("<rect class=\"c0\" x=\"156\" y=\"60.5\" width=\"9\" height=\"4.5\">"),
            svg.npos);
  EXPECT_NE(svg.find("x=\"166\" y=\"64\" width=\"9\" height=\"1\">"), svg.npos);
  EXPECT_EQ(count(svg, "class=\"dead\""), 2u);
}

TEST(MapSvg, namesAreTextAndNeverMarks) {
  const replay::history past = replay::play(four_pages().made);
  const map_scene scene(past, names, {past.last(), 4096, map_colours::place});
  const std::string svg = map_as_svg(scene, "</title><script>alert(1)</script>");
  EXPECT_EQ(svg.find("<script"), svg.npos);
  EXPECT_NE(svg.find("&lt;script&gt;&quot;x&quot; &amp; &#39;y&#39;"), svg.npos);
}

TEST(MapSvg, whatXmlMayNotHoldIsReplaced) {
  EXPECT_EQ(escaped("a\x01z"), "a\xef\xbf\xbdz");
  EXPECT_EQ(escaped("\xc2\x9b|\xe2\x80\xae"), "\xef\xbf\xbd|\xef\xbf\xbd");
  EXPECT_EQ(escaped("\xff\xc3"), "\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(escaped("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(escaped("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80"),
            "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80");
}

}  // namespace
