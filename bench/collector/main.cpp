// main.cpp -- the collector beside Boehm's and malloc: trees, and scratch arrays.
//
//   collector_bench             // a few minutes
//   collector_bench --smoke     // runs everything once, on the smallest amounts
//
// Times are processor time of the process, the median of three runs. Each line says how
// many collections there were, and how long they stopped the program.
#include <cstdio>
#include <cstring>

#include "measure.hpp"

int main(int count, char** arguments) {
  cleave::bench::amount work;
  if (count == 2 && std::strcmp(arguments[1], "--smoke") == 0) {
    work.smoke = true;
    work.rounds = 1;
  } else if (count != 1) {
    std::fprintf(stderr, "usage: %s [--smoke]\n", arguments[0]);
    return 2;
  }
  cleave::bench::trees(work);
  cleave::bench::scratch_arrays(work);
  return 0;
}
