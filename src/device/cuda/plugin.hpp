// plugin.hpp -- what libcleave_cuda.so gives to libcleave, which loads it when a CUDA device is
// asked for. A program that asks for none needs no CUDA, and one that does finds none without it.
#pragma once

#include "device/backend.hpp"

namespace cleave::device {

inline constexpr const char* cuda_library = "libcleave_cuda.so";
// Changes whenever backend does: an older plugin is then not found.
inline constexpr const char* cuda_open_name = "cleave_open_cuda_1";
inline constexpr const char* cuda_count_name = "cleave_count_cuda_1";

// A new backend on the first device that can do what a machine needs; nullptr if there is none.
using cuda_open = backend*() noexcept;
// How many of those there are.
using cuda_count = int() noexcept;

}  // namespace cleave::device
