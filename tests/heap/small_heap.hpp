// small_heap.hpp -- a heap that is checked fast, and whose every page is known.
//
// verify() looks at every page of the arenas in use. Tests that call it after
// each step, or add up all pages, start the heap with a small reservation.
#pragma once

#include <gtest/gtest.h>

#include <cleave/heap.hpp>
#include <cstddef>

#include "support/fresh_heap.hpp"
#include "support/whole_heap.hpp"

namespace cleave::test {

class SmallHeap : public testing::Test {
 protected:
  static constexpr std::size_t reserved = std::size_t{16} << 20;

  void SetUp() override {
    (void)heap::start({.reserve_bytes = reserved});
    if (heap::stats().reserved != reserved) GTEST_SKIP() << own_process;
  }
  // No test leaves anything behind.
  void TearDown() override { EXPECT_TRUE(heap_is_whole()); }
};

}  // namespace cleave::test
