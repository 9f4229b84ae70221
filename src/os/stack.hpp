// stack.hpp -- the door to the system's stacks: a large one, and what is done when one ends.
//
//   os::on_stack_overflow(say_so_and_exit);               // once per process
//   os::run_on_stack(16 << 30, 64 << 20, program, &state);
//
// Address space alone is taken for a stack; memory comes as it is used.
#pragma once

#include <cstddef>

namespace cleave::os {

// Runs the function in a thread of its own, whose stack has as much as the system gives of
// `most` bytes, by halves, but `least` at least; returns when it has ended. The thread is
// watched. False, and nothing ran, if the system gives no such stack or no thread.
bool run_on_stack(std::size_t most, std::size_t least, void (*function)(void*),
                  void* argument) noexcept;

// Names what runs, on a small stack of its own, when a watched thread goes past the end of
// its stack; it must not return. Other faults of memory end the process as they would have.
void on_stack_overflow(void (*handler)()) noexcept;

// Watches this thread until unwatch_stack(), which is for the same thread.
void watch_stack() noexcept;
void unwatch_stack() noexcept;

}  // namespace cleave::os
