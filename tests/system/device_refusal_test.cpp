// device_refusal_test.cpp -- the system says no while a machine is opened, at each call in turn.
//
// Each case runs in a child, in which the heap has not started. Exit codes name what is wrong.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cleave/device.hpp>
#include <cleave/heap.hpp>

#include "support/memory.hpp"
#include "support/waiting.hpp"
#include "system/interposed.hpp"

namespace cleave::test {
namespace {

constexpr int opened = 40;
constexpr int was_refused = 41;

// Opens a machine while one call, or with `on` all from that one on, fail; what came of it.
int open_without_call(std::uint64_t k, bool on) {
  heap::start({.reserve_bytes = 4_GiB});
  void* const own = heap::allocate(100'000);
  int result = opened;
  {
    const observed watch([k, on](const system_call& call) {
      return call.number == k || (on && call.number > k) ? ENOMEM : 0;
    });
    try {
      device::machine m(device::kind::host, {.bytes = 8_MiB, .threads = 1});
      array<int> made = m.make<int>(100);
      m.launch(1, [](device::lane& by, std::size_t) { by.free(by.try_allocate(8), 8); });
      m.synchronise();
    } catch (const device::error& e) {
      result = was_refused;
      if (e.code() != device::fault::no_memory && e.code() != device::fault::too_large) return 1;
    }
  }
  if (heap::live_bytes() != 100'000) return 2;
  heap::free(own, 100'000);
  heap::purge();
  if (heap::stats().held != 0) return 3;
  if (!heap::verify().empty()) return 4;
  // All is well with the next one.
  device::machine m(device::kind::host, {.bytes = 8_MiB, .threads = 1});
  if (m.stats().free_bytes != 8_MiB) return 5;
  return result;
}

int in_a_child(std::uint64_t k, bool on) {
  const pid_t child = ::fork();
  if (child == 0) {
    die_if_stuck();
    ::_exit(open_without_call(k, on));
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

TEST(DeviceRefusal, ofEachCallLeavesNothingHeld) {
  if (!wide_addresses) GTEST_SKIP() << needs_wide_addresses;
  int refusals = 0;
  // Far more than there are; those that only advise or give back do not keep it from opening.
  for (std::uint64_t k = 1; k <= 24; ++k) {
    const int result = in_a_child(k, false);
    ASSERT_TRUE(result == opened || result == was_refused) << "call " << k << ": " << result;
    refusals += result == was_refused ? 1 : 0;
  }
  EXPECT_GE(refusals, 1);
  EXPECT_EQ(in_a_child(1000, false), opened);
}

TEST(DeviceRefusal, ofAllCallsFromOneOnIsAnError) {
  if (!wide_addresses) GTEST_SKIP() << needs_wide_addresses;
  EXPECT_EQ(in_a_child(1, true), was_refused);
}

}  // namespace
}  // namespace cleave::test
