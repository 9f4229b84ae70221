#include "os/shown_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "os/aside.hpp"

namespace cleave::os {
namespace {

// The thread that shows is the only one that changes these, and a child of fork() after it.
constinit int descriptor = -1;
constinit pid_t owner = 0;
constinit char path[64] = "";
constinit file_identity identity;

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
  made = move_aside(made, 500);
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  // Nobody else locks a file that has just been made; where locks are not known, readers see
  // the process as one that does not show itself.
  if (!identify(made, identity) || ::fcntl(made, F_SETLK, &lock) != 0) {
    const int error = errno;
    ::unlink(path);
    ::close(made);
    return error;
  }
  descriptor = made;
  static constinit bool registered = false;
  owner = self;
  if (!std::exchange(registered, true)) std::atexit(remove_at_exit);
  return 0;
}

int write_shown_file(const void* bytes, std::size_t size) noexcept {
  if (!is_still(descriptor, identity)) {
    descriptor = -1;
    return EBADF;
  }
  const ssize_t written = ::pwrite(descriptor, bytes, size, 0);
  if (written < 0) return errno;
  return static_cast<std::size_t>(written) == size ? 0 : ENOSPC;
}

void leave_shown_file() noexcept {
  // The lock is the parent's alone, and stays.
  if (is_still(descriptor, identity)) ::close(descriptor);
  descriptor = -1;
  owner = 0;
}

}  // namespace cleave::os
