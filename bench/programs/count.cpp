// count.cpp -- does each workload once for each strategy, to be counted by callgrind.
//
//   valgrind --tool=callgrind --collect-atstart=no count REPEATS WORKLOAD...
//
// writes a file of counts for each pair, which is named "WORKLOAD STRATEGY" in it.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "harness.hpp"

int main(int count, char** words) {
  if (count < 3) {
    std::fputs("usage: count REPEATS WORKLOAD...\n", stderr);
    return 2;
  }
  cleave::bench::settings chosen;
  chosen.repeats = std::strtoull(words[1], nullptr, 10);
  chosen.workloads.assign(words + 2, words + count);
  chosen.rounds = 1;
  chosen.threads = 1;
  chosen.all = true;
  chosen.peers = true;
  cleave::bench::listener told;
  told.notice = [](std::string_view text) {
    std::fprintf(stderr, "count: %.*s\n", static_cast<int>(text.size()), text.data());
  };
  try {
    cleave::bench::run(chosen, told);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "count: %s\n", error.what());
    return 1;
  }
}
