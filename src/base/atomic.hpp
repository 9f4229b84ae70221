// atomic.hpp -- the atomics and mutexes on which the heap's protocols stand.
//
// They are the standard ones. The models in tests/model/ compile the same sources with
// CLEAVE_MODEL, the name of a header that puts their own in place, which hand every operation
// to a scheduler that tries all orders. Counts that nothing depends on stay std::atomic: they
// would only add orders.
//
//   base::atomic<std::uint16_t> dead{0};
//   base::mutex guard;
//   base::touched(&list);
#pragma once

#if defined(CLEAVE_MODEL)
#  include CLEAVE_MODEL
#else
#  include <atomic>
#  include <mutex>

namespace cleave::base {

template <typename T>
using atomic = std::atomic<T>;
using mutex = std::mutex;

// Plain memory that a lock guards is about to be changed: the models look for races there.
inline void touched(const void*) noexcept {}

}  // namespace cleave::base
#endif
