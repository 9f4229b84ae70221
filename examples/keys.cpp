// keys.cpp -- a table of keys, cut from the records that they came in. docs/seeing.md finds out
// why it holds so much memory.
//
//   keys            each key keeps the page that its record began in
//   keys detached   each key is moved to memory of its own first
#include <algorithm>
#include <cleave/array.hpp>
#include <cleave/heap.hpp>
#include <cstddef>
#include <cstdio>
#include <string_view>
#include <utility>
#include <vector>

using bytes = cleave::array<char>;

namespace {

constexpr std::size_t records = 200;
constexpr std::size_t record_bytes = 16'384;
constexpr std::size_t key_bytes = 48;

bytes read_record(std::size_t number) {
  bytes record(record_bytes);
  std::fill(record.begin(), record.end(), static_cast<char>('a' + number % 26));
  return record;
}

std::vector<bytes> read_keys(bool detached) {
  std::vector<bytes> keys;
  for (std::size_t i = 0; i < records; ++i) {
    bytes key = read_record(i);
    // The rest of the record goes at once; a page has 4096 bytes, and 48 of them stay.
    key.shrink(key_bytes);
    if (detached) key.detach();
    keys.push_back(std::move(key));
  }
  return keys;
}

}  // namespace

int main(int count, char** words) {
  const std::vector<bytes> keys = read_keys(count > 1 && std::string_view(words[1]) == "detached");
  std::printf("%zu keys from %c to %c\n", keys.size(), keys.front()[0], keys.back()[0]);
  std::printf("live %zu bytes\n", cleave::heap::stats().live);
}
