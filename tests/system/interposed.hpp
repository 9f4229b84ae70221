// interposed.hpp -- the system calls of src/os/memory.cpp in the hands of a test.
//
// The program defines mmap(), munmap(), mprotect(), madvise() and sysconf() itself. Each call of
// the library is counted and told to `observer`, which may refuse it, make it slow, or look at
// its arguments; then it goes to the real system.
//
//   const observed watch([](const system_call& call) { return call.number == 3 ? ENOMEM : 0; });
//
// The C library's own calls do not come here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace cleave::test {

enum class call_kind : std::uint8_t { reserve, release, access, discard, advice };

struct system_call {
  call_kind kind = call_kind::reserve;
  std::uint64_t number = 0;  // 1 is the first since the observer came
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
};

// 0, or the error that the call is to fail with.
using observer = std::function<int(const system_call&)>;

class observed {
 public:
  explicit observed(observer by);
  ~observed();
  observed(const observed&) = delete;
  observed& operator=(const observed&) = delete;

  // Calls since this one came.
  static std::uint64_t calls();
};

// What sysconf() says of the size of a page; before the heap starts.
void pretend_pages_of(std::size_t bytes);

}  // namespace cleave::test
