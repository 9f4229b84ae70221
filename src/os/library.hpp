// library.hpp -- functions of shared libraries that are loaded when they are first wanted.
//
//   if (void* const f = os::library_function("libcleave_cuda.so", "cleave_open_cuda")) ...
#pragma once

namespace cleave::os {

// A function of a shared library, which stays loaded from then on. A name without a slash is
// looked for beside the file that this code is part of, in ../lib from there, and where the
// system looks. nullptr if there is no such library or function, or no memory.
[[nodiscard]] void* library_function(const char* library, const char* name) noexcept;

}  // namespace cleave::os
