// options.cpp -- starting the heap from C, and its returning of memory.
//
// cl_options grows at its end (capi/growth.hpp).
#include <cleave.h>

#include <algorithm>
#include <chrono>
#include <cleave/heap.hpp>
#include <cstring>
#include <new>

#include "capi/growth.hpp"

namespace {

namespace heap = cleave::heap;

// The struct as it was first published; a caller cannot have a smaller one.
constexpr std::size_t first_size = offsetof(cl_options, purge_thread) + sizeof(std::int32_t);

cl_options defaults() noexcept {
  const heap::options from{};
  cl_options to{};
  to.size = sizeof(to);
  to.reserve_bytes = from.reserve_bytes;
  to.held_limit = from.held_limit;
  to.purge_delay_ms = from.purge_delay.count();
  to.huge_pages = from.huge_pages ? 1 : 0;
  to.purge_thread = from.purge_thread ? 1 : 0;
  to.fork_handlers = from.fork_handlers ? 1 : 0;
  return to;
}

bool is_flag(std::int32_t value) noexcept {
  return value == 0 || value == 1;
}

}  // namespace

cl_status cl_options_init(cl_options* options) {
  if (options->size < first_size) return cl_bad_argument;
  cleave::capi::hand_out(defaults(), options);
  return cl_ok;
}

cl_status cl_start(const cl_options* options) {
  cl_options known = defaults();
  if (options != nullptr) {
    if (options->size < first_size || cleave::capi::asks_for_more(*options)) {
      return cl_bad_argument;
    }
    std::memcpy(&known, static_cast<const void*>(options), std::min(options->size, sizeof(known)));
    if (!is_flag(known.huge_pages) || !is_flag(known.purge_thread) ||
        !is_flag(known.fork_handlers)) {
      return cl_bad_argument;
    }
  }
  heap::options chosen;
  chosen.reserve_bytes = known.reserve_bytes;
  chosen.held_limit = known.held_limit;
  chosen.purge_delay = std::chrono::milliseconds(known.purge_delay_ms);
  chosen.huge_pages = known.huge_pages == 1;
  chosen.purge_thread = known.purge_thread == 1;
  chosen.fork_handlers = known.fork_handlers == 1;
  if (heap::start(chosen)) return cl_ok;
  return heap::started() ? cl_already_started : cl_out_of_memory;
}

void cl_purge() {
  cleave::heap::purge();
}

void cl_purge_expired() {
  cleave::heap::purge_expired();
}

void cl_set_held_limit(size_t bytes) {
  cleave::heap::set_held_limit(bytes);
}

void cl_before_fork() {
  cleave::heap::before_fork();
}

void cl_after_fork_in_parent() {
  cleave::heap::after_fork_in_parent();
}

void cl_after_fork_in_child() {
  cleave::heap::after_fork_in_child();
}
