// output.hpp -- where the result of a command goes, all of it or nothing.
//
// A regular file is written beside its place, under another name, and takes
// the place when it is complete. So a reader sees the old file or the new
// one, also when the disk is full, the tool is stopped by a signal, or the output
// is one of the inputs. A pipe, a device and standard output are written as they are.
//
//   output target(std::string("sorted.txt"));
//   target.write(std::as_bytes(std::span(lines)));
//   target.finish(false);
//
// Invariants:
//   O1  Until finish() returns, what the name stands for is unchanged.
//   O2  Without finish(), the destructor leaves no file behind; neither does
//       SIGINT, SIGTERM or SIGHUP.
//   O3  The new file has the permissions of the one that it replaces, and a program may be
//       run.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace cleave::tool {

class output {
 public:
  enum class kind { data, program };

  // Standard output without a name. A program may be run by whom a new file may be read by.
  // Throws command_error when the file, or its place, cannot be written.
  explicit output(std::optional<std::string> name, kind of = kind::data);
  ~output();
  output(const output&) = delete;
  output& operator=(const output&) = delete;

  // Throws command_error, or output_closed when the reader of a pipe has gone away.
  void write(std::span<const std::byte> bytes);

  // Puts the file in its place; with `sync`, after it has reached the disk.
  // Throws command_error; the place is unchanged.
  void finish(bool sync);

 private:
  void open_beside(const std::string& place, mode_t mode);
  [[noreturn]] void fail(int error) const;

  std::optional<std::string> name_;
  // Where symbolic links lead; the new file takes this place.
  std::string place_;
  // The file beside it; empty when the target is written directly.
  std::string beside_;
  int descriptor_ = -1;
};

}  // namespace cleave::tool
