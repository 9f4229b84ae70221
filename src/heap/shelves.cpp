#include "heap/shelves.hpp"

#include <atomic>
#include <span>

#include "heap/page_heap.hpp"
#include "heap/transit.hpp"

namespace cleave::heap::shelves {

namespace detail {

constinit shelf all[cached_orders];

}  // namespace detail

namespace {

// Bit k: shelf k is worth a look. It may be set for an empty one, but is clear for one that has a
// range only while that is being put there.
alignas(64) constinit base::atomic<std::uint32_t> marks{0};

page_range range_of(std::uint64_t word) noexcept {
  return {page_in(word), static_cast<std::uint32_t>(count_in(word))};
}

unsigned room(unsigned order) noexcept {
  return heap::detail::ranges_kept(order);
}

// The places of a shelf that are in use.
std::span<base::atomic<std::uint64_t>> places(unsigned order) noexcept {
  return {detail::all[order].range, room(order)};
}

// Acquire: who finds nothing sees why, see give_back().
bool has_any(unsigned order) noexcept {
  for (const base::atomic<std::uint64_t>& place : places(order)) {
    if (place.load(std::memory_order_acquire) != 0) return true;
  }
  return false;
}

// Release: who clears the mark after this sees the range for which it was set.
void mark(unsigned order) noexcept {
  marks.fetch_or(1U << order, std::memory_order_release);
}

void clear_mark(unsigned order) noexcept {
  // Acquire: a range whose mark was set before this is seen now, and one whose mark is set after
  // it has a mark.
  marks.fetch_and(~(1U << order), std::memory_order_acq_rel);
  if (has_any(order)) mark(order);
}

}  // namespace

unsigned put(unsigned order, const page_range* ranges, unsigned count) noexcept {
  unsigned done = 0;
  for (base::atomic<std::uint64_t>& place : places(order)) {
    if (done == count) break;
    // Relaxed: a guess, the exchange decides.
    std::uint64_t none = place.load(std::memory_order_relaxed);
    // Release: what was done with the pages comes before their next use.
    if (none == 0 &&
        place.compare_exchange_strong(none, pack(ranges[done].page, ranges[done].n),
                                      std::memory_order_release, std::memory_order_relaxed)) {
      ++done;
    }
  }
  if (done > 0) mark(order);
  return done;
}

page_range take(unsigned order, std::size_t n) noexcept {
  bool found = false;
  for (base::atomic<std::uint64_t>& place : places(order)) {
    // A guess, as above. Acquire: that its arena is open was written before it was put here.
    std::uint64_t word = place.load(std::memory_order_acquire);
    found = found || word != 0;
    if (count_in(word) < n || !page_heap::is_near(page_in(word))) continue;
    // Acquire: see put().
    if (place.compare_exchange_strong(word, 0, std::memory_order_acquire,
                                      std::memory_order_relaxed)) {
      return range_of(word);
    }
  }
  if (!found) clear_mark(order);
  return {};
}

std::uint32_t stocked() noexcept {
  // Relaxed: a hint.
  return marks.load(std::memory_order_relaxed);
}

bool give_back() noexcept {
  if (empty()) return false;
  const transit moving;
  bool any = false;
  // Under one lock, as far as they lie in one arena.
  page_heap::giving all;
  for (unsigned k = 0; k < cached_orders; ++k) {
    for (base::atomic<std::uint64_t>& place : places(k)) {
      // Relaxed: where there is nothing, nothing is written.
      if (place.load(std::memory_order_relaxed) == 0) continue;
      // Acquire: see put(). Release: who finds nothing here any more must see that this is in
      // transit (acquire in empty()).
      const std::uint64_t word = place.exchange(0, std::memory_order_acq_rel);
      if (word == 0) continue;
      all.give(page_in(word), count_in(word));
      any = true;
    }
  }
  return any;
}

bool empty() noexcept {
  for (unsigned k = 0; k < cached_orders; ++k) {
    if (has_any(k)) return false;
  }
  return true;
}

std::size_t pages() noexcept {
  std::size_t sum = 0;
  for (unsigned k = 0; k < cached_orders; ++k) {
    for (const base::atomic<std::uint64_t>& place : places(k)) {
      // Relaxed: a statistic.
      sum += count_in(place.load(std::memory_order_relaxed));
    }
  }
  return sum;
}

}  // namespace cleave::heap::shelves
