// start.hpp -- the heap starts at its first use, or by heap::start(), once.
#pragma once

namespace cleave::heap {

// Starts the heap with the default options if it has not started. False if the
// system gives no address space; a later call tries again.
bool ensure_started() noexcept;

}  // namespace cleave::heap
