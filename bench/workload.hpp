// workload.hpp -- one thing to measure, by several contenders.
//
// A workload is a class with a template body over a strategy and, where there is
// one, a flat loop that does the same work without any cutting (the limit):
//
//   struct sum_of_halves {
//     static constexpr std::size_t repeats = 1000, quick_repeats = 50;
//     template <strategy S> static std::uint64_t run(job& todo);
//     static std::uint64_t limit(job& todo);
//   };
//   workload w = describe<sum_of_halves>("sum");
//   add_limit<sum_of_halves>(w);
//   add_strategies<sum_of_halves>(w, all_strategies{});
//
// The body returns a checksum of what it computed, which must be the same for all
// contenders; the harness compares them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "crew.hpp"
#include "measure.hpp"
#include "strategies/all.hpp"

namespace cleave::bench {

// What a body is told, and where it says what it saw.
struct job {
  stopwatch& watch;
  crew& workers;
  std::size_t repeats;
  // Retention: memory that is resident after purge(), above what was before.
  std::size_t resident = 0;
};

struct contender {
  std::string name;
  std::string (*prepare)();
  std::uint64_t (*run)(job&);
};

struct workload {
  std::string name;
  std::size_t repeats;
  std::size_t quick_repeats;
  unsigned threads = 1;
  // Measured only when all workloads are asked for, or this one by name.
  bool extra = false;
  // Each sample is taken in a process of its own, before anything else has run.
  bool in_child = false;
  std::vector<contender> contenders;
};

template <class W>
workload describe(std::string name) {
  workload made;
  made.name = std::move(name);
  made.repeats = W::repeats;
  made.quick_repeats = W::quick_repeats;
  return made;
}

// A contender that only this workload has, or that does it in a way of its own.
inline void add_own(
    workload& to, std::string name, std::uint64_t (*run)(job&),
    std::string (*prepare)() = [] { return std::string(); }) {
  to.contenders.push_back({std::move(name), prepare, run});
}

template <class W>
void add_limit(workload& to) {
  add_own(to, "limit", &W::limit);
}

template <class W, class... S>
void add_strategies(workload& to, strategy_list<S...>) {
  (to.contenders.push_back({S::name(), &S::prepare, &W::template run<S>}), ...);
}

// All of them, in the order of the tables. `threads` is for those that can use
// more than one: a power of two up to 16, or 0 for one and then two.
std::vector<workload> all_workloads(unsigned threads);

}  // namespace cleave::bench
