// small_heap.hpp -- a heap that is checked fast.
//
// verify() looks at every page of the arenas in use. Tests that call it after
// each step start the heap with a small reservation first; if it has started
// already, they take longer and mean the same.
#pragma once

#include <gtest/gtest.h>

#include <cleave/heap.hpp>

#include "support/memory.hpp"
#include "support/whole_heap.hpp"

namespace cleave::test {

class SmallHeap : public testing::Test {
 protected:
  SmallHeap() { (void)heap::start({.reserve_bytes = std::size_t{16} << 20}); }
  // No test leaves anything behind.
  void TearDown() override { EXPECT_TRUE(heap_is_whole()); }
};

}  // namespace cleave::test
