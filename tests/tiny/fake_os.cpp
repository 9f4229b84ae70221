#include "tiny/fake_os.hpp"

#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "base/bits.hpp"
#include "heap/lock.hpp"
#include "os/memory.hpp"
#include "os/nodes.hpp"
#include "os/thread.hpp"

namespace cleave::fake_os {
namespace {

constexpr std::size_t page = 64;
constexpr std::size_t space_bytes = std::size_t{8} << 20;
constexpr std::byte gone{0xD1};

alignas(1 << 20) std::byte space[space_bytes];
bool open_pages[space_bytes / page];
std::size_t next_free = 0;
std::size_t discarded = 0;
std::mutex lock;
std::uint64_t countdown = 0;
bool fail_after = false;
std::uint64_t made = 0;
std::atomic<std::uint64_t> now{1};
std::atomic<unsigned> nodes{1};
std::atomic<unsigned> node_of_threads{0};

// Whether this call is one that fails. Under the lock.
bool refused() noexcept {
  heap::lock_order::expect_none();
  ++made;
  if (countdown == 0) return false;
  if (countdown > 1) {
    --countdown;
    return false;
  }
  if (!fail_after) countdown = 0;
  return true;
}

std::size_t number(const void* p) noexcept {
  return static_cast<std::size_t>(static_cast<const std::byte*>(p) - space) / page;
}

}  // namespace

void fail_at(std::uint64_t k, bool all_after) noexcept {
  const std::lock_guard guard(lock);
  countdown = k;
  fail_after = all_after;
  made = 0;
}

std::uint64_t calls() noexcept {
  const std::lock_guard guard(lock);
  return made;
}

void set_time(std::uint64_t milliseconds) noexcept { now.store(milliseconds); }

void set_nodes(unsigned count) noexcept { nodes.store(count); }

void run_on_node(unsigned node) noexcept { node_of_threads.store(node); }

bool accessible(const void* p) noexcept {
  const std::lock_guard guard(lock);
  return open_pages[number(p)];
}

std::size_t discarded_pages() noexcept {
  const std::lock_guard guard(lock);
  return discarded;
}

}  // namespace cleave::fake_os

namespace cleave::os {

using namespace cleave::fake_os;

std::size_t page_bytes() noexcept { return page; }

void* reserve(std::size_t bytes, std::size_t alignment) noexcept {
  const std::lock_guard guard(lock);
  if (refused()) return nullptr;
  const std::size_t begin = base::align_up(next_free, alignment);
  if (begin + bytes > space_bytes) return nullptr;
  next_free = begin + bytes;
  return space + begin;
}

void release(void* begin, std::size_t bytes) noexcept {
  const std::lock_guard guard(lock);
  if (number(begin) * page + bytes == next_free) next_free -= bytes;
}

bool commit(void* begin, std::size_t bytes) noexcept {
  const std::lock_guard guard(lock);
  if (refused()) return false;
  for (std::size_t i = 0; i < bytes / page; ++i) open_pages[number(begin) + i] = true;
  return true;
}

bool discard(void* begin, std::size_t bytes) noexcept {
  const std::lock_guard guard(lock);
  if (refused()) return false;
  // Not zeros: whoever relies on what memory holds after it went back is wrong.
  std::memset(begin, static_cast<int>(gone), bytes);
  discarded += bytes / page;
  return true;
}

void prefer_huge_pages(void*, std::size_t) noexcept {}

std::size_t address_space_left() noexcept { return SIZE_MAX; }

unsigned node_count() noexcept { return nodes.load(); }

unsigned current_node() noexcept { return node_of_threads.load(); }

std::uint64_t call_count() noexcept { return calls(); }

namespace {

using exit_action = void (*)();
exit_action exit_function = nullptr;
pthread_key_t exit_key{};

}  // namespace

bool at_thread_exit(void (*function)()) noexcept {
  exit_function = function;
  return ::pthread_key_create(&exit_key, [](void*) { exit_function(); }) == 0;
}

bool arm_thread_exit() noexcept { return ::pthread_setspecific(exit_key, &exit_key) == 0; }

void at_fork(void (*)(), void (*)(), void (*)()) noexcept {}

std::uint64_t coarse_milliseconds() noexcept { return now.load(); }

std::uint64_t nanoseconds() noexcept { return now.load() * 1'000'000; }

std::uint64_t nanoseconds_since_1970() noexcept { return nanoseconds(); }

std::uint32_t process_number() noexcept { return 1; }

bool start_helper(void (*)()) noexcept { return false; }

void sleep(std::chrono::milliseconds) noexcept {}

}  // namespace cleave::os
