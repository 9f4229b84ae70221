// measure.hpp -- the lines that the collector's benchmark prints.
//
//   report("gcbench", "boehm", repeat(amount.rounds, [] { return run(); }));
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <vector>

namespace cleave::bench {

// How much work: all of it, or so little that it is a test.
struct amount {
  bool smoke = false;
  int rounds = 3;
};

struct sample {
  double seconds = 0;
  std::uint64_t checksum = 0;
  std::uint64_t young = 0;
  std::uint64_t full = 0;
  double longest_pause_ms = 0;
  double pauses_ms = 0;
};

// The processor time of all threads of this process.
inline double processor_seconds() {
  std::timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

// The median of several runs.
template <class Run>
sample repeat(int rounds, Run run) {
  std::vector<sample> all;
  for (int i = 0; i < rounds; ++i) {
    const double begun = processor_seconds();
    sample one = run();
    if (one.seconds == 0) one.seconds = processor_seconds() - begun;
    all.push_back(one);
  }
  std::sort(all.begin(), all.end(),
            [](const sample& a, const sample& b) { return a.seconds < b.seconds; });
  return all[all.size() / 2];
}

inline void report(const char* work, const char* who, const sample& s) {
  std::printf("%-28s %-20s %9.3f s %6llu young %5llu full %9.3f ms longest %9.1f ms paused\n", work,
              who, s.seconds, static_cast<unsigned long long>(s.young),
              static_cast<unsigned long long>(s.full), s.longest_pause_ms, s.pauses_ms);
  std::fflush(stdout);
}

void trees(const amount& work);
void scratch_arrays(const amount& work);

}  // namespace cleave::bench
