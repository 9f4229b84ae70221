// shown_program.cpp -- a process that top_test.py looks at. It does what its input says, a
// line at a time, and answers each with a line:
//
//   allocate BYTES COUNT    free    fork    exec    exit
#include <unistd.h>
#include <cleave/heap.hpp>

#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace heap = cleave::heap;

int main() {
  std::vector<std::pair<void*, std::size_t>> runs;
  (void)heap::start(
      {.reserve_bytes = std::size_t{256} << 20, .held_limit = std::size_t{128} << 20});
  std::cout << "ready" << std::endl;
  std::string word;
  while (std::cin >> word) {
    if (word == "allocate") {
      std::size_t bytes = 0;
      std::size_t count = 0;
      std::cin >> bytes >> count;
      for (std::size_t i = 0; i < count; ++i) runs.emplace_back(heap::allocate(bytes), bytes);
    } else if (word == "free") {
      for (const auto& [run, bytes] : runs) heap::free(run, bytes);
      runs.clear();
    } else if (word == "fork") {
      // The child waits for the end of the input too, and does nothing.
      if (const pid_t child = ::fork(); child == 0) {
        ::alarm(300);
        for (;;) ::pause();
      } else {
        std::cout << child << std::endl;
        continue;
      }
    } else if (word == "exec") {
      ::unsetenv("CLEAVE_TOP");
      ::execlp("sleep", "sleep", "300", nullptr);
      return 1;
    } else if (word == "exit") {
      return 0;
    }
    std::cout << "done" << std::endl;
  }
}
