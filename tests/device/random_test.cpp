// Random steps of host and device, with the interval map as the oracle.
#include <gtest/gtest.h>

#include <cleave/heap.hpp>
#include <random>

#include "device/session.hpp"
#include "support/environment.hpp"

namespace cleave {
namespace {

void run_random(unsigned threads, std::size_t steps) {
  std::mt19937_64 random(test::seed());
  {
    test::device_session session(threads);
    for (std::size_t i = 0; i < steps; ++i) {
      const std::uint64_t r = random();
      // Synchronised and launched less often than the rest.
      unsigned what = static_cast<unsigned>(r % 997);
      if (what % 9 >= 7 && (r >> 10) % 16 != 0) what += 2;
      session.take(what, static_cast<std::size_t>(r >> 16), static_cast<std::size_t>(r >> 48));
      if (i % 20'000 == 19'999) {
        ASSERT_EQ(heap::verify(), "");
      }
    }
    session.finish();
  }
  EXPECT_EQ(heap::live_bytes(), 0u);
  EXPECT_EQ(heap::verify(), "");
}

TEST(DeviceRandomRuns, ofOneThread) {
  run_random(1, test::steps(100'000, 20'000));
}

TEST(DeviceRandomRuns, ofSeveralThreads) {
  run_random(4, test::steps(100'000, 20'000));
}

}  // namespace
}  // namespace cleave
