// array_life.cpp -- one array from its allocation to its end, as docs/design/heap.md tells it.
#include <chrono>
#include <cleave/array.hpp>
#include <cstdint>
#include <cstdio>
#include <utility>

namespace heap = cleave::heap;

void show(const char* step) {
  const heap::statistics s = heap::stats();
  std::printf("%-18s live %7zu   held %7zu   cached %7zu\n", step, s.live, s.held, s.cached);
}

int main() {
  // Nothing goes back to the system unless we say so.
  heap::start({.purge_delay = std::chrono::milliseconds(-1)});

  cleave::array<std::uint32_t> left(1'000'000);
  show("made");

  // 250,000 elements are 244 pages and 576 bytes: the cut lies inside a page.
  cleave::array<std::uint32_t> right = left.cut(250'000);
  show("cut");

  left.clear();
  show("left piece freed");

  cleave::array<std::uint8_t> other(900'000);
  show("another array");

  right.clear();
  show("right piece freed");

  other.clear();
  heap::purge();
  show("purged");
}
