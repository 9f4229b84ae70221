// nodes_test.cpp -- arenas and the nodes of memory, on machines whose topology is made up.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "heap/arenas.hpp"
#include "heap/page_heap.hpp"
#include "heap/shelves.hpp"
#include "support/environment.hpp"
#include "tiny/tiny_model.hpp"

namespace cleave {
namespace {

using test::tiny_model;

// Each of these tests runs in a process of its own, with the nodes that it starts the heap on.
void start_with(unsigned nodes) {
  fake_os::set_nodes(nodes);
  tiny_model::start_heap();
}

std::size_t arena_of(const void* p) {
  return (reinterpret_cast<std::uintptr_t>(p) - heap::tables.base) / heap::arena_size;
}

unsigned node_of(const void* p) {
  return heap::arenas::opened(arena_of(p))->of().node;
}

std::byte* made(std::size_t bytes) {
  return static_cast<std::byte*>(heap::try_allocate(bytes));
}

constexpr std::size_t few_pages = 3 * heap::page_size;
constexpr std::size_t half_an_arena = heap::arena_size / 2;

TEST(Nodes, eachServeTheThreadsThatRunOnThem) {
  start_with(2);
  for (const std::size_t bytes : {std::size_t{16}, heap::page_size, few_pages}) {
    for (const unsigned node : {0U, 1U, 0U, 1U}) {
      fake_os::run_on_node(node);
      std::byte* const p = made(bytes);
      ASSERT_NE(p, nullptr);
      EXPECT_EQ(node_of(p), node) << bytes;
      heap::free(p, bytes);
      // What the thread keeps for its next request stays with the thread.
      heap::purge();
    }
  }
  tiny_model().expect_whole();
}

TEST(Nodes, areServedByOthersWhenTheirOwnAddressSpaceIsUsedUp) {
  start_with(2);
  std::vector<std::byte*> runs;
  fake_os::run_on_node(0);
  for (std::size_t i = 0; i < 2 * test::tiny_arenas - 1; ++i) runs.push_back(made(half_an_arena));
  fake_os::run_on_node(1);
  std::byte* const last = made(half_an_arena);
  ASSERT_NE(last, nullptr) << "memory that is free is handed out, wherever it lies";
  EXPECT_EQ(node_of(last), 0U);
  EXPECT_EQ(made(heap::page_size), nullptr);
  heap::free(last, half_an_arena);
  for (std::byte* const p : runs) {
    ASSERT_NE(p, nullptr);
    heap::free(p, half_an_arena);
  }
  tiny_model().expect_whole();
}

TEST(Nodes, getBackWhatOthersFree) {
  start_with(2);
  fake_os::run_on_node(0);
  std::vector<std::byte*> runs;
  for (int i = 0; i < 6; ++i) runs.push_back(made(few_pages));
  fake_os::run_on_node(1);
  for (std::byte* const p : runs) heap::free(p, few_pages);
  // The last one is kept by the thread that freed it, the others are near their node again.
  std::vector<std::byte*> far;
  for (int i = 0; i < 3; ++i) far.push_back(made(few_pages));
  EXPECT_EQ(node_of(far[0]), 0U);
  EXPECT_EQ(node_of(far[1]), 1U);
  EXPECT_EQ(node_of(far[2]), 1U);
  fake_os::run_on_node(0);
  std::set<std::byte*> before(runs.begin(), runs.end());
  for (int i = 0; i < 3; ++i) {
    std::byte* const p = made(few_pages);
    EXPECT_TRUE(before.contains(p)) << "freed pages serve their node at once";
    heap::free(p, few_pages);
  }
  for (std::byte* const p : far) heap::free(p, few_pages);
  tiny_model().expect_whole();
}

TEST(Nodes, leaveWhatLiesOnAShelfToThreadsNearIt) {
  start_with(2);
  fake_os::run_on_node(0);
  const heap::page_range near{heap::page_heap::take(1, 0), 1};
  ASSERT_EQ(heap::shelves::put(0, &near, 1), 1U);
  fake_os::run_on_node(1);
  EXPECT_EQ(heap::shelves::take(0, 1).n, 0U);
  fake_os::run_on_node(0);
  EXPECT_EQ(heap::shelves::take(0, 1).page, near.page);
  heap::page_heap::give(near.page, near.n);
  tiny_model().expect_whole();
}

TEST(Nodes, doNotTakeTheLargeRangeThatAnotherFreedLast) {
  start_with(2);
  constexpr std::size_t bytes = heap::page_size << heap::cached_orders;
  fake_os::run_on_node(0);
  std::byte* const mine = made(bytes);
  heap::free(mine, bytes);
  fake_os::run_on_node(1);
  std::byte* const other = made(bytes);
  EXPECT_EQ(node_of(other), 1U);
  fake_os::run_on_node(0);
  std::byte* const again = made(bytes);
  EXPECT_EQ(again, mine);
  heap::free(again, bytes);
  heap::free(other, bytes);
  tiny_model().expect_whole();
}

TEST(Nodes, areNotLookedAtWhereThereIsOne) {
  start_with(1);
  fake_os::run_on_node(3);
  std::byte* const first = made(few_pages);
  std::byte* const second = made(few_pages);
  EXPECT_EQ(arena_of(first), arena_of(second));
  EXPECT_EQ(node_of(first), 0U);
  heap::free(first, few_pages);
  heap::free(second, few_pages);
  tiny_model().expect_whole();
}

TEST(Nodes, mayBeMoreThanThereAreArenas) {
  start_with(64);
  std::vector<std::byte*> runs;
  for (unsigned node = 0; node < 64; ++node) {
    fake_os::run_on_node(node);
    runs.push_back(made(few_pages));
    ASSERT_NE(runs.back(), nullptr) << node;
  }
  for (std::byte* const p : runs) heap::free(p, few_pages);
  tiny_model().expect_whole();
}

TEST(Nodes, changeNothingForProgramsWhoseThreadMoves) {
  start_with(3);
  std::mt19937_64 random(test::seed());
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  tiny_model model;
  const std::size_t steps = test::steps(100'000, 10'000);
  for (std::size_t step = 0; step < steps; ++step) {
    if (below(50) == 0) fake_os::run_on_node(static_cast<unsigned>(below(3)));
    const std::size_t n = model.pieces().size();
    const std::size_t i = n == 0 ? 0 : below(n);
    switch (n == 0 ? 0 : below(8)) {
      case 0:
      case 1:
        model.allocate(1 + below(std::size_t{1} << below(14)), std::size_t{1} << below(9));
        break;
      case 2:
      case 3: model.cut(i, below(model.pieces()[i].bytes + 1)); break;
      case 4: model.join(i); break;
      case 5: model.extend(i, 1 + below(300)); break;
      default: model.free(i); break;
    }
    if (step % 500 == 0) model.expect_sound();
    if (testing::Test::HasFailure()) FAIL() << "step " << step;
  }
  model.free_all();
  model.expect_whole();
}

}  // namespace
}  // namespace cleave
