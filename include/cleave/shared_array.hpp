// shared_array.hpp -- an array with many owners, copied when one of them writes.
//
// Copying a shared_array copies a pointer and counts one more owner. All owners
// read the same elements. Who writes gets a copy first, unless nobody else is there.
//
//   shared_array<int> mine = share(array<int>{1, 2, 3});
//   shared_array<int> yours = mine;          // the same elements, counted
//   yours.write()[0] = 9;                    // yours [9, 2, 3], mine [1, 2, 3]
//   array<int> own = std::move(yours).into_array();   // no copy: nobody else owned it
//
// The count, and the array, stand in a small block of the heap of their own, which
// share() allocates. So the elements stay where they were, and an array that is never
// shared pays nothing. Reading costs one load more than an array.
//
// As with std::shared_ptr, owners of the same elements may be used by different
// threads at once, and a single owner by one thread, or read by many.
//
// Invariants (tests/array/shared_array_test.cpp):
//   S1  A shared_array is empty, or its block lives and counts it.
//   S2  Elements change only while they have one owner.
//   S3  The last owner destroys the elements, or moves them out with into_array().
#pragma once

#include <algorithm>
#include <atomic>
#include <cleave/array.hpp>
#include <compare>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <memory>
#include <span>
#include <utility>

namespace cleave {

template <class T>
class shared_array {
 public:
  using value_type = T;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = const T&;
  using const_reference = const T&;
  using iterator = const T*;
  using const_iterator = const T*;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using const_reverse_iterator = reverse_iterator;

  // An empty shared_array owns nothing.
  shared_array() noexcept = default;

  // The elements stay where they are. One allocation of a few bytes; none if the
  // array is empty. Throws std::bad_alloc; `elements` is unchanged.
  explicit shared_array(array<T>&& elements) {
    if (elements.empty()) return;
    detail::raw_elements<block> memory(1);
    std::construct_at(memory.data(), std::move(elements));
    block_ = memory.release();
  }

  shared_array(const shared_array& other) noexcept : block_(other.block_) {
    // Relaxed: `other` owns the block, so it lives and the count publishes nothing.
    if (block_ != nullptr) block_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  shared_array(shared_array&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  shared_array& operator=(shared_array other) noexcept {
    swap(other);
    return *this;
  }
  ~shared_array() {
    if (block_ == nullptr) return;
    // The load, acquire: if the count is one, it is ours and nobody can copy it meanwhile,
    // so no locked operation is needed, and the reads of earlier owners come before the
    // death of the elements. The subtraction, release: our reads come before that death;
    // acquire: it may be us who bring it.
    if (block_->owners.load(std::memory_order_acquire) == 1 ||
        block_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      std::destroy_at(block_);
      heap::free(block_, sizeof(block));
    }
  }
  void swap(shared_array& other) noexcept { std::swap(block_, other.block_); }
  friend void swap(shared_array& left, shared_array& right) noexcept { left.swap(right); }

  // --- Owners ---

  // True if nobody else owns the elements: write() and into_array() do not copy.
  [[nodiscard]] bool unique() const noexcept { return use_count() <= 1; }
  // The number of owners; 0 if empty. While other threads copy and drop theirs it is a
  // momentary value, except that 1 stays 1.
  [[nodiscard]] size_type use_count() const noexcept {
    // Acquire: the reads of owners that are gone come before what a sole owner writes.
    return block_ == nullptr ? 0 : block_->owners.load(std::memory_order_acquire);
  }

  // The elements, to change. Copies them first if they have other owners; the others keep
  // the old ones. Good until this owner is next copied, assigned or destroyed.
  // Throws std::bad_alloc and what a copy throws; nothing is changed.
  [[nodiscard]] std::span<T> write() {
    if (block_ == nullptr) return {};
    if (!unique()) *this = shared_array(block_->elements.clone());
    return block_->elements.span();
  }

  // Consumes this owner: the elements, without a copy if it is unique(), else copied.
  // Throws as write() does; nothing is changed.
  array<T> into_array() && {
    if (block_ == nullptr) return {};
    array<T> elements = unique() ? std::move(block_->elements) : block_->elements.clone();
    shared_array().swap(*this);
    return elements;
  }

  // --- Elements, to read ---

  [[nodiscard]] std::span<const T> span() const noexcept {
    return block_ == nullptr ? std::span<const T>() : std::as_const(block_->elements).span();
  }
  [[nodiscard]] const T* data() const noexcept { return span().data(); }
  [[nodiscard]] size_type size() const noexcept { return span().size(); }
  [[nodiscard]] bool empty() const noexcept { return block_ == nullptr; }
  [[nodiscard]] iterator begin() const noexcept { return data(); }
  [[nodiscard]] iterator end() const noexcept { return data() + size(); }
  [[nodiscard]] iterator cbegin() const noexcept { return begin(); }
  [[nodiscard]] iterator cend() const noexcept { return end(); }
  [[nodiscard]] reverse_iterator rbegin() const noexcept { return reverse_iterator(end()); }
  [[nodiscard]] reverse_iterator rend() const noexcept { return reverse_iterator(begin()); }
  // Unchecked, as front() and back() are; at() throws std::out_of_range.
  [[nodiscard]] const T& operator[](size_type i) const noexcept { return block_->elements[i]; }
  [[nodiscard]] const T& at(size_type i) const {
    if (i >= size()) detail::throw_out_of_range("cleave::shared_array::at");
    return (*this)[i];
  }
  [[nodiscard]] const T& front() const noexcept { return block_->elements.front(); }
  [[nodiscard]] const T& back() const noexcept { return block_->elements.back(); }

  friend bool operator==(const shared_array& left, const shared_array& right) {
    return std::equal(left.begin(), left.end(), right.begin(), right.end());
  }
  friend auto operator<=>(const shared_array& left, const shared_array& right)
    requires std::invocable<detail::three_way, const T&, const T&>
  {
    return std::lexicographical_compare_three_way(left.begin(), left.end(), right.begin(),
                                                  right.end(), detail::three_way{});
  }

 private:
  struct block {
    explicit block(array<T>&& taken) noexcept : elements(std::move(taken)) {}
    std::atomic<size_type> owners{1};
    array<T> elements;
  };

  block* block_ = nullptr;
};

template <class T>
inline constexpr bool is_trivially_relocatable<shared_array<T>> = true;

// shared_array(elements).
template <class T>
[[nodiscard]] shared_array<T> share(array<T>&& elements) {
  return shared_array<T>(std::move(elements));
}

}  // namespace cleave
