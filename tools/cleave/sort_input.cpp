#include "sort_input.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>

#include "commands.hpp"
#include "sort_parts.hpp"

namespace cleave::tool {
namespace {

constexpr std::string_view standard_input = "-";

// Enough for the system to be busy with copying, and small enough to share.
constexpr std::size_t read_bytes = std::size_t{4} << 20;

std::string shown(const std::string& file) {
  return file == standard_input ? "standard input" : in_quotes(file);
}

[[noreturn]] void fail(const std::string& file, int error) {
  const char* advice = "";
  if (error == ENOENT) advice = "; check the name";
  if (error == EACCES) advice = "; ask its owner for read permission";
  if (error == EISDIR) advice = "; name the files in it";
  throw command_error(fmt::format("cannot read {}: {}{}", shown(file), reason(error), advice));
}

}  // namespace

input::input(std::vector<std::string> files, rules chosen)
    : files_(std::move(files)), rules_(chosen) {
  for (const std::string& file : files_) {
    struct stat about {};
    if (file == standard_input) {
      if (::fstat(STDIN_FILENO, &about) != 0) fail(file, errno);
    } else if (::stat(file.c_str(), &about) != 0) {
      fail(file, errno);
    }
    if (S_ISDIR(about.st_mode)) fail(file, EISDIR);
    if (S_ISREG(about.st_mode)) expected_ += static_cast<std::size_t>(about.st_size);
    if (rules_.lines) ++expected_;
  }
}

input::~input() {
  if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
}

void input::open_next() {
  if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
  descriptor_ = -1;
  const std::string& file = files_[next_];
  if (file == standard_input) {
    descriptor_ = STDIN_FILENO;
    regular_ = false;
  } else {
    descriptor_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail(file, errno);
    struct stat about {};
    regular_ = ::fstat(descriptor_, &about) == 0 && S_ISREG(about.st_mode);
    known_size_ = regular_ ? static_cast<std::size_t>(about.st_size) : 0;
  }
  position_ = 0;
  last_ = std::byte{'\n'};
  ++next_;
}

std::size_t input::read(std::span<std::byte> room) {
  std::size_t filled = 0;
  while (filled < room.size()) {
    if (descriptor_ < 0) {
      if (next_ == files_.size()) break;
      open_next();
    }
    const std::size_t added = read_some(room.subspan(filled));
    if (added != 0) {
      filled += added;
      position_ += added;
      last_ = room[filled - 1];
      continue;
    }
    check_end();
    if (rules_.lines && last_ != std::byte{'\n'}) room[filled++] = std::byte{'\n'};
    if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
    descriptor_ = -1;
  }
  return filled;
}

std::size_t input::read_some(std::span<std::byte> room) {
  if (regular_ && known_size_ > position_) {
    const std::size_t known = std::min(room.size(), known_size_ - position_);
    if (known >= 2 * read_bytes) return read_by_all_threads(room.first(known));
  }
  for (;;) {
    // The kernel takes no more than 2 GiB at once.
    const std::size_t wanted = std::min(room.size(), std::size_t{1} << 30);
    const ssize_t got =
        regular_ ? ::pread(descriptor_, room.data(), wanted, static_cast<off_t>(position_))
                 : ::read(descriptor_, room.data(), wanted);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) fail(files_[next_ - 1], errno);
  }
}

std::size_t input::read_by_all_threads(std::span<std::byte> room) {
  // How far the file surely fills `room`: a file that got shorter leaves a gap
  // behind the first short read.
  std::atomic<std::size_t> whole = room.size();
  std::atomic<int> failure = 0;
  const std::size_t parts = (room.size() + read_bytes - 1) / read_bytes;
  for_parts(parts, [&](std::size_t part) {
    std::size_t at = part * read_bytes;
    const std::size_t end = std::min(at + read_bytes, room.size());
    while (at < end) {
      const ssize_t got =
          ::pread(descriptor_, room.data() + at, end - at, static_cast<off_t>(position_ + at));
      if (got < 0 && errno == EINTR) continue;
      // Relaxed: the end of for_parts() publishes both.
      if (got < 0) failure.store(errno, std::memory_order_relaxed);
      if (got <= 0) {
        std::size_t seen = whole.load(std::memory_order_relaxed);
        while (at < seen && !whole.compare_exchange_weak(seen, at, std::memory_order_relaxed)) {
        }
        return;
      }
      at += static_cast<std::size_t>(got);
    }
  });
  if (failure.load() != 0) fail(files_[next_ - 1], failure.load());
  known_size_ = position_ + whole.load();
  return whole.load();
}

void input::check_end() const {
  if (position_ % rules_.unit == 0) return;
  throw command_error(fmt::format(
      "{} has {} bytes, which is not a multiple of {}; give the --type that it was written with",
      shown(files_[next_ - 1]), position_, rules_.unit));
}

}  // namespace cleave::tool
