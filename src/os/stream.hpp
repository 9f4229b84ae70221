// stream.hpp -- the door to the system's files: bytes in and out, and the end of the process.
//
//   if (int error = os::write_all(1, text, size); error != 0) ...os::reason(error)...
//
// Interrupted calls are repeated. An error is the system's number for it, 0 is none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace cleave::os {

[[nodiscard]] int write_all(int descriptor, const char* bytes, std::size_t size) noexcept;

[[nodiscard]] bool is_terminal(int descriptor) noexcept;

// A write to a pipe that nobody reads is an error from now on, not the process's end.
void report_broken_pipes() noexcept;

// Which file a descriptor stands for.
struct file_identity {
  std::uint64_t device = 0;
  std::uint64_t number = 0;
  friend bool operator==(const file_identity&, const file_identity&) = default;
};

// A file that is open for reading or writing.
class file {
 public:
  file() noexcept = default;
  file(const file&) = delete;
  file& operator=(const file&) = delete;
  ~file() { static_cast<void>(close()); }

  [[nodiscard]] int open_to_read(const char* path) noexcept;
  // Makes it empty, or makes it.
  [[nodiscard]] int open_to_write(const char* path) noexcept;
  // The same, and stands aside. Until it is closed, nobody else gets it by this call: EBUSY, and
  // the file is what it was. Devices and pipes are for all.
  [[nodiscard]] int open_alone(const char* path) noexcept;
  // What the system says that there is to read; a hint.
  [[nodiscard]] std::size_t size() const noexcept;
  // At most `size` bytes; 0 of them at the end.
  [[nodiscard]] int read(char* to, std::size_t size, std::size_t& got) noexcept;
  [[nodiscard]] int write(const char* bytes, std::size_t size) noexcept;
  // Gives the descriptor a high number, so that those of the program are what they would be, and
  // remembers which file it is.
  void stand_aside() noexcept;
  // Whether it still is: a program may close descriptors that it does not know.
  [[nodiscard]] bool is_same() const noexcept;
  // As write(), to a file that is_same(); a limit on the size of files, or a pipe that nobody
  // reads, is an error and no signal.
  [[nodiscard]] int write_quietly(const char* bytes, std::size_t size) noexcept;
  [[nodiscard]] int close() noexcept;

 private:
  int descriptor_ = -1;
  file_identity identity_;  // when it stood aside
};

// What an error means, in words.
[[nodiscard]] std::string reason(int error);
// The same without memory.
[[nodiscard]] const char* plain_reason(int error) noexcept;

// Names what exit_now() does first: once per process.
void before_exit_now(void (*function)()) noexcept;

// Ends the process at once; nothing else is flushed and no destructor runs.
[[noreturn]] void exit_now(int code) noexcept;

}  // namespace cleave::os
