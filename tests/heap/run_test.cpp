// run_test.cpp -- the owner of a range of bytes: R1 to R4 of include/cleave/run.hpp.
#include <gtest/gtest.h>

#include <cleave/heap.hpp>
#include <cleave/run.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "support/memory.hpp"
#include "support/whole_heap.hpp"

namespace cleave {
namespace {

static_assert(!std::is_copy_constructible_v<run> && !std::is_copy_assignable_v<run>);
static_assert(std::is_nothrow_move_constructible_v<run> && std::is_nothrow_move_assignable_v<run>);
static_assert(sizeof(run) == 2 * sizeof(void*));

class Run : public testing::Test {
 protected:
  void TearDown() override { EXPECT_TRUE(test::heap_is_whole()); }
};

TEST_F(Run, isEmptyByDefaultAndOwnsNothing) {
  run empty;
  EXPECT_TRUE(empty.empty());
  EXPECT_EQ(empty.size(), 0U);
  EXPECT_TRUE(empty.bytes().empty());
  const run none(0);
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(heap::live_bytes(), 0U);
}

TEST_F(Run, liesInsideTheReservationWithItsAlignment) {
  for (const std::size_t alignment : {16U, 64U, 4096U, 65536U}) {
    run made(1000, alignment);
    EXPECT_TRUE(heap::contains(made.data()));
    EXPECT_TRUE(heap::contains(made.data() + 999));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(made.data()) % alignment, 0U);
    EXPECT_EQ(made.bytes().size(), 1000U);
    EXPECT_EQ(std::as_const(made).bytes().data(), made.data());
  }
}

TEST_F(Run, isRestoredByCutAndJoinAtEveryPlace) {
  run whole(200);
  std::memset(whole.data(), 7, 200);
  std::byte* const data = whole.data();
  for (std::size_t at = 0; at <= 200; ++at) {
    run right = whole.cut(at);
    ASSERT_EQ(whole.size(), at);
    ASSERT_EQ(right.size(), 200 - at);
    ASSERT_EQ(right.data(), data + at) << "also an empty piece has a place";
    ASSERT_EQ(heap::live_bytes(), 200U);
    ASSERT_TRUE(whole.join(std::move(right)));
    ASSERT_EQ(whole.data(), data);
    ASSERT_EQ(whole.size(), 200U);
  }
  EXPECT_EQ(whole.data()[199], std::byte{7});
}

TEST_F(Run, isUnchangedByACutBehindItsEnd) {
  run whole(100);
  EXPECT_THROW((void)whole.cut(101), std::out_of_range);
  EXPECT_THROW((void)whole.cut(SIZE_MAX), std::out_of_range);
  EXPECT_THROW(whole.shrink(101), std::out_of_range);
  EXPECT_EQ(whole.size(), 100U);
  run empty;
  EXPECT_THROW((void)empty.cut(1), std::out_of_range);
  EXPECT_TRUE(empty.cut(0).empty());
}

TEST_F(Run, joinsOnlyWithItsRightNeighbour) {
  run left(100);
  run middle = left.cut(30);
  run right = middle.cut(30);
  EXPECT_FALSE(left.join(std::move(right))) << "over a gap";
  EXPECT_FALSE(right.join(std::move(left))) << "the wrong way round";
  EXPECT_EQ(left.size(), 30U);
  EXPECT_EQ(right.size(), 40U);
  EXPECT_TRUE(middle.join(std::move(right)));
  EXPECT_EQ(middle.size(), 70U);
  EXPECT_TRUE(right.empty());  // NOLINT(bugprone-use-after-move): it is said to be empty
  EXPECT_TRUE(left.join(std::move(middle)));
  EXPECT_EQ(left.size(), 100U);
}

TEST_F(Run, joinsWithAnEmptyOneOnBothSides) {
  run whole(100);
  std::byte* const data = whole.data();
  EXPECT_TRUE(whole.join(run()));
  EXPECT_EQ(whole.size(), 100U);
  run taker;
  EXPECT_TRUE(taker.join(std::move(whole)));
  EXPECT_EQ(taker.data(), data);
  EXPECT_TRUE(whole.empty());  // NOLINT(bugprone-use-after-move)
  // An empty piece that stands elsewhere is neutral too.
  run other(64);
  run nothing = other.cut(64);
  EXPECT_TRUE(taker.join(std::move(nothing)));
  EXPECT_FALSE(taker.join(std::move(other))) << "it stands elsewhere, and is not empty";
  EXPECT_EQ(taker.size(), 100U);
  EXPECT_EQ(other.size(), 64U);  // NOLINT(bugprone-use-after-move): unchanged
}

TEST_F(Run, movesItsBytesToTheNewOwnerAndFreesTheOld) {
  run a(100);
  run b(200);
  std::byte* const data = b.data();
  a = std::move(b);
  EXPECT_EQ(a.data(), data);
  EXPECT_TRUE(b.empty());  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(heap::live_bytes(), 200U) << "the hundred bytes are free";
  run& same = a;
  a = std::move(same);
  EXPECT_EQ(a.data(), data) << "a move to itself keeps it";
  EXPECT_EQ(a.size(), 200U);
  run c(std::move(a));
  EXPECT_EQ(c.data(), data);
  EXPECT_TRUE(a.empty());  // NOLINT(bugprone-use-after-move)
}

TEST_F(Run, givesUpAndTakesOverItsBytes) {
  run made(100);
  const std::span<std::byte> bytes = made.release();
  EXPECT_TRUE(made.empty());
  EXPECT_EQ(heap::live_bytes(), 100U);
  const run again = run::adopt(bytes.data(), bytes.size());
  EXPECT_EQ(again.data(), bytes.data());
}

TEST_F(Run, shrinksAndExtendsInPlace) {
  run made(4096);
  std::byte* const data = made.data();
  made.shrink(1000);
  EXPECT_EQ(heap::live_bytes(), 1000U);
  ASSERT_TRUE(made.extend(3000));
  EXPECT_EQ(made.size(), 3000U);
  EXPECT_EQ(made.data(), data);
  EXPECT_EQ(heap::live_bytes(), 3000U);
  run empty;
  EXPECT_FALSE(empty.extend(10));
  made.shrink(0);
  EXPECT_TRUE(made.empty());
  EXPECT_EQ(heap::live_bytes(), 0U);
}

TEST_F(Run, thatCannotBeMadeIsEmptyOrThrows) {
  EXPECT_TRUE(run::try_make(SIZE_MAX / 2).empty());
  EXPECT_THROW(static_cast<void>(run(SIZE_MAX / 2)), std::bad_alloc);
  EXPECT_THROW(static_cast<void>(run(10'000, 48)), std::bad_alloc) << "not a power of two";
}

}  // namespace
}  // namespace cleave
