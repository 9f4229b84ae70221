// run.hpp -- the unique owner of one range of bytes of the heap.
//
// A run is cut in two, and two neighbours join, in constant time: no byte
// moves and the heap is not asked. Any run may be dropped on its own, from any
// thread, and its bytes are used again at once (docs/design/heap.md).
//
//   run left(64);                    // [0, 64)
//   run right = left.cut(16);        // left [0, 16), right [16, 64)
//   ... write left.bytes() and right.bytes() from two threads ...
//   left.join(std::move(right));     // true; left [0, 64)
//
// Invariants (tests/heap/run_test.cpp):
//   R1  A run is empty, or its bytes lie inside the reservation.
//   R2  Two live runs never share a byte.
//   R3  The sizes of all live runs add up to heap::stats().live.
//   R4  cut(at), then join(), restores the run for every at in [0, size()].
#pragma once

#include <cleave/detail/raise.hpp>
#include <cleave/detail/trivial_abi.hpp>
#include <cleave/heap.hpp>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <utility>

namespace cleave {

class [[nodiscard]] CLEAVE_PASSED_IN_REGISTERS run {
 public:
  // An empty run owns nothing and joins with anything. It may still have a
  // place: the empty piece of a cut stands where the cut was.
  run() noexcept = default;

  // A new run of `bytes` bytes, not zeroed. Throws std::bad_alloc.
  explicit run(std::size_t bytes, std::size_t alignment = heap::default_alignment)
      : data_(static_cast<std::byte*>(heap::allocate(bytes, alignment))), size_(bytes) {}

  // The same; empty when there is no memory.
  static run try_make(std::size_t bytes,
                      std::size_t alignment = heap::default_alignment) noexcept {
    void* const data = heap::try_allocate(bytes, alignment);
    return adopt(data, data == nullptr ? 0 : bytes);
  }

  // Takes over bytes of the heap that nobody else owns, such as release() gave.
  static run adopt(void* data, std::size_t bytes) noexcept {
    run result;
    result.data_ = static_cast<std::byte*>(data);
    result.size_ = bytes;
    return result;
  }

  run(run&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  run& operator=(run&& other) noexcept {
    run taken(std::move(other));
    swap(taken);
    return *this;
  }
  // Gives the bytes back to the heap. Never fails.
  ~run() { heap::free(data_, size_); }

  void swap(run& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::byte* data() noexcept { return data_; }
  [[nodiscard]] const std::byte* data() const noexcept { return data_; }

  // Good until this run is next cut, joined, moved or dropped.
  std::span<std::byte> bytes() noexcept { return {data_, size_}; }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {data_, size_}; }

  // Keeps [0, at) and returns [at, size()). O(1).
  // Throws std::out_of_range if at > size(); the run is unchanged.
  run cut(std::size_t at) {
    if (at > size_) detail::raise<std::out_of_range>("cleave::run::cut");
    if (at != 0 && at != size_) detail::tell_cut(data_, size_, at);
    return adopt(data_ + at, std::exchange(size_, at) - at);
  }

  // Appends `next` if it begins where this run ends, or if either is empty; O(1).
  // Returns false if it does not, and both runs are unchanged.
  bool join(run&& next) noexcept {
    if (next.size_ == 0) return true;
    if (size_ == 0) {
      swap(next);
      return true;
    }
    if (data_ + size_ != next.data_) return false;
    detail::tell_join(data_, size_ + next.size_, size_);
    size_ += std::exchange(next.size_, 0);
    return true;
  }

  // Grows in place to `bytes` when the memory to the right is free; false, and
  // unchanged, when it is not. Requires: bytes >= size() > 0.
  [[nodiscard]] bool extend(std::size_t bytes) noexcept {
    if (!heap::extend(data_, size_, bytes)) return false;
    size_ = bytes;
    return true;
  }

  // Keeps [0, bytes) and frees the rest at once. Throws std::out_of_range if bytes > size().
  void shrink(std::size_t bytes) { run rest = cut(bytes); }

  // Gives up ownership; the bytes are freed by adopt() or heap::free().
  [[nodiscard]] std::span<std::byte> release() noexcept {
    return {std::exchange(data_, nullptr), std::exchange(size_, 0)};
  }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace cleave
