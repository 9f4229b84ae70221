// statistics.cpp -- looking at the heap from C.
//
// The heap sums up without memory of its own, so these answer also when there is none.
// cl_statistics grows at its end like cl_options.
#include <cleave.h>

#include <algorithm>
#include <cleave/heap.hpp>
#include <cstring>
#include <span>

#include "base/text_out.hpp"
#include "capi/growth.hpp"
#include "heap/export.hpp"
#include "heap/statistics.hpp"

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

cl_status write_text(decltype(heap::write_json) write, char* text, std::size_t capacity,
                     std::size_t* needed) noexcept {
  heap::statistics sums;
  heap::class_statistics classes[heap::class_count];
  heap::sum_up(sums, classes);
  cleave::base::text_out out(text, capacity);
  write(out, sums, std::span<const heap::class_statistics>(classes));
  if (capacity > 0) text[std::min(out.size(), capacity - 1)] = '\0';
  *needed = out.size() + 1;
  return cl_ok;
}

}  // namespace

cl_status cl_get_statistics(cl_statistics* out) {
  if (out->size < first_size) return cl_bad_argument;
  heap::statistics sums;
  heap::class_statistics classes[heap::class_count];
  heap::sum_up(sums, classes);
  cleave::capi::hand_out(converted(sums), out);
  return cl_ok;
}

cl_status cl_get_class_statistics(cl_class_statistics* classes, size_t capacity, size_t* count) {
  heap::statistics sums;
  heap::class_statistics all[heap::class_count];
  heap::sum_up(sums, all);
  *count = heap::class_count;
  for (std::size_t i = 0; i < std::min<std::size_t>(capacity, heap::class_count); ++i) {
    classes[i] = {all[i].slot_bytes, all[i].slabs, all[i].slots, all[i].slots_used};
  }
  return cl_ok;
}

cl_status cl_statistics_as_json(char* text, size_t capacity, size_t* needed) {
  return write_text(heap::write_json, text, capacity, needed);
}

cl_status cl_statistics_as_prometheus(char* text, size_t capacity, size_t* needed) {
  return write_text(heap::write_prometheus, text, capacity, needed);
}

size_t cl_live_bytes() {
  return heap::live_bytes();
}

int cl_contains(const void* ptr) {
  return heap::contains(ptr) ? 1 : 0;
}

cl_status cl_verify(char* text, size_t capacity) {
  const char* const wrong = heap::first_wrong();
  if (capacity > 0) {
    const char* const said = wrong == nullptr ? "" : wrong;
    const std::size_t length = std::min(std::strlen(said), capacity - 1);
    std::memcpy(text, said, length);
    text[length] = '\0';
  }
  return wrong == nullptr ? cl_ok : cl_corrupt;
}
