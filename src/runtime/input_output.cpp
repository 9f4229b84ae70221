#include <cleave/runtime/input_output.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>

#include "os/stream.hpp"
#include "os/thread.hpp"
#include "runtime/arguments.hpp"
#include "runtime/output.hpp"
#include "runtime/statistics.hpp"

namespace cleave::runtime {
namespace {

constinit int argument_count = 0;
constinit char** arguments = nullptr;

string make_string(std::string_view text) noexcept {
  return runtime::make_string(text.data(), text.size());
}

pair<bool, string> failed(int error) {
  return {false, make_string(os::reason(error))};
}

// Names of files and variables end at a zero, so one with a zero inside names nothing.
bool has_zero(string s) noexcept {
  return std::memchr(s.begin(), 0, s.length) != nullptr;
}

// All of the file behind its first bytes, which are there already.
int read_rest(os::file& from, std::string& to) {
  constexpr std::size_t least = 65536;
  std::size_t size = 0;
  for (;;) {
    // One byte more than the file has tells its end.
    if (to.size() - size < 1) to.resize(std::max(2 * size, from.size() + 1) + least);
    std::size_t got = 0;
    if (const int error = from.read(to.data() + size, to.size() - size, got); error != 0) {
      return error;
    }
    if (got == 0) break;
    size += got;
  }
  to.resize(size);
  return 0;
}

}  // namespace

void set_arguments(int count, char** words) noexcept {
  argument_count = count;
  arguments = words;
}

unit IO_print(string s) noexcept {
  output::put(s, true);
  return 0;
}

unit IO_write(string s) noexcept {
  output::put(s, false);
  return 0;
}

unit IO_print_err(string s) noexcept {
  output::put_error(s, true);
  return 0;
}

void die(u32 code, string text) noexcept {
  end_process(static_cast<int>(code & 0xff), text, statistics_asked_for());
}

nat IO_args_count_raw() noexcept {
  return static_cast<nat>(std::max(argument_count - 1, 0));
}

string IO_args_get_raw(nat i) noexcept {
  return i < IO_args_count_raw() ? make_string(arguments[i + 1]) : empty_text;
}

nat IO_now() noexcept {
  using std::chrono::duration_cast;
  using std::chrono::milliseconds;
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<nat>(duration_cast<milliseconds>(since).count());
}

unit IO_sleep(nat milliseconds) noexcept {
  os::sleep(std::chrono::milliseconds(milliseconds));
  return 0;
}

pair<bool, string> IO_get_env_raw(string name) noexcept {
  if (has_zero(name)) return {false, empty_text};
  const char* const value = std::getenv(std::string(name.begin(), name.end()).c_str());
  if (value == nullptr) return {false, empty_text};
  return {true, make_string(value)};
}

pair<bool, string> File_read_raw(string path) noexcept {
  if (has_zero(path)) return failed(ENOENT);
  os::file from;
  std::string contents;
  int error = from.open_to_read(std::string(path.begin(), path.end()).c_str());
  if (error == 0) error = read_rest(from, contents);
  if (error != 0) return failed(error);
  return {true, make_string(contents)};
}

pair<bool, string> File_write_raw(string path, string contents) noexcept {
  if (has_zero(path)) return failed(ENOENT);
  os::file to;
  int error = to.open_to_write(std::string(path.begin(), path.end()).c_str());
  if (error == 0) {
    for_each_valid_piece(contents, [&](std::string_view bytes) {
      if (error == 0) error = to.write(bytes.data(), bytes.size());
    });
  }
  if (const int at_close = to.close(); error == 0) error = at_close;
  if (error != 0) return failed(error);
  return {true, empty_text};
}

}  // namespace cleave::runtime
