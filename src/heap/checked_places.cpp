#include "heap/checked_places.hpp"

#include <algorithm>
#include <cstring>

#include "base/bits.hpp"
#include "os/memory.hpp"

namespace cleave::heap::checked {
namespace {

// Its address names the thread.
thread_local constinit char this_thread = 0;

template <typename T>
bool get(T*& to, std::size_t n) noexcept {
  const std::size_t bytes = base::align_up(n * sizeof(T), os::page_bytes());
  to = static_cast<T*>(os::reserve(bytes, os::page_bytes()));
  return to != nullptr && os::commit(to, bytes);
}

}  // namespace

bool place_table::start() noexcept {
  return get(stacks_, most_places) && get(by_hash_, 2 * most_places) && get(cache_, cached);
}

#if defined(__clang__)
#  define CLEAVE_READS_STACK __attribute__((no_sanitize("address", "memory")))
#else
#  define CLEAVE_READS_STACK __attribute__((no_sanitize("address")))
#endif
CLEAVE_READS_STACK
bool place_table::holds(const walked& w, std::uintptr_t from, const void* thread) noexcept {
  if (w.from != from || w.thread != thread || w.n == 0) return false;
  for (std::size_t i = 0; i < w.n; ++i) {
    // The frames of this file's own callers come first and are gone at each new call, but
    // stand there again with the same values if the way here was the same.
    if (w.frames[i].kept_at == 0 || *reinterpret_cast<const volatile std::uintptr_t*>(
                                        w.frames[i].kept_at) != w.frames[i].address) {
      return false;
    }
  }
  return true;
}
#undef CLEAVE_READS_STACK

std::uint32_t place_table::number_of(const walked& w) noexcept {
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < w.n; ++i) {
    hash = (hash ^ w.frames[i].address) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  for (auto at = static_cast<std::size_t>(hash % (2 * most_places));;
       at = (at + 1) % (2 * most_places)) {
    const std::uint32_t number = by_hash_[at];
    if (number == 0) {
      if (count_ + 1 == most_places) return 0;
      stack& fresh = stacks_[++count_];
      fresh.n = w.n;
      for (std::size_t i = 0; i < w.n; ++i) fresh.address[i] = w.frames[i].address;
      by_hash_[at] = static_cast<std::uint32_t>(count_);
      return by_hash_[at];
    }
    const stack& known = stacks_[number];
    const auto same = [](std::uintptr_t address, const os::frame& f) {
      return address == f.address;
    };
    if (std::equal(known.address, known.address + known.n, w.frames, w.frames + w.n, same)) {
      return number;
    }
  }
}

[[gnu::noinline]] std::uint32_t place_table::here() noexcept {
  const auto from = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const auto hash = (from >> 4) * 0x9E3779B97F4A7C15u >> 32;
  walked& w = cache_[hash % cached];
  if (!holds(w, from, &this_thread)) {
    // The first two are callers() and this function.
    os::frame frames[depth + 2];
    const std::size_t n = os::callers(frames, depth + 2);
    w.from = from;
    w.thread = &this_thread;
    w.n = n > 2 ? n - 2 : 0;
    std::copy_n(frames + 2, w.n, w.frames);
    w.place = number_of(w);
  }
  return w.place;
}

void place_table::print(int descriptor, std::uint32_t place) const noexcept {
  const stack& s = stacks_[place];
  os::print_places(descriptor, s.address, s.n);
}

}  // namespace cleave::heap::checked
