#include "heap/checked_report.hpp"

#include "os/places.hpp"
#include "os/stream.hpp"

namespace cleave::heap::checked {
namespace {

constexpr int standard_error = 2;

}  // namespace

const char* first_line(fault f) noexcept {
  switch (f) {
    case fault::double_free: return "cleave check: double free";
    case fault::wrong_size: return "cleave check: wrong size";
    case fault::not_live: return "cleave check: free of memory that is not live";
    case fault::joined_away: return "cleave check: free of a piece that was joined away";
    case fault::strangers: return "cleave check: join of strangers";
    case fault::write_after_free: return "cleave check: write after free";
    case fault::write_past_end: return "cleave check: write past the end";
    case fault::moved_from: return "cleave check: use of a moved-from array";
    case fault::leak: return "cleave check: leak";
    case fault::no_memory: return "cleave check: no memory for the records";
  }
  return "cleave check: unknown fault";
}

report::report(fault f) noexcept {
  print("%s\n", first_line(f));
}

void report::place(const char* what, const numbered_places& places, std::uint32_t number) noexcept {
  if (number == 0) return;
  print("  %s here:\n", what);
  places.print(standard_error, number);
}

void report::end(bool flush) noexcept {
  if (flush) std::fflush(nullptr);
  os::exit_now(exit_code);
}

void report::write(const char* text, int n) noexcept {
  static_cast<void>(os::write_all(standard_error, text, static_cast<std::size_t>(n)));
}

}  // namespace cleave::heap::checked
