// bench_test.cpp -- all strategies compute the same, and the report has its shape.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "harness.hpp"
#include "report.hpp"
#include "support/environment.hpp"

namespace cleave::bench {
namespace {

// The content of arrays as the workloads define it, spelled out once more.
std::uint32_t content(std::uint64_t i, std::uint64_t round) {
  return static_cast<std::uint32_t>(i * 2654435761u + round);
}

std::vector<result> measure(const std::string& workload, std::size_t repeats,
                            unsigned threads = 1) {
  settings chosen;
  chosen.workloads = {workload};
  chosen.rounds = 2;
  chosen.repeats = repeats;
  chosen.threads = threads;
  chosen.all = true;
  return run(chosen, {});
}

// Every strategy's checksum is what the work means, computed here by a flat loop.
void expect_checksum(const std::vector<result>& results, std::uint64_t expected) {
  ASSERT_FALSE(results.empty());
  for (const result& r : results)
    EXPECT_EQ(r.checksum, expected) << r.workload << " " << r.strategy;
}

std::set<std::string> strategies_of(const std::vector<result>& results) {
  std::set<std::string> names;
  for (const result& r : results) names.insert(r.strategy);
  return names;
}

const std::set<std::string> owning = {"copy",           "vec",    "shared",    "midpoint",
                                      "midpoint-plain", "cleave", "cleave-run"};

TEST(BenchWorkload, forkTreeWritesEachCellOnceInOrder) {
  const std::size_t repeats = 3;
  std::uint64_t expected = 0;
  for (std::uint64_t i = 0; i < 1u << 20; ++i) {
    expected += (i + 1) * static_cast<std::uint32_t>(i + (repeats - 1) * 7);
  }
  for (const unsigned threads : {1u, 2u, 4u}) {
    const auto results = measure("fork-tree", repeats, threads);
    expect_checksum(results, expected);
    EXPECT_EQ(results.front().threads, threads);
  }
}

TEST(BenchWorkload, walksSumAllElementsOfEachRound) {
  std::uint64_t expected = 0;
  for (std::uint64_t round = 0; round < 3; ++round) {
    std::uint32_t sum = 0;
    for (std::uint64_t i = 0; i < 1u << 16; ++i) sum += content(i, round);
    expected += sum;
  }
  for (const char* name : {"walk-1", "walk-4", "walk-16"}) {
    const auto results = measure(name, 3);
    expect_checksum(results, expected);
    auto all = owning;
    all.insert({"limit", "raw"});
    EXPECT_EQ(strategies_of(results), all) << name;
  }
}

TEST(BenchWorkload, splitOnceTouchesBothHalves) {
  // Round r writes r in the left half and r + 1 in the right one.
  expect_checksum(measure("split-once", 5), 1 + 3 + 5 + 7 + 9);
}

TEST(BenchWorkload, mapGivesEachElementItsNewValueInPlaceOrAnew) {
  std::uint64_t expected = 0;
  for (std::uint64_t i = 0; i < 1u << 16; ++i) {
    std::uint32_t value = content(i, 0);
    for (int round = 0; round < 3; ++round) value = value * 3 + 1;
    expected += (i + 1) * value;
  }
  settings chosen;
  chosen.workloads = {"map", "map-anew"};
  chosen.rounds = 1;
  chosen.repeats = 3;
  const auto results = run(chosen, {});
  expect_checksum(results, expected);
  EXPECT_EQ(results.front().workload, "map");
  EXPECT_EQ(results.back().workload, "map-anew");
}

TEST(BenchWorkload, toListKeepsTheOrder) {
  std::uint64_t expected = 0;
  for (std::uint64_t round = 0; round < 2; ++round) {
    for (std::uint64_t i = 0; i < 1u << 16; ++i) expected += (i + 1) * content(i, round);
  }
  expect_checksum(measure("to-list", 2), expected);
}

TEST(BenchWorkload, smallSumsEightElements) {
  // 0 + ... + 7 is 28, and each round adds its number to all eight.
  expect_checksum(measure("small", 4), 4 * 28 + 8 * (0 + 1 + 2 + 3));
}

TEST(BenchWorkload, sortPutsAllElementsInOrder) {
  // 2^17 elements: a leaf has half of them, so that there is something to merge.
  const std::size_t repeats = 8, size = repeats << 14;
  std::vector<std::uint32_t> values(size);
  for (std::size_t i = 0; i < size; ++i) {
    std::uint32_t x = content(i, 0);
    x = (x ^ (x >> 15)) * 2246822519u;
    values[i] = x ^ (x >> 13);
  }
  std::sort(values.begin(), values.end());
  std::uint64_t expected = 0;
  for (std::uint64_t i = 0; i < size; ++i) expected += (i + 1) * values[i];
  for (const unsigned threads : {1u, 2u}) {
    const auto results = measure("sort", repeats, threads);
    expect_checksum(results, expected);
    for (const char* name : {"limit", "copy", "cleave", "cleave-sort"}) {
      EXPECT_TRUE(strategies_of(results).contains(name)) << name << ", " << threads;
    }
  }
}

TEST(BenchWorkload, handoffGivesEachPieceOnce) {
  // More pieces than are ever on their way. Piece number i has i in its first cell.
  const std::uint64_t pieces = 4 * 200;
  const auto results = measure("handoff", pieces / 4);
  expect_checksum(results, pieces * (pieces - 1) / 2);
  EXPECT_EQ(results.front().threads, 2u);
}

TEST(BenchWorkload, windowGivesBackWhatCameInFirst) {
  // More steps than there is room ahead, and than raw's buffer is long.
  const std::size_t steps = (1u << 20) + 10'000;
  std::uint64_t expected = 0;
  for (std::uint64_t i = 0; i < steps; ++i) expected += (i + 1) * content(i, 0);
  const auto results = measure("window", steps);
  expect_checksum(results, expected);
  EXPECT_EQ(strategies_of(results),
            (std::set<std::string>{"limit", "raw", "vec", "deque", "cleave", "cleave-run"}));
}

TEST(BenchWorkload, allocationsTouchTheirArray) {
  settings chosen;
  chosen.workloads = {"alloc"};
  chosen.rounds = 1;
  chosen.repeats = 4;
  const auto results = run(chosen, {});
  expect_checksum(results, 0 + 1 + 2 + 3);
  EXPECT_EQ(strategies_of(results), (std::set<std::string>{"copy", "cleave", "cleave-run"}));
}

constexpr std::pair<const char*, unsigned> retentions[] = {{"retention-16k", 4},
                                                           {"retention-64", 12}};

TEST(BenchWorkload, retentionKeepsThePieceOfEachArray) {
  const std::size_t arrays = 20;
  for (const auto& [name, depth] : retentions) {
    std::uint64_t expected = 0;
    for (std::uint64_t array = 0; array < arrays; ++array) {
      // The path down is a hash of the array's number, first level first.
      std::uint64_t begin = 0, size = 1u << 16;
      for (unsigned level = 0; level < depth; ++level) {
        size /= 2;
        if ((array * 40503u >> (level + 2) & 1) != 0) begin += size;
      }
      for (std::uint64_t i = 0; i < size; ++i) expected += (i + 1) * content(begin + i, array);
    }
    const auto results = measure(name, arrays);
    expect_checksum(results, expected);
    EXPECT_EQ(strategies_of(results), owning);
    for (const result& r : results) EXPECT_TRUE(r.rss_bytes.has_value()) << r.strategy;
  }
}

TEST(BenchWorkload, residentMemoryIsNoLessThanWhatIsKeptAndNoMoreThanWhatWasMade) {
  if (test::sanitized) GTEST_SKIP() << "SKIP: a sanitizer keeps freed memory and shadows of it";
  const std::size_t arrays = 20;
  for (const auto& [name, depth] : retentions) {
    const std::size_t kept = (std::size_t{1} << 18 >> depth) * arrays;
    for (const result& r : measure(name, arrays)) {
      // Memory is resident in whole pages, and an allocator has tables.
      EXPECT_GE(*r.rss_bytes, kept / 4096 * 4096) << r.strategy;
      EXPECT_LE(*r.rss_bytes, arrays * (1u << 18) + (4u << 20)) << r.strategy;
    }
  }
}

TEST(BenchSettings, aStrategyIsFoundByName) {
  settings chosen;
  chosen.workloads = {"walk-16"};
  chosen.strategies = {"cleave", "raw"};
  chosen.rounds = 1;
  chosen.repeats = 1;
  const auto results = run(chosen, {});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].strategy, "raw");
  EXPECT_EQ(results[1].strategy, "cleave");
}

TEST(BenchSettings, extraWorkloadsAndStrategiesMustBeAskedFor) {
  settings chosen;
  chosen.strategies = {"cleave"};
  chosen.rounds = 1;
  chosen.repeats = 1;
  std::vector<std::string> names;
  for (const result& r : run(chosen, {})) {
    if (names.empty() || names.back() != r.workload) names.push_back(r.workload);
  }
  EXPECT_EQ(names, (std::vector<std::string>{
                       "fork-tree", "walk-1", "walk-4", "walk-16", "split-once", "map", "to-list",
                       "small", "sort", "handoff", "window", "retention-16k", "retention-64"}));
}

TEST(BenchSettings, anUnknownNameIsRefusedBeforeAnythingRuns) {
  listener told;
  bool ran = false;
  told.progress = [&](std::string_view) { ran = true; };
  settings chosen;
  chosen.workloads = {"walk-1", "wolk"};
  EXPECT_THROW(run(chosen, told), unknown_name);
  chosen.workloads = {"walk-1"};
  chosen.strategies = {"magic"};
  EXPECT_THROW(run(chosen, told), unknown_name);
  EXPECT_FALSE(ran);
}

TEST(BenchSettings, aMissingPeerIsNamedAndTheOthersRun) {
  settings chosen;
  chosen.workloads = {"walk-16"};
  chosen.rounds = 1;
  chosen.repeats = 1;
  chosen.peers = true;
  std::string notices;
  listener told;
  told.notice = [&](std::string_view text) { notices += text; };
  const auto names = strategies_of(run(chosen, told));
  for (const char* peer : {"copy-mimalloc", "copy-jemalloc", "copy-tbb", "vec-mimalloc"}) {
    const bool noticed = notices.find(peer) != std::string::npos;
    EXPECT_NE(names.contains(peer), noticed) << peer;
  }
  EXPECT_TRUE(names.contains("cleave"));
}

TEST(BenchSettings, peersOfTheUserTakePart) {
  ASSERT_EQ(setenv("CLEAVE_PEERS", BENCH_PEERS, 1), 0);
  settings chosen;
  chosen.workloads = {"walk-16", "map",  "fork-tree", "split-once",
                      "small",   "sort", "handoff",   "alloc-64"};
  chosen.rounds = 1;
  chosen.repeats = 8;
  chosen.peers = true;
  // The harness compares what they compute with what the others compute.
  const auto names = strategies_of(run(chosen, {}));
  for (const char* peer : {"copy-snmalloc", "bytes", "parlaylib-sort", "immer"}) {
    EXPECT_TRUE(names.contains(peer)) << peer;
  }
  unsetenv("CLEAVE_PEERS");
}

// Results as if they had been measured.
std::vector<result> example() {
  result base;
  base.workload = "walk-1";
  base.strategy = "raw";
  base.rounds = 5;
  base.seconds = 0.07;
  base.seconds_min = 0.069;
  base.seconds_max = 0.08;
  base.ratio_to_raw = 1.0;
  result copied = base;
  copied.strategy = "copy";
  copied.seconds = 0.7;
  copied.ratio_to_raw = 10.0;
  result half_copied = copied;
  half_copied.strategy = "vec";
  half_copied.seconds = 0.35;
  half_copied.ratio_to_raw = 5.0;
  result ours = base;
  ours.strategy = "cleave";
  ours.seconds = 0.14;
  ours.ratio_to_raw = 2.0;
  ours.page_faults = 3;
  result kept = ours;
  kept.workload = "retention-64";
  kept.ratio_to_raw.reset();
  kept.rss_bytes = 1'100'000;
  return {base, copied, half_copied, ours, kept};
}

TEST(BenchReport, jsonIsOneArrayOfObjectsWithNullWhereAFieldHasNoMeaning) {
  const auto parsed = nlohmann::json::parse(to_json(example()));
  ASSERT_TRUE(parsed.is_array());
  ASSERT_EQ(parsed.size(), 5u);
  const std::set<std::string> fields = {"workload",     "strategy",    "threads",     "rounds",
                                        "repeats",      "seconds",     "seconds_min", "seconds_max",
                                        "ratio_to_raw", "page_faults", "rss_bytes"};
  for (const auto& object : parsed) {
    std::set<std::string> names;
    for (const auto& [name, value] : object.items()) names.insert(name);
    EXPECT_EQ(names, fields);
  }
  EXPECT_EQ(parsed[3]["workload"], "walk-1");
  EXPECT_EQ(parsed[3]["strategy"], "cleave");
  EXPECT_EQ(parsed[3]["threads"], 1);
  EXPECT_EQ(parsed[3]["rounds"], 5);
  EXPECT_DOUBLE_EQ(parsed[3]["seconds"], 0.14);
  EXPECT_DOUBLE_EQ(parsed[3]["seconds_min"], 0.069);
  EXPECT_DOUBLE_EQ(parsed[3]["seconds_max"], 0.08);
  EXPECT_DOUBLE_EQ(parsed[3]["ratio_to_raw"], 2.0);
  EXPECT_EQ(parsed[3]["page_faults"], 3);
  EXPECT_TRUE(parsed[3]["rss_bytes"].is_null());
  EXPECT_TRUE(parsed[4]["ratio_to_raw"].is_null());
  EXPECT_EQ(parsed[4]["rss_bytes"], 1'100'000);
}

TEST(BenchReport, theSummaryComparesCleaveWithRawAndTheBestOther) {
  EXPECT_EQ(summary_table(example()),
            "workload          raw    copy     vec  cleave  cleave/raw  cleave/best other\n"
            "walk-1        70.0 ms  700 ms  350 ms  140 ms        2.00         0.40 (vec)\n"
            "retention-64        -       -       -  1.1 MB           -                  -\n");
}

TEST(BenchReport, whatOnlyOneWorkloadHasStandsBelowTheSummary) {
  auto results = example();
  results.resize(4);
  result own = results.back();
  own.strategy = "std-sort";
  own.seconds = 1.25;
  results.push_back(own);
  EXPECT_EQ(summary_table(results),
            "workload      raw    copy     vec  cleave  cleave/raw  cleave/best other\n"
            "walk-1    70.0 ms  700 ms  350 ms  140 ms        2.00         0.40 (vec)\n"
            "walk-1, std-sort: 1.25 s\n");
}

TEST(BenchReport, theDetailsHaveOneLinePerResult) {
  EXPECT_EQ(detail_table(example()),
            "workload and strategy   median    least     most  x raw  page faults  resident\n"
            "walk-1\n"
            "  raw                  70.0 ms  69.0 ms  80.0 ms   1.00            0         -\n"
            "  copy                  700 ms  69.0 ms  80.0 ms  10.00            0         -\n"
            "  vec                   350 ms  69.0 ms  80.0 ms   5.00            0         -\n"
            "  cleave                140 ms  69.0 ms  80.0 ms   2.00            3         -\n"
            "retention-64\n"
            "  cleave                140 ms  69.0 ms  80.0 ms      -            3    1.1 MB\n");
}

TEST(BenchReport, measuredRatiosAreThoseOfTheMedians) {
  const auto results = measure("walk-16", 2);
  const auto raw = std::find_if(results.begin(), results.end(),
                                [](const result& r) { return r.strategy == "raw"; });
  ASSERT_NE(raw, results.end());
  for (const result& r : results) {
    ASSERT_TRUE(r.ratio_to_raw.has_value());
    EXPECT_DOUBLE_EQ(*r.ratio_to_raw, r.seconds / raw->seconds);
    EXPECT_LE(r.seconds_min, r.seconds);
    EXPECT_LE(r.seconds, r.seconds_max);
    EXPECT_EQ(r.rounds, 2u);
    EXPECT_FALSE(r.rss_bytes.has_value());
  }
}

}  // namespace
}  // namespace cleave::bench
