// measure.hpp -- clocks, page faults, resident memory, and the barrier that keeps work alive.
//
// One thread is measured by its processor time, so that other programs on the
// machine count less; several threads are measured by the wall clock. The watch
// can be stopped while a workload prepares its data:
//
//   stopwatch watch(stopwatch::clock::processor);
//   watch.resume();
//   ... measured ...
//   watch.pause();
//   ... not measured ...
//   watch.resume();
//
// Compiled with CLEAVE_BENCH_COUNTED, the watch also tells callgrind which instructions to
// count: those between resume() and pause().
#pragma once

#ifdef CLEAVE_BENCH_COUNTED
#  include <valgrind/callgrind.h>
#endif

#include <ctime>

#include <cstddef>
#include <cstdint>

namespace cleave::bench {

class stopwatch {
 public:
  enum class clock { processor, wall };

  explicit stopwatch(clock kind) noexcept
      : id_(kind == clock::processor ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC) {}

  // A watch begins stopped. Each pair of calls costs about two system calls
  // (0.2 us each) on the processor clock, half of that inside the measured time.
  void resume() noexcept {
    since_ = now();
    toggle_counting();
  }
  void pause() noexcept {
    toggle_counting();
    spent_ += now() - since_;
  }

  // Requires: the watch is stopped.
  [[nodiscard]] double seconds() const noexcept { return static_cast<double>(spent_) * 1e-9; }

 private:
  [[nodiscard]] std::int64_t now() const noexcept {
    std::timespec t{};
    clock_gettime(id_, &t);
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
  }

  static void toggle_counting() noexcept {
#ifdef CLEAVE_BENCH_COUNTED
    CALLGRIND_TOGGLE_COLLECT;
#endif
  }

  clockid_t id_;
  std::int64_t since_ = 0;
  std::int64_t spent_ = 0;
};

// In a program that is counted: forgets what was counted, and writes it down under a name.
// Does nothing otherwise.
void begin_count() noexcept;
void end_count(const char* name) noexcept;

// Minor page faults of this process since it began.
std::uint64_t page_faults() noexcept;

// The memory of this process that is resident and not backed by a file, so
// that code being paged in is not counted. Allocates nothing.
std::size_t resident_bytes() noexcept;

// To be called in a loop that waits for another thread.
inline void relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  asm volatile("" : : : "memory");
#endif
}

// The compiler must assume that somebody reads and writes all memory that
// `pointer` leads to. It costs no instruction.
inline void keep(const void* pointer) noexcept {
  asm volatile("" : : "r"(pointer) : "memory");
}

}  // namespace cleave::bench
