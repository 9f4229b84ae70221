#include "heap/shown.hpp"

#include <cleave/detail/shown.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string_view>

#include "heap/geometry.hpp"
#include "heap/page_heap.hpp"
#include "heap/statistics.hpp"
#include "os/places.hpp"
#include "os/shown_file.hpp"
#include "os/stream.hpp"
#include "os/thread.hpp"

namespace cleave::heap::shown {
namespace detail {

constinit std::atomic<state> now{state::off};

}  // namespace detail

namespace {

using detail::now;
using detail::state;

constexpr std::chrono::milliseconds period{250};

static_assert(order_count <= cleave::detail::shown_orders);
static_assert(class_count <= cleave::detail::shown_classes);

// Of the thread that shows. Not on its stack, which may be small.
constinit cleave::detail::shown page;
constinit class_statistics classes[class_count];

void fill() noexcept {
  statistics s;
  sum_up(s, classes);
  page.live = s.live;
  page.held = s.held;
  page.peak_held = s.peak_held;
  page.held_limit = s.held_limit == SIZE_MAX ? UINT64_MAX : s.held_limit;
  page.reserved = s.reserved;
  page.committed = s.committed;
  page.metadata = s.metadata;
  page.free = s.free;
  page.cached = s.cached;
  page.idle = page_heap::idle_pages() << page_bits;
  page.largest_free = s.largest_free;
  page.allocations = s.allocations;
  page.frees = s.frees;
  page.extensions = s.extensions;
  page.system_calls = s.system_calls;
  std::copy(s.free_blocks.begin(), s.free_blocks.end(), page.free_blocks);
  for (unsigned c = 0; c < class_count; ++c) {
    page.by_class[c] = {classes[c].slot_bytes, classes[c].slabs, classes[c].slots,
                        classes[c].slots_used};
  }
  page.written = os::nanoseconds();
  page.checksum = cleave::detail::checksum_of(page);
}

void say(const char* what, int error) noexcept {
  char line[200];
  const int n = std::snprintf(line, sizeof line, "cleave: CLEAVE_TOP: %s%d: %s\n", what,
                              static_cast<int>(os::process_number()), os::plain_reason(error));
  const auto size = std::min(static_cast<std::size_t>(std::max(n, 0)), sizeof line - 1);
  static_cast<void>(os::write_all(2, line, size));
}

void show() noexcept {
  const char* const prefix = cleave::detail::shown::file_prefix;
  if (const int error = os::open_shown_file(prefix); error != 0) return say(prefix, error);
  page = {};
  page.process = os::process_number();
  page.page_bytes = page_size;
  page.orders = order_count;
  page.classes = class_count;
  page.began = os::nanoseconds();
  for (;; ++page.sequence) {
    fill();
    const int error = os::write_shown_file(&page, sizeof page);
    // Said of the first alone: a full disk may have room again, and readers see how old the last
    // one is.
    if (error != 0 && page.sequence == 0) say(prefix, error);
    os::sleep(period);
  }
}

}  // namespace

void begin() noexcept {
  const char* const asked = os::variable("CLEAVE_TOP");
  if (asked == nullptr || std::string_view(asked) != "1") return;
  state seen = state::off;
  // Relaxed: the exchange decides who begins, and publishes nothing.
  if (!now.compare_exchange_strong(seen, state::on, std::memory_order_relaxed)) return;
  if (!os::start_helper(show)) now.store(state::off, std::memory_order_relaxed);
}

void detail::try_again() noexcept {
  state seen = state::left_by_fork;
  // Relaxed: as above.
  if (!now.compare_exchange_strong(seen, state::on, std::memory_order_relaxed)) return;
  if (!os::start_helper(show)) now.store(state::off, std::memory_order_relaxed);
}

void after_fork_in_child() noexcept {
  // Relaxed: the child has one thread.
  if (now.load(std::memory_order_relaxed) == state::off) return;
  os::leave_shown_file();
  now.store(state::left_by_fork, std::memory_order_relaxed);
}

}  // namespace cleave::heap::shown
