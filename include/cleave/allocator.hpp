// allocator.hpp -- the heap as the allocator of a standard container.
//
// Stateless, so it costs a container no memory, all allocators are equal, and
// containers swap and move their elements' memory freely. Frees carry their
// size, which is all that the heap asks for.
//
//   std::vector<int, cleave::allocator<int>> numbers;
//
// Beyond the standard's requirements: `try_` forms that return null instead of
// throwing, and memory may be given back in pieces, for code that manages
// storage by itself.
//
//   allocator<int> source;
//   auto [first, count] = source.try_allocate_at_least(1000);
//   source.deallocate(first + 600, count - 600);   // the rest is still owned
//
// Invariants (tests/array/allocator_test.cpp):
//   A1  allocate(n) takes exactly n * sizeof(T) bytes of heap::live_bytes(), and
//       deallocate() gives exactly as many back.
//   A2  Memory is aligned for T, however large its alignment.
#pragma once

#include <algorithm>
#include <cleave/detail/raise.hpp>
#include <cleave/heap.hpp>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

namespace cleave {

// Storage for `count` elements, all of which must be deallocated.
template <class T>
struct allocation {
  T* pointer = nullptr;
  std::size_t count = 0;
};

template <class T>
class allocator {
 public:
  using value_type = T;
  using propagate_on_container_copy_assignment = std::true_type;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;
  using is_always_equal = std::true_type;

  constexpr allocator() noexcept = default;
  template <class U>
  constexpr allocator(const allocator<U>&) noexcept {}

  // Storage for exactly `count` elements (0 gives nullptr). Throws
  // std::bad_array_new_length if the size is not a number, else std::bad_alloc.
  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > most) detail::raise<std::bad_array_new_length>();
    return static_cast<T*>(heap::allocate(count * sizeof(T), alignment));
  }

  // The same. Error: nullptr.
  [[nodiscard]] T* try_allocate(std::size_t count) noexcept {
    if (count > most) return nullptr;
    return static_cast<T*>(heap::try_allocate(count * sizeof(T), alignment));
  }

  // Storage for at least `count` elements: as many as fit where rounding up
  // would otherwise leave room. Error: {nullptr, 0}.
  [[nodiscard]] allocation<T> try_allocate_at_least(std::size_t count) noexcept {
    if (count > most) return {};
    const heap::sized_pointer room = heap::try_allocate_at_least(count * sizeof(T), alignment);
    T* const first = static_cast<T*>(room.pointer);
    const std::size_t fitting = room.bytes / sizeof(T);
    if (const std::size_t rest = room.bytes % sizeof(T); rest != 0) {
      heap::free(first + fitting, rest);
    }
    return {first, fitting};
  }

  // Gives back storage for `count` elements from `first` on: all of an
  // allocation, or any piece of one. Never fails.
  void deallocate(T* first, std::size_t count) noexcept { heap::free(first, count * sizeof(T)); }

  friend constexpr bool operator==(const allocator&, const allocator&) noexcept { return true; }

 private:
  static constexpr std::size_t alignment = std::max(alignof(T), heap::default_alignment);
  static constexpr std::size_t most = PTRDIFF_MAX / sizeof(T);
};

}  // namespace cleave
