// told.hpp -- sanitizers and Valgrind are told which bytes a program may touch.
//
//   told::handed_out(p, bytes);    // may be written; holds no value yet
//   told::freed(p, bytes);         // may not be touched
//
// The heap never touches free memory, so it need not be told about itself; checked mode
// looks into freed memory and says readable() before.
//
// Address and memory sanitizer are part of a build of the library. The first keeps a grain of 8
// bytes: of eight that lie together a piece is hidden only as far as it reaches their end.
// Valgrind's memcheck is exact to the byte, and noticed when the heap starts, in any build.
#pragma once

#include <cleave/heap.hpp>
#include <cstddef>

namespace cleave::heap::told {

#if defined(CLEAVE_TINY_HEAP)
// Its system writes to memory that was given back.
inline constexpr bool by_build = false;
#else
inline constexpr bool by_build = cleave::detail::told_by_build;
#endif

// Whether Valgrind's memcheck runs this process. Once, when the heap starts.
void start() noexcept;
bool memcheck() noexcept;
// Whether anybody listens.
inline bool wanted() noexcept {
  return by_build || memcheck();
}

void handed_out(void* p, std::size_t bytes) noexcept;
void freed(void* p, std::size_t bytes) noexcept;
// Whatever is there may be read and written, and counts as written.
void readable(void* p, std::size_t bytes) noexcept;

// Around fork(): what threads tell at one time.
void lock() noexcept;
void unlock() noexcept;

}  // namespace cleave::heap::told
