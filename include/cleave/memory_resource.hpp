// memory_resource.hpp -- the heap as a std::pmr::memory_resource.
//
// Containers of std::pmr take their memory from the heap when they are given
// heap_resource(); it is stateless, so all instances are equal and memory may
// be freed through any of them, from any thread. Where RTTI is off only the same
// instance is known to be equal.
//
//   std::pmr::vector<int> numbers(cleave::heap_resource());
//   std::pmr::set_default_resource(cleave::heap_resource());   // for all that name none
//
// Invariants (tests/array/memory_resource_test.cpp):
//   M1  deallocate() gives back exactly what allocate() took.
//   M2  heap_resource() works before main() and until the process ends.
#pragma once

#include <algorithm>
#include <cleave/heap.hpp>
#include <cstddef>
#include <memory_resource>
#include <new>

namespace cleave {

class CLEAVE_API memory_resource final : public std::pmr::memory_resource {
 private:
  // A resource must return memory also when it is asked for 0 bytes.
  // Throws std::bad_alloc.
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    return heap::allocate(std::max<std::size_t>(bytes, 1),
                          std::max(alignment, heap::default_alignment));
  }

  void do_deallocate(void* pointer, std::size_t bytes, std::size_t) override {
    heap::free(pointer, std::max<std::size_t>(bytes, 1));
  }

  [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
#if defined(__cpp_rtti)
    return dynamic_cast<const memory_resource*>(&other) != nullptr;
#else
    // Nothing says what the other one is: two instances then count as different.
    return this == &other;
#endif
  }
};

// The instance that everybody shares. It is never destroyed: containers with
// static storage may free through it at any time.
[[nodiscard]] inline memory_resource* heap_resource() noexcept {
  alignas(memory_resource) static std::byte storage[sizeof(memory_resource)];
  static memory_resource* const shared = ::new (storage) memory_resource;
  return shared;
}

}  // namespace cleave
