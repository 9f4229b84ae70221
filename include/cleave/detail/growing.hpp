// growing.hpp -- elements at the front of memory that has room for more.
//
// The core of array_builder, and of arrays made from a range that can be read
// only once. Room grows by half of what is there: first in place, when the
// memory to the right is free, else in a new allocation.
//
// Invariants (tests/array/array_builder_test.cpp):
//   G1  size() <= capacity(); exactly the elements [0, size()) are alive.
//   G2  An append that throws changes no element, size or order.
#pragma once

#include <algorithm>
#include <cleave/detail/elements.hpp>
#include <cstddef>
#include <memory>
#include <utility>

namespace cleave::detail {

template <class T>
class growing {
 public:
  growing() noexcept = default;
  // Takes over `size` elements that are alive in memory of that size.
  growing(T* data, std::size_t size) noexcept : memory_(data, size), size_(size) {}
  growing(growing&& other) noexcept
      : memory_(std::move(other.memory_)), size_(std::exchange(other.size_, 0)) {}
  growing& operator=(growing&& other) noexcept {
    growing taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~growing() { std::destroy_n(data(), size_); }

  void swap(growing& other) noexcept {
    memory_.swap(other.memory_);
    std::swap(size_, other.size_);
  }
  [[nodiscard]] T* data() const noexcept { return memory_.data(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return memory_.capacity(); }
  [[nodiscard]] std::size_t spare() const noexcept { return capacity() - size_; }

  // Appends `n` elements, which construct(place) makes. They may be copies of
  // elements that are here. Amortised O(n).
  template <class Construct>
  void append(std::size_t n, Construct construct) {
    if (n > spare()) [[unlikely]] return append_with_more_room(n, construct);
    construct(data() + size_);
    size_ += n;
  }

  void reserve(std::size_t capacity) {
    if (capacity <= this->capacity() || memory_.extend(capacity)) return;
    move_to(raw_elements<T>::with_room(capacity), 0, [](T*) {});
  }

  // Destroys the elements [size, size()), the first one first.
  void truncate(std::size_t size) noexcept {
    std::destroy_n(data() + size, std::exchange(size_, size) - size);
  }

  // Gives up the elements [0, size()) and frees the spare room; empty after.
  [[nodiscard]] T* release() noexcept { return memory_.release(std::exchange(size_, 0)); }

 private:
  template <class Construct>
  [[gnu::noinline]] void append_with_more_room(std::size_t n, Construct& construct) {
    if (n > max_elements<T> - size_) throw_length_error("cleave::array_builder: too many elements");
    const std::size_t needed = size_ + n;
    const std::size_t half_more = capacity() + capacity() / 2;
    const std::size_t wanted = std::max(needed, std::min(half_more, max_elements<T>));
    if (memory_.extend(wanted) || memory_.extend(needed)) return append(n, construct);
    move_to(raw_elements<T>::with_room(wanted), n, construct);
    size_ += n;
  }

  template <class Construct>
  void move_to(raw_elements<T> wider, std::size_t added, Construct&& construct) {
    transfer_and_add(data(), size_, wider.data(), added, construct);
    retire(data(), size_);
    memory_.swap(wider);
  }

  raw_elements<T> memory_;
  std::size_t size_ = 0;
};

}  // namespace cleave::detail
