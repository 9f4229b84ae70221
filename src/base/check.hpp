// check.hpp -- stops the program on a bug of ours or of the caller.
//
// Two prices: CLEAVE_CHECK is always on and guards what a wrong call could
// corrupt; CLEAVE_DCHECK is on in checked builds and restates an invariant.
//
//   CLEAVE_CHECK(contains(pointer), "free of an address outside the heap");
#pragma once

namespace cleave::detail {
// Prints one line on standard error and aborts.
[[noreturn]] void check_failed(const char* file, int line, const char* what) noexcept;
// Names what is done between the line and the end: once per process.
void after_failed_check(void (*function)()) noexcept;
}  // namespace cleave::detail

#define CLEAVE_CHECK(condition, what) \
  ((condition) ? void() : ::cleave::detail::check_failed(__FILE__, __LINE__, what))

#if defined(CLEAVE_CHECKED) && CLEAVE_CHECKED
#  define CLEAVE_DCHECK(condition, what) CLEAVE_CHECK(condition, what)
#else
#  define CLEAVE_DCHECK(condition, what) static_cast<void>(sizeof(condition))
#endif
