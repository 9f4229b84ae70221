// block_pool.cpp -- blocks come from the heap and return to it.
#include "collector/block_pool.hpp"

#include <cleave/heap.hpp>
#include <cstring>
#include <new>

#include "base/check.hpp"

namespace cleave::gc::detail {

block_pool::~block_pool() {
  CLEAVE_DCHECK(in_use_ == 0, "the blocks of a collector were not all put back");
  keep_idle(0);
}

block* block_pool::take(heap_state* owner) noexcept {
  void* memory = idle_;
  if (idle_ != nullptr) {
    idle_ = idle_->next;
    --idle_count_;
  } else {
    memory = heap::try_allocate(block_bytes, block_bytes);
    if (memory == nullptr) return nullptr;
  }
  block* const made = ::new (memory) block;
  made->owner = owner;
  made->top = made->scan = made->begin();
  ++in_use_;
  return made;
}

void block_pool::put(block* unused, bool poison) noexcept {
  if (poison) {
    // An odd pattern is an immediate to the collector, and no address to a program.
    std::memset(reinterpret_cast<void*>(unused->begin()), 0xdb, unused->end() - unused->begin());
  }
  --in_use_;
  unused->next = idle_;
  idle_ = unused;
  ++idle_count_;
}

void block_pool::keep_idle(std::size_t most) noexcept {
  while (idle_count_ > most) {
    block* const last = idle_;
    idle_ = last->next;
    --idle_count_;
    heap::free(last, block_bytes);
  }
}

}  // namespace cleave::gc::detail
