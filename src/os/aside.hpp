// aside.hpp -- descriptors that a program did not ask for, kept out of its way.
//
//   descriptor = move_aside(descriptor, 200);
//   file_identity which;
//   if (!identify(descriptor, which)) ...errno...
//   ...
//   if (is_still(descriptor, which)) ::write(descriptor, ...);
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/stream.hpp"

namespace cleave::os {

// The same file under a number from `high` on, so that the low ones are those that the program
// would have got, and it is rarely closed. The descriptor as it was if there is none.
inline int move_aside(int descriptor, int high) noexcept {
  const int moved = ::fcntl(descriptor, F_DUPFD_CLOEXEC, high);
  if (moved < 0) return descriptor;
  ::close(descriptor);
  return moved;
}

// False, with errno, if the system does not say.
inline bool identify(int descriptor, file_identity& which) noexcept {
  struct stat about = {};
  if (::fstat(descriptor, &about) != 0) return false;
  which = {about.st_dev, about.st_ino};
  return true;
}

// A program may close descriptors that it does not know, and open files that get their numbers.
inline bool is_still(int descriptor, const file_identity& which) noexcept {
  file_identity now;
  return descriptor >= 0 && identify(descriptor, now) && now == which;
}

}  // namespace cleave::os
