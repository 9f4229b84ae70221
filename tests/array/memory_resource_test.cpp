// memory_resource_test.cpp -- the heap under std::pmr containers.
#include <gtest/gtest.h>

#include <cleave/heap.hpp>
#include <cleave/memory_resource.hpp>
#include <cstdint>
#include <memory_resource>
#include <new>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

using cleave::heap_resource;
using cleave::heap::live_bytes;

// Built before main() and destroyed after it, with memory of the heap in both.
std::pmr::vector<int> with_static_storage(1000, 7, heap_resource());

TEST(MemoryResource, servesStaticObjects) {
  EXPECT_EQ(with_static_storage.get_allocator().resource(), heap_resource());
  EXPECT_TRUE(cleave::heap::contains(with_static_storage.data()));
}

TEST(MemoryResource, holdsAVectorExactly) {
  const std::size_t before = live_bytes();
  {
    std::pmr::vector<int> numbers(heap_resource());
    for (int i = 0; i < 5000; ++i) numbers.push_back(i);
    EXPECT_EQ(live_bytes(), before + numbers.capacity() * sizeof(int));
  }
  EXPECT_EQ(live_bytes(), before);
}

TEST(MemoryResource, holdsAMapOfStrings) {
  const std::size_t before = live_bytes();
  {
    std::pmr::unordered_map<int, std::pmr::string> names(heap_resource());
    for (int i = 0; i < 1000; ++i) names[i].assign(static_cast<std::size_t>(i), 'n');
    for (int i = 0; i < 1000; i += 2) names.erase(i);
    EXPECT_EQ(names.at(999).size(), 999u);
    EXPECT_EQ(names.at(999).get_allocator().resource(), heap_resource());
    EXPECT_GT(live_bytes(), before);
  }
  EXPECT_EQ(live_bytes(), before);
}

TEST(MemoryResource, feedsAPool) {
  const std::size_t before = live_bytes();
  {
    std::pmr::unsynchronized_pool_resource pool(heap_resource());
    std::pmr::vector<std::pmr::string> lines(&pool);
    for (int i = 0; i < 1000; ++i) lines.emplace_back("a line that is too long for the string");
    EXPECT_GT(live_bytes(), before);
  }
  EXPECT_EQ(live_bytes(), before);
}

TEST(MemoryResource, alignsAsAsked) {
  for (std::size_t alignment = 1; alignment <= 65536; alignment *= 2) {
    void* const pointer = heap_resource()->allocate(100, alignment);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pointer) % alignment, 0u);
    heap_resource()->deallocate(pointer, 100, alignment);
  }
}

TEST(MemoryResource, allInstancesAreEqual) {
  cleave::memory_resource another;
  EXPECT_TRUE(heap_resource()->is_equal(another));
  EXPECT_FALSE(heap_resource()->is_equal(*std::pmr::new_delete_resource()));
  const std::size_t before = live_bytes();
  another.deallocate(heap_resource()->allocate(10), 10);
  EXPECT_EQ(live_bytes(), before);
}

TEST(MemoryResource, movesContainersBetweenInstancesWithoutACopy) {
  cleave::memory_resource another;
  std::pmr::vector<int> numbers(1000, 1, heap_resource());
  const int* const place = numbers.data();
  std::pmr::vector<int> taken(&another);
  taken = std::move(numbers);
  EXPECT_EQ(taken.data(), place);
}

TEST(MemoryResource, zeroBytesArePlacesOfTheirOwn) {
  const std::size_t before = live_bytes();
  void* const one = heap_resource()->allocate(0, 1);
  void* const other = heap_resource()->allocate(0, 1);
  EXPECT_NE(one, nullptr);
  EXPECT_NE(one, other);
  heap_resource()->deallocate(one, 0, 1);
  heap_resource()->deallocate(other, 0, 1);
  EXPECT_EQ(live_bytes(), before);
}

TEST(MemoryResource, throwsWithoutMemory) {
  volatile std::size_t beyond_memory = SIZE_MAX / 2;
  EXPECT_THROW(static_cast<void>(heap_resource()->allocate(beyond_memory)), std::bad_alloc);
}

TEST(MemoryResource, servesThreads) {
  const std::size_t before = live_bytes();
  {
    std::pmr::vector<int> numbers(100, 1, heap_resource());
    std::thread([taken = std::move(numbers)]() mutable { taken.resize(5000); }).join();
  }
  EXPECT_EQ(live_bytes(), before);
}

}  // namespace
