// What goes wrong on a device, and what is left then: everything.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cleave/device.hpp>
#include <cleave/heap.hpp>
#include <cstdint>
#include <utility>

#include "device/kernels.hpp"
#include "device/whole.hpp"
#include "support/fresh_heap.hpp"
#include "support/memory.hpp"
#include "support/waiting.hpp"

namespace cleave {
namespace {

using device::fault;
using device::machine;
using test::is_whole;
using test::operator""_MiB;
using test::operator""_GiB;

machine open() {
  return machine(device::kind::host, {.bytes = 4_MiB, .threads = 4});
}

// What synchronise() throws.
device::error failure_of(machine& m) {
  try {
    m.synchronise();
  } catch (const device::error& e) {
    return e;
  }
  ADD_FAILURE() << "nothing failed";
  return device::error(fault::lost);
}

fault refusal_of(device::kind which, const device::options& chosen) {
  try {
    const machine m(which, chosen);
  } catch (const device::error& e) {
    return e.code();
  }
  ADD_FAILURE() << "nothing was refused";
  return fault::kernel_failed;
}

TEST(DeviceFailures, theFirstFailureReachesTheHostWithItsDetail) {
  machine m = open();
  m.launch(1, [](device::lane& by, std::size_t) { by.fail(42, 4711); });
  m.launch(1, [](device::lane& by, std::size_t) { by.fail(43, 1); });
  const device::error e = failure_of(m);
  EXPECT_EQ(e.code(), fault::kernel_failed);
  EXPECT_EQ(e.kernel_code(), 42u);
  EXPECT_EQ(e.detail(), 4711u);
  EXPECT_NE(std::string(e.what()).find("42"), std::string::npos);
  EXPECT_NO_THROW(m.synchronise());
}

TEST(DeviceFailures, ofManyLanesOneCodeAndItsOwnDetailArrive) {
  machine m = open();
  for (int round = 0; round < 50; ++round) {
    m.launch(1000, [](device::lane& by, std::size_t i) {
      by.fail(static_cast<std::uint32_t>(i + 1), (i + 1) * 1000);
    });
    const device::error e = failure_of(m);
    ASSERT_EQ(e.detail(), e.kernel_code() * std::uint64_t{1000});
  }
}

TEST(DeviceFailures, aFailureWithoutACodeHasOne) {
  machine m = open();
  m.launch(1, [](device::lane& by, std::size_t) { by.fail(0, 5); });
  const device::error e = failure_of(m);
  EXPECT_EQ(e.kernel_code(), device::unnamed);
  EXPECT_NE(std::string(e.what()).find("named no code, detail 5"), std::string::npos) << e.what();
}

TEST(DeviceFailures, aDeviceThatIsNotThereSaysWhy) {
  if (machine::is_available(device::kind::cuda)) GTEST_SKIP() << "SKIP: there is one";
  try {
    const machine none(device::kind::cuda);
    FAIL() << "there is none";
  } catch (const device::error& e) {
    EXPECT_EQ(e.code(), fault::no_device);
    const bool missing = e.detail() == device::no_plugin;
    EXPECT_TRUE(missing || e.detail() == device::none_found) << e.detail();
    const char* const told = missing ? "libcleave_cuda.so" : "driver";
    EXPECT_NE(std::string(e.what()).find(told), std::string::npos) << e.what();
  }
}

// On the host device it would do no harm, and on others it would.
TEST(DeviceFailures, aTreeOverMemoryOfOthersDoesNotBegin) {
  machine m = open();
  array<std::uint64_t> shared = m.make<std::uint64_t>(100);
  array<std::uint64_t> copied = shared.clone();
  const test::cell foreign{copied.data(), copied.size()};
  const auto touch = [](device::lane&, test::cell leaf, std::size_t) { leaf[0] = 1; };
  try {
    m.launch_tree(foreign, 10, touch);
    ADD_FAILURE() << "it began";
  } catch (const device::error& e) {
    EXPECT_EQ(e.code(), fault::not_shared);
  }
  EXPECT_NO_THROW(m.synchronise());
  EXPECT_EQ(copied[0], 0u);
}

TEST(DeviceFailures, afterOneTheOthersDrain) {
  machine m = open();
  array<std::uint64_t> calls = m.make<std::uint64_t>(1);
  std::uint64_t* const at = calls.data();
  m.launch(1, [](device::lane& by, std::size_t) {
    by.fail(1);
    if (by.try_allocate(16) != nullptr || !by.failed()) by.fail(2);
  });
  // Even a kernel that would never end by itself.
  m.launch(1000, [at](device::lane& by, std::size_t) {
    ++*at;
    while (!by.failed()) {
    }
  });
  EXPECT_EQ(failure_of(m).kernel_code(), 1u);
  EXPECT_EQ(calls[0], 0u);
}

TEST(DeviceFailures, oneEndsALaunchOfMoreLanesThanAnybodyCounts) {
  for (const std::size_t n : {std::size_t{1} << 32, std::size_t{1} << 45, SIZE_MAX}) {
    machine m = open();
    m.launch(n, [](device::lane& by, std::size_t i) { by.fail(6, i); });
    const device::error e = failure_of(m);
    EXPECT_EQ(e.kernel_code(), 6u);
    EXPECT_LT(e.detail(), n);
    // The next one begins at once, and has its own lanes.
    array<std::uint32_t> ran = m.make<std::uint32_t>(1);
    std::uint32_t* const at = ran.data();
    m.launch(1, [at](device::lane&, std::size_t) { ++*at; });
    m.synchronise();
    EXPECT_EQ(ran[0], 1u);
  }
}

TEST(DeviceFailures, aFailureEndsALoopThatAsksForIt) {
  machine m = open();
  m.launch(2, [](device::lane& by, std::size_t i) {
    if (i == 1) by.fail(9);
    while (!by.failed()) {
    }
  });
  EXPECT_EQ(failure_of(m).kernel_code(), 9u);
}

TEST(DeviceFailures, waitForAnAllocationToKeepThem) {
  machine m = open();
  m.launch(1, [](device::lane& by, std::size_t) { by.fail(3, 4); });
  // Waits for the kernel, and is not told of its failure.
  array<int> made = m.make<int>(10);
  EXPECT_EQ(made.size(), 10u);
  m.launch(1, [](device::lane& by, std::size_t) { by.fail(5, 6); });
  const device::error e = failure_of(m);
  EXPECT_EQ(e.kernel_code(), 3u);
  EXPECT_EQ(e.detail(), 4u);
}

TEST(DeviceFailures, nothingIsLostWhenSpaceIsExhausted) {
  machine m = open();
  constexpr std::size_t n = 2000;
  array<test::cell> places = m.make<test::cell>(n);
  // 2000 times 4 KiB is more than there is.
  m.launch(n, test::make_cells{places.data(), 512});
  const device::error e = failure_of(m);
  EXPECT_EQ(e.kernel_code(), test::no_room);
  EXPECT_LT(e.detail(), n);
  std::size_t made = 0;
  for (const test::cell each : places) {
    made += each.size;
    (void)device::own(each);
  }
  // Most of it was handed out before.
  EXPECT_GT(made * 8, 3_MiB);
  places = {};
  m.synchronise();
  EXPECT_TRUE(is_whole(m));
}

TEST(DeviceFailures, whatDoesNotFitIsNullAndNoFailure) {
  machine m = open();
  m.launch(4, [](device::lane& by, std::size_t i) {
    if (by.try_allocate(std::size_t{64} << 20) != nullptr) by.fail(1, i);
    if (by.try_allocate(SIZE_MAX) != nullptr) by.fail(2, i);
    if (by.try_allocate(0) != nullptr) by.fail(3, i);
    if (by.try_allocate(8, 3) != nullptr) by.fail(4, i);
    if (by.try_allocate(8, std::size_t{1} << 62) != nullptr) by.fail(5, i);
    if (by.make<std::uint64_t>(SIZE_MAX / 4).size != 0) by.fail(6, i);
  });
  EXPECT_NO_THROW(m.synchronise());
  EXPECT_TRUE(is_whole(m));
}

TEST(DeviceFailures, memoryOfOthersIsNotFreed) {
  machine m = open();
  array<std::uint64_t> own(100);
  const test::cell foreign{own.data(), own.size()};
  m.launch(1, [foreign](device::lane& by, std::size_t) { by.free(foreign); });
  const device::error e = failure_of(m);
  EXPECT_EQ(e.kernel_code(), device::foreign_memory);
  EXPECT_EQ(e.detail(), reinterpret_cast<std::uintptr_t>(own.data()));
  EXPECT_NE(std::string(e.what()).find("not the machine's: 0x"), std::string::npos) << e.what();
  own[99] = 1;
}

TEST(DeviceFailures, freesAfterOneStillCount) {
  machine m = open();
  array<test::cell> places = m.make<test::cell>(100);
  m.launch(100, test::make_cells{places.data(), 64});
  m.synchronise();
  const test::cell* const all = places.data();
  m.launch(1, [all](device::lane& by, std::size_t) {
    by.fail(1);
    for (int i = 0; i < 100; ++i) by.free(all[i]);
  });
  EXPECT_EQ(failure_of(m).kernel_code(), 1u);
  places = {};
  m.synchronise();
  EXPECT_TRUE(is_whole(m));
}

TEST(DeviceFailures, anUnseenFailureGoesWithItsMachine) {
  {
    machine m = open();
    m.launch(100, [](device::lane& by, std::size_t) { by.fail(1); });
  }
  EXPECT_EQ(heap::live_bytes(), 0u);
  EXPECT_EQ(heap::verify(), "");
}

TEST(DeviceRefusals, moreThanTheAddressSpaceIsTooLarge) {
  if (!test::start_heap({.reserve_bytes = 4_GiB})) GTEST_SKIP() << test::own_process;
  EXPECT_EQ(refusal_of(device::kind::host, {.bytes = 8_GiB, .threads = 1}), fault::too_large);
  EXPECT_EQ(refusal_of(device::kind::host, {.bytes = SIZE_MAX, .threads = 1}), fault::too_large);
  EXPECT_EQ(heap::stats().held, 0u);
  EXPECT_EQ(heap::verify(), "");
}

TEST(DeviceRefusals, aHeapOfOneArenaHasNoneToShare) {
  if (!test::start_heap({.reserve_bytes = 64_MiB})) GTEST_SKIP() << test::own_process;
  EXPECT_EQ(refusal_of(device::kind::host, {.bytes = 4_MiB, .threads = 1}), fault::too_large);
}

TEST(DeviceRefusals, theHeldLimitCountsSharedMemory) {
  if (!test::start_heap({.held_limit = 32_MiB})) GTEST_SKIP() << test::own_process;
  EXPECT_EQ(refusal_of(device::kind::host, {.bytes = 64_MiB, .threads = 1}), fault::no_memory);
  EXPECT_EQ(heap::stats().held, 0u);
  machine m(device::kind::host, {.bytes = 24_MiB, .threads = 1});
  EXPECT_EQ(heap::try_allocate(16_MiB), nullptr);
  void* const small = heap::try_allocate(4_MiB);
  EXPECT_NE(small, nullptr);
  heap::free(small, 4_MiB);
  EXPECT_EQ(heap::verify(), "");
}

// The child has the memory, and no device.
TEST(DeviceFork, aChildFreesWhatItHasAndLaunchesNothing) {
  machine m = open();
  array<std::uint64_t> made = m.make<std::uint64_t>(10'000);
  array<test::cell> places = m.make<test::cell>(100);
  m.launch(100, test::make_cells{places.data(), 4});
  m.synchronise();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    test::die_if_stuck();
    bool good = true;
    try {
      m.launch(1, [](device::lane&, std::size_t) {});
      good = false;
    } catch (const device::error& e) {
      good = e.code() == fault::no_device && e.detail() == device::in_child;
    }
    good = good && m.try_allocate(100) == nullptr;
    for (const test::cell each : places) (void)device::own(each);
    made = {};
    places = {};
    {
      const machine gone = std::move(m);
    }
    good = good && heap::live_bytes() == 0 && heap::verify().empty();
    _exit(good ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  for (const test::cell each : places) (void)device::own(each);
  made = {};
  places = {};
  m.synchronise();
  EXPECT_TRUE(is_whole(m));
}

TEST(DeviceFork, aChildThatIsMadeWhileAKernelRunsIsWhole) {
  machine m = open();
  array<std::uint32_t> stop = m.make<std::uint32_t>(2);
  std::uint32_t* const flags = stop.data();
  m.launch(1, [flags](device::lane&, std::size_t) {
    std::atomic_ref<std::uint32_t>(flags[1]).store(1, std::memory_order_release);
    while (std::atomic_ref<std::uint32_t>(flags[0]).load(std::memory_order_acquire) == 0) {
    }
  });
  ASSERT_TRUE(test::wait_until([flags] {
    return std::atomic_ref<std::uint32_t>(flags[1]).load(std::memory_order_acquire) == 1;
  }));
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    test::die_if_stuck();
    array<int> own(1000);
    own = {};
    {
      const machine gone = std::move(m);
    }
    _exit(heap::verify().empty() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  std::atomic_ref<std::uint32_t>(flags[0]).store(1, std::memory_order_release);
  m.synchronise();
  stop = {};
  m.synchronise();
  EXPECT_TRUE(is_whole(m));
}

}  // namespace
}  // namespace cleave
