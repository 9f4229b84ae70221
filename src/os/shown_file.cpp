#include "os/shown_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace cleave::os {
namespace {

// The thread that shows is the only one that changes these, and a child of fork() after it.
constinit int descriptor = -1;
constinit pid_t owner = 0;
constinit char path[64] = "";
// Which file the descriptor was opened for.
constinit dev_t device = 0;
constinit ino_t inode = 0;

// A program may close descriptors that it does not know, and open files that get their numbers.
bool is_ours() noexcept {
  struct stat about = {};
  return descriptor >= 0 && ::fstat(descriptor, &about) == 0 && about.st_dev == device &&
         about.st_ino == inode;
}

// A process that was made by other means than fork() has this too, and not the file.
void remove_at_exit() noexcept {
  if (owner == ::getpid()) ::unlink(path);
}

// False if a process holds it: one in another container, which has the same number there.
bool is_left_over(const char* name) noexcept {
  const int old = ::open(name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (old < 0) return false;
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  const bool held = ::fcntl(old, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  ::close(old);
  return !held;
}

int make(const char* name) noexcept {
  // Not O_TRUNC: what is there is another one's, or a link that leads elsewhere.
  return ::open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

}  // namespace

int open_shown_file(const char* prefix) noexcept {
  const pid_t self = ::getpid();
  std::snprintf(path, sizeof path, "%s%d", prefix, static_cast<int>(self));
  int made = make(path);
  if (made < 0 && errno == EEXIST && is_left_over(path)) {
    ::unlink(path);
    made = make(path);
  }
  if (made < 0) return errno;
  // A high number leaves the low ones as the program would have got them, and is rarely closed.
  constexpr int high = 500;
  if (const int moved = ::fcntl(made, F_DUPFD_CLOEXEC, high); moved >= 0) {
    ::close(made);
    made = moved;
  }
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  // Nobody else locks a file that has just been made; where locks are not known, readers see
  // the process as one that does not show itself.
  struct stat about = {};
  if (::fstat(made, &about) != 0 || ::fcntl(made, F_SETLK, &lock) != 0) {
    const int error = errno;
    ::unlink(path);
    ::close(made);
    return error;
  }
  descriptor = made;
  device = about.st_dev;
  inode = about.st_ino;
  static constinit bool registered = false;
  owner = self;
  if (!std::exchange(registered, true)) std::atexit(remove_at_exit);
  return 0;
}

int write_shown_file(const void* bytes, std::size_t size) noexcept {
  if (!is_ours()) {
    descriptor = -1;
    return EBADF;
  }
  const ssize_t written = ::pwrite(descriptor, bytes, size, 0);
  if (written < 0) return errno;
  return static_cast<std::size_t>(written) == size ? 0 : ENOSPC;
}

void leave_shown_file() noexcept {
  // The lock is the parent's alone, and stays.
  if (is_ours()) ::close(descriptor);
  descriptor = -1;
  owner = 0;
}

}  // namespace cleave::os
