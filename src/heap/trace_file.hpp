// trace_file.hpp -- the file of a recording: header, code, places, blocks of events, the end.
//
//   if (file.open(wish)) ...
//   file.add_places(places, n);          // those up to n that it does not have yet
//   file.add(block);
//   file.end(lost);
//
// What cannot be written is said once, in one line on standard error, and closes the file; then
// all calls do nothing. A child of fork() that has not been told never writes.
//
// The lock of the recorder's file guards all of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "heap/checked_places.hpp"
#include "os/stream.hpp"
#include "trace/format.hpp"

namespace cleave::heap::tracing {

class recording_file {
 public:
  // Makes the file whose name the wish is, where %p stands for the number of the process, and
  // writes its header. Error: false, after a line that says why.
  bool open(const char* wish, const trace::format::header& about) noexcept;
  [[nodiscard]] bool is_open() const noexcept { return is_open_; }
  // Says that there is no memory for a recording.
  static void say_no_memory(const char* wish) noexcept;
  // Whether another process has another name.
  static bool is_named_by_process(const char* wish) noexcept;

  // Code that was loaded since the last call, and the places that came: n there are.
  void add_places(const checked::place_table& places, std::size_t n) noexcept;
  // A whole block.
  void add(std::span<const std::byte> block) noexcept;
  void end(std::uint64_t lost) noexcept;

  // In a child of fork(): the file is the parent's.
  void leave() noexcept;

 private:
  void add_code() noexcept;
  void end_code_block() noexcept;
  void stop(int error) noexcept;
  void write(std::span<const std::byte> bytes) noexcept;

  static constexpr std::size_t most_path = 4096;
  static constexpr std::size_t room_bytes = std::size_t{1} << 14;

  os::file file_;
  bool is_open_ = false;
  std::uint32_t process_ = 0;
  std::uint64_t code_seen_ = 0;
  std::size_t places_written_ = 0;
  char* path_ = nullptr;
  // A header, or a block of code or places.
  std::byte* room_ = nullptr;
  std::byte* at_ = nullptr;
};

}  // namespace cleave::heap::tracing
