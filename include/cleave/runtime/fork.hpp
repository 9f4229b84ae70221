// fork.hpp -- the values of a parallel let, perhaps at the same time.
//
//   if (!fork_wanted()) { l = sum(a); r = sum(b); }
//   else forked([=, &l] { l = sum(a); }, [=, &r] { r = sum(b); });
//
// Forks below a number of levels, which depends on the number of threads, run in order on
// this thread: that costs one test. Work that another thread takes has levels anew, so that a
// tree that leans to one side is shared too. Which thread computes a value is not seen in it.
//
// Invariants (tests/runtime/fork_test.cpp):
//   F1  When forked() returns, all calls have returned.
//   F2  With one thread, or below the last level, calls run in order.
#pragma once

#include <cleave/runtime/value.hpp>

namespace cleave::runtime {

namespace detail {

// How many levels of forks below this point are worth tasks; 0 with one thread.
extern thread_local constinit u32 levels_left __attribute__((tls_model("initial-exec")));

struct branch {
  void (*call)(void* work);
  void* work;
};

// Calls all, the first ones on this thread. Requires: n > 0.
void run_branches(const branch* all, std::size_t n) noexcept;

}  // namespace detail

// Whether forked() here would use other threads.
[[nodiscard]] inline bool fork_wanted() noexcept {
  return detail::levels_left != 0;
}

// Calls each with no arguments. Requires: none throws.
template <class... Work>
inline void forked(Work&&... work) noexcept {
  if (!fork_wanted()) [[likely]] {
    (work(), ...);
    return;
  }
  const detail::branch all[] = {
      {[](void* one) { (*static_cast<std::remove_reference_t<Work>*>(one))(); },
       const_cast<void*>(static_cast<const void*>(&work))}...};
  detail::run_branches(all, sizeof...(Work));
}

}  // namespace cleave::runtime
