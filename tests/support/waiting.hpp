// waiting.hpp -- a test waits until it has happened, not for as long as it usually takes.
//
//   std::latch begun(1);                                // for what a thread of the test does:
//   std::thread other([&] { step(); begun.count_down(); while (!stop) step(); });
//   begun.wait();
//   EXPECT_TRUE(test::wait_until([] { return stats().held == 0; }));   // for all else
//
// A machine that has much else to do runs the other thread or process seconds later.
// The time limit below is there for hangs alone, so that they are named: no test that
// works comes near it.
#pragma once

#include <unistd.h>

#include <chrono>
#include <thread>

namespace cleave::test {

// Less than what ctest gives a test (CMakePresets.json).
inline constexpr std::chrono::seconds patience{200};

// Whether `happened()` has become true; looks every millisecond.
template <typename Happened>
bool wait_until(const Happened& happened) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!happened()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

// Ends this process with a signal if it hangs. For children of fork(): the parent waits
// for them without an end.
inline void die_if_stuck() {
  ::alarm(static_cast<unsigned>(patience.count()));
}

}  // namespace cleave::test
