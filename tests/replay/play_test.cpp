// play_test.cpp -- recordings whose history is known.
#include "replay/play.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "recordings.hpp"

namespace {

using namespace cleave::replay;
using cleave::test::recorder;
using cleave::trace::event_kind;
using testing::ElementsAre;

constexpr std::uint64_t base = recorder::base;

TEST(Play, nothingHappensInAnEmptyRecording) {
  const history past = play(cleave::trace::recording{});
  EXPECT_EQ(past.last(), 0u);
  EXPECT_THAT(past.live, ElementsAre(0));
  EXPECT_TRUE(live_at(past, 0).empty());
  EXPECT_TRUE(holders(past, 0).empty());
}

TEST(Play, bytesAreLiveFromTheirAllocationToTheirFree) {
  recorder tape;
  tape.allocate(0, 100, 1).allocate(4096, 5000, 2).free(0, 100).free(4096, 5000);
  const history past = play(tape.made);
  EXPECT_THAT(past.live, ElementsAre(0, 100, 5100, 5000, 0));
  EXPECT_THAT(past.held, ElementsAre(0, 4096, 3 * 4096, 2 * 4096, 0));
  EXPECT_EQ(past.pinned(3), 2 * 4096u - 5000);
  EXPECT_EQ(past.peak, 2u);
  EXPECT_EQ(past.odd.count(), 0u);
  ASSERT_EQ(past.allocations.size(), 2u);
  EXPECT_EQ(past.allocations[1].address, base + 4096);
  EXPECT_EQ(past.allocations[1].born, 2u);
  EXPECT_EQ(past.spans[0].how, ending::freed);
}

TEST(Play, whatIsLiveAtTheEndIsKnownByItsPlace) {
  recorder tape;
  tape.allocate(0, 10, 3).allocate(16, 20, 4).allocate(64, 15, 3).free(16, 5);
  const history past = play(tape.made);
  const std::vector<holding> left = holders(past, past.last());
  ASSERT_EQ(left.size(), 2u);
  EXPECT_EQ(left[0].place, 3u);
  EXPECT_EQ(left[0].bytes, 25u);
  EXPECT_EQ(left[0].count, 2u);
  EXPECT_EQ(left[1].place, 4u);
  EXPECT_EQ(left[1].bytes, 15u);
}

TEST(Play, aFreeOfTheMiddleShowsTwoCuts) {
  recorder tape;
  tape.allocate(0, 100).free(20, 10);
  const history past = play(tape.made);
  const auto left = live_at(past, 2);
  ASSERT_EQ(left.size(), 2u);
  EXPECT_EQ(past.spans[left[0]].end, base + 20);
  EXPECT_EQ(past.spans[left[1]].begin, base + 30);
  // [0,100): [0,20), and [20,100): [20,30), [30,100)
  const auto tree = cut_tree(past, 0);
  ASSERT_EQ(tree.size(), 5u);
  const auto depth = [&](std::size_t i) { return tree[i].depth; };
  EXPECT_THAT((std::vector{depth(0), depth(1), depth(2), depth(3), depth(4)}),
              ElementsAre(0, 1, 1, 2, 2));
  EXPECT_EQ(past.spans[tree[0].span].how, ending::unseen_cut);
  EXPECT_EQ(past.spans[tree[1].span].how, ending::live);
  EXPECT_EQ(past.spans[tree[3].span].begin, base + 20);
  EXPECT_EQ(past.spans[tree[3].span].how, ending::freed);
  EXPECT_EQ(past.spans[tree[4].span].how, ending::live);
}

TEST(Play, cutsAndJoinsThatTheProgramToldAreInTheTree) {
  recorder tape;
  tape.allocate(0, 64).cut(0, 64, 16).cut(16, 48, 16).join(16, 48, 16).join(0, 64, 16);
  const history past = play(tape.made);
  EXPECT_THAT(past.live, ElementsAre(0, 64, 64, 64, 64, 64));
  ASSERT_EQ(live_at(past, 3).size(), 3u);
  ASSERT_EQ(live_at(past, 5).size(), 1u);
  const auto tree = cut_tree(past, 0);
  ASSERT_EQ(tree.size(), 7u);
  EXPECT_EQ(past.spans[tree[0].span].how, ending::cut);
  EXPECT_EQ(past.spans[tree[1].span].how, ending::joined);
  // What was joined again stands beside the halves that it was joined from.
  EXPECT_EQ(past.spans[live_at(past, 5)[0]].parent, tree[0].span);
  EXPECT_EQ(past.odd.count(), 0u);
}

TEST(Play, neighboursOfTwoAllocationsThatWereJoinedAreFreedTogether) {
  recorder tape;
  tape.allocate(0, 64, 1).allocate(64, 64, 2).join(0, 128, 64).free(32, 64);
  const history past = play(tape.made);
  EXPECT_EQ(past.odd.count(), 0u);
  EXPECT_EQ(past.live[4], 64u);
  const auto left = live_at(past, 4);
  ASSERT_EQ(left.size(), 2u);
  EXPECT_EQ(past.spans[left[0]].owner, 0u);
  EXPECT_EQ(past.spans[left[1]].owner, 1u);
}

TEST(Play, whatGrowsInPlaceKeepsItsOwner) {
  recorder tape;
  tape.allocate(0, 100, 5).extend(0, 300, 100).free(0, 300);
  const history past = play(tape.made);
  EXPECT_THAT(past.live, ElementsAre(0, 100, 300, 0));
  EXPECT_EQ(past.allocations.size(), 1u);
  EXPECT_EQ(past.spans[0].how, ending::extended);
  EXPECT_EQ(past.odd.count(), 0u);
}

TEST(Play, aSliceThatKeepsAPageIsNamed) {
  recorder tape;
  tape.allocate(0, 8192, 1).free(0, 4096).wait(1'000'000).free(4096, 4000).wait(5'000'000);
  tape.allocate(65536, 16, 2).free(8096, 96);
  const history past = play(tape.made);
  ASSERT_EQ(past.pins.size(), 1u);
  EXPECT_EQ(past.pins[0].page, base + 4096);
  EXPECT_EQ(past.pins[0].live, 96u);
  EXPECT_EQ(past.pins[0].from, 3u);
  EXPECT_EQ(past.pins[0].to, 5u);
  EXPECT_EQ(past.pins[0].length, 5'002'000u);
  EXPECT_EQ(past.spans[past.pins[0].keeper].begin, base + 8096);
  EXPECT_EQ(past.allocations[past.spans[past.pins[0].keeper].owner].place, 1u);
}

TEST(Play, pinsThatNobodyEndedAreInTheListToo) {
  recorder tape;
  tape.allocate(0, 4096, 1).free(0, 4000).wait(7000).allocate(8192, 1);
  const history past = play(tape.made);
  ASSERT_EQ(past.pins.size(), 1u);
  EXPECT_EQ(past.pins[0].to, none);
  EXPECT_EQ(past.pins[0].length, 8000u);
}

TEST(Play, onlyTheLongestPinsAreKeptButAllAreCounted) {
  recorder tape;
  for (std::uint64_t i = 0; i < 6; ++i) {
    tape.allocate(0, 4096).free(0, 4000).wait(i * 1000).free(4000, 96);
  }
  const history past = play(tape.made, 2);
  EXPECT_EQ(past.pinned_pages, 6u);
  ASSERT_EQ(past.pins.size(), 2u);
  EXPECT_EQ(past.pins[0].length, 6000u);
  EXPECT_EQ(past.pins[1].length, 5000u);
}

TEST(Play, copiesAreSummedByPlace) {
  recorder tape;
  tape.allocate(0, 64).copy(0, 64, 32, 1).copy(0, 64, 10, 2).copy(0, 64, 30, 1);
  const history past = play(tape.made);
  ASSERT_EQ(past.copies.size(), 2u);
  EXPECT_EQ(past.copies[0].place, 1u);
  EXPECT_EQ(past.copies[0].bytes, 62u);
  EXPECT_EQ(past.copies[0].count, 2u);
}

TEST(Play, sizesAreCountedByPowersOfTwo) {
  recorder tape;
  tape.allocate(0, 1).allocate(16, 2).allocate(32, 3).allocate(48, 4).allocate(64, 5);
  const history past = play(tape.made);
  EXPECT_EQ(past.sizes[0].count, 1u);
  EXPECT_EQ(past.sizes[1].count, 1u);
  EXPECT_EQ(past.sizes[2].count, 2u);
  EXPECT_EQ(past.sizes[2].bytes, 7u);
  EXPECT_EQ(past.sizes[3].count, 1u);
}

TEST(Play, whatTheCollectorAndThePurgerSayIsSummed) {
  recorder tape;
  tape.add(event_kind::purge, 0, 8192).add(event_kind::forget, 0, 64);
  tape.made.events.push_back({9000, 0, 100, 30, 0, 1, event_kind::collection});
  tape.made.events.push_back({9001, 1, 100, 12, 0, 1, event_kind::collection});
  const history past = play(tape.made);
  EXPECT_EQ(past.purged, 8192u);
  EXPECT_EQ(past.forgotten, 1u);
  EXPECT_EQ(past.collected.minor, 1u);
  EXPECT_EQ(past.collected.major, 1u);
  EXPECT_EQ(past.collected.reclaimed, 42u);
}

TEST(Play, aMomentIsFoundByItsTime) {
  recorder tape;
  tape.allocate(0, 1).allocate(16, 1).allocate(32, 1);  // at 1000, 2000, 3000
  tape.made.events[1].time = 1000;
  const history past = play(tape.made);
  EXPECT_EQ(moment_at(past, 0), 0u);
  EXPECT_EQ(moment_at(past, 999), 0u);
  EXPECT_EQ(moment_at(past, 1000), 2u);
  EXPECT_EQ(moment_at(past, 2999), 2u);
  EXPECT_EQ(moment_at(past, 99999), 3u);
}

TEST(Play, aCurveHasThePeaksBetweenItsSteps) {
  recorder tape;
  tape.allocate(0, 100).allocate(4096, 900).free(4096, 900).wait(6000).allocate(8192, 50);
  const history past = play(tape.made);  // at 1000, 2000, 3000, 10000
  const auto steps = curve(past, 2);     // up to 5000, up to 10000
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].most_live, 1000u);
  EXPECT_EQ(steps[0].most_held, 8192u);
  EXPECT_EQ(steps[0].live, 100u);
  EXPECT_EQ(steps[1].most_live, 150u);
  EXPECT_EQ(steps[1].at, 4u);
  EXPECT_DOUBLE_EQ(steps[0].fragmentation(), (4096.0 - 100) / 4096);
}

TEST(Play, aFreeOfWhatIsNotLiveIsCountedAndTheRestPlayed) {
  recorder tape;
  tape.free(0, 16).allocate(0, 100).free(50, 100).free(0, 50);
  const history past = play(tape.made);
  EXPECT_EQ(past.odd.freed_dead, 2u);
  EXPECT_THAT(past.live, ElementsAre(0, 0, 100, 50, 0));
}

TEST(Play, anAllocationOverLiveBytesTakesThem) {
  recorder tape;
  tape.allocate(0, 100, 1).allocate(50, 100, 2);
  const history past = play(tape.made);
  EXPECT_EQ(past.odd.reused_live, 1u);
  EXPECT_EQ(past.live[2], 150u);
  EXPECT_EQ(holders(past, 2)[0].place, 2u);
}

TEST(Play, theOtherOddEventsAreCountedToo) {
  recorder tape;
  tape.cut(0, 64, 8).join(0, 64, 8).extend(0, 64, 32).allocate(std::uint64_t{1} << 30, 1);
  tape.allocate(0, 0).cut(0, 8, 9);
  tape.made.events.push_back(
      {1, base, std::numeric_limits<std::uint64_t>::max(), 0, 0, 1, event_kind::free});
  const history past = play(tape.made);
  EXPECT_EQ(past.odd.cut_dead, 2u);
  EXPECT_EQ(past.odd.extended_dead, 1u);
  EXPECT_EQ(past.odd.outside, 4u);
  EXPECT_EQ(past.odd.backwards, 1u);
  EXPECT_EQ(past.odd.count(), 8u);
  EXPECT_EQ(past.live.back(), 32u);
  EXPECT_TRUE(std::is_sorted(past.times.begin(), past.times.end()));
}

}  // namespace
