#include "os/memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "base/bits.hpp"

namespace cleave::os {
namespace {

constinit std::atomic<std::uint64_t> calls{0};

// Relaxed: a statistic, it orders nothing.
void count() noexcept {
  calls.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

std::size_t page_bytes() noexcept {
  static const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

void* reserve(std::size_t bytes, std::size_t alignment) noexcept {
  const std::size_t slack = alignment > page_bytes() ? alignment : 0;
  if (bytes + slack < bytes) return nullptr;
  count();
  void* const p =
      ::mmap(nullptr, bytes + slack, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return nullptr;
  const auto begin = reinterpret_cast<std::uintptr_t>(p);
  const std::uintptr_t aligned = base::align_up(begin, slack == 0 ? 1 : alignment);
  // Giving up the two ends cannot lose anything: at worst they stay reserved.
  if (aligned > begin) release(p, aligned - begin);
  if (const std::size_t rest = begin + slack - aligned; rest > 0) {
    release(reinterpret_cast<void*>(aligned + bytes), rest);
  }
  return reinterpret_cast<void*>(aligned);
}

void release(void* begin, std::size_t bytes) noexcept {
  count();
  ::munmap(begin, bytes);
}

bool commit(void* begin, std::size_t bytes) noexcept {
  count();
  return ::mprotect(begin, bytes, PROT_READ | PROT_WRITE) == 0;
}

bool forbid(void* begin, std::size_t bytes) noexcept {
  count();
  return ::mprotect(begin, bytes, PROT_NONE) == 0;
}

bool discard(void* begin, std::size_t bytes) noexcept {
  for (;;) {
    count();
    if (::madvise(begin, bytes, MADV_DONTNEED) == 0) return true;
    if (errno != EAGAIN && errno != EINTR) return false;
  }
}

void prefer_huge_pages(void* begin, std::size_t bytes) noexcept {
  count();
  ::madvise(begin, bytes, MADV_HUGEPAGE);
}

std::size_t address_space_left() noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return SIZE_MAX;
  std::size_t used = 0;
  // Read by hand: the C library's streams allocate, and the caller may be malloc.
  if (const int f = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC); f >= 0) {
    char text[32];
    const ssize_t n = ::read(f, text, sizeof text);
    std::size_t pages = 0;
    for (ssize_t i = 0; i < n && text[i] >= '0' && text[i] <= '9'; ++i) {
      pages = pages * 10 + static_cast<std::size_t>(text[i] - '0');
    }
    used = pages * page_bytes();
    ::close(f);
  }
  const auto all = static_cast<std::size_t>(limit.rlim_cur);
  return all > used ? all - used : 0;
}

std::uint64_t call_count() noexcept {
  // Relaxed: a statistic.
  return calls.load(std::memory_order_relaxed);
}

}  // namespace cleave::os
