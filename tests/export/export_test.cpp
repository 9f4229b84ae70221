// export_test.cpp -- statistics as JSON and for Prometheus say what the structs say.
#include <cleave.h>
#include <gtest/gtest.h>

#include <cleave/collector.hpp>
#include <cleave/heap.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_out.hpp"
#include "export/prometheus.hpp"

namespace cleave {
namespace {

using nlohmann::json;
using test::prometheus::exposition;

// Each number is another one.
heap::statistics some_numbers() {
  heap::statistics s;
  s.live = 12345;
  s.held = 40960;
  s.peak_held = 81920;
  s.held_limit = 1 << 20;
  s.reserved = 1 << 30;
  s.committed = 4 << 20;
  s.metadata = 7777;
  s.free = 5 << 20;
  s.cached = 8192;
  s.largest_free = 6 << 20;
  for (std::size_t k = 0; k < heap::order_count; ++k) s.free_blocks[k] = 100 + k;
  s.classes = {{16, 1, 2, 3}, {32, 4, 5, 6}};
  s.allocations = UINT64_MAX - 1;
  s.frees = 1000;
  s.extensions = 2000;
  s.system_calls = 3000;
  return s;
}

gc::statistics some_collections() {
  gc::statistics s;
  s.allocated_small = 1;
  s.young_collections = 2;
  s.full_collections = 3;
  s.blocks = 4;
  s.idle_blocks = 5;
  s.allocated = 6;
  s.given = 7;
  s.forgotten = 8;
  s.taken = 9;
  s.swept = 10;
  s.large_young = 11;
  s.large_old = 12;
  s.large_arrays = 13;
  s.charged = 14;
  s.quarantined = 15;
  s.copied = 16;
  s.copied_by_helpers = 17;
  s.old_after_full = 18;
  s.pause_total = std::chrono::nanoseconds(1'500'000'001);
  s.pause_longest = std::chrono::nanoseconds(20);
  s.pause_last = std::chrono::nanoseconds(0);
  s.finalizers_run = 19;
  return s;
}

TEST(HeapAsJson, hasEachNumberUnderItsName) {
  const json all = json::parse(heap::to_json(some_numbers()));
  json expected = {{"live_bytes", 12345},
                   {"held_bytes", 40960},
                   {"held_peak_bytes", 81920},
                   {"held_limit_bytes", 1 << 20},
                   {"reserved_bytes", 1 << 30},
                   {"committed_bytes", 4 << 20},
                   {"metadata_bytes", 7777},
                   {"free_bytes", 5 << 20},
                   {"cached_bytes", 8192},
                   {"largest_free_bytes", 6 << 20},
                   {"allocations", UINT64_MAX - 1},
                   {"frees", 1000},
                   {"extensions", 2000},
                   {"system_calls", 3000}};
  expected["classes"] = {{{"slot_bytes", 16}, {"slabs", 1}, {"slots", 2}, {"slots_used", 3}},
                         {{"slot_bytes", 32}, {"slabs", 4}, {"slots", 5}, {"slots_used", 6}}};
  for (std::size_t k = 0; k < heap::order_count; ++k) {
    expected["free_blocks"].push_back({{"block_bytes", 4096 << k}, {"blocks", 100 + k}});
  }
  EXPECT_EQ(all, expected);
}

TEST(HeapAsJson, hasNullWhereThereIsNoLimit) {
  heap::statistics s = some_numbers();
  s.held_limit = SIZE_MAX;
  EXPECT_TRUE(json::parse(heap::to_json(s)).at("held_limit_bytes").is_null());
}

TEST(HeapAsJson, isWhatTheHeapSaysOfItself) {
  void* const run = heap::allocate(54321);
  const heap::statistics s = heap::stats();
  const json all = json::parse(heap::to_json(s));
  EXPECT_EQ(all.at("live_bytes"), 54321);
  EXPECT_EQ(all.at("allocations"), s.allocations);
  EXPECT_EQ(all.at("held_bytes"), s.held);
  ASSERT_EQ(all.at("classes").size(), s.classes.size());
  for (std::size_t c = 0; c < s.classes.size(); ++c) {
    EXPECT_EQ(all.at("classes")[c].at("slot_bytes"), s.classes[c].slot_bytes);
    EXPECT_EQ(all.at("classes")[c].at("slots_used"), s.classes[c].slots_used);
  }
  heap::free(run, 54321);
}

TEST(HeapForPrometheus, hasEachNumberUnderItsName) {
  const exposition read(heap::to_prometheus(some_numbers()));
  EXPECT_EQ(read.wrong(), "");
  for (const auto& [name, value] : std::vector<std::pair<const char*, const char*>>{
           {"live_bytes", "12345"},
           {"held_bytes", "40960"},
           {"held_peak_bytes", "81920"},
           {"held_limit_bytes", "1048576"},
           {"reserved_bytes", "1073741824"},
           {"committed_bytes", "4194304"},
           {"metadata_bytes", "7777"},
           {"free_bytes", "5242880"},
           {"cached_bytes", "8192"},
           {"largest_free_bytes", "6291456"},
           {"allocations_total", "18446744073709551614"},
           {"frees_total", "1000"},
           {"extensions_total", "2000"},
           {"system_calls_total", "3000"}}) {
    EXPECT_EQ(read.value(std::string("cleave_heap_") + name), value) << name;
  }
  for (std::size_t k = 0; k < heap::order_count; ++k) {
    EXPECT_EQ(read.value("cleave_heap_free_blocks", {{"block_bytes", std::to_string(4096 << k)}}),
              std::to_string(100 + k));
  }
  EXPECT_EQ(read.value("cleave_heap_class_slabs", {{"slot_bytes", "32"}}), "4");
  EXPECT_EQ(read.value("cleave_heap_class_slots", {{"slot_bytes", "32"}}), "5");
  EXPECT_EQ(read.value("cleave_heap_class_slots_used", {{"slot_bytes", "16"}}), "3");
  EXPECT_EQ(read.size(), 14 + heap::order_count + 2 * 3);
  EXPECT_EQ(read.type("cleave_heap_frees_total"), "counter");
  EXPECT_EQ(read.type("cleave_heap_live_bytes"), "gauge");
}

TEST(HeapForPrometheus, hasInfinityWhereThereIsNoLimit) {
  heap::statistics s = some_numbers();
  s.held_limit = SIZE_MAX;
  const exposition read(heap::to_prometheus(s));
  EXPECT_EQ(read.value("cleave_heap_held_limit_bytes"), "+Inf");
}

TEST(CollectorAsJson, hasEachNumberUnderItsName) {
  const json all = json::parse(gc::to_json(some_collections()));
  const json expected = {{"allocated_small_bytes", 1},
                         {"young_collections", 2},
                         {"full_collections", 3},
                         {"block_bytes", 4},
                         {"idle_block_bytes", 5},
                         {"large_allocated_bytes", 6},
                         {"large_given_bytes", 7},
                         {"large_forgotten_bytes", 8},
                         {"large_taken_bytes", 9},
                         {"large_swept_bytes", 10},
                         {"large_young_bytes", 11},
                         {"large_old_bytes", 12},
                         {"large_arrays", 13},
                         {"charged_bytes", 14},
                         {"quarantined_bytes", 15},
                         {"copied_bytes", 16},
                         {"copied_by_helpers_bytes", 17},
                         {"old_after_full_bytes", 18},
                         {"pause_seconds", 1.500000001},
                         {"longest_pause_seconds", 0.00000002},
                         {"last_pause_seconds", 0.0},
                         {"finalizers_run", 19}};
  EXPECT_EQ(all, expected);
}

TEST(CollectorForPrometheus, tellsSeveralCollectorsApart) {
  gc::statistics other = some_collections();
  other.large_old = 99;
  const std::string odd = "a \"quoted\" \\ name\nof two lines";
  const std::vector<gc::named_statistics> both = {{"one", some_collections()}, {odd, other}};
  const exposition read(gc::to_prometheus(both));
  EXPECT_EQ(read.wrong(), "");
  EXPECT_EQ(read.value("cleave_collector_large_old_bytes", {{"collector", "one"}}), "12");
  EXPECT_EQ(read.value("cleave_collector_large_old_bytes", {{"collector", odd}}), "99");
  EXPECT_EQ(read.value("cleave_collector_pause_seconds_total", {{"collector", odd}}),
            "1.500000001");
  EXPECT_EQ(read.size(), 2U * 22);
}

TEST(CollectorForPrometheus, standsBehindTheHeap) {
  const std::vector<gc::named_statistics> one = {{"", some_collections()}};
  const exposition read(heap::to_prometheus(some_numbers()) + gc::to_prometheus(one));
  EXPECT_EQ(read.wrong(), "");
}

// The parser of the tests is no better than its author; this one is Prometheus' own.
TEST(PrometheusTool, hasNothingToSay) {
  if (std::system("promtool --version > /dev/null 2>&1") != 0) {
    GTEST_SKIP() << "SKIP: there is no promtool in the path";
  }
  const std::vector<gc::named_statistics> both = {{"a \"b\" \\", some_collections()},
                                                  {"two\nlines", some_collections()}};
  const std::string all = heap::to_prometheus(heap::stats()) + gc::to_prometheus(both);
  std::FILE* const to = ::popen("promtool check metrics", "w");
  ASSERT_NE(to, nullptr);
  EXPECT_EQ(std::fwrite(all.data(), 1, all.size(), to), all.size());
  EXPECT_EQ(::pclose(to), 0);
}

TEST(TextOut, countsWhatDoesNotFit) {
  char buffer[5] = "....";
  base::text_out out(buffer, 3);
  out << "ab" << std::uint64_t{12} << "c";
  EXPECT_EQ(out.size(), 5U);
  EXPECT_EQ(std::string_view(buffer), "ab1.");
  base::text_out nowhere(nullptr, 0);
  nowhere << UINT64_MAX;
  EXPECT_EQ(nowhere.size(), 20U);
}

// The strict reader has to see what is wrong, or it proves nothing.
TEST(PrometheusReader, refusesWhatIsWrong) {
  const std::string good = "# HELP a_total A.\n# TYPE a_total counter\na_total{b=\"c\"} 1\n";
  EXPECT_EQ(exposition(good).wrong(), "");
  for (const char* const wrong :
       {"a 1\n", "# HELP a A.\na 1\n", "# HELP a A.\n# TYPE a counter\n",
        "# HELP a_total A.\n# TYPE a_total gauge\n", "# HELP a A.\n# TYPE a gauge\na 1",
        "# HELP a A.\n# TYPE a gauge\na x\n", "# HELP a A.\n# TYPE a gauge\na 1\na 2\n",
        "# HELP a A.\n# TYPE a gauge\na{b=\"c} 1\n", "# HELP a A.\n# TYPE a gauge\nb 1\n",
        "# HELP a A.\n# TYPE a gauge\na{1=\"c\"} 1\n", "# HELP a-b A.\n# TYPE a-b gauge\n",
        "# HELP a A.\n# TYPE a gauge\n# HELP b B.\n# TYPE b gauge\n# HELP a A.\n"}) {
    EXPECT_NE(exposition(wrong).wrong(), "") << wrong;
  }
}

}  // namespace
}  // namespace cleave
