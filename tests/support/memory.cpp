// memory.cpp -- reads /proc/self/smaps_rollup, or /proc/self/statm where there is none.
#include "support/memory.hpp"

#include <unistd.h>

#include <fstream>
#include <stdexcept>
#include <string>

namespace cleave::test {

std::size_t resident_bytes() {
  // The first walks the page tables and is exact. The second adds up counters that each
  // processor publishes in batches: wrong by megabytes where there are many processors.
  std::ifstream rollup("/proc/self/smaps_rollup");
  for (std::string word; rollup >> word;) {
    std::size_t kibibytes = 0;
    if (word == "Rss:" && rollup >> kibibytes) return kibibytes << 10;
  }
  std::ifstream file("/proc/self/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  if (!(file >> total >> resident)) throw std::runtime_error("cannot read /proc/self/statm");
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

void touch(void* data, std::size_t bytes) {
  volatile unsigned char* const begin = static_cast<unsigned char*>(data);
  for (std::size_t i = 0; i < bytes; i += page_bytes) begin[i] = 1;
  if (bytes > 0) begin[bytes - 1] = 1;
}

}  // namespace cleave::test
