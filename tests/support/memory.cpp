// memory.cpp -- reads /proc/self/statm.
#include "support/memory.hpp"

#include <unistd.h>

#include <fstream>
#include <stdexcept>

namespace cleave::test {

std::size_t resident_bytes() {
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
