// array.hpp -- the unique owner of elements that lie one behind the other.
//
// An array is used like a standard container, and can be cut at any element and
// joined with a neighbour in constant time: no element moves, nothing is
// allocated, the heap is not asked. Each piece is dropped on its own, and its
// memory is used again at once (docs/design/array.md).
//
//   array<int> left{1, 2, 3, 4, 5};         // [1, 2, 3, 4, 5]
//   array<int> right = left.cut(2);         // left [1, 2], right [3, 4, 5]
//   ... work on left and right in two threads ...
//   left.join(std::move(right));            // [1, 2, 3, 4, 5], at the same address
//
// The handle is a pointer and a size. It moves, it is not copied (clone() copies),
// and what it was moved from is empty. Elements are destroyed first to last. An
// empty array owns nothing, but the empty piece of a cut still knows its place.
//
// If a call throws, the arrays and elements are what they were and nothing leaks.
// The one exception are elements that cannot be copied and whose move throws. Calls
// that need memory throw std::bad_alloc, and std::length_error beyond max_size();
// the `try_` forms throw nothing. Like a standard container, an array may be read by
// many threads, or used by one.
//
// Invariants (tests/array/; valid pieces are those of this interface):
//   A1  Exactly the elements [begin(), end()) are alive, in bytes that the array owns alone.
//   A2  cut(c) leaves [a, a + c) and gives [a + c, a + n), for every c in [0, n].
//   A3  cut(c), then join(), restores the array for every c in [0, n].
//   A4  Joining with an empty array, on either side, is the identity.
//   A5  Each element is destroyed once, however the array was cut, joined and moved.
#pragma once

#include <algorithm>
#include <cleave/detail/elements.hpp>
#include <cleave/detail/growing.hpp>
#include <cleave/detail/trivial_abi.hpp>
#include <compare>
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
class [[nodiscard]] CLEAVE_PASSED_IN_REGISTERS array {
 public:
  using value_type = T;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = T&;
  using const_reference = const T&;
  using pointer = T*;
  using const_pointer = const T*;
  using iterator = T*;
  using const_iterator = const T*;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;

  // --- Making: one allocation, of exactly the elements' size ---

  array() noexcept = default;
  explicit array(size_type n) : array(make(n, value_initialise(n))) {}
  array(size_type n, const T& value) : array(make(n, copies_of(n, value))) {}
  array(std::initializer_list<T> values) : array(values.begin(), values.end()) {}

  // The values of [first, last). A range that can be read only once, and whose
  // length is not known before, costs O(log n) allocations.
  template <std::input_iterator I, std::sentinel_for<I> S>
  array(I first, S last) : array(copy_range(std::move(first), std::move(last))) {}

  template <class R>
    requires(!std::same_as<std::remove_cvref_t<R>, array> && std::ranges::input_range<R> &&
             std::constructible_from<T, std::ranges::range_reference_t<R>>)
  explicit array(R&& range) : array(copy_range(std::forward<R>(range))) {}

  // `n` default-initialised elements: numbers are left as the memory has them.
  static array for_overwrite(size_type n) { return make(n, default_initialise(n)); }

  // The same as array(n), for_overwrite(n) and clone(); empty when there is no memory.
  static array try_make(size_type n) noexcept
    requires std::is_nothrow_default_constructible_v<T>
  {
    return try_make(n, value_initialise(n));
  }
  static array try_for_overwrite(size_type n) noexcept
    requires std::is_nothrow_default_constructible_v<T>
  {
    return try_make(n, default_initialise(n));
  }
  [[nodiscard]] array try_clone() const noexcept
    requires std::is_nothrow_copy_constructible_v<T>
  {
    return try_make(size_, [this](T* to) { std::uninitialized_copy_n(data_, size_, to); });
  }
  [[nodiscard]] array clone() const {
    return make(size_, [this](T* to) { std::uninitialized_copy_n(data_, size_, to); });
  }

  // Takes over elements that nobody else owns, in memory of the heap, such as
  // release() gave.
  static array adopt(std::span<T> elements) noexcept {
    return array(elements.data(), elements.size());
  }
  // Gives up the elements, and leaves an empty array.
  [[nodiscard]] std::span<T> release() noexcept { return {data_, std::exchange(size_, 0)}; }

  array(array&& other) noexcept : data_(other.data_), size_(std::exchange(other.size_, 0)) {}
  array& operator=(array&& other) noexcept {
    array taken(std::move(other));
    swap(taken);
    return *this;
  }
  array& operator=(std::initializer_list<T> values) { return *this = array(values); }
  // Inlined by force, as match() and into_value() are: a call would take the address of
  // the array, which then could not stay in registers.
  [[gnu::always_inline]] ~array() {
    static_assert(std::is_object_v<T> && std::same_as<T, std::remove_cv_t<T>>,
                  "an array owns objects that are neither const nor volatile");
    static_assert(std::is_nothrow_destructible_v<T>);
    if (size_ != 0) drop(data_, size_);
  }

  // New contents, in new memory.
  void assign(size_type n, const T& value) { *this = array(n, value); }
  void assign(std::initializer_list<T> values) { *this = array(values); }
  template <std::input_iterator I, std::sentinel_for<I> S>
  void assign(I first, S last) {
    *this = array(std::move(first), std::move(last));
  }
  void swap(array& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }
  friend void swap(array& left, array& right) noexcept { left.swap(right); }

  // --- Elements: pointers and references are good until the element's owner drops
  //     it or moves it to other memory; cutting and joining neighbours does neither ---

  [[nodiscard]] T* data() noexcept { return data_; }
  [[nodiscard]] const T* data() const noexcept { return data_; }
  [[nodiscard]] size_type size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] static constexpr size_type max_size() noexcept { return detail::max_elements<T>; }

  [[nodiscard]] iterator begin() noexcept { return data_; }
  [[nodiscard]] iterator end() noexcept { return data_ + size_; }
  [[nodiscard]] const_iterator begin() const noexcept { return data_; }
  [[nodiscard]] const_iterator end() const noexcept { return data_ + size_; }
  [[nodiscard]] const_iterator cbegin() const noexcept { return begin(); }
  [[nodiscard]] const_iterator cend() const noexcept { return end(); }
  [[nodiscard]] reverse_iterator rbegin() noexcept { return reverse_iterator(end()); }
  [[nodiscard]] reverse_iterator rend() noexcept { return reverse_iterator(begin()); }
  [[nodiscard]] const_reverse_iterator rbegin() const noexcept {
    return const_reverse_iterator(end());
  }
  [[nodiscard]] const_reverse_iterator rend() const noexcept {
    return const_reverse_iterator(begin());
  }
  [[nodiscard]] const_reverse_iterator crbegin() const noexcept { return rbegin(); }
  [[nodiscard]] const_reverse_iterator crend() const noexcept { return rend(); }
  [[nodiscard]] std::span<T> span() noexcept { return {data_, size_}; }
  [[nodiscard]] std::span<const T> span() const noexcept { return {data_, size_}; }

  // Unchecked, as front() and back() are; at() throws std::out_of_range.
  [[nodiscard]] T& operator[](size_type i) noexcept { return data_[i]; }
  [[nodiscard]] const T& operator[](size_type i) const noexcept { return data_[i]; }
  [[nodiscard]] T& at(size_type i) { return data_[checked(i)]; }
  [[nodiscard]] const T& at(size_type i) const { return data_[checked(i)]; }
  [[nodiscard]] T& front() noexcept { return data_[0]; }
  [[nodiscard]] const T& front() const noexcept { return data_[0]; }
  [[nodiscard]] T& back() noexcept { return data_[size_ - 1]; }
  [[nodiscard]] const T& back() const noexcept { return data_[size_ - 1]; }

  // Assigns to the elements that are there.
  void fill(const T& value) { std::fill_n(data_, size_, value); }

  friend bool operator==(const array& left, const array& right) {
    return std::equal(left.begin(), left.end(), right.begin(), right.end());
  }
  friend auto operator<=>(const array& left, const array& right)
    requires std::invocable<detail::three_way, const T&, const T&>
  {
    return std::lexicographical_compare_three_way(left.begin(), left.end(), right.begin(),
                                                  right.end(), detail::three_way{});
  }

  // --- Cutting ---

  // Keeps [0, at) and returns [at, size()). O(1).
  // Throws std::out_of_range if at > size(); the array is unchanged.
  array cut(size_type at) {
    if (at > size_) detail::throw_out_of_range("cleave::array::cut");
    tell_cut(data_, size_, at);
    return array(data_ + at, std::exchange(size_, at) - at);
  }

  // Consumes the array: the first size() / 2 elements, and the others, which are
  // one more if size() is odd. O(1).
  std::pair<array, array> halves() && noexcept {
    const size_type half = size_ / 2;
    tell_cut(data_, size_, half);
    const size_type rest = std::exchange(size_, 0) - half;
    return {array(data_, half), array(data_ + half, rest)};
  }

  // Consumes the array, seen as a tree. One element is a leaf; more are a node of the
  // two halves(). O(1), and the callbacks. Returns what node(left, right) returns.
  //
  // `leaf` takes the cell, an array of one. It can write a new value there and return
  // the cell, so that a tree is rebuilt from its leaves in place, without allocation.
  // If it does not take arrays, it gets the value, and the cell is freed before.
  //
  //   array<int> twice(array<int> tree) {
  //     return match(
  //         std::move(tree),
  //         [](array<int> cell) { cell[0] *= 2; return cell; },
  //         [](array<int> l, array<int> r) {
  //           array<int> left = twice(std::move(l)), right = twice(std::move(r));
  //           return join(std::move(left), std::move(right));
  //         });
  //   }
  //
  // Throws std::out_of_range if the array is empty. What a callback throws passes
  // through; the pieces were its own.
  template <class Leaf, class Node>
  [[gnu::always_inline]] inline std::invoke_result_t<Node, array, array> match(Leaf&& leaf,
                                                                               Node&& node) && {
    if (size_ > 1) [[likely]] {
      const size_type half = size_ / 2;
      tell_cut(data_, size_, half);
      const size_type rest = std::exchange(size_, 0) - half;
      return std::forward<Node>(node)(array(data_, half), array(data_ + half, rest));
    }
    if (size_ == 0) {
      detail::throw_out_of_range("cleave::array::match: an empty array", data_, size_);
    }
    if constexpr (std::invocable<Leaf, array>) {
      return std::forward<Leaf>(leaf)(array(std::move(*this)));
    } else {
      return std::forward<Leaf>(leaf)(std::move(*this).into_value());
    }
  }

  // Consumes an array of one: moves the element out and frees its memory.
  // Throws std::out_of_range if size() is not 1, and what the move throws.
  [[nodiscard, gnu::always_inline]] T into_value() && {
    if (size_ != 1) detail::throw_out_of_range("cleave::array::into_value", data_, size_);
    T value(std::move(*data_));
    std::destroy_at(data_);
    size_ = 0;
    heap::free(data_, sizeof(T));
    return value;
  }

  // --- Joining: `next` is empty after success, and unchanged otherwise ---

  // Appends `next` if it begins where this array ends, or if either is empty. O(1).
  // Returns false if not, and both are unchanged.
  [[nodiscard]] bool try_join_adjacent(array&& next) noexcept {
    // First, since it also holds for the empty pieces of a cut, and then folds away.
    if (data_ + size_ == next.data_) [[likely]] {
      tell_join(data_, size_, next.size_);
      size_ += std::exchange(next.size_, 0);
      return true;
    }
    if (size_ == 0) swap(next);
    return next.size_ == 0;
  }

  // Appends `next`: O(1) as above, else one allocation to which all elements move.
  // Joining an array with itself changes nothing.
  array& join(array&& next) {
    if (!try_join_adjacent(std::move(next)) && &next != this) [[unlikely]] {
      data_ = join_elsewhere(data_, size_, next.data_, next.size_);
      size_ += std::exchange(next.size_, 0);
    }
    return *this;
  }
  // Returns false if there is no memory, and both are unchanged.
  [[nodiscard]] bool try_join(array&& next) noexcept
    requires detail::is_nothrow_transferable<T>
  {
    if (try_join_adjacent(std::move(next)) || &next == this) return true;
    T* const whole = try_join_elsewhere(data_, size_, next.data_, next.size_);
    if (whole == nullptr) return false;
    data_ = whole;
    size_ += std::exchange(next.size_, 0);
    return true;
  }

  // --- Size ---

  // Keeps [0, n), destroys the others and frees their memory at once.
  // Throws std::out_of_range if n > size().
  void shrink(size_type n) { const array rest = cut(n); }
  void clear() noexcept { const array rest(std::move(*this)); }

  // Adds value-initialised elements, or copies of `value` (which may be an element),
  // up to `n`: in place when the memory to the right is free, else in one allocation to
  // which all elements move. For repeated growth use array_builder.
  // Throws std::out_of_range if n < size().
  void grow(size_type n) { grow_with(n, value_initialise(n - size_)); }
  void grow(size_type n, const T& value) { grow_with(n, copies_of(n - size_, value)); }

  // Grows in place; false, and unchanged, when the memory to the right is not free.
  // Requires: n >= size().
  [[nodiscard]] bool extend(size_type n) { return extend_with(n, value_initialise(n - size_)); }

  // grow() or shrink().
  void resize(size_type n) { n < size_ ? shrink(n) : grow(n); }
  void resize(size_type n, const T& value) { n < size_ ? shrink(n) : grow(n, value); }

  // For a small piece that is to outlive the array it was cut from: moves up to
  // detach_limit bytes to memory of their own, so that they do not keep a page in use
  // that is otherwise free. Larger pieces stay where they are, since what they could
  // free is small beside them. One allocation, or none; without memory nothing happens.
  // heap::kept_by() tells what a piece keeps from being used at this moment.
  static constexpr size_type detach_limit = 1024;
  void detach() noexcept
    requires detail::is_nothrow_transferable<T>
  {
    if (size_ == 0 || size_ > detach_limit / sizeof(T)) return;
    auto own = detail::raw_elements<T>::try_make(size_);
    if (own.capacity() != 0) move_to(own);
  }

 private:
  array(T* data, size_type size) noexcept : data_(data), size_(size) {}

  // For programs that are compiled to be recorded; else nothing. A piece that is empty is no
  // news.
  static void tell_cut(const T* data, size_type n, size_type left) noexcept {
    if constexpr (detail::tells_pieces) {
      if (left != 0 && left != n) detail::tell_cut(data, n * sizeof(T), left * sizeof(T));
    }
  }
  static void tell_join(const T* data, size_type left, size_type right) noexcept {
    if constexpr (detail::tells_pieces) {
      if (left == 0 || right == 0) return;
      detail::tell_join(data, (left + right) * sizeof(T), left * sizeof(T));
    }
  }

  // What makes elements in raw memory; each undoes its part if a constructor throws.
  static auto value_initialise(size_type n) noexcept {
    return [n](T* to) { std::uninitialized_value_construct_n(to, n); };
  }
  static auto default_initialise(size_type n) noexcept {
    return [n](T* to) { std::uninitialized_default_construct_n(to, n); };
  }
  static auto copies_of(size_type n, const T& value) noexcept {
    return [n, &value](T* to) { std::uninitialized_fill_n(to, n, value); };
  }

  static void drop(T* data, size_type n) noexcept {
    std::destroy_n(data, n);
    heap::free(data, n * sizeof(T));
  }

  template <class Construct>
  static array make(size_type n, Construct construct) {
    detail::raw_elements<T> memory(n);
    construct(memory.data());
    return array(memory.release(), n);
  }
  template <class Construct>
  static array try_make(size_type n, Construct construct) noexcept {
    auto memory = detail::raw_elements<T>::try_make(n);
    if (memory.capacity() == 0) return {};
    construct(memory.data());
    return array(memory.release(), n);
  }

  template <class I, class S>
  static array copy_range(I first, S last) {
    if constexpr (std::forward_iterator<I> || std::sized_sentinel_for<S, I>) {
      const auto n = static_cast<size_type>(std::ranges::distance(first, last));
      return make(n, [&](T* to) {
        std::ranges::uninitialized_copy(std::move(first), std::move(last), to, to + n);
      });
    } else {
      detail::growing<T> read;
      for (; first != last; ++first) {
        read.append(1, [&first](T* to) { std::construct_at(to, *first); });
      }
      const size_type n = read.size();
      return array(read.release(), n);
    }
  }
  template <class R>
  static array copy_range(R&& range) {
    if constexpr (std::ranges::sized_range<R>) {
      const auto n = static_cast<size_type>(std::ranges::size(range));
      return make(n, [&](T* to) { std::ranges::uninitialized_copy(range, std::span(to, n)); });
    } else {
      return copy_range(std::ranges::begin(range), std::ranges::end(range));
    }
  }

  [[nodiscard]] size_type checked(size_type i) const {
    if (i >= size_) detail::throw_out_of_range("cleave::array::at", data_, size_);
    return i;
  }

  template <class Construct>
  bool extend_with(size_type n, Construct construct) {
    if (n == size_) return true;
    if (size_ == 0 || n > max_size()) return false;
    if (!heap::extend(data_, size_ * sizeof(T), n * sizeof(T))) return false;
    detail::raw_elements<T> added(data_ + size_, n - size_);
    construct(added.data());
    (void)added.release();
    size_ = n;
    return true;
  }
  template <class Construct>
  void grow_with(size_type n, Construct construct) {
    if (n < size_) detail::throw_out_of_range("cleave::array::grow");
    if (extend_with(n, construct)) return;
    detail::raw_elements<T> wider(n);
    detail::transfer_and_add(data_, size_, wider.data(), n - size_, construct);
    detail::retire(data_, size_);
    if (size_ != 0) heap::free(data_, size_ * sizeof(T));
    data_ = wider.release();
    size_ = n;
  }

  // Moves the elements of two arrays to new memory and frees the old; none is empty.
  // Takes no arrays, so that those of the caller can stay in registers.
  [[gnu::noinline]] static T* join_elsewhere(T* left, size_type n, T* right, size_type m) {
    if (m > max_size() - n) detail::throw_length_error("cleave::array::join");
    detail::raw_elements<T> whole(n + m);
    return join_in(whole, left, n, right, m);
  }
  [[gnu::noinline]] static T* try_join_elsewhere(T* left, size_type n, T* right,
                                                 size_type m) noexcept {
    auto whole = detail::raw_elements<T>::try_make(n + m);
    return whole.capacity() == 0 ? nullptr : join_in(whole, left, n, right, m);
  }
  static T* join_in(detail::raw_elements<T>& whole, T* left, size_type n, T* right, size_type m) {
    detail::transfer_and_add(left, n, whole.data(), m,
                             [right, m](T* to) { detail::transfer(right, m, to); });
    detail::retire(left, n);
    detail::retire(right, m);
    heap::free(left, n * sizeof(T));
    heap::free(right, m * sizeof(T));
    detail::tell_copy(whole.data(), (n + m) * sizeof(T), (n + m) * sizeof(T));
    return whole.release();
  }
  void move_to(detail::raw_elements<T>& own) noexcept {
    detail::transfer(data_, size_, own.data());
    detail::retire(data_, size_);
    heap::free(data_, size_ * sizeof(T));
    data_ = own.release();
  }

  T* data_ = nullptr;
  size_type size_ = 0;
};

static_assert(sizeof(array<int>) == 2 * sizeof(void*));

template <std::input_iterator I, std::sentinel_for<I> S>
array(I, S) -> array<std::iter_value_t<I>>;
template <std::ranges::input_range R>
array(R&&) -> array<std::ranges::range_value_t<R>>;

template <class T>
inline constexpr bool is_trivially_relocatable<array<T>> = true;

// `left`, then `right`: O(1) for neighbours and with an empty array, else one
// allocation to which all elements move. Both are empty after; if this throws,
// both are unchanged.
template <class T>
array<T> join(array<T>&& left, array<T>&& right) {
  left.join(std::move(right));
  return std::move(left);
}

// array::match.
template <class T, class Leaf, class Node>
[[gnu::always_inline]] inline std::invoke_result_t<Node, array<T>, array<T>> match(
    array<T>&& tree, Leaf&& leaf, Node&& node) {
  return std::move(tree).match(std::forward<Leaf>(leaf), std::forward<Node>(node));
}

}  // namespace cleave
