#include "heap/trace_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "os/memory.hpp"
#include "os/places.hpp"
#include "os/thread.hpp"

namespace cleave::heap::tracing {
namespace {

using trace::format::block_kind;

constexpr std::size_t block_header = trace::format::block_header_bytes;
constexpr std::size_t most_place = 10 + 10 * checked::stack_walks::depth;
constexpr std::size_t most_module = 40;

void say(const char* what, const char* path, int error, const char* after) noexcept {
  char text[4096 + 200];
  // Not os::reason(), which allocates.
  const int n = std::snprintf(text, sizeof text, "cleave trace: cannot %s '%s': %s%s\n", what, path,
                              os::plain_reason(error), after);
  const auto size = std::min(static_cast<std::size_t>(std::max(n, 0)), sizeof text - 1);
  static_cast<void>(os::write_all(2, text, size));
}

}  // namespace

bool recording_file::is_named_by_process(const char* wish) noexcept {
  return std::strstr(wish, "%p") != nullptr;
}

void recording_file::say_no_memory(const char* wish) noexcept {
  say("write", wish, ENOMEM, "; nothing is recorded");
}

bool recording_file::open(const char* wish, const trace::format::header& about) noexcept {
  if (room_ == nullptr) {
    constexpr std::size_t bytes = most_path + room_bytes;
    void* const got = os::reserve(bytes, os::page_bytes());
    if (got == nullptr || !os::commit(got, bytes)) {
      say_no_memory(wish);
      return false;
    }
    path_ = static_cast<char*>(got);
    room_ = static_cast<std::byte*>(got) + most_path;
  }
  std::size_t n = 0;
  for (const char* p = wish; *p != '\0' && n + 12 < most_path; ++p) {
    if (p[0] == '%' && p[1] == 'p') {
      n += static_cast<std::size_t>(std::snprintf(path_ + n, 12, "%u", about.process));
      ++p;
    } else {
      path_[n++] = *p;
    }
  }
  path_[n] = '\0';
  if (const int error = file_.open_alone(path_); error != 0) {
    say("write", path_, error,
        error == EBUSY ? ": another process records to it, and a %p in the name makes a file for "
                         "each; nothing is recorded"
                       : "; nothing is recorded");
    return false;
  }
  is_open_ = true;
  process_ = about.process;
  code_seen_ = 0;
  places_written_ = 0;
  const char* const program = os::program_path();
  write(trace::format::put_header(room_, about, program, std::strlen(program)));
  add_code();
  return is_open_;
}

void recording_file::add_code() noexcept {
  at_ = room_ + block_header;
  os::new_code(
      code_seen_,
      [](const os::code& one, void* argument) {
        auto& to = *static_cast<recording_file*>(argument);
        const std::size_t bytes = std::min(std::strlen(one.path), most_path);
        const auto used = static_cast<std::size_t>(to.at_ - to.room_);
        if (room_bytes - used < most_module + bytes) to.end_code_block();
        to.at_ = trace::format::put_module(to.at_, one.begin, one.end, one.offset, one.path, bytes);
      },
      this);
  end_code_block();
}

void recording_file::end_code_block() noexcept {
  const auto payload = static_cast<std::size_t>(at_ - room_) - block_header;
  if (payload != 0) write(trace::format::seal(room_, block_kind::modules, 0, payload));
  at_ = room_ + block_header;
}

void recording_file::add_places(const checked::place_table& places, std::size_t n) noexcept {
  if (!is_open_ || places_written_ == n) return;
  add_code();
  while (places_written_ < n) {
    std::byte* at = room_ + block_header;
    while (places_written_ < n && room_bytes - static_cast<std::size_t>(at - room_) >= most_place) {
      const checked::place_table::stack& one = places[++places_written_];
      at = trace::format::put_place(at, one.address, one.n);
    }
    write(trace::format::seal(room_, block_kind::places, 0,
                              static_cast<std::size_t>(at - room_) - block_header));
  }
}

void recording_file::add(std::span<const std::byte> block) noexcept {
  write(block);
}

void recording_file::end(std::uint64_t lost) noexcept {
  if (!is_open_) return;
  const std::byte* const end = trace::format::put_end(room_ + block_header, lost);
  write(trace::format::seal(room_, block_kind::end, 0,
                            static_cast<std::size_t>(end - room_) - block_header));
  if (!is_open_) return;
  is_open_ = false;
  if (const int error = file_.close(); error != 0) say("write", path_, error, "");
}

void recording_file::leave() noexcept {
  is_open_ = false;
  if (file_.is_same()) static_cast<void>(file_.close());
}

void recording_file::write(std::span<const std::byte> bytes) noexcept {
  // A process that was made without the handlers of fork() shares the descriptor.
  if (!is_open_ || os::process_number() != process_) return;
  const int error = file_.write_quietly(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (error != 0) stop(error);
}

void recording_file::stop(int error) noexcept {
  say("write", path_, error, "; the recording ends here");
  leave();
}

}  // namespace cleave::heap::tracing
