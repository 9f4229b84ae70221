// explorer.hpp -- runs a few threads in every order that makes a difference.
//
//   model::scenario two{.threads = {first, second}, .prepare = make, .finish = look};
//   const model::outcome all = model::explore(two);
//   EXPECT_FALSE(all.cut_short);
//
// One execution runs `prepare`, the threads, and `finish`; only one thread moves at a time, and
// before each atomic operation the explorer chooses who moves next. Executions are repeated with
// other choices until none is left. Two orders that differ only in operations which do not touch
// each other are one: a choice is tried if an operation conflicts with an earlier one that need
// not come first (dynamic partial-order reduction), and not if it was tried before something
// that it does not touch (sleep sets).
//
// What a load may find follows the rules of C++ for release and acquire: any store that is not
// known to be overwritten. Sequential consistency is taken for both with the latest value. Plain
// memory that a scenario, or base::touched(), names is checked for races by the same clocks.
//
// A failed expectation, a race, a deadlock, or a failed check of the heap ends the process with
// the steps of the execution on standard error.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "model/atomic.hpp"

namespace cleave::model {

inline constexpr std::size_t most_threads = 4;

struct scenario {
  std::vector<std::function<void()>> threads;
  // In the calling thread, before and after.
  std::function<void()> prepare = [] {};
  std::function<void()> finish = [] {};
  // In each of the threads in turn, when all have ended.
  std::function<void()> tidy = [] {};
};

struct outcome {
  std::size_t executions = 0;
  std::size_t steps = 0;   // the most that one execution had
  bool cut_short = false;  // there were more than `most`
};

outcome explore(const scenario& what, std::size_t most = 2'000'000);

// For scenarios: ends the process, with the steps so far.
[[noreturn]] void fail(const std::string& what) noexcept;
inline void expect(bool holds, const char* what) {
  if (!holds) fail(what);
}

}  // namespace cleave::model
