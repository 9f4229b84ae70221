// sort_input.hpp -- the input files of a sort as one stream of bytes.
//
// Sizes that the system reports are hints only: a file may grow or shrink while
// it is read, and a pipe has no size. Named regular files are read by all
// threads at once; everything else in turn, with large reads.
//
//   input source({"a.txt", "-"}, {.lines = true});
//   array<char> text = read_all<char>(source, 0);
#pragma once

#include <cleave/array.hpp>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace cleave::tool {

class input {
 public:
  struct rules {
    // A file that does not end with a newline gets one.
    bool lines = false;
    // The size of each file is a multiple of this.
    std::size_t unit = 1;
  };

  // "-" is standard input.
  // Throws command_error for a file that is missing or a directory.
  input(std::vector<std::string> files, rules chosen);
  ~input();
  input(const input&) = delete;
  input& operator=(const input&) = delete;

  // How many bytes are probably there; at least 1.
  [[nodiscard]] std::size_t expected() const noexcept { return expected_; }

  // Fills `room` from its front and returns how much of it was filled; less
  // than all of it at the end of the last file only.
  // Throws command_error: a file cannot be read or breaks a rule.
  std::size_t read(std::span<std::byte> room);

 private:
  void open_next();
  std::size_t read_some(std::span<std::byte> room);
  std::size_t read_by_all_threads(std::span<std::byte> room);
  void check_end() const;

  std::vector<std::string> files_;
  rules rules_;
  std::size_t expected_ = 1;
  // The file that is read now is files_[next_ - 1].
  std::size_t next_ = 0;
  int descriptor_ = -1;
  bool regular_ = false;
  std::size_t known_size_ = 0;
  std::size_t position_ = 0;
  std::byte last_{};
};

// All that is left of `source`, followed by `room` values that are not set.
// Throws command_error, std::bad_alloc.
template <class T>
array<T> read_all(input& source, std::size_t room) {
  // One value more than expected, so that the last read, which comes back
  // short, does not make the array grow.
  array<T> all = array<T>::for_overwrite(source.expected() / sizeof(T) + 1 + room);
  std::size_t bytes = 0;
  for (;;) {
    const std::span<std::byte> rest =
        std::as_writable_bytes(std::span(all.data(), all.size() - room)).subspan(bytes);
    const std::size_t added = source.read(rest);
    bytes += added;
    if (added < rest.size()) break;
    all.join(array<T>::for_overwrite(all.size() / 2 + 4096));
  }
  all.shrink(bytes / sizeof(T) + room);
  return all;
}

}  // namespace cleave::tool
