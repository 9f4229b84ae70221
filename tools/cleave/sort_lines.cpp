#include "sort_lines.hpp"

#include <hwy/contrib/sort/vqsort.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "commands.hpp"
#include "sort_parts.hpp"

namespace cleave::tool {
namespace {

constexpr std::size_t key_bytes = 7;
constexpr std::uint64_t longer = 8;
constexpr unsigned length_bits = 24;
constexpr std::uint64_t length_mask = (std::uint64_t{1} << length_bits) - 1;
constexpr std::uint64_t max_text = std::uint64_t{1} << (64 - length_bits);

const char* start(const line_record& record, line_text text) noexcept {
  return text.data + (record.value >> length_bits);
}

std::size_t length(const line_record& record, line_text text) noexcept {
  const std::uint64_t short_length = record.value & length_mask;
  if (short_length != length_mask) [[likely]]
    return short_length;
  const char* const begin = start(record, text);
  const auto left = static_cast<std::size_t>(text.data + text.size - begin);
  return static_cast<std::size_t>(static_cast<const char*>(std::memchr(begin, '\n', left)) - begin);
}

// L1, for the rest of a line. Reads 8 bytes, which text_room allows.
std::uint64_t make_key(const char* rest, std::size_t size) noexcept {
  if (size == 0) return 0;
  std::uint64_t word = 0;
  std::memcpy(&word, rest, sizeof word);
  if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap64(word);
  const std::size_t kept = std::min(size, key_bytes);
  const std::size_t dropped = 64 - 8 * kept;
  return (word >> dropped << dropped) | std::min<std::uint64_t>(size, longer);
}

line_record make_record(const char* begin, std::size_t size, line_text text) noexcept {
  const auto offset = static_cast<std::uint64_t>(begin - text.data);
  return {.value = offset << length_bits | std::min<std::uint64_t>(size, length_mask),
          .key = make_key(begin, size)};
}

// Sorts a leaf by 7 bytes at a time: groups that agree so far are sorted by the next
// 7. Short groups, and those that agree for very long, by comparison.
class leaf_sorter {
 public:
  explicit leaf_sorter(line_text text) noexcept : text_(text), less_(text) {}

  // The keys are those of the bytes from `depth` on.
  void sort(std::span<line_record> records, std::size_t depth) {
    sorter_(records.data(), records.size(), hwy::SortAscending());
    for (std::size_t begin = 0; begin < records.size();) {
      const std::uint64_t key = records[begin].key;
      std::size_t end = begin + 1;
      while (end < records.size() && records[end].key == key) ++end;
      if (end - begin > 1 && (key & 0xff) == longer) {
        sort_group(records.subspan(begin, end - begin), key, depth + key_bytes);
      }
      begin = end;
    }
  }

 private:
  // Below it, sorting networks cost more than they save.
  static constexpr std::size_t few = 8;
  // Bounds the recursion, 7 bytes a level.
  static constexpr std::size_t deep = 32 * key_bytes;

  // All have this key, and agree in the first `depth` bytes.
  void sort_group(std::span<line_record> group, std::uint64_t key, std::size_t depth) {
    if (group.size() <= few || depth >= deep) {
      std::sort(group.begin(), group.end(), [&](const line_record& a, const line_record& b) {
        return less_.less_behind(a, b, depth);
      });
      return;
    }
    for (line_record& record : group) {
      record.key = make_key(start(record, text_) + depth, length(record, text_) - depth);
    }
    sort(group, depth);
    for (line_record& record : group) record.key = key;
  }

  line_text text_;
  line_less less_;
  hwy::Sorter sorter_;
};

}  // namespace

bool line_less::less_behind(const line_record& left, const line_record& right,
                            std::size_t depth) const noexcept {
  const std::size_t left_size = length(left, text_) - depth;
  const std::size_t right_size = length(right, text_) - depth;
  const int order = std::memcmp(start(left, text_) + depth, start(right, text_) + depth,
                                std::min(left_size, right_size));
  return order != 0 ? order < 0 : left_size < right_size;
}

void sort_lines(std::span<line_record> records, line_text text) {
  leaf_sorter(text).sort(records, 0);
}

array<line_record> find_lines(line_text text, std::size_t threads) {
  if (text.size >= max_text) throw command_error("more than 1 TiB of lines; sort them in parts");
  // A line belongs to the part in which it ends.
  constexpr std::size_t least_part = std::size_t{1} << 18;
  const std::size_t parts = std::clamp<std::size_t>(text.size / least_part, 1, 8 * threads);
  const auto part_begin = [&](std::size_t part) { return text.data + text.size / parts * part; };
  const auto part_end = [&](std::size_t part) {
    return part + 1 == parts ? text.data + text.size : part_begin(part + 1);
  };

  array<std::size_t> first(parts + 1);
  for_parts(parts, [&](std::size_t part) {
    first[part + 1] = static_cast<std::size_t>(std::count(part_begin(part), part_end(part), '\n'));
  });
  for (std::size_t part = 0; part < parts; ++part) first[part + 1] += first[part];

  array<line_record> records = array<line_record>::for_overwrite(first[parts]);
  for_parts(parts, [&](std::size_t part) {
    if (first[part] == first[part + 1]) return;
    const auto before = static_cast<std::size_t>(part_begin(part) - text.data);
    const void* const newline = ::memrchr(text.data, '\n', before);
    const char* begin = newline == nullptr ? text.data : static_cast<const char*>(newline) + 1;
    const char* search = part_begin(part);
    for (std::size_t i = first[part]; i < first[part + 1]; ++i) {
      const auto left = static_cast<std::size_t>(part_end(part) - search);
      const char* const end = static_cast<const char*>(std::memchr(search, '\n', left));
      records[i] = make_record(begin, static_cast<std::size_t>(end - begin), text);
      begin = search = end + 1;
    }
  });
  return records;
}

namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 20;
// Short lines are copied as one word of this size. What it writes too much is
// overwritten by the next line, or is room behind the last one.
constexpr std::size_t word = 16;
static_assert(word <= text_room);

// Lines that are written at once: copied behind each other into `buffer`, or a
// single one that is longer, from where it is.
struct block {
  std::span<const line_record> records;
  std::span<char> buffer;
  std::span<const char> bytes;

  void gather(line_text text) noexcept {
    const std::size_t first_size = length(records[0], text) + 1;
    if (first_size > block_bytes) {
      bytes = {start(records[0], text), first_size};
      return;
    }
    char* to = buffer.data();
    for (std::size_t i = 0; i < records.size(); ++i) {
      // The lines are all over the text: ask for them before they are needed.
      constexpr std::size_t ahead = 12;
      if (i + ahead < records.size()) __builtin_prefetch(start(records[i + ahead], text));
      const char* const from = start(records[i], text);
      const std::size_t size = length(records[i], text) + 1;
      std::memcpy(to, from, word);
      if (size > word) std::memcpy(to + word, from + word, size - word);
      to += size;
    }
    bytes = {buffer.data(), to};
  }
};

// The records from the front that fill a block, at least one.
std::span<const line_record> take_block(std::span<const line_record>& left, line_text text) {
  std::size_t count = 0;
  std::size_t bytes = 0;
  while (count < left.size()) {
    bytes += length(left[count], text) + 1;
    if (bytes > block_bytes && count > 0) break;
    ++count;
  }
  const auto taken = left.first(count);
  left = left.subspan(count);
  return taken;
}

}  // namespace

void write_lines(std::span<const line_record> records, line_text text, std::size_t threads,
                 const std::function<void(std::span<const std::byte>)>& write) {
  // One half of the blocks is gathered while the other half is written.
  const std::size_t half = threads + 1;
  auto buffers = array<char>::for_overwrite(2 * half * (block_bytes + word));
  array<block> blocks(2 * half);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    blocks[i].buffer = buffers.span().subspan(i * (block_bytes + word), block_bytes + word);
  }
  std::span<block> full;
  std::span<block> next = blocks.span().first(half);
  std::span<block> spare = blocks.span().last(half);
  do {
    std::size_t taken = 0;
    while (taken < half && !records.empty()) next[taken++].records = take_block(records, text);
    // Part 0 writes; it is first, and the longest on a slow disk.
    for_parts(taken + 1, [&](std::size_t part) {
      if (part > 0) return next[part - 1].gather(text);
      for (const block& done : full) write(std::as_bytes(done.bytes));
    });
    full = next.first(taken);
    std::swap(next, spare);
  } while (!full.empty());
}

}  // namespace cleave::tool
