// byte_buffer.hpp -- a growable run of bytes that is cut into frames.
//
// Bytes arrive at the end, and whole frames leave at the front, in O(1): no
// byte moves and nothing is counted. Each piece owns its bytes alone. A frame
// that is kept holds exactly its own bytes, and dropping one gives its bytes
// back at once, whatever happens to its neighbours (docs/guide/byte_buffer.md).
//
//   byte_buffer in;
//   in.append(chunk);                          // as it came from the wire
//   byte_buffer frame = in.split_to(length);   // frame [0, length), in has the rest
//   in.advance(2);                             // the two bytes are free now
//
// The functions that Rust's `bytes` also has mean here what they mean there.
//
//   data()            data() + size()          data() + capacity()
//     [ the content ... )[ the spare room ........ )
//
// Errors: std::bad_alloc without memory, std::out_of_range for a position past
// the end; a `try_` form returns false instead. The buffer and the arguments are
// then what they were before.
//
// Invariants (tests/array/byte_buffer_test.cpp):
//   B1  size() <= capacity(), and the buffer owns [data(), data() + capacity()).
//   B2  The capacities of all buffers add up to what they hold of heap::live_bytes().
//   B3  split_to(at), split_off(at) and split(), then unsplit(), restore the
//       buffer in place.
#pragma once

#include <algorithm>
#include <cleave/detail/raise.hpp>
#include <cleave/heap.hpp>
#include <cleave/run.hpp>
#include <compare>
#include <cstddef>
#include <cstring>
#include <new>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace cleave {

class [[nodiscard]] byte_buffer {
 public:
  using value_type = std::byte;

  byte_buffer() noexcept = default;

  // A copy of the bytes.
  explicit byte_buffer(std::span<const std::byte> bytes) { append(bytes); }
  explicit byte_buffer(std::string_view text) { append(text); }

  // Takes over the bytes of the run; all of them are content.
  explicit byte_buffer(run&& bytes) noexcept : size_(bytes.size()), capacity_(bytes.size()) {
    data_ = bytes.release().data();
  }

  // An empty buffer with room for at least `bytes` bytes.
  static byte_buffer with_capacity(std::size_t bytes) {
    byte_buffer result;
    result.reserve(bytes);
    return result;
  }

  byte_buffer(byte_buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  byte_buffer& operator=(byte_buffer&& other) noexcept {
    byte_buffer taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~byte_buffer() {
    if (capacity_ != 0) heap::free(data_, capacity_);
  }

  void swap(byte_buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::byte* data() noexcept { return data_; }
  [[nodiscard]] const std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::byte* begin() noexcept { return data_; }
  [[nodiscard]] const std::byte* begin() const noexcept { return data_; }
  [[nodiscard]] std::byte* end() noexcept { return data_ + size_; }
  [[nodiscard]] const std::byte* end() const noexcept { return data_ + size_; }
  // Requires: index < size().
  [[nodiscard]] std::byte& operator[](std::size_t index) noexcept { return data_[index]; }
  [[nodiscard]] std::byte operator[](std::size_t index) const noexcept { return data_[index]; }

  // Views of the content, good until the buffer is next changed.
  [[nodiscard]] std::span<std::byte> bytes() noexcept { return {data_, size_}; }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {data_, size_}; }
  [[nodiscard]] std::string_view text() const noexcept {
    return {reinterpret_cast<const char*>(data_), size_};
  }

  // The room behind the content, for a reader to write into; commit(n) then
  // makes its first n bytes content. Throws std::out_of_range if n is more than there is.
  [[nodiscard]] std::span<std::byte> spare() noexcept { return {end(), capacity_ - size_}; }
  void commit(std::size_t bytes) {
    check(bytes <= capacity_ - size_, "cleave::byte_buffer::commit");
    size_ += bytes;
  }

  // Keeps [at, size()) and the spare room, returns [0, at). O(1).
  // Throws std::out_of_range if at > size().
  byte_buffer split_to(std::size_t at) {
    check(at <= size_, "cleave::byte_buffer::split_to");
    if (at != 0 && at != capacity_) detail::tell_cut(data_, capacity_, at);
    byte_buffer front(data_, at, at);
    data_ += at;
    size_ -= at;
    capacity_ -= at;
    return front;
  }

  // Keeps [0, at), returns [at, capacity()): the content from there on, and the
  // spare room. O(1). Throws std::out_of_range if at > capacity().
  byte_buffer split_off(std::size_t at) {
    check(at <= capacity_, "cleave::byte_buffer::split_off");
    if (at != 0 && at != capacity_) detail::tell_cut(data_, capacity_, at);
    byte_buffer back(data_ + at, size_ - std::min(at, size_), capacity_ - at);
    size_ = std::min(at, size_);
    capacity_ = at;
    return back;
  }

  // Returns the content, keeps the spare room. O(1).
  byte_buffer split() noexcept {
    if (size_ != 0 && size_ != capacity_) detail::tell_cut(data_, capacity_, size_);
    byte_buffer content(data_, size_, size_);
    data_ += size_;
    capacity_ -= std::exchange(size_, 0);
    return content;
  }

  // Appends `next` in O(1) if it begins where this buffer's memory ends and no
  // room would be left in between, or if this buffer is empty (its room is freed).
  // Returns false if it cannot, and both are unchanged.
  bool try_unsplit(byte_buffer&& next) noexcept {
    if (next.capacity_ == 0) return true;
    const bool touch = capacity_ != 0 && data_ + capacity_ == next.data_;
    if (touch && (size_ == capacity_ || next.size_ == 0)) {
      detail::tell_join(data_, capacity_ + next.capacity_, capacity_);
      size_ += std::exchange(next.size_, 0);
      capacity_ += std::exchange(next.capacity_, 0);
      return true;
    }
    if (size_ != 0) return false;
    *this = std::move(next);
    return true;
  }

  // The same, but copies the content of `next` when it cannot join; `next` is
  // empty afterwards. Requires: &next != this. Throws std::bad_alloc.
  void unsplit(byte_buffer&& next) {
    if (try_unsplit(std::move(next))) return;
    append(next.bytes());
    detail::tell_copy(data_, size_, next.size_);
    next = byte_buffer();
  }

  // Frees the first `bytes` bytes at once. Throws std::out_of_range if bytes > size().
  void advance(std::size_t bytes) {
    check(bytes <= size_, "cleave::byte_buffer::advance");
    if (bytes != 0) heap::free(data_, bytes);
    data_ += bytes;
    size_ -= bytes;
    capacity_ -= bytes;
  }

  // Drops the content from `size` on; the room stays. No-op if size >= size().
  void truncate(std::size_t size) noexcept { size_ = std::min(size, size_); }
  void clear() noexcept { size_ = 0; }

  // Frees the spare room at once.
  void shrink_to_fit() noexcept {
    if (capacity_ != size_) heap::free(end(), capacity_ - size_);
    capacity_ = size_;
  }

  // Makes room for `additional` bytes behind the content, which may move. Amortised
  // O(1) per byte.
  void reserve(std::size_t additional) {
    if (!try_reserve(additional)) detail::raise<std::bad_alloc>();
  }
  [[nodiscard]] bool try_reserve(std::size_t additional) noexcept {
    if (additional <= capacity_ - size_) return true;
    byte_buffer outgrown;
    return grow(additional, outgrown);
  }

  // The bytes may lie inside this buffer.
  void append(std::span<const std::byte> bytes) {
    if (!try_append(bytes)) detail::raise<std::bad_alloc>();
  }
  void append(std::string_view text) { append(std::as_bytes(std::span(text))); }
  [[nodiscard]] bool try_append(std::span<const std::byte> bytes) noexcept {
    if (bytes.empty()) return true;
    byte_buffer outgrown;
    if (bytes.size() > capacity_ - size_ && !grow(bytes.size(), outgrown)) return false;
    std::memcpy(end(), bytes.data(), bytes.size());
    size_ += bytes.size();
    return true;
  }

  // Truncates, or appends copies of `fill`.
  void resize(std::size_t size, std::byte fill = {}) {
    if (!try_resize(size, fill)) detail::raise<std::bad_alloc>();
  }
  [[nodiscard]] bool try_resize(std::size_t size, std::byte fill = {}) noexcept {
    if (size > size_) {
      if (!try_reserve(size - size_)) return false;
      std::fill_n(end(), size - size_, fill);
    }
    size_ = size;
    return true;
  }

  // The content as a run, which can be cut and shared out further; the spare
  // room is freed. O(1), no byte moves.
  [[nodiscard]] run into_run() && noexcept {
    shrink_to_fit();
    capacity_ = 0;
    return run::adopt(std::exchange(data_, nullptr), std::exchange(size_, 0));
  }

  // Compare the contents.
  friend bool operator==(const byte_buffer& left, const byte_buffer& right) noexcept {
    return left.text() == right.text();
  }
  friend auto operator<=>(const byte_buffer& left, const byte_buffer& right) noexcept {
    return left.text() <=> right.text();
  }

 private:
  byte_buffer(std::byte* data, std::size_t size, std::size_t capacity) noexcept
      : data_(data), size_(size), capacity_(capacity) {}

  static void check(bool holds, const char* where) {
    if (!holds) detail::raise<std::out_of_range>(where);
  }

  // Less than this moves to memory that was used a moment ago; a window over a stream
  // would else walk to the right through memory that the system must first bring.
  static constexpr std::size_t moving_limit = std::size_t{256} << 10;

  // Makes the capacity at least size() + additional, and at least doubles the
  // content, so that moving costs O(1) per byte that arrives. Memory that the
  // content has left goes to `outgrown`, since the caller may still read from it.
  // Requires: additional > capacity() - size().
  bool grow(std::size_t additional, byte_buffer& outgrown) noexcept {
    // The first half never fails; compilers that cannot know it warn of the copy below.
    constexpr std::size_t most = SIZE_MAX / 2;
    if (size_ > most || additional > most - size_) return false;
    const std::size_t wanted = std::max(size_ + additional, 2 * size_);
    if (size_ > moving_limit && heap::extend(data_, capacity_, wanted)) {
      capacity_ = wanted;
      return true;
    }
    heap::sized_pointer room = heap::try_allocate_at_least(wanted);
    if (room.pointer == nullptr) room = heap::try_allocate_at_least(size_ + additional);
    if (room.pointer == nullptr) return false;
    byte_buffer grown(static_cast<std::byte*>(room.pointer), size_, room.bytes);
    if (size_ != 0) std::memcpy(grown.data_, data_, size_);
    outgrown.swap(*this);
    swap(grown);
    return true;
  }

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace cleave
