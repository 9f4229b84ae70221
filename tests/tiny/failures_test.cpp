// The system says no: each call in turn, and from some call on for ever.

#include <gtest/gtest.h>

#include <random>

#include "support/environment.hpp"
#include "tiny/fake_os.hpp"
#include "tiny/tiny_model.hpp"

namespace cleave {
namespace {

using test::tiny_model;

// A program that touches every kind of call, as far as memory is given.
void mixed_program(tiny_model& model, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (int step = 0; step < 60; ++step) {
    const std::size_t n = model.pieces().size();
    const std::size_t i = n == 0 ? 0 : random() % n;
    switch (n == 0 ? 0 : random() % 6) {
      case 0:
      case 1: model.allocate(1 + random() % 1500, std::size_t{1} << random() % 8); break;
      case 2: model.cut(i, random() % model.pieces()[i].bytes); break;
      case 3: model.extend(i, 1 + random() % 100); break;
      case 4: model.free(i); break;
      default: heap::purge(); break;
    }
  }
}

TEST(Failures, ofEachCallInTurnLoseNothing) {
  tiny_model::start_heap();
  std::uint64_t seed = test::seed();
  for (int round = 0; round < 40; ++round, ++seed) {
    fake_os::fail_at(0);
    {
      tiny_model model;
      mixed_program(model, seed);
      model.free_all();
    }
    const std::uint64_t calls = fake_os::calls();
    for (std::uint64_t k = 1; k <= calls + 1; ++k) {
      for (const bool all_after : {false, true}) {
        tiny_model model;
        fake_os::fail_at(k, all_after);
        mixed_program(model, seed);
        model.expect_sound();
        fake_os::fail_at(0);
        EXPECT_TRUE(model.allocate(1, 8)) << "the next call must work";
        model.free_all();
        model.expect_whole();
        if (HasFailure()) FAIL() << "seed " << seed << ", call " << k;
      }
    }
  }
}

TEST(Failures, toStartAreNoObstacleToStartingLater) {
  fake_os::fail_at(1, true);
  EXPECT_EQ(heap::try_allocate(10, 8), nullptr);
  EXPECT_FALSE(heap::start({}));
  fake_os::fail_at(0);
  tiny_model::start_heap();
  tiny_model model;
  EXPECT_TRUE(model.allocate(10, 8));
  model.free_all();
  model.expect_whole();
}

TEST(Failures, beyondTheLimitLeaveEverythingAsItWas) {
  heap::options chosen;
  chosen.reserve_bytes = test::tiny_bytes;
  chosen.held_limit = 40 * heap::page_size;
  chosen.huge_pages = false;
  ASSERT_TRUE(heap::start(chosen));
  tiny_model model;
  ASSERT_TRUE(model.allocate(32 * heap::page_size, 8));
  EXPECT_FALSE(model.allocate(16 * heap::page_size, 8));
  model.expect_sound();
  EXPECT_EQ(heap::stats().held, 32 * heap::page_size);
  // Exactly up to the limit, and not a page further.
  ASSERT_TRUE(model.allocate(8 * heap::page_size, 8));
  EXPECT_EQ(heap::stats().held, 40 * heap::page_size);
  EXPECT_FALSE(model.allocate(1, 8));
  model.cut(0, 16 * heap::page_size);
  model.free(model.pieces().size() - 1);
  EXPECT_TRUE(model.allocate(16 * heap::page_size, 8)) << "freed memory is used again at once";
  EXPECT_LE(heap::stats().peak_held, 40 * heap::page_size);
  heap::set_held_limit(SIZE_MAX);
  EXPECT_TRUE(model.allocate(16 * heap::page_size, 8));
  model.free_all();
  model.expect_whole();
}

TEST(Failures, ofFullAddressSpaceAreAnAnswer) {
  tiny_model::start_heap();
  tiny_model model;
  EXPECT_FALSE(model.allocate(test::tiny_bytes + 1, 8));
  ASSERT_TRUE(model.allocate(test::tiny_bytes, 8));
  EXPECT_FALSE(model.allocate(1, 8));
  model.cut(0, test::tiny_bytes / 2 + 3);
  model.free(0);
  EXPECT_TRUE(model.allocate(1, 8));
  model.free_all();
  model.expect_whole();
}

}  // namespace
}  // namespace cleave
