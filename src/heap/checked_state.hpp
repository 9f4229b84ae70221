// checked_state.hpp -- the records of checked mode, and the patterns in memory that nobody owns.
//
// Behind each allocation lie `redzone` bytes of one pattern, and freed memory in quarantine is
// filled with another. Whatever changes them is found when they are next looked at.
//
// All of it is guarded by the lock of checked.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "heap/checked_places.hpp"
#include "heap/checked_runs.hpp"

namespace cleave::heap::checked {

inline constexpr std::size_t redzone = 32;

// The system of the tiny heap has no room for records.
#if defined(CLEAVE_TINY_HEAP)
inline constexpr bool has_room = false;
#else
inline constexpr bool has_room = true;
#endif

// Freed pieces, oldest first, that are not handed out again yet.
struct quarantine {
  static constexpr std::size_t most_bytes = std::size_t{16} << 20;
  static constexpr std::size_t most_pieces = std::size_t{1} << 16;

  piece* oldest = nullptr;
  piece* newest = nullptr;
  std::size_t bytes = 0;
  std::size_t pieces = 0;

  void push(piece* p) noexcept;
  piece* pop() noexcept;
  [[nodiscard]] bool too_full() const noexcept {
    return bytes > most_bytes || pieces > most_pieces;
  }
};

// The pieces that left the quarantine last, for the words of a report alone.
struct history {
  std::array<piece, 512> last;
  std::size_t next = 0;

  void add(const piece& p) noexcept { last[next++ % last.size()] = p; }
  // The newest that covers the address; nullptr if none does.
  const piece* covering(std::uintptr_t address) const noexcept;
};

struct records {
  piece_map pieces;
  numbered_places places;
  quarantine freed;
  history past;
};

// What ends the process with a report, when it does not return. `place` is where it was noticed,
// and `when` says so in words.
void expect_free(records& r, const piece& p, const char* when, std::uint32_t place) noexcept;
void expect_redzone(records& r, const piece& p, const char* when, std::uint32_t place) noexcept;
void fill_freed(const piece& p) noexcept;
void fill_redzone(std::uintptr_t at) noexcept;

// [p, p + bytes) is not inside one live piece.
[[noreturn]] void report_bad_range(records& r, std::uintptr_t p, std::size_t bytes,
                                   const char* call, std::uint32_t place) noexcept;
[[noreturn]] void report_moved_from(records& r, std::uintptr_t place, const char* call,
                                    std::uint32_t noticed) noexcept;
// Returns if no piece of this process is live.
void report_leaks(records& r, std::uint32_t process) noexcept;
[[noreturn]] void report_no_memory() noexcept;

}  // namespace cleave::heap::checked
