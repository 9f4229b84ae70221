#include "base/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace cleave::detail {

void check_failed(const char* file, int line, const char* what) noexcept {
  std::fprintf(stderr, "cleave: %s (%s:%d)\n", what, file, line);
  std::abort();
}

}  // namespace cleave::detail
