// handoff.cpp -- one thread makes arrays and cuts them in four, another frees the pieces.
#include <array>
#include <atomic>
#include <optional>
#include <thread>

#include "workloads/filling.hpp"
#include "workloads/workloads.hpp"

namespace cleave::bench {
namespace {

// Hands things from one thread to another, in order.
//
// Invariant: 0 <= pushed - popped <= capacity, and the slots [popped, pushed) are full.
template <class T>
class ring {
 public:
  static constexpr std::size_t capacity = 128;

  void push(T&& value) {
    const std::size_t at = pushed_.load(std::memory_order_relaxed);
    if (at - popped_seen_ == capacity) {
      // Acquire: the other thread is done with the slot.
      popped_seen_ =
          wait_until(popped_, [&](std::size_t popped) { return at - popped < capacity; });
    }
    slots_[at % capacity].emplace(std::move(value));
    // Release: the slot's contents come before.
    pushed_.store(at + 1, std::memory_order_release);
  }

  T pop() {
    const std::size_t at = popped_.load(std::memory_order_relaxed);
    if (at == pushed_seen_) {
      // Acquire: the slot's contents are seen.
      pushed_seen_ = wait_until(pushed_, [&](std::size_t pushed) { return pushed != at; });
    }
    T value = std::move(*slots_[at % capacity]);
    slots_[at % capacity].reset();
    // Release: we are done with the slot.
    popped_.store(at + 1, std::memory_order_release);
    return value;
  }

 private:
  template <class Good>
  static std::size_t wait_until(const std::atomic<std::size_t>& count, Good good) {
    for (unsigned spins = 0;; ++spins) {
      if (const std::size_t now = count.load(std::memory_order_acquire); good(now)) return now;
      // With one processor the other thread needs it.
      spins % 1024 == 1023 ? std::this_thread::yield() : relax();
    }
  }

  // The pushing thread's, the popping thread's, each with what it last saw of the other.
  alignas(128) std::atomic<std::size_t> pushed_{0};
  std::size_t popped_seen_ = 0;
  alignas(128) std::atomic<std::size_t> popped_{0};
  std::size_t pushed_seen_ = 0;
  alignas(128) std::array<std::optional<T>, capacity> slots_;
};

// raw has one buffer. Here it is used piece by piece, so that what is on its way is not
// written again: the ring holds half of it.
struct raw_in_turns : raw {
  static constexpr std::size_t array_size = std::size_t{1} << 14;
  static array make(std::size_t n) {
    next_ = (next_ + array_size) % largest;
    return {raw::make(largest).data + next_, n};
  }

 private:
  inline static std::size_t next_ = 0;
};
static_assert(raw_in_turns::largest >= raw_in_turns::array_size * 2 * ring<int>::capacity / 4);

struct handoff_body {
  static constexpr std::size_t repeats = 250'000, quick_repeats = 10'000;
  // 64 KiB.
  static constexpr std::size_t size = raw_in_turns::array_size;

  template <strategy S>
  static void give(ring<typename S::array>& way, typename S::array a, word first) {
    if (S::size(a) > size / 4) {
      auto right = S::halve(a);
      const word middle = first + static_cast<word>(S::size(a) / (size / 4));
      give<S>(way, std::move(a), first);
      give<S>(way, std::move(right), middle);
      return;
    }
    S::data(a)[0] = first;
    way.push(std::move(a));
  }

  template <strategy S>
  static std::uint64_t run(job& todo) {
    const auto way = std::make_unique<ring<typename S::array>>();
    std::uint64_t sum = 0;
    todo.workers.both(
        1,
        [&] {
          for (std::size_t round = 0; round < todo.repeats; ++round) {
            give<S>(*way, S::make(size), static_cast<word>(round * 4));
          }
        },
        [&] {
          for (std::size_t piece = 0; piece < todo.repeats * 4; ++piece) {
            auto a = way->pop();
            sum += S::data(a)[0];
            S::free(std::move(a));
          }
        });
    return sum;
  }
};

}  // namespace

workload handoff() {
  workload made = describe<handoff_body>("handoff");
  made.threads = 2;
  add_strategies<handoff_body>(made, strategy_list<raw_in_turns>{});
  add_strategies<handoff_body>(made, owning_shareable_strategies{});
  return made;
}

}  // namespace cleave::bench
