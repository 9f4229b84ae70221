// tiny_model.hpp -- a byte-by-byte model of the tiny heap, and the steps that tests take on it.
//
// Every live byte belongs to one piece and holds its piece's mark. A step that
// breaks the heap shows as a byte with two owners, a changed mark, a wrong sum
// of live bytes, or an invariant that verify() names.
//
//   tiny_model model;
//   model.allocate(100, 16);  model.cut(0, 30);  model.free(1);
//   model.free_all();         model.expect_whole();
#pragma once

#include <gtest/gtest.h>

#include <cleave/heap.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "heap/geometry.hpp"
#include "tiny/fake_os.hpp"

namespace cleave::test {

inline constexpr std::size_t tiny_arenas = 4;
inline constexpr std::size_t tiny_bytes = tiny_arenas * heap::arena_size;

class tiny_model {
 public:
  struct piece {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    std::byte mark{};
  };

  static void start_heap() {
    heap::options chosen;
    chosen.reserve_bytes = tiny_bytes;
    chosen.purge_delay = std::chrono::milliseconds(-1);
    heap::start(chosen);
  }

  // False if the heap had no memory. Checks that no byte has another owner.
  bool allocate(std::size_t bytes, std::size_t alignment, bool at_least = false) {
    void* p = nullptr;
    if (at_least) {
      const auto got = heap::try_allocate_at_least(bytes, alignment);
      EXPECT_TRUE(got.pointer == nullptr || got.bytes >= bytes);
      p = got.pointer;
      bytes = got.bytes;
    } else {
      p = heap::try_allocate(bytes, alignment);
    }
    if (p == nullptr) return false;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % alignment, 0u);
    add({static_cast<std::byte*>(p), bytes, next_mark()});
    return true;
  }

  void cut(std::size_t i, std::size_t at) {
    piece& left = pieces_[i];
    const piece right{left.data + at, left.bytes - at, left.mark};
    left.bytes = at;
    if (right.bytes > 0) pieces_.push_back(right);
    if (pieces_[i].bytes == 0) remove(i);
  }

  // Joins piece i with the one to its right, if there is one.
  bool join(std::size_t i) {
    for (std::size_t j = 0; j < pieces_.size(); ++j) {
      if (pieces_[i].data + pieces_[i].bytes != pieces_[j].data) continue;
      std::memset(pieces_[j].data, static_cast<int>(pieces_[i].mark), pieces_[j].bytes);
      pieces_[i].bytes += pieces_[j].bytes;
      remove(j);
      return true;
    }
    return false;
  }

  void free(std::size_t i) {
    check(pieces_[i]);
    std::memset(pieces_[i].data, 0xDB, pieces_[i].bytes);
    heap::free(pieces_[i].data, pieces_[i].bytes);
    live_ -= pieces_[i].bytes;
    remove(i);
  }

  bool extend(std::size_t i, std::size_t more) {
    piece& p = pieces_[i];
    if (!heap::extend(p.data, p.bytes, p.bytes + more)) return false;
    const piece grown{p.data, p.bytes + more, p.mark};
    live_ -= p.bytes;
    remove(i);
    add(grown);
    return true;
  }

  void free_all() {
    while (!pieces_.empty()) free(pieces_.size() - 1);
  }

  const std::vector<piece>& pieces() const { return pieces_; }
  std::size_t live() const { return live_; }

  void expect_sound() const {
    for (const piece& p : pieces_) check(p);
    ASSERT_EQ(heap::live_bytes(), live_);
    ASSERT_EQ(heap::verify(), "");
  }

  // After free_all(): every page is back, and nothing is held.
  void expect_whole() const {
    heap::purge();
    ASSERT_EQ(heap::verify(), "");
    const auto s = heap::stats();
    ASSERT_EQ(s.live, 0u);
    ASSERT_EQ(s.cached, 0u);
    ASSERT_EQ(s.held, 0u);
    ASSERT_EQ(s.largest_free, tiny_bytes);
  }

 private:
  std::byte next_mark() { return static_cast<std::byte>(++marks_ % 0xD0 + 1); }

  void add(const piece& p) {
    for (const piece& other : pieces_) {
      ASSERT_FALSE(p.data < other.data + other.bytes && other.data < p.data + p.bytes)
          << "two owners of a byte";
    }
    for (std::size_t i = 0; i < p.bytes; i += heap::page_size) {
      ASSERT_TRUE(fake_os::accessible(p.data + i));
    }
    ASSERT_TRUE(fake_os::accessible(p.data + p.bytes - 1));
    std::memset(p.data, static_cast<int>(p.mark), p.bytes);
    pieces_.push_back(p);
    live_ += p.bytes;
  }

  static void check(const piece& p) {
    for (std::size_t i = 0; i < p.bytes; ++i) ASSERT_EQ(p.data[i], p.mark) << "a live byte changed";
  }

  void remove(std::size_t i) {
    pieces_[i] = pieces_.back();
    pieces_.pop_back();
  }

  std::vector<piece> pieces_;
  std::size_t live_ = 0;
  unsigned marks_ = 0;
};

}  // namespace cleave::test
