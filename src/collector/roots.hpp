// roots.hpp -- the references that live outside of functions.
//
// Globals, weak references and `roots` callbacks are linked here under one lock; the
// finalizers of objects too. A collection takes the lock as well, since a global may end
// in a thread that no collection waits for.
//
// Weak references, and finalizers, whose object is old are kept apart from those whose
// object is young, so that a young collection looks at the young ones alone.
#pragma once

#include <atomic>
#include <cleave/collector.hpp>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "collector/block.hpp"

namespace cleave::gc::detail {

// A function to call when the object has died.
struct last_wish {
  word object = 0;
  mutator::finalizer function = nullptr;
  void* context = nullptr;
};

class root_set {
 public:
  root_set() = default;
  root_set(const root_set&) = delete;
  root_set& operator=(const root_set&) = delete;

  void link_global(root_link& root) noexcept;
  // Among those whose object is young, until a collection knows better.
  void link_weak(root_link& root) noexcept;
  void unlink(root_link& root) noexcept;
  void point_weak(root_link& root, word object) noexcept;
  // Throws std::bad_alloc.
  void add(gc::roots& shown);
  void remove(gc::roots& shown) noexcept;
  // Throws std::bad_alloc.
  void wish(const last_wish& one);
  // Takes the next wish that is due. False if there is none.
  bool next_due(last_wish& out) noexcept;

  // How many are due. With all threads stopped.
  [[nodiscard]] std::size_t due() const noexcept { return due_.size() - due_taken_; }
  // How many were taken since the start.
  [[nodiscard]] std::uint64_t wishes_taken() const noexcept {
    return wishes_taken_.load(std::memory_order_relaxed);
  }

  [[nodiscard]] bool empty() noexcept;

 private:
  friend class collection;
  friend class heap_walk;

  std::mutex lock_;
  root_link globals_;
  root_link weak_young_;
  root_link weak_old_;
  std::vector<gc::roots*> shown_;
  std::vector<last_wish> wishes_young_;
  std::vector<last_wish> wishes_old_;
  std::vector<last_wish> due_;
  // Of the due ones, those before this were taken.
  std::size_t due_taken_ = 0;
  std::atomic<std::uint64_t> wishes_taken_{0};
};

}  // namespace cleave::gc::detail
