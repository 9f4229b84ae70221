// allocator_test.cpp -- the heap under standard containers.
#include <gtest/gtest.h>

#include <cleave/allocator.hpp>
#include <cleave/heap.hpp>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using cleave::allocator;
using cleave::heap::live_bytes;

// Aligned to more than a page.
struct alignas(65536) wide {
  char content[65536];
};

// Fills three words, so that heap memory rarely divides into them evenly.
struct triple {
  std::uint64_t words[3];
};

bool is_aligned(const void* pointer, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(pointer) % alignment == 0;
}

static_assert(std::allocator_traits<allocator<int>>::is_always_equal::value);
static_assert(std::allocator_traits<allocator<int>>::propagate_on_container_swap::value);
static_assert(sizeof(std::vector<int, allocator<int>>) == sizeof(std::vector<int>));
static_assert(allocator<int>() == allocator<int>(allocator<char>()));

TEST(Allocator, takesAndGivesBackExactlyItsBytes) {
  const std::size_t before = live_bytes();
  allocator<triple> source;
  triple* const storage = source.allocate(7);
  EXPECT_EQ(live_bytes(), before + 7 * sizeof(triple));
  source.deallocate(storage, 7);
  EXPECT_EQ(live_bytes(), before);
}

TEST(Allocator, takesStorageBackInPieces) {
  const std::size_t before = live_bytes();
  allocator<int> source;
  int* const storage = source.allocate(1000);
  source.deallocate(storage + 600, 400);
  EXPECT_EQ(live_bytes(), before + 600 * sizeof(int));
  source.deallocate(storage, 1);
  source.deallocate(storage + 1, 599);
  EXPECT_EQ(live_bytes(), before);
}

TEST(Allocator, atLeastGivesWholeElementsOnly) {
  const std::size_t before = live_bytes();
  allocator<triple> source;
  for (std::size_t count = 1; count < 300; count += 7) {
    const auto [first, given] = source.try_allocate_at_least(count);
    ASSERT_NE(first, nullptr);
    ASSERT_GE(given, count);
    ASSERT_EQ(live_bytes(), before + given * sizeof(triple));
    source.deallocate(first, given);
    ASSERT_EQ(live_bytes(), before);
  }
}

TEST(Allocator, alignsAsTheTypeAsks) {
  allocator<wide> source;
  std::vector<wide, allocator<wide>> several;
  std::vector<std::vector<char, allocator<char>>> between;
  for (int i = 0; i < 20; ++i) {
    between.emplace_back(4096);
    several.emplace_back();
    ASSERT_TRUE(is_aligned(several.data(), alignof(wide)));
  }
  const auto [first, given] = source.try_allocate_at_least(3);
  EXPECT_TRUE(is_aligned(first, alignof(wide)));
  source.deallocate(first, given);
}

TEST(Allocator, holdsAVectorThatGrows) {
  const std::size_t before = live_bytes();
  {
    std::vector<int, allocator<int>> numbers;
    for (int i = 0; i < 10'000; ++i) numbers.push_back(i);
    EXPECT_EQ(live_bytes(), before + numbers.capacity() * sizeof(int));
    EXPECT_EQ(numbers.back(), 9'999);
    const auto moved = std::move(numbers);
    EXPECT_EQ(live_bytes(), before + moved.capacity() * sizeof(int));
  }
  EXPECT_EQ(live_bytes(), before);
}

TEST(Allocator, holdsStringsListsAndMaps) {
  using text = std::basic_string<char, std::char_traits<char>, allocator<char>>;
  using entry = std::pair<const int, text>;
  const std::size_t before = live_bytes();
  {
    std::map<int, text, std::less<>, allocator<entry>> names;
    std::list<text, allocator<text>> order;
    for (int i = 0; i < 500; ++i) {
      const auto size = static_cast<std::size_t>(i);
      names.emplace(i, text(size, 'n'));
      order.push_front(text(size, 'o'));
    }
    EXPECT_EQ(names.at(499).size(), 499u);
    EXPECT_EQ(order.back(), "");
    EXPECT_GT(live_bytes(), before);
  }
  EXPECT_EQ(live_bytes(), before);
}

TEST(Allocator, passesStorageBetweenThreads) {
  const std::size_t before = live_bytes();
  {
    std::vector<int, allocator<int>> numbers(1000, 1);
    std::thread([taken = std::move(numbers)]() mutable { taken.assign(5000, 2); }).join();
  }
  EXPECT_EQ(live_bytes(), before);
}

TEST(Allocator, saysWhenThereIsNoMemory) {
  // Volatile, so that the compiler does not see the sizes and warn of them.
  volatile std::size_t beyond_sizes = SIZE_MAX / 2;
  volatile std::size_t beyond_memory = SIZE_MAX / 16;
  const std::size_t before = live_bytes();
  allocator<triple> source;
  EXPECT_THROW(static_cast<void>(source.allocate(beyond_sizes)), std::bad_array_new_length);
  EXPECT_THROW(static_cast<void>(source.allocate(beyond_memory)), std::bad_alloc);
  EXPECT_EQ(source.try_allocate(beyond_sizes), nullptr);
  EXPECT_EQ(source.try_allocate(beyond_memory), nullptr);
  EXPECT_EQ(source.try_allocate_at_least(beyond_sizes).pointer, nullptr);
  EXPECT_EQ(source.try_allocate_at_least(beyond_memory).count, 0u);
  EXPECT_EQ(live_bytes(), before);
}

TEST(Allocator, zeroElementsTakeNothing) {
  const std::size_t before = live_bytes();
  allocator<int> source;
  int* const nothing = source.allocate(0);
  EXPECT_EQ(live_bytes(), before);
  source.deallocate(nothing, 0);
  EXPECT_EQ(live_bytes(), before);
}

}  // namespace
