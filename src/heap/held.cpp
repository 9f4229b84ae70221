#include "heap/held.hpp"

#include <atomic>

#include "base/atomic.hpp"
#include "heap/geometry.hpp"

namespace cleave::heap::held {
namespace {

// Relaxed throughout: the numbers alone matter; they publish nothing.
constinit base::atomic<std::size_t> now_held{0};
constinit std::atomic<std::size_t> most_held{0};
constinit std::atomic<std::size_t> most_allowed{SIZE_MAX};

}  // namespace

bool add(std::size_t pages) noexcept {
  if (pages == 0) return true;
  const std::size_t more = pages << page_bits;
  const std::size_t most = limit();
  std::size_t now = bytes();
  do {
    if (more > most || now > most - more) return false;
  } while (!now_held.compare_exchange_weak(now, now + more, std::memory_order_relaxed));
  std::size_t before = peak();
  while (before < now + more &&
         !most_held.compare_exchange_weak(before, now + more, std::memory_order_relaxed)) {
  }
  return true;
}

void subtract(std::size_t pages) noexcept {
  if (pages != 0) now_held.fetch_sub(pages << page_bits, std::memory_order_relaxed);
}

std::size_t bytes() noexcept {
  return now_held.load(std::memory_order_relaxed);
}

std::size_t peak() noexcept {
  return most_held.load(std::memory_order_relaxed);
}

std::size_t limit() noexcept {
  return most_allowed.load(std::memory_order_relaxed);
}

void set_limit(std::size_t bytes) noexcept {
  most_allowed.store(bytes, std::memory_order_relaxed);
}

void set(std::size_t pages) noexcept {
  now_held.store(pages << page_bits, std::memory_order_relaxed);
}

}  // namespace cleave::heap::held
