#include "heap/told.hpp"

#include <cleave/heap.hpp>

#include <algorithm>
#include <mutex>

#include "heap/lock.hpp"
#include "heap/tables.hpp"

#if defined(CLEAVE_TINY_HEAP)
#elif defined(__SANITIZE_ADDRESS__)
#  define CLEAVE_TELLS_ADDRESS 1
#elif defined(__has_feature)
#  if __has_feature(address_sanitizer)
#    define CLEAVE_TELLS_ADDRESS 1
#  elif __has_feature(memory_sanitizer)
#    define CLEAVE_TELLS_MEMORY 1
#  endif
#endif

#if defined(CLEAVE_TELLS_ADDRESS)
#  include <sanitizer/asan_interface.h>
#endif
#if defined(CLEAVE_TELLS_MEMORY)
#  include <sanitizer/msan_interface.h>
#endif
#if defined(__has_include)
#  if __has_include(<valgrind/memcheck.h>)
#    include <valgrind/memcheck.h>
#    define CLEAVE_TELLS_VALGRIND 1
#  endif
#endif

namespace cleave::heap::told {
namespace {

constinit bool under_memcheck = false;

#if defined(CLEAVE_TELLS_ADDRESS)
constexpr std::size_t grain = 8;
// The sanitizer reads and writes the shadow of a grain as if no other thread were there, and ends
// the process where two do it at once: pieces of two threads may meet inside of one.
constinit ranked_lock shared_grains{rank::told};

// Tells of [p, p + bytes): of whole grains freely, of parts of one under the lock.
template <typename Tell>
void by_grain(void* p, std::size_t bytes, Tell tell) noexcept {
  char* const begin = static_cast<char*>(p);
  const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(p) % grain;
  const std::size_t head = misaligned == 0 ? 0 : std::min(bytes, grain - misaligned);
  const std::size_t tail = (bytes - head) % grain;
  if (bytes - head != tail) tell(begin + head, bytes - head - tail);
  if (head == 0 && tail == 0) return;
  const std::lock_guard guard(shared_grains);
  if (head != 0) tell(begin, head);
  if (tail != 0) tell(begin + bytes - tail, tail);
}
#endif

}  // namespace

#if defined(CLEAVE_TELLS_ADDRESS)
void lock() noexcept {
  shared_grains.lock();
}
void unlock() noexcept {
  shared_grains.unlock();
}
#else
void lock() noexcept {}
void unlock() noexcept {}
#endif

void start() noexcept {
#if defined(CLEAVE_TELLS_VALGRIND)
  // Only memcheck, and tools made of it, answer this; callgrind and others say 0.
  char byte = 0;
  under_memcheck = VALGRIND_MAKE_MEM_DEFINED(&byte, 1) != 0;
#endif
}

bool memcheck() noexcept {
  return under_memcheck;
}

void handed_out([[maybe_unused]] void* p, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(CLEAVE_TELLS_ADDRESS)
  by_grain(p, bytes, __asan_unpoison_memory_region);
#endif
#if defined(CLEAVE_TELLS_MEMORY)
  __msan_allocated_memory(p, bytes);
#endif
#if defined(CLEAVE_TELLS_VALGRIND)
  if (under_memcheck) VALGRIND_MAKE_MEM_UNDEFINED(p, bytes);
#endif
}

void freed([[maybe_unused]] void* p, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(CLEAVE_TELLS_ADDRESS)
  by_grain(p, bytes, __asan_poison_memory_region);
#endif
#if defined(CLEAVE_TELLS_MEMORY)
  __msan_poison(p, bytes);
#endif
#if defined(CLEAVE_TELLS_VALGRIND)
  if (under_memcheck) VALGRIND_MAKE_MEM_NOACCESS(p, bytes);
#endif
}

void readable([[maybe_unused]] void* p, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(CLEAVE_TELLS_ADDRESS)
  by_grain(p, bytes, __asan_unpoison_memory_region);
#endif
#if defined(CLEAVE_TELLS_MEMORY)
  __msan_unpoison(p, bytes);
#endif
#if defined(CLEAVE_TELLS_VALGRIND)
  if (under_memcheck) VALGRIND_MAKE_MEM_DEFINED(p, bytes);
#endif
}

}  // namespace cleave::heap::told

void cleave::detail::tell_handed_out(void* pointer, std::size_t bytes) noexcept {
  if (heap::told::by_build) heap::told::handed_out(pointer, bytes);
}

void cleave::detail::tell_freed(void* pointer, std::size_t bytes) noexcept {
  const auto p = reinterpret_cast<std::uintptr_t>(pointer);
  // A wrong free is reported where it is looked at.
  if (heap::told::by_build && heap::tables.holds(p) &&
      bytes <= (heap::tables.pages << heap::page_bits) - (p - heap::tables.base)) {
    heap::told::freed(pointer, bytes);
  }
}
