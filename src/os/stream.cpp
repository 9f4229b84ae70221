#include "os/stream.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): SIGPIPE is not in <csignal>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace cleave::os {
namespace {

// Some systems refuse larger pieces.
constexpr std::size_t piece = std::size_t{1} << 30;

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

int file::close() noexcept {
  if (descriptor_ < 0) return 0;
  // Not repeated: the descriptor is gone in any case.
  return ::close(std::exchange(descriptor_, -1)) == 0 || errno == EINTR ? 0 : errno;
}

std::string reason(int error) {
  return std::generic_category().message(error);
}

void exit_now(int code) noexcept {
  ::_exit(code);
}

}  // namespace cleave::os
