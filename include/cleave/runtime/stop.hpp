// stop.hpp -- how a program ends when it cannot go on.
//
//   if (depth > deepest_array) stop(message::deep_array);   // one line on stderr, exit code 1
#pragma once

#include <cleave/detail/on_device.hpp>

namespace cleave::runtime {

// The lines that section 8.3 of the language fixes.
namespace message {
#if defined(__CUDA_ARCH__)
// A kernel reports the number of its line, by which src/runtime/kernel.cpp finds the text.
enum line : std::uint32_t { nat_limit = 1, fail_stop, deep_array, stack_overflow, out_of_memory };
#else
inline constexpr const char* nat_limit = "bend: a Nat past the largest immediate 2^48-1";
inline constexpr const char* fail_stop = "bend: runtime fail-stop";
inline constexpr const char* deep_array = "bend: an array past the deepest block class 31";
inline constexpr const char* stack_overflow = "bend: memory fault (machine stack overflow?)";
inline constexpr const char* out_of_memory =
    "bend: out of memory: run again with a bigger span, as in --gpu 8GB";
#endif
}  // namespace message

// Writes what the program has printed, then the message and a newline to standard error,
// and ends the process with exit code 1. Other threads are not waited for.
[[noreturn, gnu::cold]] void stop(const char* message) noexcept;

#if defined(__CUDA_ARCH__)
// Ends the thread of the kernel: lane.hpp.
[[noreturn]] __device__ void stop(message::line what) noexcept;
#endif

}  // namespace cleave::runtime
