// elements.hpp -- memory for elements, and how elements move to other memory.
//
// Arrays and builders own two things: memory, and the elements alive in it. This
// file keeps the two apart, so that a constructor that throws never leaks the
// one or destroys too many of the other.
//
//   raw_elements<T> memory(n);                 // room for n elements, none alive
//   std::uninitialized_copy_n(from, n, memory.data());
//   T* elements = memory.release();            // all alive; the caller frees them
#pragma once

#include <cleave/detail/raise.hpp>
#include <cleave/heap.hpp>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace cleave {

// True if an object of type T may be moved to other memory by copying its bytes
// and forgetting the old ones, with no constructor or destructor run. So it is
// for most types that hold pointers to others but none into themselves; say so
// for your own:
//
//   template <> inline constexpr bool cleave::is_trivially_relocatable<term> = true;
template <class T>
inline constexpr bool is_trivially_relocatable = std::is_trivially_copyable_v<T>;

}  // namespace cleave

namespace cleave::detail {

// Out of line and cold, so that the checks of cut() and its kind stay small.
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_out_of_range(const char* where) {
  raise<std::out_of_range>(where);
}
// For an array of `size` elements at `place`. That it is empty and has a place says,
// as a rule, that it was moved from.
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_out_of_range(const char* where,
                                                                      const void* place,
                                                                      std::size_t size) {
  if (size == 0 && place != nullptr) used_when_empty(place, where);
  throw_out_of_range(where);
}
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_length_error(const char* where) {
  raise<std::length_error>(where);
}

template <class T>
inline constexpr std::size_t max_elements = static_cast<std::size_t>(PTRDIFF_MAX) / sizeof(T);

// True if transfer() cannot throw.
template <class T>
inline constexpr bool is_nothrow_transferable =
    is_trivially_relocatable<T> || std::is_nothrow_move_constructible_v<T>;

// Owns memory for some elements, with none alive in it: frees it, destroys nothing.
template <class T>
class [[nodiscard]] raw_elements {
 public:
  raw_elements() noexcept = default;
  // Throws std::length_error if `n` elements are more than an object can hold,
  // std::bad_alloc if there is no memory.
  explicit raw_elements(std::size_t n) : capacity_(n) {
    if (n > max_elements<T>) throw_length_error("cleave::array: too many elements");
    data_ = static_cast<T*>(heap::allocate(n * sizeof(T), alignof(T)));
  }
  raw_elements(T* data, std::size_t n) noexcept : data_(data), capacity_(n) {}
  raw_elements(raw_elements&& other) noexcept
      : data_(other.data_), capacity_(std::exchange(other.capacity_, 0)) {}
  raw_elements& operator=(raw_elements&& other) = delete;
  ~raw_elements() {
    if (capacity_ != 0) heap::free(data_, capacity_ * sizeof(T));
  }

  // Without memory when there is none.
  static raw_elements try_make(std::size_t n) noexcept {
    if (n > max_elements<T>) return {};
    void* const data = heap::try_allocate(n * sizeof(T), alignof(T));
    return raw_elements(static_cast<T*>(data), data == nullptr ? 0 : n);
  }

  // At least `n`, with the room that the heap would otherwise lose to rounding.
  static raw_elements with_room(std::size_t n) {
    if (n > max_elements<T>) throw_length_error("cleave::array_builder: too many elements");
    const heap::sized_pointer got = heap::try_allocate_at_least(n * sizeof(T), alignof(T));
    if (got.pointer == nullptr && n != 0) raise<std::bad_alloc>();
    const std::size_t fits = got.bytes / sizeof(T);
    if (const std::size_t rest = got.bytes % sizeof(T); rest != 0) {
      heap::free(static_cast<std::byte*>(got.pointer) + fits * sizeof(T), rest);
    }
    return raw_elements(static_cast<T*>(got.pointer), fits);
  }

  void swap(raw_elements& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(capacity_, other.capacity_);
  }
  [[nodiscard]] T* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

  // Grows in place; false, and unchanged, if the memory to the right is taken.
  [[nodiscard]] bool extend(std::size_t n) noexcept {
    if (capacity_ == 0 || n > max_elements<T>) return false;
    if (!heap::extend(data_, capacity_ * sizeof(T), n * sizeof(T))) return false;
    capacity_ = n;
    return true;
  }

  // Gives up the first elements and frees the room behind them. Requires: n <= capacity().
  [[nodiscard]] T* release(std::size_t n) noexcept {
    const raw_elements spare(data_ + n, std::exchange(capacity_, 0) - n);
    return data_;
  }
  [[nodiscard]] T* release() noexcept {
    capacity_ = 0;
    return data_;
  }

 private:
  T* data_ = nullptr;
  std::size_t capacity_ = 0;
};

// Makes the `n` elements at `from` alive at `to`, in memory that does not overlap,
// and leaves shells at `from` for retire(). A type whose move may throw is copied
// if it can be, so if this throws, nothing is alive at `to` and `from` is as it
// was; of a type that can only be moved, some elements are then moved-from.
template <class T>
void transfer(T* from, std::size_t n, T* to) noexcept(is_nothrow_transferable<T>) {
  if constexpr (is_trivially_relocatable<T>) {
    if (n != 0) std::memcpy(static_cast<void*>(to), static_cast<const void*>(from), n * sizeof(T));
  } else if constexpr (is_nothrow_transferable<T> || !std::is_copy_constructible_v<T>) {
    std::uninitialized_move_n(from, n, to);
  } else {
    std::uninitialized_copy_n(static_cast<const T*>(from), n, to);
  }
}

// Ends the life of the shells that transfer() left.
template <class T>
void retire(T* shells, std::size_t n) noexcept {
  if constexpr (!is_trivially_relocatable<T>) std::destroy_n(shells, n);
}

// transfer(), with `added` elements that construct(place) makes behind. Those come
// first, so that they may be copies of the old ones. Throws as transfer() does.
template <class T, class Construct>
void transfer_and_add(T* from, std::size_t n, T* to, std::size_t added, Construct construct) {
  construct(to + n);
  if constexpr (is_nothrow_transferable<T>) {
    transfer(from, n, to);
  } else {
    struct undo {
      T* made;
      std::size_t count;
      ~undo() { std::destroy_n(made, count); }
    } guard{to + n, added};
    transfer(from, n, to);
    guard.count = 0;
  }
}

// The order of two elements: their own <=>, or a weak one made from <.
struct three_way {
  template <class T>
    requires std::three_way_comparable<T>
  auto operator()(const T& left, const T& right) const {
    return left <=> right;
  }
  template <class T>
    requires(!std::three_way_comparable<T> && requires(const T& a, const T& b) { bool{a < b}; })
  std::weak_ordering operator()(const T& left, const T& right) const {
    if (left < right) return std::weak_ordering::less;
    if (right < left) return std::weak_ordering::greater;
    return std::weak_ordering::equivalent;
  }
};

}  // namespace cleave::detail
