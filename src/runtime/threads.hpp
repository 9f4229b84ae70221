// threads.hpp -- the threads that a program may use.
//
//   thread_team team(4, 1 << 30);                         // begins nothing yet
//   team.run([](void* p) { ... }, &p);                    // fork_all() in there may use four
//
// Invariants (tests/runtime/fork_test.cpp):
//   T1  Outside run(), and in it with one thread, fork_all() calls in order.
//   T2  When the team is gone, its threads have ended.
#pragma once

#include <cstddef>
#include <memory>

namespace cleave::runtime {

inline constexpr std::size_t most_threads = 1024;

// At most one at a time. Sets `many_threads` while it lives. Requires: 0 < threads <=
// most_threads.
class thread_team {
 public:
  // The stacks of the others have `stack_bytes`, or the share of each in the address space.
  thread_team(std::size_t threads, std::size_t stack_bytes);
  thread_team(const thread_team&) = delete;
  thread_team& operator=(const thread_team&) = delete;
  ~thread_team();

  // Calls the function on this thread, whatever thread that is.
  void run(void (*function)(void*), void* argument) noexcept;

 private:
  struct members;
  std::unique_ptr<members> others_;  // null with one thread
};

}  // namespace cleave::runtime
