#include "contention/counted.hpp"

#include <algorithm>
#include <chrono>
#include <unordered_map>

namespace cleave::contention {

bool counting = false;
bool timing = false;

namespace {

constexpr std::uint64_t nobody = ~std::uint64_t{0};

// Who has a copy of a line: all that read it since its last write, and the writer.
struct line {
  std::uint64_t readers = 0;
  std::uint64_t moves = 0;
};

thread_local unsigned this_thread = 0;
counts all;
std::unordered_map<std::uintptr_t, line> lines;
std::unordered_map<const void*, std::uint64_t> locks;

// Time under locks. A thread holds one at a time.
thread_local std::chrono::steady_clock::time_point since;
std::chrono::nanoseconds held{0};
std::uint64_t holds = 0;

}  // namespace

void be(unsigned thread) noexcept {
  this_thread = thread;
}

void used(const void* at, bool writes, bool updates) noexcept {
  line& one =
      lines.try_emplace(reinterpret_cast<std::uintptr_t>(at) / 64, line{nobody, 0}).first->second;
  const std::uint64_t me = std::uint64_t{1} << this_thread;
  // A line that nobody has touched yet comes from memory, not from a thread.
  const bool fresh = one.readers == nobody;
  const bool here = (one.readers & me) != 0;
  if (!fresh && (!here || (writes && one.readers != me))) {
    ++all.transfers;
    ++one.moves;
  }
  one.readers = writes || fresh ? me : one.readers | me;
  if (updates) ++all.updates;
}

void locked(const void* mutex) noexcept {
  if (timing) {
    since = std::chrono::steady_clock::now();
    return;
  }
  used(mutex, true);
  ++all.locks;
  ++locks[mutex];
}

void unlocked(const void* mutex) noexcept {
  if (timing) {
    held += std::chrono::steady_clock::now() - since;
    ++holds;
    return;
  }
  used(mutex, true);
}

counts taken() noexcept {
  counts now = all;
  for (const auto& [mutex, n] : locks) now.busiest = std::max(now.busiest, n);
  for (auto& [at, one] : lines) {
    now.hottest = std::max(now.hottest, one.moves);
    one.moves = 0;
  }
  all = {};
  locks.clear();
  return now;
}

double clock_nanoseconds() noexcept {
  // The least: whoever takes the processor away in between is no part of it.
  std::chrono::nanoseconds least{1'000'000};
  for (int i = 0; i < 1000; ++i) {
    const auto before = std::chrono::steady_clock::now();
    least = std::min<std::chrono::nanoseconds>(least, std::chrono::steady_clock::now() - before);
  }
  return static_cast<double>(least.count());
}

double held_nanoseconds() noexcept {
  if (holds == 0) return 0;
  const double mean = static_cast<double>(held.count()) / static_cast<double>(holds);
  held = std::chrono::nanoseconds{0};
  holds = 0;
  return std::max(0.0, mean - clock_nanoseconds());
}

}  // namespace cleave::contention
