#include "heap/lock.hpp"

namespace cleave::heap::lock_order {

thread_local constinit unsigned fork_depth = 0;

#if defined(CLEAVE_CHECKED) && CLEAVE_CHECKED

thread_local constinit std::uint32_t held[ranks]{};

namespace {

// Set while start.cpp takes everything: then several of one rank are in order.
bool takes_everything() noexcept {
  return held[static_cast<unsigned>(rank::start)] != 0 &&
         held[static_cast<unsigned>(rank::registry)] != 0;
}

}  // namespace

void taking(rank r) noexcept {
  const auto own = static_cast<unsigned>(r);
  for (unsigned i = own + 1; i < ranks; ++i) {
    CLEAVE_DCHECK(held[i] == 0, "L1: a lock is taken out of order");
  }
  CLEAVE_DCHECK(held[own] == 0 || takes_everything(), "L1: two locks of one rank are taken");
  ++held[own];
}

void released(rank r) noexcept {
  --held[static_cast<unsigned>(r)];
}

void expect_none() noexcept {
  for (unsigned i = static_cast<unsigned>(rank::start) + 1; i < ranks; ++i) {
    CLEAVE_DCHECK(held[i] == 0, "L2: a lock is held over a call of the system");
  }
}

#endif

}  // namespace cleave::heap::lock_order
