// on_device.hpp -- functions that host and device have, and the atomics of both.
//
//   CLEAVE_ON_DEVICE void count(std::uint32_t& sum) { detail::on_device::add(sum, 1u); }
//
// On a CUDA device all of it is atomic among the threads of that device, and no further: over
// the bus to the host there is no atomic read-modify-write. Host and device never change one
// word in turns; what one side writes the other reads after the kernel has ended.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#if defined(__CUDACC__)
#  define CLEAVE_ON_DEVICE __host__ __device__
#else
#  define CLEAVE_ON_DEVICE
#endif

// Of the host device. The model of it in tests/model/ has others, which the explorer steps through.
#if !defined(CLEAVE_DEVICE_ATOMIC)
#  define CLEAVE_DEVICE_ATOMIC std::atomic_ref
#endif

namespace cleave::detail::on_device {

#if defined(__CUDA_ARCH__)

// The processor's own words of 64 bits have another name there.
template <class T>
CLEAVE_ON_DEVICE auto* cuda_word(T& word) noexcept {
  if constexpr (sizeof(T) == 8) {
    return reinterpret_cast<unsigned long long*>(&word);
  } else {
    return reinterpret_cast<unsigned int*>(&word);
  }
}

#endif

// Relaxed, both: they order nothing.
template <class T>
CLEAVE_ON_DEVICE T peek(T& word) noexcept {
#if defined(__CUDA_ARCH__)
  return *static_cast<volatile T*>(&word);
#else
  return CLEAVE_DEVICE_ATOMIC<T>(word).load(std::memory_order_relaxed);
#endif
}

// Acquire: what was written before the word was is seen by whoever finds it so.
template <class T>
CLEAVE_ON_DEVICE T look(T& word) noexcept {
#if defined(__CUDA_ARCH__)
  const T found = peek(word);
  __threadfence();
  return found;
#else
  return CLEAVE_DEVICE_ATOMIC<T>(word).load(std::memory_order_acquire);
#endif
}

template <class T>
CLEAVE_ON_DEVICE void poke(T& word, T next) noexcept {
#if defined(__CUDA_ARCH__)
  *static_cast<volatile T*>(&word) = next;
#else
  CLEAVE_DEVICE_ATOMIC<T>(word).store(next, std::memory_order_relaxed);
#endif
}

// Relaxed: counts that nobody reads before the kernel has ended, and numbers that decide alone
// who owns what. Returns what was there.
template <class T>
CLEAVE_ON_DEVICE T add(T& word, T more) noexcept {
#if defined(__CUDA_ARCH__)
  return static_cast<T>(atomicAdd(cuda_word(word), more));
#else
  return CLEAVE_DEVICE_ATOMIC<T>(word).fetch_add(more, std::memory_order_relaxed);
#endif
}

// Acquire and release: bytes go from lane to lane with their count. Returns what was there.
template <class T>
CLEAVE_ON_DEVICE T add_ordered(T& word, T more) noexcept {
#if defined(__CUDA_ARCH__)
  __threadfence();
  const T before = add(word, more);
  __threadfence();
  return before;
#else
  return CLEAVE_DEVICE_ATOMIC<T>(word).fetch_add(more, std::memory_order_acq_rel);
#endif
}

// Acquire and release: memory goes from lane to lane with the word. Returns what was there.
template <class T>
CLEAVE_ON_DEVICE T exchange(T& word, T next) noexcept {
#if defined(__CUDA_ARCH__)
  __threadfence();
  const T before = static_cast<T>(atomicExch(cuda_word(word), next));
  __threadfence();
  return before;
#else
  return CLEAVE_DEVICE_ATOMIC<T>(word).exchange(next, std::memory_order_acq_rel);
#endif
}

// Acquire and release: as above. If it was not `expected`, sets that to what it was; acquire: as
// look().
template <class T>
CLEAVE_ON_DEVICE bool replace(T& word, T& expected, T next) noexcept {
#if defined(__CUDA_ARCH__)
  using device_word = std::remove_pointer_t<decltype(cuda_word(word))>;
  __threadfence();
  const T before = static_cast<T>(atomicCAS(cuda_word(word), static_cast<device_word>(expected),
                                            static_cast<device_word>(next)));
  __threadfence();
  const bool done = before == expected;
  expected = before;
  return done;
#else
  return CLEAVE_DEVICE_ATOMIC<T>(word).compare_exchange_strong(
      expected, next, std::memory_order_acq_rel, std::memory_order_acquire);
#endif
}

}  // namespace cleave::detail::on_device
