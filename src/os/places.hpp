// places.hpp -- where in the program a call came from, and how a person reads that.
//
//   os::frame frames[8];
//   const std::size_t n = os::callers(frames, 8);       // innermost first
//   os::print_places(2, frames[0].address ...);         // "      main at life.cpp:12"
//
// Names and lines come from the debug information, through `addr2line` where that is
// installed; else there is the nearest exported symbol, else the file and the offset in it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cleave::os {

struct frame {
  // The address that the call returns to.
  std::uintptr_t address = 0;
  // Where on the stack that address is kept; 0 if this processor keeps it elsewhere.
  std::uintptr_t kept_at = 0;
};

// The callers of the calling function, itself first; how many there are, up to `most`. Takes no
// lock and allocates nothing. About a microsecond.
std::size_t callers(frame* to, std::size_t most) noexcept;

// Writes a line for each address, indented. Frames of the library at the front, which are
// the way to its caller, are left out. May start a process; returns when it has ended.
void print_places(int descriptor, const std::uintptr_t* addresses, std::size_t n) noexcept;

// Code in memory at [begin, end); the file itself has `offset` as the address of `begin`.
struct code {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::uintptr_t offset = 0;
  const char* path = nullptr;
};

// Calls take(one, argument) for all code, if some came since the last call with this `seen`,
// which begins as 0. Allocates nothing.
void new_code(std::uint64_t& seen, void (*take)(const code& one, void* argument),
              void* argument) noexcept;

// The file that the code at an address is part of, as a path that holds however the program was
// started; nullptr if the loader does not know.
const char* file_of(std::uintptr_t address) noexcept;

// The path of the program that runs; "" if the system does not say. Stays.
const char* program_path() noexcept;

// The value of a variable of the environment; nullptr if it is not set.
const char* variable(const char* name) noexcept;
// The same for what names a file to write: nullptr also where the program has rights that its
// caller has not.
const char* trusted_variable(const char* name) noexcept;

// After this, exit_status() is what exit() or the return from main() was given; -1 before.
void watch_exit() noexcept;
int exit_status() noexcept;

}  // namespace cleave::os
