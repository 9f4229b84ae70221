// raise.hpp -- an exception, or the end where a program is compiled without them.
//
//   if (at > size) detail::raise<std::out_of_range>("cleave::run::cut");
//
// With -fno-exceptions the `try_` forms are for what may fail, and all else ends the program.
#pragma once

#include <cstdlib>

namespace cleave::detail {

#if defined(__GNUC__)
#  define CLEAVE_COLD [[gnu::cold, gnu::noinline]]
#else
#  define CLEAVE_COLD
#endif

template <class Error, class... Arguments>
[[noreturn]] CLEAVE_COLD void raise(const Arguments&... arguments) {
#if defined(__cpp_exceptions)
  throw Error(arguments...);
#else
  (static_cast<void>(arguments), ...);
  std::abort();
#endif
}

#undef CLEAVE_COLD

}  // namespace cleave::detail
