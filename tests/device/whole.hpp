// whole.hpp -- whether a machine has all of its memory back.
//
//   EXPECT_TRUE(test::is_whole(m));
#pragma once

#include <gtest/gtest.h>

#include <cleave/device.hpp>
#include <cleave/heap.hpp>
#include <string>

namespace cleave::test {

// Nothing of its memory is live or missing, and the heap is in order.
inline testing::AssertionResult is_whole(const device::machine& m) {
  const device::statistics now = m.stats();
  if (now.free_bytes != now.shared_bytes) {
    return testing::AssertionFailure()
           << now.shared_bytes - now.free_bytes << " bytes of the machine are missing";
  }
  if (const std::string wrong = heap::verify(); !wrong.empty()) {
    return testing::AssertionFailure() << wrong;
  }
  return testing::AssertionSuccess();
}

}  // namespace cleave::test
