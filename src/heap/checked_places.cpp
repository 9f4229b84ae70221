#include "heap/checked_places.hpp"

#include <algorithm>
#include <cstring>

#include "base/bits.hpp"
#include "os/memory.hpp"

namespace cleave::heap::checked {
namespace {

// Its address names the thread.
thread_local constinit char this_thread = 0;

std::uint64_t mixed(std::uint64_t hash, std::uintptr_t more) noexcept {
  hash = (hash ^ more) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 29;
}

template <typename T>
bool get(T*& to, std::size_t n) noexcept {
  const std::size_t bytes = base::align_up(n * sizeof(T), os::page_bytes());
  to = static_cast<T*>(os::reserve(bytes, os::page_bytes()));
  return to != nullptr && os::commit(to, bytes);
}

}  // namespace

bool stack_walks::start(std::size_t n) noexcept {
  cached_ = n;
  return get(cache_, n) && get(spots_, n);
}

bool place_table::start() noexcept {
  return get(stacks_, most_places) && get(by_hash_, 2 * most_places);
}

// What stood there may be gone, and be another thread's to write by now: it is compared, and
// believed only where it is a return address again.
#if defined(__clang__)
#  define CLEAVE_READS_STACK __attribute__((no_sanitize("address", "memory", "thread")))
#else
#  define CLEAVE_READS_STACK __attribute__((no_sanitize("address", "thread")))
#endif
CLEAVE_READS_STACK
bool stack_walks::holds(const walk& w, std::uintptr_t from, const void* thread) noexcept {
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
CLEAVE_READS_STACK
std::size_t stack_walks::hash_at(const spot& s) noexcept {
  std::uint64_t hash = mixed(0, s.from);
  for (std::size_t i = 0; i < s.n; ++i) {
    if (s.kept_at[i] == 0) continue;
    hash = mixed(hash, *reinterpret_cast<const volatile std::uintptr_t*>(s.kept_at[i]));
  }
  return static_cast<std::size_t>(hash);
}
#undef CLEAVE_READS_STACK

stack_walks::walk* stack_walks::group_of(const spot& s) noexcept {
  return cache_ + (hash_at(s) & (cached_ - together));
}

std::uint32_t place_table::number_of(const stack_walks::walk& w) noexcept {
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < w.n; ++i) hash = mixed(hash, w.frames[i].address);
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

[[gnu::noinline]] stack_walks::walk& stack_walks::here() noexcept {
  const auto from = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  spot& s = spots_[mixed(0, from >> 4) & (cached_ - 1)];
  if (s.from == from && s.thread == &this_thread) {
    walk* const some = group_of(s);
    for (std::size_t i = 0; i < together; ++i) {
      if (holds(some[i], from, &this_thread)) return some[i];
    }
  }
  // The first two are callers() and this function.
  os::frame frames[depth + 2];
  const std::size_t n = os::callers(frames, depth + 2);
  s.from = from;
  s.thread = &this_thread;
  s.n = n > 2 ? n - 2 : 0;
  for (std::size_t i = 0; i < s.n; ++i) s.kept_at[i] = frames[i + 2].kept_at;
  // The oldest of those that share a group goes.
  walk* const some = group_of(s);
  std::copy_backward(some, some + together - 1, some + together);
  walk& w = *some;
  w.from = from;
  w.thread = &this_thread;
  w.n = s.n;
  std::copy_n(frames + 2, w.n, w.frames);
  w.place = unnumbered;
  return w;
}

void place_table::print(int descriptor, std::uint32_t place) const noexcept {
  const stack& s = stacks_[place];
  os::print_places(descriptor, s.address, s.n);
}

}  // namespace cleave::heap::checked
