// sort_lines.hpp -- lines of text as small records that sort fast.
//
// The order is that of the bytes, as `LC_ALL=C sort` has it: a line that is the
// beginning of another comes first, and any byte but the newline may stand in
// a line. The text stays where it was read; what is sorted is an array of 16-byte
// records. Seven bytes of the line stand in the record, so that most comparisons
// do not look at the text, and leaves are sorted by vector instructions.
//
//   array<line_record> records = find_lines(text, threads);
//   sort_lines(records, text);
//   write_lines(records, text, threads, [](std::span<const std::byte> block) { ... });
//
// Invariants:
//   L1  key: the 7 bytes from the start, first byte highest, zeros behind the
//       end; then, in the low byte, how many bytes are left, 8 for more than 7.
//       So keys order lines, and lines of the same key are the same line unless
//       its low byte is 8.
//   L2  place: offset << 24 | length, where the length excludes the newline and
//       24 bits of ones stand for any that does not fit.
#pragma once

#include <hwy/base.h>
#include <cleave/array.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace cleave::tool {

// hwy::K64V64: `key`, which is sorted by, and `value`, the place.
using line_record = hwy::K64V64;

// How many readable bytes follow the text, whatever they are.
inline constexpr std::size_t text_room = 32;

// The bytes of lines that each end with a newline, and text_room bytes behind.
struct line_text {
  const char* data = nullptr;
  std::size_t size = 0;
};

// One record for each line, in the order of the text.
// Throws command_error for texts beyond 1 TiB, std::bad_alloc.
array<line_record> find_lines(line_text text, std::size_t threads);

// Sorts one leaf, in place.
void sort_lines(std::span<line_record> records, line_text text);

// True if the left line comes before the right one.
class line_less {
 public:
  explicit line_less(line_text text) noexcept : text_(text) {}
  bool operator()(const line_record& left, const line_record& right) const noexcept {
    if (left.key != right.key) return left.key < right.key;
    return (left.key & 0xff) == 8 && less_behind(left, right, 7);
  }
  // The same for lines that agree in their first `depth` bytes.
  [[nodiscard]] bool less_behind(const line_record& left, const line_record& right,
                                 std::size_t depth) const noexcept;

 private:
  line_text text_;
};

// Calls `write` with the lines, each with its newline, in blocks, in order. The
// blocks are gathered by all threads while earlier ones are written.
void write_lines(std::span<const line_record> records, line_text text, std::size_t threads,
                 const std::function<void(std::span<const std::byte>)>& write);

}  // namespace cleave::tool
