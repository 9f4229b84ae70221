// counted.hpp -- the atomics and the mutex of src/base/atomic.hpp, counted by cache line.
//
// The heap's sources, compiled with CLEAVE_MODEL, use these instead of the standard ones. While
// counting is on, each operation says which line of 64 bytes it touched and whether it wrote
// there. A *transfer* is an operation on a line that another thread wrote last, or, if it writes,
// one that another thread has read since: what a coherent cache would have to move.
//
//   contention::be(3);                        // this thread counts as number 3
//   contention::counting = true;              // one thread at a time from here on
//   heap::free(p, n);
//   contention::counting = false;
//   contention::counts seen = contention::taken();
//
// Only one thread may run while counting is on: the caller hands a baton around.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

namespace cleave::contention {

struct counts {
  std::uint64_t locks = 0;      // acquisitions
  std::uint64_t updates = 0;    // read-modify-write operations that are no locks
  std::uint64_t transfers = 0;  // of lines with atomics, locks, or what is noted as guarded
  std::uint64_t busiest = 0;    // acquisitions of the lock that was taken most
  std::uint64_t hottest = 0;    // transfers of the line that moved most
};

// Whether operations are counted, and whether the time under locks is.
extern bool counting;
extern bool timing;

void be(unsigned thread) noexcept;
// What was counted since the last call.
counts taken() noexcept;
// The mean time for which a lock was held while timing was on, in nanoseconds; 0 if none was.
double held_nanoseconds() noexcept;
// What a look at the clock adds to a time.
double clock_nanoseconds() noexcept;

void used(const void* at, bool writes, bool updates = false) noexcept;
void locked(const void* mutex) noexcept;
void unlocked(const void* mutex) noexcept;

}  // namespace cleave::contention

namespace cleave::base {

template <typename T>
class atomic : public std::atomic<T> {
 public:
  using std::atomic<T>::atomic;

  T load(std::memory_order order = std::memory_order_seq_cst) const noexcept {
    if (contention::counting) contention::used(this, false);
    return std::atomic<T>::load(order);
  }
  void store(T value, std::memory_order order = std::memory_order_seq_cst) noexcept {
    if (contention::counting) contention::used(this, true);
    std::atomic<T>::store(value, order);
  }
  T exchange(T value, std::memory_order order = std::memory_order_seq_cst) noexcept {
    if (contention::counting) contention::used(this, true, true);
    return std::atomic<T>::exchange(value, order);
  }
  T fetch_add(T more, std::memory_order order = std::memory_order_seq_cst) noexcept {
    if (contention::counting) contention::used(this, true, true);
    return std::atomic<T>::fetch_add(more, order);
  }
  T fetch_sub(T less, std::memory_order order = std::memory_order_seq_cst) noexcept {
    if (contention::counting) contention::used(this, true, true);
    return std::atomic<T>::fetch_sub(less, order);
  }
  T fetch_or(T more, std::memory_order order = std::memory_order_seq_cst) noexcept {
    if (contention::counting) contention::used(this, true, true);
    return std::atomic<T>::fetch_or(more, order);
  }
  T fetch_and(T mask, std::memory_order order = std::memory_order_seq_cst) noexcept {
    if (contention::counting) contention::used(this, true, true);
    return std::atomic<T>::fetch_and(mask, order);
  }
  bool compare_exchange_strong(T& expected, T value, std::memory_order order,
                               std::memory_order failure) noexcept {
    if (contention::counting) contention::used(this, true, true);
    return std::atomic<T>::compare_exchange_strong(expected, value, order, failure);
  }
  bool compare_exchange_weak(T& expected, T value, std::memory_order order) noexcept {
    if (contention::counting) contention::used(this, true, true);
    return std::atomic<T>::compare_exchange_weak(expected, value, order);
  }
};

class mutex {
 public:
  constexpr mutex() noexcept = default;
  void lock() noexcept {
    real_.lock();
    if (contention::counting || contention::timing) contention::locked(this);
  }
  bool try_lock() noexcept {
    if (!real_.try_lock()) return false;
    if (contention::counting || contention::timing) contention::locked(this);
    return true;
  }
  void unlock() noexcept {
    if (contention::counting || contention::timing) contention::unlocked(this);
    real_.unlock();
  }

 private:
  std::mutex real_;
};

inline void touched(const void* at) noexcept {
  if (contention::counting) contention::used(at, true);
}

}  // namespace cleave::base
