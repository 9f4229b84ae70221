#include "os/nodes.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>

#include "os/stream.hpp"

namespace cleave::os {

unsigned nodes_in(std::string_view list) noexcept {
  constexpr unsigned most = 1024;
  unsigned last = 0;
  bool within = false;
  for (const char c : list) {
    const bool digit = c >= '0' && c <= '9';
    if (digit) last = (within ? last * 10 : 0) + static_cast<unsigned>(c - '0');
    if (last >= most) return 1;
    within = digit;
  }
  return last + 1;
}

unsigned node_count() noexcept {
  file list;
  char text[256];
  std::size_t got = 0;
  if (list.open_to_read("/sys/devices/system/node/possible") != 0) return 1;
  if (list.read(text, sizeof text, got) != 0) return 1;
  return nodes_in({text, got});
}

unsigned current_node() noexcept {
  unsigned node = 0;
#if defined(__GLIBC__)
  // Answered without a call of the system.
  if (::getcpu(nullptr, &node) != 0) return 0;
#elif defined(SYS_getcpu)
  if (::syscall(SYS_getcpu, nullptr, &node, nullptr) != 0) return 0;
#endif
  return node;
}

}  // namespace cleave::os
