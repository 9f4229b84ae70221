// checked_report.hpp -- what checked mode says: a first line that is part of the interface.
//
//   report r(fault::double_free);
//   r.print("  address  0x%zx, %zu bytes\n", address, bytes);
//   r.place("freed before", places, piece->freed_at);
//   r.end();                                          // exit code 70
//
// docs/reliability.md lists the first lines. What follows them is for people and may change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "heap/checked_places.hpp"

namespace cleave::heap::checked {

inline constexpr int exit_code = 70;

enum class fault : std::uint8_t {
  double_free,
  wrong_size,
  not_live,
  joined_away,
  strangers,
  write_after_free,
  write_past_end,
  moved_from,
  leak,
  no_memory
};

const char* first_line(fault f) noexcept;

class report {
 public:
  explicit report(fault f) noexcept;

  template <typename... Values>
  void print(const char* format, Values... values) noexcept {
    char text[400];
    const int n = std::snprintf(text, sizeof text, format, values...);
    write(text, static_cast<std::size_t>(n < 0 ? 0 : n) < sizeof text ? n : int{sizeof text} - 1);
  }
  // Where it was, if that is known.
  void place(const char* what, const numbered_places& places, std::uint32_t number) noexcept;

  // Ends the process; what the C library's streams hold is written first with `flush`.
  [[noreturn]] void end(bool flush = false) noexcept;

 private:
  static void write(const char* text, int n) noexcept;
};

}  // namespace cleave::heap::checked
