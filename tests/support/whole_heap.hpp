// whole_heap.hpp -- is the heap back to what it was before the first allocation?
//
//   EXPECT_TRUE(test::heap_is_whole());
//
// Purges, and then asks for all of it: nothing live, no broken invariant, no
// page held, and no free block that is a piece of an arena.
#pragma once

#include <gtest/gtest.h>

#include <cleave/heap.hpp>
#include <cstddef>
#include <string>

namespace cleave::test {

inline testing::AssertionResult heap_is_whole() {
  heap::purge();
  const std::string wrong = heap::verify();
  if (!wrong.empty()) return testing::AssertionFailure() << "verify(): " << wrong;
  const heap::statistics now = heap::stats();
  if (now.live != 0) return testing::AssertionFailure() << now.live << " bytes are live";
  if (now.held != 0) return testing::AssertionFailure() << now.held << " bytes are held";
  // An arena, or the last part of the reservation, is whole as it was at first.
  constexpr std::size_t top = heap::order_count - 1;
  const std::size_t pages = now.reserved / 4096;
  for (std::size_t order = 0; order <= top; ++order) {
    const std::size_t whole = order == top ? pages >> top : (pages >> order) & 1;
    if (now.free_blocks[order] == whole) continue;
    return testing::AssertionFailure() << "there are " << now.free_blocks[order]
                                       << " free blocks of 2^" << order << " pages, not " << whole;
  }
  return testing::AssertionSuccess();
}

}  // namespace cleave::test
