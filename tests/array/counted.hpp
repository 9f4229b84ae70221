// counted.hpp -- elements that notice what is done to them.
//
// A `counted` knows its address and is counted while it lives, so a test sees an
// element that was destroyed twice or never, or moved by its bytes when its type
// does not allow that. Making and copying one can be told to throw.
//
//   const leak_meter meter;                    // red if objects or bytes are left
//   const throw_after guard(3);                // the fourth construction throws
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cleave/array.hpp>
#include <cleave/heap.hpp>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace cleave::test {

struct thrown_on_purpose {};

// Objects of all counted types that are alive, in all threads.
inline std::atomic<long> alive{0};
// Constructions that still succeed in this thread; negative for no end.
inline thread_local long constructions_left = -1;

class throw_after {
 public:
  explicit throw_after(long constructions) { constructions_left = constructions; }
  throw_after(const throw_after&) = delete;
  throw_after& operator=(const throw_after&) = delete;
  ~throw_after() { constructions_left = -1; }
};

inline void construction() {
  if (constructions_left == 0) throw thrown_on_purpose{};
  if (constructions_left > 0) --constructions_left;
}

// What a move does.
enum class moves { never_throw, may_throw };

template <moves Move>
class counted_with {
 public:
  counted_with() : counted_with(0) {}
  counted_with(int value) : value_(value) {  // NOLINT: an int is as good as an element
    construction();
    ++alive;
  }
  counted_with(const counted_with& other) : counted_with(other.value()) {}
  counted_with(counted_with&& other) noexcept(Move == moves::never_throw) : value_(other.value()) {
    if constexpr (Move == moves::may_throw) construction();
    other.value_ = moved_from;
    ++alive;
  }
  counted_with& operator=(const counted_with& other) {
    value_ = other.value();
    return *this;
  }
  counted_with& operator=(counted_with&& other) noexcept {
    value_ = std::exchange(other.value_, moved_from);
    return *this;
  }
  ~counted_with() {
    EXPECT_EQ(self_, this) << "destroyed twice, or moved by its bytes";
    self_ = nullptr;
    --alive;
  }

  int value() const {
    EXPECT_EQ(self_, this) << "not alive, or moved by its bytes";
    return value_;
  }
  friend bool operator==(const counted_with& left, const counted_with& right) {
    return left.value() == right.value();
  }

  static constexpr int moved_from = -1;

 private:
  int value_;
  const counted_with* self_ = this;
};

using counted = counted_with<moves::never_throw>;
using brittle = counted_with<moves::may_throw>;

// Owns something, and is moved by its bytes: its move constructor is never called.
class relocatable {
 public:
  relocatable() : relocatable(0) {}
  relocatable(int value) : value_(value) { ++alive; }  // NOLINT: as above
  relocatable(relocatable&& other) noexcept : value_(other.value_) {
    ADD_FAILURE() << "moved by its constructor";
    ++alive;
  }
  ~relocatable() { --alive; }
  int value() const { return value_; }

 private:
  int value_;
};

// The objects and heap bytes that are alive beyond those at its start.
class usage {
 public:
  long objects() const { return alive - alive_before_; }
  std::size_t bytes() const { return heap::live_bytes() - bytes_before_; }

 private:
  long alive_before_ = alive;
  std::size_t bytes_before_ = heap::live_bytes();
};

// Expects that nothing is left at its end.
class leak_meter : public usage {
 public:
  leak_meter() = default;
  leak_meter(const leak_meter&) = delete;
  leak_meter& operator=(const leak_meter&) = delete;
  ~leak_meter() {
    EXPECT_EQ(objects(), 0);
    EXPECT_EQ(bytes(), 0u);
  }
};

// No allocation of `large` bytes succeeds while this lives.
class full_heap {
 public:
  static constexpr std::size_t large = std::size_t{64} << 20;

  full_heap() {
    heap::purge();
    heap::set_held_limit(heap::live_bytes());
  }
  full_heap(const full_heap&) = delete;
  full_heap& operator=(const full_heap&) = delete;
  ~full_heap() { heap::set_held_limit(SIZE_MAX); }
};

// The heap calls that a piece of code made, by this thread while it is alone.
class call_meter {
 public:
  std::uint64_t allocations() const { return heap::stats().allocations - before_.allocations; }
  std::uint64_t frees() const { return heap::stats().frees - before_.frees; }

 private:
  heap::statistics before_ = heap::stats();
};

}  // namespace cleave::test

template <>
inline constexpr bool cleave::is_trivially_relocatable<cleave::test::relocatable> = true;
