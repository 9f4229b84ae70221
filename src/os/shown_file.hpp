// shown_file.hpp -- the door to a file that shows something of this process while it runs.
//
//   if (int error = os::open_shown_file("/dev/shm/cleave-top."); error != 0) ...
//   os::write_shown_file(&numbers, sizeof numbers);
//
// The process's number stands behind the prefix. The owner alone may read the file; the process
// holds a write lock on it, which ends with the process and when another program takes its
// place, so that readers know what is stale. At exit it is removed.
#pragma once

#include <cstddef>

namespace cleave::os {

// One per process. Takes the place of a file that an earlier process of this number left, and of
// no other one. Error: the system's number for it.
[[nodiscard]] int open_shown_file(const char* prefix) noexcept;

// Replaces the contents by one call. Error: the system's number for it; EBADF for ever when the
// program has closed the descriptor, whose number may be that of a file of its own by then.
[[nodiscard]] int write_shown_file(const void* bytes, std::size_t size) noexcept;

// In a child of fork(): the file is the parent's.
void leave_shown_file() noexcept;

}  // namespace cleave::os
