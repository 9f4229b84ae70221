#include "child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <string_view>

#include "commands.hpp"

namespace cleave::tool {
namespace {

constexpr std::size_t most_output = std::size_t{1} << 20;

// What a handler may touch: the child to end, and the signal that came.
std::atomic<pid_t> running = 0;
std::atomic<int> received = 0;
static_assert(std::atomic<pid_t>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

extern "C" void pass_on(int signal) {
  received.store(signal);
  if (const pid_t child = running.load(); child > 0) ::kill(child, signal);
}

// Has the three signals reach pass_on() while it lives, but not those that are ignored.
class signal_watch {
 public:
  signal_watch() {
    received.store(0);
    struct sigaction ours {};
    ours.sa_handler = pass_on;
    for (std::size_t i = 0; i < signals.size(); ++i) {
      ::sigaction(signals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) ::sigaction(signals[i], &ours, nullptr);
    }
    // An ignored SIGCHLD, which a careless parent leaves behind, loses exit codes.
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    ::sigaction(SIGCHLD, &usual, &child_before_);
  }
  ~signal_watch() {
    for (std::size_t i = 0; i < signals.size(); ++i) {
      ::sigaction(signals[i], &before_[i], nullptr);
    }
    ::sigaction(SIGCHLD, &child_before_, nullptr);
  }
  signal_watch(const signal_watch&) = delete;
  signal_watch& operator=(const signal_watch&) = delete;

 private:
  static constexpr std::array<int, 3> signals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, signals.size()> before_{};
  struct sigaction child_before_ {};
};

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environment_with(const std::vector<std::string>& settings) {
  std::vector<std::string> all = settings;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view old = *entry;
    const std::string_view name = old.substr(0, old.find('=') + 1);
    bool replaced = false;
    for (const std::string& setting : settings) replaced |= setting.starts_with(name);
    if (!replaced) all.emplace_back(old);
  }
  return all;
}

// Starts the program with its output going to `output`.
pid_t start(std::vector<std::string> command, const std::vector<std::string>& settings,
            int output) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
  // This process ignores them; the child shall not.
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  sigaddset(&usual, SIGXFSZ);
  ::posix_spawnattr_setsigdefault(&attributes, &usual);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  std::vector<std::string> environment = environment_with(settings);
  pid_t child = 0;
  const int error = ::posix_spawn(&child, command.front().c_str(), &files, &attributes,
                                  pointers_to(command).data(), pointers_to(environment).data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  if (error != 0) {
    throw command_error(
        fmt::format("cannot start {}: {}", in_quotes(command.front()), reason(error)));
  }
  return child;
}

// Reads to the end, and calls `patience` if that is more than a second away. A signal does
// not stop it: the child gets it too, and its end is the end of what there is to read.
std::string read_all(int from, const std::function<void()>& patience) {
  using namespace std::chrono_literals;
  const auto deadline = std::chrono::steady_clock::now() + 1s;
  bool told = !patience;
  std::string all;
  std::array<char, 4096> part{};
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (!told && left <= 0ms) {
      patience();
      told = true;
    }
    pollfd source{from, POLLIN, 0};
    const int ready = ::poll(&source, 1, told ? -1 : static_cast<int>(left.count()) + 1);
    if (ready <= 0) continue;
    const ssize_t size = ::read(from, part.data(), part.size());
    if (size == 0) return all;
    if (size < 0) {
      if (errno == EINTR) continue;
      return all;
    }
    const std::size_t room = most_output - all.size();
    all.append(part.data(), std::min(room, static_cast<std::size_t>(size)));
  }
}

}  // namespace

finished_child run_child(const std::vector<std::string>& command,
                         const std::vector<std::string>& settings,
                         const std::function<void()>& patience) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw command_error("cannot make a pipe: " + reason(errno));
  }
  const signal_watch watch;
  finished_child result;
  pid_t child = 0;
  try {
    child = start(command, settings, ends[1]);
  } catch (...) {
    ::close(ends[0]);
    ::close(ends[1]);
    throw;
  }
  running.store(child);
  // A signal that came before the child was known has not been passed on.
  if (const int signal = received.load(); signal != 0) ::kill(child, signal);
  ::close(ends[1]);
  result.output = read_all(ends[0], patience);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  running.store(0);
  if (const int signal = received.load(); signal != 0) throw stopped_by_signal{signal};
  result.code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return result;
}

}  // namespace cleave::tool
