#include "base/check.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace cleave::detail {
namespace {

constinit std::atomic<void (*)()> last_words{nullptr};

}  // namespace

void check_failed(const char* file, int line, const char* what) noexcept {
  std::fprintf(stderr, "cleave: %s (%s:%d)\n", what, file, line);
  // Relaxed: set when the heap starts. Not twice, should the function fail as well.
  if (auto* const last = last_words.exchange(nullptr, std::memory_order_relaxed)) last();
  std::abort();
}

void after_failed_check(void (*function)()) noexcept {
  last_words.store(function, std::memory_order_relaxed);
}

}  // namespace cleave::detail
