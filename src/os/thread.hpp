// thread.hpp -- the door to the system's threads: exit, fork, time, a helper thread.
//
//   os::at_thread_exit(flush);     // once per process
//   os::arm_thread_exit();         // in each thread whose exit matters
#pragma once

#include <chrono>
#include <cstdint>

namespace cleave::os {

// Names the function that runs when an armed thread ends, after its thread-local objects are
// destroyed and, in each round of the destructors of keys, after those of all usual keys. Once
// per process. False if the system has no key left.
bool at_thread_exit(void (*function)()) noexcept;

// Makes the exit of this thread run the function, once per arming. The system may allocate for
// it. False if there is no key or no memory: then the thread's end goes unnoticed.
[[nodiscard]] bool arm_thread_exit() noexcept;

// Names what runs around fork(): before it, and after it on both sides.
void at_fork(void (*before)(), void (*in_parent)(), void (*in_child)()) noexcept;

// Milliseconds since some fixed moment; cheap and coarse (a few milliseconds).
std::uint64_t coarse_milliseconds() noexcept;

// Nanoseconds since some fixed moment, exact, the same for all threads; and since 1970.
std::uint64_t nanoseconds() noexcept;
std::uint64_t nanoseconds_since_1970() noexcept;

// Another one in a child of fork().
std::uint32_t process_number() noexcept;

// Runs the function in a thread of its own that takes no signals and ends with
// the process. False if the system gives no thread.
bool start_helper(void (*function)()) noexcept;

void sleep(std::chrono::milliseconds duration) noexcept;

}  // namespace cleave::os
