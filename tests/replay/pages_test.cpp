// pages_test.cpp -- pages that are held, and pages that are pinned.
#include "replay/pages.hpp"

#include <gtest/gtest.h>

namespace {

using cleave::replay::none;
using cleave::replay::page_counts;

TEST(Pages, aByteHoldsItsPage) {
  page_counts pages(4096);
  pages.add(5000, 5001, 1);
  EXPECT_EQ(pages.held(), 4096u);
  pages.remove(5000, 5001, 2);
  EXPECT_EQ(pages.held(), 0u);
}

TEST(Pages, aRangeHoldsThePagesOfBothEnds) {
  page_counts pages(4096);
  pages.add(4095, 8193, 1);
  EXPECT_EQ(pages.held(), 3 * 4096u);
  pages.add(0, 4095, 2);
  EXPECT_EQ(pages.held(), 3 * 4096u);
  pages.remove(4095, 4096, 3);
  EXPECT_EQ(pages.held(), 3 * 4096u);
  pages.remove(4096, 8192, 4);
  EXPECT_EQ(pages.held(), 2 * 4096u);
}

TEST(Pages, aWholePageMayGoInParts) {
  page_counts pages(4096);
  pages.add(0, std::uint64_t{1} << 40, 1);
  EXPECT_EQ(pages.held(), std::uint64_t{1} << 40);
  pages.remove(4096, 4097, 2);
  pages.remove(4097, 8192, 3);
  EXPECT_EQ(pages.held(), (std::uint64_t{1} << 40) - 4096);
}

TEST(Pages, aPageIsPinnedFromTheFreeThatLeavesAtMostHalf) {
  page_counts pages(4096);
  pages.add(0, 4096, 1);
  pages.remove(0, 2047, 2);
  EXPECT_TRUE(pages.open_pins().empty());
  pages.remove(2047, 2048, 3);
  ASSERT_EQ(pages.open_pins().size(), 1u);
  EXPECT_EQ(pages.open_pins()[0].from, 3u);
  EXPECT_EQ(pages.open_pins()[0].live, 2048u);
  pages.remove(2048, 4000, 4);
  pages.remove(4000, 4096, 9);
  ASSERT_EQ(pages.ended().size(), 1u);
  EXPECT_EQ(pages.ended()[0].from, 3u);
  EXPECT_EQ(pages.ended()[0].live, 96u);
}

TEST(Pages, anAllocationThatFillsAPageEndsItsPin) {
  page_counts pages(4096);
  pages.add(4096, 8192, 1);
  pages.remove(4096, 8000, 2);
  pages.add(4096, 4100, 3);
  EXPECT_TRUE(pages.ended().empty());
  pages.add(4100, 7000, 4);
  ASSERT_EQ(pages.ended().size(), 1u);
  EXPECT_EQ(pages.ended()[0].page, 4096u);
  EXPECT_TRUE(pages.open_pins().empty());
}

TEST(Pages, aSmallAllocationPinsNothing) {
  page_counts pages(4096);
  pages.add(0, 16, 1);
  EXPECT_TRUE(pages.open_pins().empty());
  pages.remove(0, 16, 2);
  EXPECT_TRUE(pages.ended().empty());
}

TEST(Pages, oneEventThatEmptiesAPageInStepsPinsNothing) {
  page_counts pages(4096);
  pages.add(0, 4096, 1);
  pages.remove(0, 4000, 2);
  pages.remove(4000, 4096, 2);
  EXPECT_TRUE(pages.ended().empty());
}

}  // namespace
