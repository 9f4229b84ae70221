// kept_by_test.cpp -- what a piece keeps from being used again.
#include <gtest/gtest.h>

#include <cleave/heap.hpp>
#include <cstddef>

#include "heap/geometry.hpp"

namespace cleave::heap {
namespace {

std::byte* made(std::size_t bytes) {
  return static_cast<std::byte*>(allocate(bytes));
}

TEST(KeptBy, isTheRunItselfWhileItsNeighboursLive) {
  std::byte* const p = made(4 * page_size);
  EXPECT_EQ(kept_by(p, 4 * page_size), 4 * page_size);
  EXPECT_EQ(kept_by(p + 100, 50), 50U);
  EXPECT_EQ(kept_by(p, 0), 0U);
  free(p, 4 * page_size);
}

TEST(KeptBy, isThePagesOfAPieceWhoseNeighboursAreDead) {
  std::byte* const p = made(4 * page_size);
  free(p, page_size + 100);
  EXPECT_EQ(kept_by(p + page_size + 100, 50), 50U) << "the rest of the page lives";
  free(p + page_size + 150, 3 * page_size - 150);
  EXPECT_EQ(kept_by(p + page_size + 100, 50), page_size);
  free(p + page_size + 100, 50);
  EXPECT_EQ(live_bytes(), 0U);
}

TEST(KeptBy, countsBothEnds) {
  std::byte* const p = made(3 * page_size);
  free(p, 1000);
  free(p + 3 * page_size - 500, 500);
  EXPECT_EQ(kept_by(p + 1000, 3 * page_size - 1500), 3 * page_size);
  free(p + 1000, 3 * page_size - 1500);
}

TEST(KeptBy, countsTheSpareRoomOfASlot) {
  std::byte* const p = made(100);
  EXPECT_EQ(kept_by(p, 100), 112U);
  free(p, 60);
  EXPECT_EQ(kept_by(p + 60, 40), 112U);
  free(p + 60, 40);
}

}  // namespace
}  // namespace cleave::heap
