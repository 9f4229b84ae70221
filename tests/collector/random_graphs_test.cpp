// random_graphs_test.cpp -- random programs over objects, beside a model in plain C++.
#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "collector/graph_model.hpp"
#include "collector/objects.hpp"
#include "support/environment.hpp"

namespace cleave {
namespace {

void run(gc::collector& c, std::uint64_t seed, std::size_t steps, std::size_t compare_every) {
  std::mt19937_64 random(seed);
  gc::mutator m(c);
  test::graph_model model(m, random);
  for (std::size_t i = 0; i < steps; ++i) {
    model.step();
    if (i % compare_every == 0) model.compare();
  }
  m.collect(gc::extent::all);
  model.compare();
  EXPECT_EQ(c.verify(m), "");
}

TEST(RandomGraphs, areWhatTheModelSays) {
  gc::collector c(test::small());
  run(c, test::seed(), test::steps(300'000, 30'000), 1'000);
}

TEST(RandomGraphs, areWhatTheModelSaysWithACollectionAtEveryThirdAllocation) {
  gc::collector c(test::small(3));
  run(c, test::seed(), test::steps(3'000, 1'000), 50);
}

TEST(RandomGraphs, areWhatTheModelSaysForEachTenure) {
  for (const unsigned tenure : {1u, 2u, 3u}) {
    gc::options chosen = test::small(20);
    chosen.tenure = tenure;
    gc::collector c(chosen);
    run(c, test::seed() + tenure, test::steps(8'000, 2'000), 200);
  }
}

TEST(RandomGraphs, areWhatTheModelSaysInQuarantineAndWhileProving) {
  gc::options chosen = test::small(20);
  chosen.debug.quarantine_mib = 1;
  {
    gc::collector c(chosen);
    run(c, test::seed(), test::steps(8'000, 2'000), 200);
  }
  chosen.debug.prove = true;
  gc::collector c(chosen);
  // The model keeps forgotten arrays on purpose, and so they are reported.
  testing::internal::CaptureStderr();
  run(c, test::seed(), test::steps(2'000, 500), 200);
  (void)testing::internal::GetCapturedStderr();
}

// Threads come and go, each with a graph of its own, in one collector.
TEST(RandomGraphs, areWhatTheModelSaysInThreadsThatAttachAndDetach) {
  gc::options chosen = test::small();
  chosen.debug.stress = 500;
  gc::collector c(chosen);
  const std::uint64_t seed = test::seed();
  const std::size_t steps = test::steps(6'000, 1'500);
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint64_t life = 0; life < 3; ++life) {
        std::mt19937_64 random(seed + 10 * t + life);
        gc::mutator m(c);
        test::graph_model model(m, random);
        for (std::size_t i = 0; i < steps; ++i) {
          model.step();
          if (i % 100 == 0) m.safepoint();
          if (i % 700 == 0) {
            const gc::blocking away(m);
            std::this_thread::yield();
          }
          if (i % 500 == 0) {
            // The comparison walks without safepoints.
            const gc::no_safepoint guard(m);
            model.compare();
          }
        }
      }
    });
  }
  for (std::thread& one : threads) one.join();
  gc::mutator m(c);
  EXPECT_EQ(c.verify(m), "");
  EXPECT_GT(c.stats().young_collections, 0u);
}

}  // namespace
}  // namespace cleave
