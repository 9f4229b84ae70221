// size_class_test.cpp -- which class serves a size, for every size and place there is.
#include "heap/size_class.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

namespace cleave::heap {
namespace {

TEST(SizeClass, sizesGrowAreMultiplesOf8AndBelowAPage) {
  EXPECT_EQ(slot_size(0), 16U);
  for (unsigned c = 0; c < class_count; ++c) {
    EXPECT_EQ(slot_size(c) % 8, 0U);
    EXPECT_LT(slot_size(c), page_size);
    EXPECT_EQ(size_classes[c].slots, slab_size / slot_size(c));
    if (c > 0) {
      EXPECT_GT(slot_size(c), slot_size(c - 1));
    }
  }
}

TEST(SizeClass, aPowerOfTwoIsAlwaysOne) {
  for (std::size_t size = 16; size <= page_size / 2; size *= 2) {
    EXPECT_EQ(slot_size(class_for(size, 8)), size);
    EXPECT_EQ(slot_size(class_for(size, 16)), size);
  }
}

TEST(SizeClass, isTheLeastThatHoldsARequestWithItsAlignment) {
  for (std::size_t bytes = 1; bytes <= largest_slot; ++bytes) {
    for (const std::size_t alignment : {1U, 2U, 4U, 8U, 16U}) {
      unsigned expected = 0;
      // Slots begin at multiples of their size.
      while (expected < class_count &&
             (slot_size(expected) < bytes || slot_size(expected) % alignment != 0)) {
        ++expected;
      }
      ASSERT_EQ(class_for(bytes, alignment), expected) << bytes << " aligned to " << alignment;
    }
  }
  EXPECT_LT(class_for(largest_aligned_slot, 16), class_count);
}

TEST(SizeClass, wastesAtMostAnEighthOfARequestAbove128Bytes) {
  for (std::size_t bytes = 129; bytes <= largest_slot; ++bytes) {
    const unsigned c = class_for(bytes, 1);
    // C2: what a slot costs, with its share of the rest of the slab.
    EXPECT_LE(slab_size * 8, std::size_t{size_classes[c].slots} * 9 * bytes) << bytes;
  }
}

TEST(SizeClass, wastesLessThan16BytesOfASmallRequest) {
  for (std::size_t bytes = 1; bytes <= 128; ++bytes) {
    EXPECT_LT(slot_size(class_for(bytes, 16)) - bytes, 16U) << bytes;
    if (bytes > 16 && bytes <= 64) {
      EXPECT_LT(slot_size(class_for(bytes, 8)) - bytes, 8U) << bytes;
    }
  }
}

TEST(SizeClass, findsTheSlotOfEveryByteOfASlab) {
  for (unsigned c = 0; c < class_count; ++c) {
    for (std::uint32_t offset = 0; offset < slab_size; ++offset) {
      ASSERT_EQ(slot_number(c, offset), offset / slot_size(c)) << "class " << c;
    }
  }
}

}  // namespace
}  // namespace cleave::heap
