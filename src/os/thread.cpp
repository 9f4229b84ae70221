#include "os/thread.hpp"

#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

namespace cleave::os {
namespace {

using exit_action = void (*)();

constinit exit_action exit_function = nullptr;
constinit pthread_key_t exit_key{};
constinit bool has_key = false;
// More keys than programs have; some systems have no more than this.
constexpr unsigned usual_keys = 96;

std::uint64_t nanoseconds_of(clockid_t clock) noexcept {
  timespec t{};
  ::clock_gettime(clock, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(t.tv_nsec);
}

}  // namespace

bool at_thread_exit(void (*function)()) noexcept {
  exit_function = function;
  // A key and not a thread_local destructor: keys are run after those, so that
  // the frees which they make still find the thread as it was.
  const auto make = [](pthread_key_t& key) {
    return ::pthread_key_create(&key, [](void*) { exit_function(); }) == 0;
  };
  // Destructors of keys run in the order of their numbers, in a few rounds. A thread whose first
  // use of the heap is the destructor of a key in the last round arms this key for that round
  // alone, so its number must be higher than those that programs use.
  pthread_key_t lower[usual_keys];
  unsigned count = 0;
  while ((has_key = make(exit_key)) && exit_key < usual_keys && count < usual_keys) {
    lower[count++] = exit_key;
  }
  // With fewer keys than that the last one serves.
  if (!has_key && count > 0) {
    exit_key = lower[--count];
    has_key = true;
  }
  while (count > 0) ::pthread_key_delete(lower[--count]);
  return has_key;
}

bool arm_thread_exit() noexcept {
  return has_key && ::pthread_setspecific(exit_key, &exit_key) == 0;
}

void at_fork(void (*before)(), void (*in_parent)(), void (*in_child)()) noexcept {
  ::pthread_atfork(before, in_parent, in_child);
}

std::uint64_t coarse_milliseconds() noexcept {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1000 +
         static_cast<std::uint64_t>(t.tv_nsec) / 1000000;
}

std::uint64_t nanoseconds() noexcept {
  return nanoseconds_of(CLOCK_MONOTONIC);
}

std::uint64_t nanoseconds_since_1970() noexcept {
  return nanoseconds_of(CLOCK_REALTIME);
}

std::uint32_t process_number() noexcept {
  return static_cast<std::uint32_t>(::getpid());
}

bool start_helper(void (*function)()) noexcept {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread{};
  const bool started = ::pthread_create(
                           &thread, nullptr,
                           [](void* f) -> void* {
                             reinterpret_cast<void (*)()>(f)();
                             return nullptr;
                           },
                           reinterpret_cast<void*>(function)) == 0;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (started) ::pthread_detach(thread);
  return started;
}

void sleep(std::chrono::milliseconds duration) noexcept {
  timespec t{};
  // Where a time has 32 bits, 68 years are as good as any longer one.
  t.tv_sec = static_cast<time_t>(
      std::min<std::int64_t>(duration.count() / 1000, std::numeric_limits<time_t>::max()));
  t.tv_nsec = static_cast<long>(duration.count() % 1000) * 1000000;
  while (::nanosleep(&t, &t) != 0 && errno == EINTR) {
  }
}

}  // namespace cleave::os
