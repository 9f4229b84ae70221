#include "heap/purger.hpp"

#include <algorithm>
#include <atomic>

#include "heap/page_heap.hpp"
#include "heap/shown.hpp"
#include "heap/trace_recorder.hpp"
#include "os/thread.hpp"

namespace cleave::heap::purger {
namespace {

enum class helper : std::uint32_t { none, working, waiting };

constinit std::chrono::milliseconds delay{1000};
constexpr std::chrono::milliseconds least_sleep{1};
constinit bool wants_helper = false;
constinit std::atomic<std::uint64_t> last_round{0};
constinit std::atomic<helper> state{helper::none};

void help() noexcept {
  for (;;) {
    if (page_heap::idle_pages() == 0) {
      // Sequentially consistent: the second look comes after the store, so a free
      // that it misses finds the state already changed, and wakes whoever waits.
      state.store(helper::waiting, std::memory_order_seq_cst);
      if (page_heap::idle_pages() == 0) state.wait(helper::waiting, std::memory_order_acquire);
      state.store(helper::working, std::memory_order_relaxed);
    }
    // Something may stay idle for ever: blocks that are too small to return.
    os::sleep(std::max(delay, least_sleep));
    page_heap::purge_expired();
  }
}

}  // namespace

void start(const options& chosen) noexcept {
  delay = chosen.purge_delay;
  wants_helper = chosen.purge_thread && delay.count() >= 0;
  // Relaxed: nobody else is here yet.
  last_round.store(os::coarse_milliseconds(), std::memory_order_relaxed);
}

void freed(bool look) noexcept {
  // Sequentially consistent: it comes after what was freed, see help().
  if (!look && (!wants_helper || state.load(std::memory_order_seq_cst) != helper::waiting)) return;
  shown::begin_again();
  if (delay.count() < 0) return;
  if (wants_helper) {
    helper seen = state.load(std::memory_order_acquire);
    if (seen == helper::working) return;
    if (state.compare_exchange_strong(seen, helper::working, std::memory_order_acq_rel)) {
      if (seen == helper::waiting) {
        state.notify_one();
      } else if (seen == helper::none && !os::start_helper(help)) {
        state.store(helper::none, std::memory_order_release);
      }
    }
    return;
  }
  const std::uint64_t now = os::coarse_milliseconds();
  // Relaxed: the exchange decides who runs the round; the arenas have their locks.
  std::uint64_t last = last_round.load(std::memory_order_relaxed);
  if (now - last < static_cast<std::uint64_t>(delay.count())) return;
  if (!last_round.compare_exchange_strong(last, now, std::memory_order_relaxed)) return;
  page_heap::purge_expired();
}

std::size_t noted(std::size_t pages) noexcept {
  tracing::purged(pages << page_bits);
  return pages;
}

void after_fork_in_child() noexcept {
  // Relaxed: the child has one thread.
  state.store(helper::none, std::memory_order_relaxed);
}

}  // namespace cleave::heap::purger
