#include "os/stream.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): SIGPIPE is not in <csignal>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "os/aside.hpp"

namespace cleave::os {
namespace {

// Some systems refuse larger pieces.
constexpr std::size_t piece = std::size_t{1} << 30;

constinit std::atomic<void (*)()> first_at_exit{nullptr};

// After a call that gave `result`: whether to call again, which may wait first.
bool again(ssize_t result, int descriptor, short until) noexcept {
  if (result >= 0) return false;
  if (errno == EINTR) return true;
  if (errno != EAGAIN) return false;
  pollfd one{descriptor, until, 0};
  return ::poll(&one, 1, -1) >= 0 || errno == EINTR;
}

}  // namespace

int write_all(int descriptor, const char* bytes, std::size_t size) noexcept {
  while (size != 0) {
    const ssize_t n = ::write(descriptor, bytes, std::min(size, piece));
    if (again(n, descriptor, POLLOUT)) continue;
    if (n < 0) return errno;
    bytes += n;
    size -= static_cast<std::size_t>(n);
  }
  return 0;
}

bool is_terminal(int descriptor) noexcept {
  return ::isatty(descriptor) == 1;
}

void report_broken_pipes() noexcept {
  ::signal(SIGPIPE, SIG_IGN);
}

int file::open_to_read(const char* path) noexcept {
  do {
    descriptor_ = ::open(path, O_RDONLY | O_CLOEXEC);
  } while (descriptor_ < 0 && errno == EINTR);
  return descriptor_ < 0 ? errno : 0;
}

int file::open_to_write(const char* path) noexcept {
  do {
    descriptor_ = ::open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  } while (descriptor_ < 0 && errno == EINTR);
  return descriptor_ < 0 ? errno : 0;
}

int file::open_alone(const char* path) noexcept {
  do {
    // Not O_TRUNC: it may be another one's.
    descriptor_ = ::open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  } while (descriptor_ < 0 && errno == EINTR);
  if (descriptor_ < 0) return errno;
  stand_aside();
  struct stat about = {};
  if (::fstat(descriptor_, &about) != 0 || !S_ISREG(about.st_mode)) return 0;
  // Of the open file: it stays when the program closes another descriptor of it. A system of
  // files that knows no locks keeps nobody out.
  int error = 0;
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    error = EBUSY;
  } else if (::ftruncate(descriptor_, 0) != 0) {
    error = errno;
  }
  if (error != 0) static_cast<void>(close());
  return error;
}

std::size_t file::size() const noexcept {
  struct stat about = {};
  if (::fstat(descriptor_, &about) != 0 || about.st_size < 0) return 0;
  return static_cast<std::size_t>(about.st_size);
}

int file::read(char* to, std::size_t size, std::size_t& got) noexcept {
  ssize_t n = 0;
  do {
    n = ::read(descriptor_, to, std::min(size, piece));
  } while (again(n, descriptor_, POLLIN));
  if (n < 0) return errno;
  got = static_cast<std::size_t>(n);
  return 0;
}

int file::write(const char* bytes, std::size_t size) noexcept {
  return write_all(descriptor_, bytes, size);
}

int file::write_quietly(const char* bytes, std::size_t size) noexcept {
  if (!is_same()) return EBADF;
  sigset_t signals;
  sigset_t before;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGXFSZ);
  ::sigaddset(&signals, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &signals, &before);
  sigset_t waited;
  ::sigpending(&waited);
  const int error = write_all(descriptor_, bytes, size);
  if (error == EFBIG || error == EPIPE) {
    // The signal that came with it; one that had waited before stays.
    const int number = error == EPIPE ? SIGPIPE : SIGXFSZ;
    ::sigemptyset(&signals);
    ::sigaddset(&signals, number);
    const timespec none{};
    if (::sigismember(&waited, number) == 0) ::sigtimedwait(&signals, nullptr, &none);
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return error;
}

bool file::is_same() const noexcept {
  return is_still(descriptor_, identity_);
}

void file::stand_aside() noexcept {
  descriptor_ = move_aside(descriptor_, 200);
  static_cast<void>(identify(descriptor_, identity_));
}

int file::close() noexcept {
  if (descriptor_ < 0) return 0;
  // Not repeated: the descriptor is gone in any case.
  return ::close(std::exchange(descriptor_, -1)) == 0 || errno == EINTR ? 0 : errno;
}

std::string reason(int error) {
  return std::generic_category().message(error);
}

const char* plain_reason(int error) noexcept {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 32)
  if (const char* const words = ::strerrordesc_np(error)) return words;
#endif
  return "the system refused it";
}

void before_exit_now(void (*function)()) noexcept {
  // Relaxed: set when the heap starts, and read by whoever ends the process.
  first_at_exit.store(function, std::memory_order_relaxed);
}

void exit_now(int code) noexcept {
  // Relaxed: as above. Not twice, should the function end the process itself.
  if (auto* const first = first_at_exit.exchange(nullptr, std::memory_order_relaxed)) first();
  ::_exit(code);
}

}  // namespace cleave::os
