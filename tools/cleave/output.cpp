#include "output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "commands.hpp"

namespace cleave::tool {
namespace {

// The name that a signal removes. A handler may touch lock-free atomics only;
// the string behind the pointer does not change while the pointer is set.
std::atomic<const char*> unfinished = nullptr;
static_assert(std::atomic<const char*>::is_always_lock_free);

extern "C" void remove_and_die(int signal) {
  if (const char* const name = unfinished.load()) ::unlink(name);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void watch(const char* name) {
  unfinished.store(name);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    // nohup and shells in the background ignore some of them on purpose.
    if (std::signal(signal, remove_and_die) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

// As long as one lives, this thread leaves the signals that end the tool for later.
class signals_held {
 public:
  signals_held() {
    sigset_t ending;
    sigemptyset(&ending);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ending, signal);
    pthread_sigmask(SIG_BLOCK, &ending, &before_);
  }
  signals_held(const signals_held&) = delete;
  signals_held& operator=(const signals_held&) = delete;
  ~signals_held() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

// May be run by all who may read it.
mode_t runnable(mode_t mode) {
  return mode | ((mode & 0444) >> 2);
}

// The mode of a file that a program makes without thinking about it.
mode_t usual_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

}  // namespace

output::output(std::optional<std::string> name, kind of) : name_(std::move(name)) {
  const auto fitting = [of](mode_t mode) { return of == kind::program ? runnable(mode) : mode; };
  if (!name_) {
    descriptor_ = STDOUT_FILENO;
    return;
  }
  struct stat about {};
  if (::stat(name_->c_str(), &about) != 0) {
    if (errno != ENOENT) fail(errno);
    struct stat link {};
    // A link that leads nowhere is refused: its target may be on a disk that
    // is not there now.
    if (::lstat(name_->c_str(), &link) == 0) fail(ENOENT);
    open_beside(*name_, fitting(usual_mode()));
    return;
  }
  if (S_ISDIR(about.st_mode)) fail(EISDIR);
  if (!S_ISREG(about.st_mode)) {
    descriptor_ = ::open(name_->c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail(errno);
    return;
  }
  // Replacing needs permission for the directory alone; a file that is
  // protected stays protected.
  if (::faccessat(AT_FDCWD, name_->c_str(), W_OK, AT_EACCESS) != 0) fail(errno);
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(*name_, error);
  if (error) fail(error.value());
  open_beside(real.string(), fitting(about.st_mode & 0777));
  // Root keeps the owner as well; others own what they write.
  [[maybe_unused]] const int kept = ::fchown(descriptor_, about.st_uid, about.st_gid);
}

void output::open_beside(const std::string& place, mode_t mode) {
  const std::size_t slash = place.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : place.substr(0, slash + 1);
  std::string beside = folder + ".cleave-XXXXXX";
  // One that came between the file and the handler would leave the file behind.
  const signals_held later;
  descriptor_ = ::mkostemp(beside.data(), O_CLOEXEC);
  if (descriptor_ < 0) fail(errno);
  place_ = place;
  beside_ = std::move(beside);
  watch(beside_.c_str());
  // File systems without modes refuse this, and need no more.
  ::fchmod(descriptor_, mode);
}

output::~output() {
  if (!beside_.empty()) {
    ::unlink(beside_.c_str());
    unfinished.store(nullptr);
  }
  if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
}

void output::fail(int error) const {
  const char* advice = "";
  if (error == ENOSPC || error == EDQUOT) advice = "; free some space or choose another place";
  if (error == EFBIG) advice = "; raise the limit on file sizes (ulimit -f)";
  if (error == EACCES || error == EPERM || error == EROFS) advice = "; choose another place";
  if (error == ENOENT) advice = "; make the directory first";
  if (error == EISDIR) advice = "; name a file in it";
  throw command_error(fmt::format("cannot write {}: {}{}",
                                  name_ ? in_quotes(*name_) : "standard output", reason(error),
                                  advice));
}

void output::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::size_t wanted = std::min(bytes.size(), std::size_t{1} << 30);
    const ssize_t written = ::write(descriptor_, bytes.data(), wanted);
    if (written < 0) {
      if (errno == EINTR) continue;
      if (errno == EPIPE) throw output_closed();
      fail(errno);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void output::finish(bool sync) {
  // A pipe or a terminal has no disk to reach.
  if (sync && ::fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) fail(errno);
  if (descriptor_ <= STDERR_FILENO) return;
  // Network file systems report a full disk only here.
  const int closed = ::close(std::exchange(descriptor_, -1));
  if (closed != 0 && errno != EINTR) fail(errno);
  if (beside_.empty()) return;
  if (::rename(beside_.c_str(), place_.c_str()) != 0) fail(errno);
  unfinished.store(nullptr);
  beside_.clear();
}

}  // namespace cleave::tool
