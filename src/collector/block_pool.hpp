// block_pool.hpp -- the blocks of one collector: in use, or idle for the next collection.
//
//   block* b = pool.take(owner);     // nullptr if there is no memory
//   pool.put(b, false);              // idle, for a later take()
//   pool.keep_idle(8);               // the others go back to the heap
#pragma once

#include <cstddef>

#include "collector/block.hpp"

namespace cleave::gc::detail {

class block_pool {
 public:
  block_pool() = default;
  block_pool(const block_pool&) = delete;
  block_pool& operator=(const block_pool&) = delete;
  // Requires: none is in use.
  ~block_pool();

  // An empty block with clear maps. The caller has the lock of the blocks.
  block* take(heap_state* owner) noexcept;
  // Overwrites its objects first if asked to.
  void put(block* unused, bool poison) noexcept;
  // Gives idle blocks back to the heap until so many are left.
  void keep_idle(std::size_t most) noexcept;

  [[nodiscard]] std::size_t in_use() const noexcept { return in_use_; }
  [[nodiscard]] std::size_t idle() const noexcept { return idle_count_; }

 private:
  block* idle_ = nullptr;
  std::size_t idle_count_ = 0;
  std::size_t in_use_ = 0;
};

}  // namespace cleave::gc::detail
