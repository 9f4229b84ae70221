#include "system/interposed.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <utility>

namespace cleave::test {
namespace {

std::atomic<const observer*> present{nullptr};
observer kept;
std::atomic<std::uint64_t> made{0};
std::atomic<std::size_t> page{0};

// True if the call is to go to the system; else errno is set.
bool allowed(call_kind kind, void* begin, std::size_t bytes) {
  const std::uint64_t number = made.fetch_add(1) + 1;
  const observer* const by = present.load();
  if (by == nullptr) return true;
  const int error = (*by)({kind, number, reinterpret_cast<std::uintptr_t>(begin), bytes});
  if (error != 0) errno = error;
  return error == 0;
}

}  // namespace

observed::observed(observer by) {
  kept = std::move(by);
  made = 0;
  present = &kept;
}

observed::~observed() {
  present = nullptr;
}

std::uint64_t observed::calls() {
  return made;
}

void pretend_pages_of(std::size_t bytes) {
  page = bytes;
}

}  // namespace cleave::test

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
extern "C" {

void* mmap(void* at, std::size_t bytes, int access, int flags, int file, off_t from) noexcept {
  using namespace cleave::test;
  if (!allowed(call_kind::reserve, at, bytes)) return MAP_FAILED;
  return reinterpret_cast<void*>(::syscall(SYS_mmap, at, bytes, access, flags, file, from));
}

int munmap(void* at, std::size_t bytes) noexcept {
  // Whoever gives up what he has is not refused.
  (void)cleave::test::allowed(cleave::test::call_kind::release, at, bytes);
  return static_cast<int>(::syscall(SYS_munmap, at, bytes));
}

int mprotect(void* at, std::size_t bytes, int access) noexcept {
  if (!cleave::test::allowed(cleave::test::call_kind::access, at, bytes)) return -1;
  return static_cast<int>(::syscall(SYS_mprotect, at, bytes, access));
}

int madvise(void* at, std::size_t bytes, int advice) noexcept {
  using namespace cleave::test;
  const call_kind kind = advice == MADV_DONTNEED ? call_kind::discard : call_kind::advice;
  if (!allowed(kind, at, bytes)) return -1;
  return static_cast<int>(::syscall(SYS_madvise, at, bytes, advice));
}

long sysconf(int name) noexcept {
  const std::size_t pretended = cleave::test::page;
  if (name == _SC_PAGESIZE && pretended != 0) return static_cast<long>(pretended);
  using function = long (*)(int);
  static const auto real = reinterpret_cast<function>(::dlsym(RTLD_NEXT, "sysconf"));
  return real(name);
}

}  // extern "C"
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
