// shown.hpp -- what a process shows of its heap to `cleave top`.
//
// With CLEAVE_TOP=1 in the environment when the heap starts, a thread of the heap writes one
// `shown` to /dev/shm/cleave-top.PID every quarter of a second: a file in memory that its owner
// alone may read, locked by the process while it runs, and removed when it exits. docs/seeing.md
// has the protocol for other readers.
//
//   detail::shown seen;
//   if (pread(file, &seen, sizeof seen, 0) == sizeof seen && detail::is_whole(seen)) ...
//
// It is written by one call and read by one, and not mapped: a full or cut file is an error of the
// call then and ends neither process. A reader that comes while it is written sees parts of two,
// whose checksum is wrong, and reads again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace cleave::detail {

// The use of one size class, as in heap::class_statistics.
struct shown_class {
  std::uint64_t slot_bytes = 0;
  std::uint64_t slabs = 0;
  std::uint64_t slots = 0;
  std::uint64_t slots_used = 0;
};

inline constexpr std::size_t shown_orders = 32;
inline constexpr std::size_t shown_classes = 96;

// Words of this machine's order, all of them; another layout has another version.
struct shown {
  static constexpr std::uint64_t right_magic = 0x706f747661656c63;  // "cleavtop"
  static constexpr std::uint64_t right_version = 1;
  static constexpr const char* file_prefix = "/dev/shm/cleave-top.";

  std::uint64_t magic = right_magic;
  std::uint64_t version = right_version;
  std::uint64_t bytes = sizeof(shown);
  // How often it was written before.
  std::uint64_t sequence = 0;
  std::uint64_t process = 0;
  // Nanoseconds of the monotonic clock: when this began, and when this one was written.
  std::uint64_t began = 0;
  std::uint64_t written = 0;
  std::uint64_t page_bytes = 0;
  // As in heap::statistics; no limit is UINT64_MAX. What a purge could return is `idle`.
  std::uint64_t live = 0;
  std::uint64_t held = 0;
  std::uint64_t peak_held = 0;
  std::uint64_t held_limit = 0;
  std::uint64_t reserved = 0;
  std::uint64_t committed = 0;
  std::uint64_t metadata = 0;
  std::uint64_t free = 0;
  std::uint64_t cached = 0;
  std::uint64_t idle = 0;
  std::uint64_t largest_free = 0;
  std::uint64_t allocations = 0;
  std::uint64_t frees = 0;
  std::uint64_t extensions = 0;
  std::uint64_t system_calls = 0;
  std::uint64_t orders = 0;
  std::uint64_t classes = 0;
  std::uint64_t free_blocks[shown_orders] = {};
  shown_class by_class[shown_classes] = {};
  std::uint64_t checksum = 0;
};

static_assert(sizeof(shown) == sizeof(std::uint64_t) * (25 + shown_orders + 4 * shown_classes + 1));

// Of all words but the last. The FNV-1a step, a word at a time.
inline std::uint64_t checksum_of(const shown& s) noexcept {
  std::uint64_t sum = 0xcbf29ce484222325;
  const char* const from = reinterpret_cast<const char*>(&s);
  for (std::size_t i = 0; i < offsetof(shown, checksum); i += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, from + i, sizeof word);
    sum = (sum ^ word) * 0x100000001b3;
  }
  return sum;
}

// Whether this is one that a heap wrote, whole, and its counts lie in its tables.
inline bool is_whole(const shown& s) noexcept {
  return s.magic == shown::right_magic && s.version == shown::right_version &&
         s.bytes == sizeof(shown) && s.checksum == checksum_of(s) && s.orders <= shown_orders &&
         s.classes <= shown_classes;
}

}  // namespace cleave::detail
