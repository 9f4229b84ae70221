#include "terminal.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <string_view>

#include "commands.hpp"

namespace cleave::tool {
namespace {

// The write end of a pipe that wakes wait(); what a signal handler may use.
int wake_up[2] = {-1, -1};
volatile std::sig_atomic_t has_ended = 0;

extern "C" void on_signal(int number) {
  if (number != SIGWINCH) has_ended = 1;
  const int error = errno;
  const char byte = 0;
  // A full pipe wakes as well.
  [[maybe_unused]] const ssize_t written = ::write(wake_up[1], &byte, 1);
  errno = error;
}

void set_handlers(void (*handler)(int)) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGWINCH}) std::signal(number, handler);
}

bool read_key(char& key) {
  return ::read(STDIN_FILENO, &key, 1) == 1;
}

// What stands behind an escape: the rest of an arrow or a function key, and not the next key.
void skip_sequence() {
  char key = 0;
  if (!read_key(key) || (key != '[' && key != 'O')) return;
  while (read_key(key) && (key < 0x40 || key > 0x7E)) {
  }
}

constexpr std::string_view begin_sequence = "\033[?1049h\033[?25l";
constexpr std::string_view end_sequence = "\033[?25h\033[?1049l";

}  // namespace

terminal::terminal() {
  if (::tcgetattr(STDIN_FILENO, &before_) != 0 || ::pipe(wake_up) != 0) {
    throw command_error("cannot use the terminal: " + reason(errno));
  }
  termios raw = before_;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  // A stopped tool would leave the shell on this screen.
  raw.c_cc[VSUSP] = _POSIX_VDISABLE;
  set_handlers(on_signal);
  ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw);
  print(begin_sequence);
}

terminal::~terminal() {
  // Not print(): the terminal may be gone, and this must not throw.
  [[maybe_unused]] const ssize_t written =
      ::write(STDOUT_FILENO, end_sequence.data(), end_sequence.size());
  ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
  set_handlers(SIG_DFL);
  for (int& end : wake_up) {
    ::close(end);
    end = -1;
  }
}

void terminal::show(const std::vector<std::string>& lines) {
  // Each line clears what is behind it, so that nothing flickers.
  std::string text = "\033[H";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) text += "\r\n";
    text += lines[i] + "\033[K";
  }
  print(text + "\033[J");
}

int terminal::wait(double seconds) {
  pollfd both[2] = {{STDIN_FILENO, POLLIN, 0}, {wake_up[0], POLLIN, 0}};
  const int milliseconds = static_cast<int>(std::clamp(seconds, 0.0, 3600.0) * 1000);
  const int ready = ::poll(both, 2, milliseconds);
  if (has_ended != 0) return ended;
  if (ready <= 0) return nothing;
  char bytes[64];
  if (both[1].revents != 0) {
    [[maybe_unused]] const ssize_t read = ::read(wake_up[0], bytes, sizeof bytes);
  }
  if (both[0].revents == 0) return nothing;
  if (!read_key(bytes[0])) return ended;
  if (bytes[0] != '\033') return static_cast<unsigned char>(bytes[0]);
  skip_sequence();
  return nothing;
}

extent terminal::size() {
  return extent_of_terminal().value_or(extent{80, 24});
}

std::optional<extent> extent_of_terminal() {
  winsize now{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &now) != 0 || now.ws_col == 0) return std::nullopt;
  return extent{now.ws_col, now.ws_row};
}

}  // namespace cleave::tool
