// shared.hpp -- several handles to one array, and atomic operations: section 6.4.
//
//   auto [h, k] = Array_fork<u32>(a);                   // both read and write the same slots
//   auto [h2, old] = Array_atomic_add(h, 5, 1);         // from any thread
//   a = Array_join<u32>(h2, k);                         // one owner again
//
// Atomic operations are ordered (acquire and release): what a thread wrote before one is
// seen by whoever finds its result with another.
#pragma once

#include <cleave/runtime/array.hpp>

namespace cleave::runtime {

// O(1).
template <class T>
[[nodiscard]] inline pair<array<T>, array<T>> Array_fork(array<T> a) noexcept {
  keep(a);
  return {a, a};
}

// a; b is dropped. If that leaves a alone, it can be cut again without copying. O(1), or the
// cost of dropping b if that is another array.
template <class T>
[[nodiscard]] inline array<T> Array_join(array<T> a, array<T> b) noexcept {
  drop(b);
  return a.is_shared() && unique(a.control()) ? detail::alone(a) : a;
}

namespace detail {

// slot = change(slot), at once for all threads; the value before.
template <class T, class Change>
[[nodiscard]] inline pair<array<T>, T> change_slot(array<T> a, u32 i, Change change) noexcept {
  T& slot = a.data[a.wrap(i)];
  if (!many_threads) {
    const T old = slot;
    slot = change(old);
    return {a, old};
  }
  const std::atomic_ref<T> shared(slot);
  // Relaxed: a wrong guess is corrected by the exchange.
  T old = shared.load(std::memory_order_relaxed);
  while (!shared.compare_exchange_weak(old, change(old), std::memory_order_acq_rel,
                                       std::memory_order_acquire)) {
  }
  return {a, old};
}

}  // namespace detail

[[nodiscard]] inline pair<array<u32>, u32> Array_atomic_add(array<u32> a, u32 i, u32 v) noexcept {
  if (!many_threads) return detail::change_slot(a, i, [v](u32 x) { return x + v; });
  return {a, std::atomic_ref<u32>(a.data[a.wrap(i)]).fetch_add(v, std::memory_order_acq_rel)};
}
[[nodiscard]] inline pair<array<u32>, u32> Array_atomic_min(array<u32> a, u32 i, u32 v) noexcept {
  return detail::change_slot(a, i, [v](u32 x) { return v < x ? v : x; });
}
[[nodiscard]] inline pair<array<u32>, u32> Array_atomic_max(array<u32> a, u32 i, u32 v) noexcept {
  return detail::change_slot(a, i, [v](u32 x) { return x < v ? v : x; });
}
[[nodiscard]] inline pair<array<u32>, u32> Array_atomic_and(array<u32> a, u32 i, u32 v) noexcept {
  return detail::change_slot(a, i, [v](u32 x) { return x & v; });
}
[[nodiscard]] inline pair<array<u32>, u32> Array_atomic_or(array<u32> a, u32 i, u32 v) noexcept {
  return detail::change_slot(a, i, [v](u32 x) { return x | v; });
}
[[nodiscard]] inline pair<array<u32>, u32> Array_atomic_xor(array<u32> a, u32 i, u32 v) noexcept {
  return detail::change_slot(a, i, [v](u32 x) { return x ^ v; });
}
[[nodiscard]] inline pair<array<u32>, u32> Array_atomic_exch(array<u32> a, u32 i, u32 v) noexcept {
  return detail::change_slot(a, i, [v](u32) { return v; });
}
// Stores v if the slot is x.
[[nodiscard]] inline pair<array<u32>, u32> Array_atomic_cas(array<u32> a, u32 i, u32 x,
                                                            u32 v) noexcept {
  return detail::change_slot(a, i, [x, v](u32 old) { return old == x ? v : old; });
}
[[nodiscard]] inline pair<array<f32>, f32> Array_atomic_fadd(array<f32> a, u32 i, f32 v) noexcept {
  return detail::change_slot(a, i, [v](f32 x) { return x + v; });
}

}  // namespace cleave::runtime
