#include "heap/transit.hpp"

namespace cleave::heap::detail {

constinit base::atomic<std::uint64_t> traffic{0};
thread_local constinit std::uint32_t own_returns = 0;

}  // namespace cleave::heap::detail
