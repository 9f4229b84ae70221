// trace_summary_test.cpp -- what `cleave trace` says of recordings made by hand.
#include "trace_summary.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "drawing.hpp"
#include "named_history.hpp"
#include "replay/recordings.hpp"
#include "tools/lines.hpp"

namespace cleave::tool {
namespace {

using test::recorder;
using json = nlohmann::ordered_json;
using trace::event_kind;

std::string name_of(std::uint32_t place) {
  return "place " + std::to_string(place);
}

trace_summary sum(const recorder& tape, std::size_t top = 5) {
  return summed_up(tape.made, replay::play(tape.made), top);
}

std::string text_of(const recorder& tape, std::size_t top = 5) {
  return as_text(sum(tape, top), name_of, {}, 100);
}

// 3000 and 1000 bytes at the peak, at 2 us; then a part is freed, and 100 bytes stay.
recorder a_life() {
  recorder tape;
  tape.allocate(0, 3000, 1).allocate(8192, 1000, 2).free(0, 3000).free(8192, 900).wait(6000);
  tape.allocate(16384, 16, 3).free(16384, 16);
  return tape;
}

TEST(TraceSummary, saysTheEventsTheThreadsAndTheTime) {
  const trace_summary all = sum(a_life());
  EXPECT_EQ(all.program, "/bin/program");
  EXPECT_TRUE(all.complete);
  EXPECT_EQ(all.length, 12'000U);
  EXPECT_EQ(all.threads, 1U);
  EXPECT_EQ(all.events[static_cast<std::size_t>(event_kind::allocate)], 3U);
  EXPECT_EQ(all.events[static_cast<std::size_t>(event_kind::free)], 3U);
  const std::string text = text_of(a_life());
  EXPECT_TRUE(has_line(text, {"/bin/program: 6 events in 12.0 us, 1 thread"}));
  EXPECT_TRUE(has_line(text, {"allocate 3, free 3"}));
}

TEST(TraceSummary, saysThePeakAndWhoHeldIt) {
  const trace_summary all = sum(a_life());
  EXPECT_EQ(all.peak_live, 4000U);
  EXPECT_EQ(all.peak_time, 2000U);
  EXPECT_EQ(all.most_held, 8192U);
  EXPECT_EQ(all.end_live, 100U);
  EXPECT_EQ(all.end_held, 4096U);
  const std::string text = text_of(a_life());
  EXPECT_TRUE(has_line(text, {"most 3.9 KiB at 2.0 us, 100 B at the end"}));
  EXPECT_TRUE(has_line(text, {"2.9 KiB", "1 run ", "place 1"}));
  EXPECT_TRUE(has_line(text, {"1000 B", "1 run ", "place 2"}));
}

TEST(TraceSummary, saysWhatWasNeverFreed) {
  EXPECT_TRUE(has_line(text_of(a_life()), {"100 B", "1 run ", "place 2"}));
  recorder tape;
  tape.allocate(0, 100).free(0, 100);
  EXPECT_TRUE(has_line(text_of(tape), {"everything was freed at the end"}));
}

TEST(TraceSummary, saysWhatJoinsCopied) {
  recorder tape;
  tape.allocate(0, 64, 1).copy(0, 64, 32, 4).copy(0, 64, 30, 4).copy(0, 64, 10, 5);
  const std::string text = text_of(tape);
  EXPECT_TRUE(has_line(text, {"joins of what were no neighbours: 3 joins copied 72 B"}));
  EXPECT_TRUE(has_line(text, {"62 B", "2 joins", "place 4"}));
  EXPECT_TRUE(has_line(text, {"10 B", "1 join ", "place 5"}));
}

TEST(TraceSummary, saysWhatPinnedPages) {
  recorder tape;
  // Two pages of one place, of which one is let go after 5 ms, and one of another.
  tape.allocate(0, 4096, 1).allocate(4096, 4096, 1).allocate(8192, 4096, 2);
  tape.free(0, 4000).free(4096, 4090).free(8192, 4000).wait(5'000'000).free(4000, 96);
  const trace_summary all = sum(tape);
  EXPECT_EQ(all.pinned_pages, 3U);
  ASSERT_EQ(all.pins.size(), 2U);
  EXPECT_EQ(all.pins[0].place, 1U);
  EXPECT_EQ(all.pins[0].pages, 2U);
  EXPECT_EQ(all.pins[0].dead_bytes, 4000U + 4090U);
  EXPECT_EQ(all.pins[0].still, 1U);
  EXPECT_EQ(all.pins[0].longest, 5'003'000U);
  EXPECT_EQ(all.pins[1].dead_bytes, 4000U);
  const std::string text = text_of(tape);
  EXPECT_TRUE(has_line(text, {"3 pages were kept by a small rest"}));
  EXPECT_TRUE(has_line(text, {"7.9 KiB", "2 pages", "for 5.0 ms and on", "place 1"}));
}

TEST(TraceSummary, saysTheSizesOfAllocations) {
  recorder tape;
  tape.allocate(0, 16).allocate(64, 9).allocate(128, 1000);
  const std::string text = text_of(tape);
  EXPECT_TRUE(has_line(text, {"up to", "16 B", "2", "25 B", "####"}));
  EXPECT_TRUE(has_line(text, {"up to", "1.0 KiB", "1", "1000 B", "##"}));
  EXPECT_FALSE(has_line(text, {"up to", "32 B"}));
}

TEST(TraceSummary, saysWhenItIsNotComplete) {
  recorder tape = a_life();
  EXPECT_FALSE(has_line(text_of(tape), {"not complete"}));
  EXPECT_FALSE(has_line(text_of(tape), {"not recorded"}));
  tape.made.complete = false;
  tape.made.ending = "the block at byte 100 is torn";
  tape.made.lost = 7;
  const std::string text = text_of(tape);
  EXPECT_TRUE(has_line(text, {"the recording is not complete", "the block at byte 100 is torn"}));
  EXPECT_TRUE(has_line(text, {"7 events were not recorded"}));
  EXPECT_TRUE(has_line(text, {"live where the recording ends"}));
}

TEST(TraceSummary, saysWhatCannotBe) {
  EXPECT_FALSE(has_line(text_of(a_life()), {"cannot be"}));
  recorder tape;
  tape.free(0, 16).allocate(0, 100).allocate(50, 100);
  const std::string text = text_of(tape);
  EXPECT_TRUE(has_line(text, {"1 frees of bytes that were not live"}));
  EXPECT_TRUE(has_line(text, {"1 allocations over bytes that were live"}));
}

TEST(TraceSummary, saysWhatTheCollectorAndThePurgerDid) {
  recorder tape;
  tape.add(event_kind::purge, 0, 8192).add(event_kind::forget, 0, 64);
  tape.made.events.push_back({9000, 0, 100, 30, 0, 1, event_kind::collection});
  tape.made.events.push_back({9001, 1, 100, 12, 0, 1, event_kind::collection});
  const std::string text = text_of(tape);
  EXPECT_TRUE(has_line(text, {"8.0 KiB went back to the system"}));
  EXPECT_TRUE(has_line(text, {"2 collections, 1 of them full, reclaimed 42 B"}));
  EXPECT_TRUE(has_line(text, {"1 large array was forgotten"}));
}

TEST(TraceSummary, listsHaveAsManyRowsAsAreAskedFor) {
  recorder tape;
  for (std::uint32_t place = 1; place < 8; ++place) tape.allocate(place * 64, 16 + place, place);
  const std::string text = text_of(tape, 2);
  EXPECT_TRUE(has_line(text, {"23 B", "place 7"}));
  EXPECT_TRUE(has_line(text, {"22 B", "place 6"}));
  EXPECT_FALSE(has_line(text, {"place 5"}));
  EXPECT_TRUE(has_line(text, {"5 more"}));
  EXPECT_EQ(as_json(sum(tape, 2), name_of)["end"]["held_by"].size(), 2U);
}

TEST(TraceSummary, asJsonSaysTheSame) {
  recorder tape = a_life();
  tape.copy(8192, 64, 32, 4);
  const json all = as_json(sum(tape), name_of);
  EXPECT_EQ(all["program"], "/bin/program");
  EXPECT_EQ(all["complete"], true);
  EXPECT_TRUE(all["ending"].is_null());
  EXPECT_EQ(all["events"]["allocate"], 3);
  EXPECT_EQ(all["events"]["purge"], 0);
  EXPECT_EQ(all["peak"]["live_bytes"], 4000);
  EXPECT_EQ(all["peak"]["nanoseconds"], 2000);
  const json first = {{"bytes", 3000}, {"count", 1}, {"place", "place 1"}};
  EXPECT_EQ(all["peak"]["held_by"][0], first);
  EXPECT_EQ(all["end"]["live_bytes"], 100);
  EXPECT_EQ(all["end"]["held_bytes"], 4096);
  const json copied = {{"bytes", 32}, {"count", 1}, {"place", "place 4"}};
  EXPECT_EQ(all["copies"][0], copied);
  EXPECT_EQ(all["pinned_pages"], 1);
  EXPECT_EQ(all["pinned_by"][0]["free_bytes"], 3996);
  EXPECT_EQ(all["curve"].size(), 200U);
  EXPECT_EQ(all["curve"][199]["live_bytes"], 100);
  EXPECT_EQ(all["odd"]["freed_dead"], 0);
}

TEST(TraceSummary, countsStacksOfOneNameAsOnePlace) {
  recorder tape;
  tape.allocate(0, 100, 1).allocate(4096, 30, 2).allocate(8192, 7, 3);
  tape.copy(0, 100, 10, 1).copy(0, 100, 50, 3).copy(0, 100, 5, 2);
  replay::history past = replay::play(tape.made);
  const std::vector<std::string> names = {"unknown", "walk", "leaf", "walk", "", "", "", ""};
  merge_places(past, names);
  const json all = as_json(summed_up(tape.made, past, 5),
                           [&names](std::uint32_t place) { return names[place]; });
  const json held = {{{"bytes", 107}, {"count", 2}, {"place", "walk"}},
                     {{"bytes", 30}, {"count", 1}, {"place", "leaf"}}};
  EXPECT_EQ(all["end"]["held_by"], held);
  const json copied = {{{"bytes", 60}, {"count", 2}, {"place", "walk"}},
                       {{"bytes", 5}, {"count", 1}, {"place", "leaf"}}};
  EXPECT_EQ(all["copies"], copied);
}

TEST(TraceSummary, bearsARecordingOfNothing) {
  recorder tape;
  EXPECT_TRUE(has_line(text_of(tape), {"0 events in 0 ns, 0 threads"}));
  EXPECT_EQ(as_json(sum(tape), name_of)["peak"]["live_bytes"], 0);
}

TEST(TraceSummary, fitsTheWidth) {
  recorder tape = a_life();
  tape.copy(8192, 64, 32, 4);
  tape.made.program = "/" + std::string(300, 'x') + "\033[2J\n";
  for (std::size_t width = 1; width < 150; ++width) {
    const place_namer rude = [](std::uint32_t) { return std::string("\033[2J\n"); };
    const std::string text = as_text(sum(tape), rude, {true, true}, width, width);
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find('\n', begin);
      EXPECT_LE(columns_of(text.substr(begin, end - begin)), width);
      begin = end + 1;
    }
    EXPECT_EQ(text.find("\033[2J"), std::string::npos);
  }
}

}  // namespace
}  // namespace cleave::tool
