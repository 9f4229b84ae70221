// api.hpp -- what the shared library shows to programs.
//
//   CLEAVE_API void purge() noexcept;
#pragma once

#if defined(__GNUC__)
#  define CLEAVE_API __attribute__((visibility("default")))
#else
#  define CLEAVE_API
#endif
