#include "top_process.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string_view>

#include "commands.hpp"
#include "drawing.hpp"

namespace cleave::tool {
namespace {

using cleave::detail::shown;

constexpr std::string_view prefix = shown::file_prefix;

class descriptor {
 public:
  explicit descriptor(const std::string& path)
      // Without waiting: the file may be a pipe that somebody put there.
      : number_(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)) {}
  ~descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

std::string path_of(pid_t process) {
  return fmt::format("{}{}", prefix, process);
}

// Who holds the lock; 0 if nobody does, -1 for a process that has no number here, as one of
// another container.
pid_t holder(int file) {
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (::fcntl(file, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) return 0;
  return lock.l_pid > 0 ? lock.l_pid : -1;
}

std::string not_shown(pid_t process) {
  if (!is_running(process)) return fmt::format("there is no process {}", process);
  return fmt::format(
      "process {} does not show its heap; start its program with CLEAVE_TOP=1 in the environment",
      process);
}

// Of a file that is whole but for its contents.
std::string read_whole(pid_t process, int file, shown& to) {
  // A reader that comes while the file is written has parts of two; the next look has not.
  constexpr int tries = 20;
  for (int i = 0; i < tries; ++i) {
    const ssize_t got = ::pread(file, &to, sizeof to, 0);
    if (got < 0) return fmt::format("cannot read {}: {}", path_of(process), reason(errno));
    if (static_cast<std::size_t>(got) >= offsetof(shown, sequence) &&
        to.magic == shown::right_magic &&
        (to.version != shown::right_version || to.bytes != sizeof to)) {
      return fmt::format(
          "process {} has another version of Cleave, whose numbers this one cannot read", process);
    }
    if (static_cast<std::size_t>(got) == sizeof to && cleave::detail::is_whole(to) &&
        to.process == static_cast<std::uint64_t>(process)) {
      return "";
    }
    ::usleep(1000);
  }
  return fmt::format("{} does not hold what a heap writes", path_of(process));
}

// The number behind the prefix; 0 if this is no such file.
pid_t number_in(std::string_view name) {
  constexpr std::string_view front = prefix.substr(prefix.rfind('/') + 1);
  if (!name.starts_with(front)) return 0;
  name.remove_prefix(front.size());
  pid_t number = 0;
  const auto end = std::from_chars(name.data(), name.data() + name.size(), number);
  return end.ec == std::errc() && end.ptr == name.data() + name.size() && number > 0 ? number : 0;
}

void remove_left_over(pid_t process) {
  // The number was free a moment ago: a new process of this number has its own file by the
  // time it runs, and takes the place of an old one by itself.
  if (!is_running(process)) ::unlink(path_of(process).c_str());
}

}  // namespace

bool is_running(pid_t process) {
  return ::kill(process, 0) == 0 || errno == EPERM;
}

std::string look_at(pid_t process, shown& to) {
  const descriptor file(path_of(process));
  if (file.number() < 0) {
    if (errno == EACCES) return fmt::format("process {} belongs to another user", process);
    return not_shown(process);
  }
  struct stat about = {};
  if (::fstat(file.number(), &about) != 0 || !S_ISREG(about.st_mode)) return not_shown(process);
  if (about.st_uid != ::geteuid() && ::geteuid() != 0) {
    return fmt::format("process {} belongs to another user", process);
  }
  if (holder(file.number()) != process) return not_shown(process);
  return read_whole(process, file.number(), to);
}

std::vector<pid_t> shown_processes() {
  std::vector<pid_t> found;
  const std::string folder(prefix.substr(0, prefix.rfind('/')));
  const std::unique_ptr<DIR, int (*)(DIR*)> all(::opendir(folder.c_str()), ::closedir);
  if (all == nullptr) return found;
  while (const dirent* const entry = ::readdir(all.get())) {
    const pid_t process = number_in(entry->d_name);
    if (process == 0) continue;
    const descriptor file(path_of(process));
    struct stat about = {};
    if (file.number() < 0 || ::fstat(file.number(), &about) != 0) continue;
    if (holder(file.number()) == process) {
      found.push_back(process);
    } else if (about.st_uid == ::geteuid() && holder(file.number()) == 0) {
      remove_left_over(process);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string program_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/comm", process));
  std::string name;
  std::getline(file, name);
  return name.empty() ? "?" : plain_name(name, false);
}

heap::statistics statistics_of(const shown& seen) {
  const auto size = [](std::uint64_t n) { return static_cast<std::size_t>(n); };
  heap::statistics s;
  s.live = size(seen.live);
  s.held = size(seen.held);
  s.peak_held = size(seen.peak_held);
  s.held_limit = size(seen.held_limit);
  s.reserved = size(seen.reserved);
  s.committed = size(seen.committed);
  s.metadata = size(seen.metadata);
  s.free = size(seen.free);
  s.cached = size(seen.cached);
  s.largest_free = size(seen.largest_free);
  s.allocations = seen.allocations;
  s.frees = seen.frees;
  s.extensions = seen.extensions;
  s.system_calls = seen.system_calls;
  for (std::size_t k = 0; k < std::min<std::size_t>(size(seen.orders), s.free_blocks.size()); ++k) {
    s.free_blocks[k] = size(seen.free_blocks[k]);
  }
  for (std::size_t c = 0; c < seen.classes; ++c) {
    const cleave::detail::shown_class& one = seen.by_class[c];
    s.classes.push_back(
        {size(one.slot_bytes), size(one.slabs), size(one.slots), size(one.slots_used)});
  }
  return s;
}

}  // namespace cleave::tool
