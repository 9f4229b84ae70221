// source.hpp -- the text of a file, and places in it.
//
//   source_file file("hello.bend", text);
//   span where{&file, 10, 15};                 // bytes [10, 15)
//   position at = file.position_of(10);        // line 2, column 3, both from 1
//   file.line(at.line);                        // the text of the line, without its end
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cleave::lang {

// Lines and columns count from 1; columns count bytes.
struct position {
  std::size_t line = 1;
  std::size_t column = 1;
};

class source_file {
 public:
  // Larger files are refused where they are read: the tree of one may take forty times as much.
  static constexpr std::size_t largest = std::size_t{16} << 20;

  source_file(std::string name, std::string text);
  // Spans point to it.
  source_file(const source_file&) = delete;
  source_file& operator=(const source_file&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  [[nodiscard]] std::size_t line_count() const noexcept { return line_starts_.size(); }
  // O(log lines). Requires: offset <= text().size().
  [[nodiscard]] position position_of(std::size_t offset) const noexcept;
  // Requires: 1 <= number <= line_count().
  [[nodiscard]] std::string_view line(std::size_t number) const noexcept;

 private:
  std::string name_;
  std::string text_;
  std::vector<std::uint32_t> line_starts_;
};

// The bytes [begin, end) of a file; `file` is null for what nobody wrote.
struct span {
  const source_file* file = nullptr;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

}  // namespace cleave::lang
