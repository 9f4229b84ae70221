// atomic.hpp -- the atomics and the mutex of src/base/atomic.hpp, under the explorer.
//
// The heap's sources, compiled with CLEAVE_MODEL, use these instead of the standard ones. In a
// thread that the explorer watches each operation first waits for its turn, and tells what it
// reads and writes. In any other thread they are plain values.
//
// An atomic has the size of its value, and zeroed memory is an atomic that holds 0, as the heap
// expects. What else is known of it the explorer keeps by its address.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <type_traits>

namespace cleave::model {

enum class kind : std::uint8_t { load, store, update, lock, wait };

struct access {
  kind what = kind::load;
  const void* at = nullptr;
  std::memory_order order = std::memory_order_seq_cst;
  std::uint64_t old = 0;  // wait: goes on when the value is another one
};

// Ways to break what is modelled, to see that the model notices.
struct weakness {
  bool relaxed = false;           // every order is the weakest one
  bool torn = false;              // an update is a load and a store
  bool open_locks = false;        // a lock keeps nobody out
  const void* ignored = nullptr;  // updates of this atomic do nothing
};
extern weakness planted;

// Whether this thread is one of the explorer's.
bool watched() noexcept;
// Waits for the turn. `latest` is the value before the operation.
void announce(const access& next, std::uint64_t latest) noexcept;
// The value that a load finds, of those that it may.
std::uint64_t found(const access& own, std::uint64_t latest) noexcept;
// An operation that read the latest value, and wrote another one.
void updated(const access& own, std::uint64_t written) noexcept;
void stored(const access& own, std::uint64_t written) noexcept;
void unlocked(const void* mutex) noexcept;

// Plain memory: two accesses that nothing orders are a race, unless both read.
void read_plain(const void* at) noexcept;
void write_plain(const void* at) noexcept;

}  // namespace cleave::model

namespace cleave::base {

template <typename T>
class atomic {
 public:
  constexpr atomic() noexcept = default;
  constexpr atomic(T value) noexcept : value_(value) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  T load(std::memory_order order = std::memory_order_seq_cst) const noexcept {
    if (!model::watched()) return value_;
    const model::access own{model::kind::load, this, order};
    model::announce(own, bits(value_));
    return static_cast<T>(model::found(own, bits(value_)));
  }

  void store(T value, std::memory_order order = std::memory_order_seq_cst) noexcept {
    if (model::watched()) {
      const model::access own{model::kind::store, this, order};
      model::announce(own, bits(value_));
      model::stored(own, bits(value));
    }
    value_ = value;
  }

  T exchange(T value, std::memory_order order = std::memory_order_seq_cst) noexcept {
    return update(order, [value](T) { return value; });
  }
  T fetch_add(T more, std::memory_order order = std::memory_order_seq_cst) noexcept {
    return update(order, [more](T old) { return static_cast<T>(old + more); });
  }
  T fetch_sub(T less, std::memory_order order = std::memory_order_seq_cst) noexcept {
    return update(order, [less](T old) { return static_cast<T>(old - less); });
  }

  T fetch_or(T more, std::memory_order order = std::memory_order_seq_cst) noexcept {
    return update(order, [more](T old) { return static_cast<T>(old | more); });
  }
  T fetch_and(T mask, std::memory_order order = std::memory_order_seq_cst) noexcept {
    return update(order, [mask](T old) { return static_cast<T>(old & mask); });
  }

  bool compare_exchange_strong(T& expected, T value, std::memory_order order,
                               std::memory_order failure) noexcept {
    if (model::watched()) {
      const model::access own{model::kind::update, this, order};
      model::announce(own, bits(value_));
      if (value_ != expected) {
        expected = value_;
        const model::access failed{model::kind::wait, this, failure};
        model::found(failed, bits(value_));
        return false;
      }
      model::updated(own, bits(value));
    } else if (value_ != expected) {
      expected = value_;
      return false;
    }
    value_ = value;
    return true;
  }
  bool compare_exchange_weak(T& expected, T value, std::memory_order order) noexcept {
    return compare_exchange_strong(expected, value, order, order);
  }

  void wait(T old, std::memory_order order) const noexcept {
    if (!model::watched()) return;
    const model::access own{model::kind::wait, this, order, bits(old)};
    model::announce(own, bits(value_));
    model::found(own, bits(value_));
  }
  // A waiter goes on when the value has changed.
  void notify_all() noexcept {}

 private:
  static std::uint64_t bits(T value) noexcept { return static_cast<std::uint64_t>(value); }

  template <typename F>
  T update(std::memory_order order, F next) noexcept {
    if (!model::watched()) {
      const T old = value_;
      value_ = next(old);
      return old;
    }
    if (model::planted.ignored == this) return value_;
    if (model::planted.torn) {
      const T old = load(order);
      store(next(old), order);
      return old;
    }
    const model::access own{model::kind::update, this, order};
    model::announce(own, bits(value_));
    const T old = value_;
    value_ = next(old);
    model::updated(own, bits(value_));
    return old;
  }

  T value_{};
};

class mutex {
 public:
  constexpr mutex() noexcept = default;
  void lock() noexcept {
    if (model::watched()) model::announce({model::kind::lock, this}, 0);
  }
  bool try_lock() noexcept {
    lock();
    return true;
  }
  void unlock() noexcept {
    if (model::watched()) model::unlocked(this);
  }
};

inline void touched(const void* at) noexcept {
  if (model::watched()) model::write_plain(at);
}

}  // namespace cleave::base
