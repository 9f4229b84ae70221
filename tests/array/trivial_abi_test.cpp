// trivial_abi_test.cpp -- owners that pass through registers, where a program asks for it.
#include <gtest/gtest.h>

#include <cleave/array.hpp>
#include <cleave/run.hpp>
#include <memory>
#include <string>
#include <utility>

namespace cleave {
namespace {

#if CLEAVE_TRIVIAL_ABI
// What a call may copy without a constructor, it passes in registers when it fits.
static_assert(__is_trivially_relocatable(array<int>));
static_assert(__is_trivially_relocatable(array<std::string>));
static_assert(__is_trivially_relocatable(run));
#endif

struct counted {
  explicit counted(int& alive) : alive_(&alive) { ++alive; }
  counted(const counted& from) : alive_(from.alive_) { ++*alive_; }
  counted& operator=(const counted&) = default;
  ~counted() { --*alive_; }

 private:
  int* alive_;
};

// Not inlined, so that the convention is what is tested.
[[gnu::noinline]] std::size_t consume(array<counted> all) {
  return all.size();
}
[[gnu::noinline]] array<counted> pass_on(array<counted> all) {
  return all;
}
[[gnu::noinline]] std::size_t consume_run(run bytes) {
  return bytes.size();
}

TEST(TrivialAbi, anArrayByValueIsDestroyedOnceByWhomItWasGivenTo) {
  int alive = 0;
  array<counted> all(7, counted(alive));
  ASSERT_EQ(alive, 7);
  array<counted> back = pass_on(std::move(all));
  EXPECT_EQ(alive, 7);
  EXPECT_EQ(back.size(), 7U);
  EXPECT_EQ(consume(std::move(back)), 7U);
  EXPECT_EQ(alive, 0);
}

TEST(TrivialAbi, aRunByValueIsFreedOnceByWhomItWasGivenTo) {
  const std::size_t before = heap::live_bytes();
  run bytes(100);
  EXPECT_EQ(consume_run(std::move(bytes)), 100U);
  EXPECT_EQ(heap::live_bytes(), before);
}

}  // namespace
}  // namespace cleave
