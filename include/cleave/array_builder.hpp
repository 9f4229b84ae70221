// array_builder.hpp -- an array that grows at its end.
//
// An array has no room to spare; a builder has a capacity. It fills, and then
// build() hands out what was filled as an array, without a copy, and frees the
// room that was not used.
//
//   array_builder<int> builder;
//   for (int i = 0; i < 1000; ++i) builder.push_back(i);
//   builder.append(std::move(more));          // an array: its elements move
//   array<int> numbers = builder.build();     // the builder is empty again
//
// Room grows by half, in place when the memory to the right is free. If a call
// throws, the elements are what they were and nothing leaks, with the exception
// that array.hpp names. All calls that add may throw std::bad_alloc, and
// std::length_error beyond max_size().
//
// Invariants (tests/array/array_builder_test.cpp): those of detail/growing.hpp, and
//   AB1  build() gives the elements in the order in which they were appended, at
//        data(), and the builder then holds no memory.
#pragma once

#include <cleave/array.hpp>
#include <cleave/detail/growing.hpp>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>

namespace cleave {

template <class T>
class [[nodiscard]] array_builder {
 public:
  using value_type = T;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = T&;
  using const_reference = const T&;
  using iterator = T*;
  using const_iterator = const T*;

  array_builder() noexcept = default;
  // Goes on where the array ends. O(1), no allocation.
  explicit array_builder(array<T>&& start) noexcept { adopt(start); }

  // Moves are O(1) and leave an empty builder behind.
  array_builder(array_builder&&) noexcept = default;
  array_builder& operator=(array_builder&&) noexcept = default;
  void swap(array_builder& other) noexcept { filled_.swap(other.filled_); }
  friend void swap(array_builder& left, array_builder& right) noexcept { left.swap(right); }

  // --- Adding at the end; the arguments may be elements of the builder ---

  void push_back(const T& value) { emplace_back(value); }
  void push_back(T&& value) { emplace_back(std::move(value)); }
  template <class... Arguments>
  T& emplace_back(Arguments&&... arguments) {
    filled_.append(1, [&](T* to) { std::construct_at(to, std::forward<Arguments>(arguments)...); });
    return back();
  }

  void append(size_type n, const T& value) {
    filled_.append(n, [&](T* to) { std::uninitialized_fill_n(to, n, value); });
  }
  void append(std::initializer_list<T> values) { append(std::span(values)); }

  // Copies of the range's elements. A range of unknown length is appended one by one;
  // if that throws, the elements appended before stay.
  template <class R>
    requires(!std::same_as<R, array<T>> && std::ranges::input_range<R> &&
             std::constructible_from<T, std::ranges::range_reference_t<R>>)
  void append(R&& range) {
    if constexpr (std::ranges::sized_range<R> || std::ranges::forward_range<R>) {
      const auto n = static_cast<size_type>(std::ranges::distance(range));
      filled_.append(n, [&](T* to) { std::ranges::uninitialized_copy(range, std::span(to, n)); });
    } else {
      for (auto&& value : range) emplace_back(std::forward<decltype(value)>(value));
    }
  }

  // Moves the elements of `next` here, and leaves it empty. O(1) if `next` begins
  // where the elements end (no spare room is between then), and if the builder has no
  // room at all.
  void append(array<T>&& next) {
    if (next.empty()) return;
    if (capacity() == 0) return adopt(next);
    if (data() + size() == next.data()) return join(next);
    filled_.append(next.size(), [&](T* to) { detail::transfer(next.data(), next.size(), to); });
    const std::span<T> shells = next.release();
    detail::retire(shells.data(), shells.size());
    heap::free(shells.data(), shells.size_bytes());
    detail::tell_copy(data(), size() * sizeof(T), shells.size_bytes());
  }

  // --- Room ---

  // Makes room for `capacity` elements in all, so that no append up to there allocates.
  void reserve(size_type capacity) { filled_.reserve(capacity); }
  [[nodiscard]] size_type capacity() const noexcept { return filled_.capacity(); }
  [[nodiscard]] static constexpr size_type max_size() noexcept { return array<T>::max_size(); }

  // --- Taking away ---

  // The elements as an array; the builder is empty and holds no memory. O(1), and the
  // free of the spare room.
  array<T> build() noexcept {
    const size_type n = size();
    return array<T>::adopt({filled_.release(), n});
  }
  // Requires: the builder is not empty.
  void pop_back() noexcept { filled_.truncate(size() - 1); }
  // Destroys the elements and keeps the room.
  void clear() noexcept { filled_.truncate(0); }

  // --- Elements: good until the room has to grow, or build() ---

  [[nodiscard]] size_type size() const noexcept { return filled_.size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] T* data() noexcept { return filled_.data(); }
  [[nodiscard]] const T* data() const noexcept { return filled_.data(); }
  [[nodiscard]] iterator begin() noexcept { return data(); }
  [[nodiscard]] iterator end() noexcept { return data() + size(); }
  [[nodiscard]] const_iterator begin() const noexcept { return data(); }
  [[nodiscard]] const_iterator end() const noexcept { return data() + size(); }
  [[nodiscard]] T& operator[](size_type i) noexcept { return data()[i]; }
  [[nodiscard]] const T& operator[](size_type i) const noexcept { return data()[i]; }
  [[nodiscard]] T& front() noexcept { return data()[0]; }
  [[nodiscard]] const T& front() const noexcept { return data()[0]; }
  [[nodiscard]] T& back() noexcept { return data()[size() - 1]; }
  [[nodiscard]] const T& back() const noexcept { return data()[size() - 1]; }

 private:
  void adopt(array<T>& start) noexcept {
    const std::span<T> elements = start.release();
    filled_ = detail::growing<T>(elements.data(), elements.size());
  }
  void join(array<T>& neighbour) noexcept {
    const std::span<T> added = neighbour.release();
    if (!empty())
      detail::tell_join(data(), (size() + added.size()) * sizeof(T), size() * sizeof(T));
    const size_type n = size() + added.size();
    filled_ = detail::growing<T>(filled_.release(), n);
  }

  detail::growing<T> filled_;
};

template <class T>
inline constexpr bool is_trivially_relocatable<array_builder<T>> = true;

}  // namespace cleave
