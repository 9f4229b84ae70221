// measure.cpp -- what the system says about this process.
#include "measure.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>

namespace cleave::bench {
namespace {

// The file's first bytes as a string in `text`; empty if it cannot be read.
template <std::size_t Size>
void read_file(const char* path, std::array<char, Size>& text) noexcept {
  text[0] = '\0';
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  const ssize_t got = read(file, text.data(), Size - 1);
  text[got > 0 ? static_cast<std::size_t>(got) : 0] = '\0';
  close(file);
}

}  // namespace

void begin_count() noexcept {
#ifdef CLEAVE_BENCH_COUNTED
  CALLGRIND_ZERO_STATS;
#endif
}

void end_count([[maybe_unused]] const char* name) noexcept {
#ifdef CLEAVE_BENCH_COUNTED
  CALLGRIND_DUMP_STATS_AT(name);
#endif
}

std::uint64_t page_faults() noexcept {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_minflt);
}

std::size_t resident_bytes() noexcept {
  // smaps_rollup walks the page tables and is exact. statm adds up counters that
  // each processor publishes in batches, so it is only the second choice.
  std::array<char, 4096> text;
  read_file("/proc/self/smaps_rollup", text);
  if (const char* line = std::strstr(text.data(), "\nAnonymous:")) {
    return std::strtoull(line + std::strlen("\nAnonymous:"), nullptr, 10) * 1024;
  }
  read_file("/proc/self/statm", text);
  char* rest = text.data();
  std::strtoull(rest, &rest, 10);
  const unsigned long long resident = std::strtoull(rest, &rest, 10);
  const unsigned long long of_files = std::strtoull(rest, &rest, 10);
  return (resident - of_files) * static_cast<unsigned long long>(sysconf(_SC_PAGESIZE));
}

}  // namespace cleave::bench
