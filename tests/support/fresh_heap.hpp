// fresh_heap.hpp -- options of the heap for one test.
//
//   if (!test::start_heap({.held_limit = 8_MiB})) GTEST_SKIP() << test::own_process;
//
// A heap starts once per process. ctest runs each test in a process of its own;
// a program that runs all its tests in one can give only the first of them its options.
#pragma once

#include <gtest/gtest.h>

#include <cleave/heap.hpp>

namespace cleave::test {

inline constexpr const char* own_process =
    "SKIP: the heap has started already; ctest gives each test its own process";

inline bool start_heap(const heap::options& chosen) {
  if (heap::start(chosen)) return true;
  EXPECT_GT(testing::UnitTest::GetInstance()->test_to_run_count(), 1) << "the heap did not start";
  return false;
}

}  // namespace cleave::test
