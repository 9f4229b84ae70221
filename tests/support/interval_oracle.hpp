// interval_oracle.hpp -- who owns which byte, kept apart from the heap.
//
// A map of all live runs, each with the one who holds it and the tag of its
// content. A test tells it each step; it finds out at once when the heap hands
// out a byte that is owned, and when a byte changes that nobody wrote. It is
// slow and obviously right, which is all that it is for.
//
//   interval_oracle oracle;
//   oracle.insert(run.data(), run.size(), holder);      // after it was allocated; paints it
//   oracle.cut(run.data(), at);                         // before or after the cut
//   oracle.remove(run.data(), run.size());              // before it is freed
//   EXPECT_EQ(heap::live_bytes(), oracle.bytes());
//
// Painting every byte of every run would hide the heap behind memory traffic.
// A run is painted at its first and last 32 bytes and in 16 bytes out of every
// 512; up to 512 bytes it is painted whole. The colour of a byte follows from
// its address and the tag, so bytes that moved are seen too.
//
// Invariants:
//   O1  Live runs do not overlap, and none is empty.
//   O2  bytes() is the sum of their sizes.
//   O3  The painted bytes of a run have its tag's colours.
//
// Misuse and every broken invariant throw broken_rule. One lock guards the map.
// Painting happens outside it, by the run's holder, so that several threads that
// use one oracle still meet inside the heap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>

namespace cleave::test {

class broken_rule : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

class interval_oracle {
 public:
  // A new live run. Throws if it shares a byte with a live one.
  void insert(std::byte* data, std::size_t bytes, int holder);

  // The run is about to be freed. Throws if it is not live exactly so, or has changed.
  void remove(std::byte* data, std::size_t bytes);

  // [0, at) and [at, size) are two runs now; a cut at either end changes nothing.
  void cut(std::byte* data, std::size_t at);

  // The run at `left` and its right neighbour are one now, with the left one's tag.
  void join(std::byte* left, std::byte* right);

  // The run reaches to `bytes` now. Throws if it met a live run.
  void extend(std::byte* data, std::size_t bytes);

  // The run keeps [0, bytes); the rest is about to be freed.
  void shrink(std::byte* data, std::size_t bytes);

  // The run changes hands.
  void hand_over(std::byte* data, int to);

  // Throws if the content is not as it was painted.
  void check(std::byte* data);
  void check_all();

  // The size of the run that begins at `end`, if `holder` holds one there.
  std::optional<std::size_t> neighbour(const std::byte* end, int holder);

  std::size_t bytes();
  std::size_t runs();

 private:
  struct entry {
    std::size_t bytes = 0;
    std::uint64_t tag = 0;
    int holder = 0;
  };
  using table = std::map<std::uintptr_t, entry>;

  // What the holder of a run may know of it without the lock: nobody else changes it.
  struct view {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    std::uint64_t tag = 0;
  };

  table::iterator find(const std::byte* data);
  view look(const std::byte* data);
  void expect_room(std::uintptr_t begin, std::uintptr_t end) const;

  std::mutex lock_;
  table live_;
  std::size_t bytes_ = 0;
  std::uint64_t next_tag_ = 1;
};

}  // namespace cleave::test
