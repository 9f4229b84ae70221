// statistics.cpp -- looking at the heap from C.
//
// heap::stats() and heap::verify() allocate and so may throw; this is the place
// where that becomes a code. cl_statistics grows at its end like cl_options.
#include <cleave.h>

#include <algorithm>
#include <cleave/heap.hpp>
#include <cstring>
#include <new>

namespace {

namespace heap = cleave::heap;

static_assert(heap::order_count <= cl_order_count);

// The struct as it was first published; a caller cannot have a smaller one.
constexpr std::size_t first_size =
    offsetof(cl_statistics, free_blocks) + sizeof(std::size_t[cl_order_count]);

cl_statistics converted(const heap::statistics& from) noexcept {
  cl_statistics to{};
  to.live = from.live;
  to.held = from.held;
  to.peak_held = from.peak_held;
  to.held_limit = from.held_limit;
  to.reserved = from.reserved;
  to.committed = from.committed;
  to.metadata = from.metadata;
  to.free = from.free;
  to.cached = from.cached;
  to.largest_free = from.largest_free;
  to.allocations = from.allocations;
  to.frees = from.frees;
  to.extensions = from.extensions;
  to.system_calls = from.system_calls;
  std::copy(from.free_blocks.begin(), from.free_blocks.end(), to.free_blocks);
  return to;
}

// Runs `work`, which may run out of memory.
template <typename Work>
cl_status guarded(const Work& work) noexcept {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return cl_out_of_memory;
  }
}

}  // namespace

cl_status cl_get_statistics(cl_statistics* out) {
  const std::size_t size = out->size;
  if (size < first_size) return cl_bad_argument;
  return guarded([&] {
    cl_statistics known = converted(heap::stats());
    known.size = size;
    std::memset(static_cast<void*>(out), 0, size);
    std::memcpy(static_cast<void*>(out), &known, std::min(size, sizeof(known)));
    return cl_ok;
  });
}

cl_status cl_get_class_statistics(cl_class_statistics* classes, size_t capacity, size_t* count) {
  return guarded([&] {
    const heap::statistics all = heap::stats();
    *count = all.classes.size();
    for (std::size_t i = 0; i < std::min(capacity, all.classes.size()); ++i) {
      const heap::class_statistics& from = all.classes[i];
      classes[i] = {from.slot_bytes, from.slabs, from.slots, from.slots_used};
    }
    return cl_ok;
  });
}

size_t cl_live_bytes() {
  return heap::live_bytes();
}

int cl_contains(const void* ptr) {
  return heap::contains(ptr) ? 1 : 0;
}

cl_status cl_verify(char* text, size_t capacity) {
  return guarded([&] {
    const std::string wrong = heap::verify();
    if (capacity > 0) {
      const std::size_t length = std::min(wrong.size(), capacity - 1);
      std::memcpy(text, wrong.data(), length);
      text[length] = '\0';
    }
    return wrong.empty() ? cl_ok : cl_corrupt;
  });
}
