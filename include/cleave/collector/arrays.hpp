// arrays.hpp -- arrays of bytes, which can be let go, and arrays of references.
//
//   gc::local<gc::byte_array> a = m.make_bytes(1 << 20);
//   std::memset(a->data(), 7, a->size());
//   m.forget(a);                                  // its memory is free now, not some day
//   a->bytes();                                   // throws forgotten_array: nothing dangles
//
//   gc::local<gc::ref_array<node>> row = m.make_refs<node>(100);
//   row->set(3, some_local);
//
// Up to the collector's large threshold the elements lie in the object and move with it.
// Beyond it the object is a small proxy, and the elements are a run of the heap of their
// own that never moves, the payload. No object points at a payload, and no collection
// reads one of bytes. So a payload may go at any moment: whoever still has the array, a
// living object or a dead one, finds the proxy.
#pragma once

#include <atomic>
#include <cleave/array.hpp>
#include <cleave/collector/local.hpp>
#include <cleave/collector/ref.hpp>
#include <cleave/collector/value.hpp>
#include <cleave/heap.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

namespace cleave::gc {

// The answer of forget(), take() and trim(). All but `done` leave everything unchanged.
enum class release {
  done,
  // Null, or an immediate, or no array of bytes.
  not_bytes,
  // The elements lie in the object: there is no payload to let go.
  too_small,
  // It was forgotten or taken before.
  already,
  // Native code uses its bytes (lend).
  lent,
  // It belongs to another collector.
  stranger,
  // trim() to more bytes than there are.
  out_of_range
};

// One sentence, lower case, without a full stop.
[[nodiscard]] CLEAVE_API const char* text_of(release answer) noexcept;

// An access to an array whose payload was forgotten or taken.
class CLEAVE_API forgotten_array : public std::logic_error {
 public:
  forgotten_array();
};

// What take() gives: the bytes, if the answer is `done`.
struct [[nodiscard]] taken_bytes {
  release answer = release::done;
  array<std::byte> bytes;
  explicit operator bool() const noexcept { return answer == release::done; }
};

namespace detail {

struct payload;
struct array_access;
[[noreturn]] CLEAVE_API void throw_forgotten();
[[noreturn]] CLEAVE_API void throw_beyond(const char* where);
CLEAVE_API void store_in_payload(payload* held, std::uintptr_t* element,
                                 std::uintptr_t word) noexcept;

// What both kinds of arrays begin with.
class array_front {
 public:
  array_front(const array_front&) = delete;
  array_front& operator=(const array_front&) = delete;

 protected:
  static constexpr std::uint64_t large_bit = std::uint64_t{1} << 63;
  array_front() = default;

  [[nodiscard]] bool large() const noexcept {
    return (size_.load(std::memory_order_relaxed) & large_bit) != 0;
  }
  [[nodiscard]] std::size_t count() const noexcept {
    return size_.load(std::memory_order_relaxed) & ~large_bit;
  }
  [[nodiscard]] void* start() const noexcept {
    return large() ? data_.load(std::memory_order_relaxed)
                   : const_cast<void*>(static_cast<const void*>(&data_));
  }

  friend struct array_access;
  // Atomic, because another thread may forget the array while this one looks at it, and
  // relaxed, because nothing is published by it: who uses the bytes then is in error.
  std::atomic<std::uint64_t> size_;
  // The first elements, if the array is not large; else their address.
  std::atomic<void*> data_;
  // Only in large ones. Null once the payload was forgotten or taken: whoever changes it
  // to null has the payload, so that two threads that forget at once are told apart.
  std::atomic<payload*> payload_;
};

}  // namespace detail

class byte_array : private detail::array_front {
 public:
  // 0 for a forgotten array.
  [[nodiscard]] std::size_t size() const noexcept { return count(); }
  // Whether it was forgotten or taken.
  [[nodiscard]] bool forgotten() const noexcept {
    return large() && payload_.load(std::memory_order_relaxed) == nullptr;
  }
  // Whether it is a proxy, so that it can be forgotten, and its bytes never move.
  [[nodiscard]] bool is_large() const noexcept { return large(); }

  // The bytes. Good until the next safepoint of this thread; those of a large array
  // until it is forgotten, taken, trimmed, or collected.
  // Throws forgotten_array.
  [[nodiscard]] std::span<std::byte> bytes() const {
    if (forgotten()) detail::throw_forgotten();
    return {data(), size()};
  }
  // The same as numbers of type E; a rest is left out. Throws forgotten_array.
  template <class E>
    requires std::is_trivially_copyable_v<E>
  [[nodiscard]] std::span<E> as() const {
    static_assert(alignof(E) <= 8);
    if (forgotten()) detail::throw_forgotten();
    return {static_cast<E*>(start()), size() / sizeof(E)};
  }
  // Unchecked; nullptr for a forgotten array.
  [[nodiscard]] std::byte* data() const noexcept { return static_cast<std::byte*>(start()); }
  [[nodiscard]] std::byte& operator[](std::size_t i) const noexcept { return data()[i]; }
  // Throws forgotten_array, and std::out_of_range.
  [[nodiscard]] std::byte& at(std::size_t i) const {
    if (i >= size()) {
      if (forgotten()) detail::throw_forgotten();
      detail::throw_beyond("cleave::gc::byte_array::at");
    }
    return data()[i];
  }

 private:
  friend struct detail::array_access;
};

// An array of references to objects of type T, or of any values.
template <class T>
class ref_array : private detail::array_front {
 public:
  using pointer = typename detail::handed_out<T>::type;

  [[nodiscard]] std::size_t size() const noexcept { return count(); }
  [[nodiscard]] bool is_large() const noexcept { return large(); }

  // Unchecked. Good until the next safepoint of this thread.
  [[nodiscard]] pointer operator[](std::size_t i) const noexcept {
    return detail::handed_out<T>::from(words()[i]);
  }
  // Throws std::out_of_range.
  [[nodiscard]] pointer at(std::size_t i) const {
    if (i >= size()) detail::throw_beyond("cleave::gc::ref_array::at");
    return (*this)[i];
  }

  // Unchecked. In a->set(0, m.make<node>()) the address of the array is taken before
  // make() may move it: that does not compile. Name the new object first.
  template <class U>
    requires detail::stands_for<U, T>
  void set(std::size_t i, const local<U>& from) noexcept {
    assign(i, from.word());
  }
  template <class U>
  void set(std::size_t i, local<U>&& from) = delete;
  template <class U>
    requires detail::stands_for<U, T>
  void set(std::size_t i, const ref<U>& from) noexcept {
    assign(i, from.word());
  }
  // Requires: `from` is good now.
  void set(std::size_t i, pointer from) noexcept { assign(i, value(from).bits()); }

 private:
  [[nodiscard]] std::uintptr_t* words() const noexcept {
    return static_cast<std::uintptr_t*>(start());
  }
  void assign(std::size_t i, std::uintptr_t word) noexcept {
    if (large()) {
      detail::store_in_payload(payload_.load(std::memory_order_relaxed), words() + i, word);
    } else {
      detail::store(words() + i, word);
    }
  }
};

static_assert(sizeof(byte_array) == 24 && sizeof(ref_array<value>) == 24);

}  // namespace cleave::gc
