// clocks.hpp -- what happened before what: clocks of threads, stores, and plain memory.
//
//   memory m;  m.reset(3);
//   m.load(0, at, order, latest, choice)    // thread 0 reads the choice-th of readable(...)
//   m.store(1, at, order, value);
//   m.write(2, byte)                        // false: a race
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/explorer.hpp"

namespace cleave::model {

struct clock {
  std::array<std::uint32_t, most_threads> at{};

  void join(const clock& other) {
    for (std::size_t t = 0; t < most_threads; ++t) at[t] = std::max(at[t], other.at[t]);
  }
  bool knows(std::size_t thread, std::uint32_t moment) const { return at[thread] >= moment; }
};

class memory {
 public:
  void reset() {
    cells_.clear();
    locks_.clear();
    plain_.clear();
    threads_ = {};
    for (std::size_t t = 0; t < most_threads; ++t) threads_[t].at[t] = 1;
  }

  // How many values a load may find: the latest, and what is not known to be overwritten.
  std::size_t readable(std::size_t thread, const access& own, std::uint64_t latest) {
    const cell& c = cell_of(own.at, latest);
    if (own.what == kind::wait || own.order == std::memory_order_seq_cst) return 1;
    return c.stores.size() - first_readable(thread, c);
  }

  // The choice-th newest of them.
  std::uint64_t load(std::size_t thread, const access& own, std::uint64_t latest,
                     std::size_t choice) {
    cell& c = cell_of(own.at, latest);
    const std::size_t index = c.stores.size() - 1 - choice;
    c.seen[thread] = index;
    if (acquires(own.order)) threads_[thread].join(c.stores[index].published);
    return c.stores[index].value;
  }

  void store(std::size_t thread, const access& own, std::uint64_t latest, std::uint64_t value,
             bool update) {
    cell& c = cell_of(own.at, latest);
    clock published;
    if (update) {
      // An update goes on with what the store before it published.
      published = c.stores.back().published;
      if (acquires(own.order)) threads_[thread].join(published);
    }
    if (releases(own.order)) published.join(threads_[thread]);
    c.stores.push_back({value, thread, tick(thread), published});
    c.seen[thread] = c.stores.size() - 1;
  }

  void lock(std::size_t thread, const void* mutex) { threads_[thread].join(locks_[mutex]); }
  void unlock(std::size_t thread, const void* mutex) {
    locks_[mutex] = threads_[thread];
    tick(thread);
  }

  bool write(std::size_t thread, const void* at) {
    plain& p = plain_[at];
    const clock& own = threads_[thread];
    bool ordered = own.knows(p.writer, p.written);
    for (std::size_t t = 0; t < most_threads; ++t) ordered &= own.knows(t, p.read[t]);
    p.writer = thread;
    p.written = own.at[thread];
    return ordered;
  }
  bool read(std::size_t thread, const void* at) {
    plain& p = plain_[at];
    const clock& own = threads_[thread];
    p.read[thread] = own.at[thread];
    return own.knows(p.writer, p.written);
  }

  std::uint64_t latest(const void* at, std::uint64_t otherwise) const {
    const auto found = cells_.find(at);
    return found == cells_.end() ? otherwise : found->second.stores.back().value;
  }

 private:
  struct stored_value {
    std::uint64_t value = 0;
    std::size_t thread = 0;
    std::uint32_t moment = 0;
    clock published;
  };
  struct cell {
    std::vector<stored_value> stores;
    std::array<std::size_t, most_threads> seen{};
  };
  struct plain {
    std::size_t writer = 0;
    std::uint32_t written = 0;
    std::array<std::uint32_t, most_threads> read{};
  };

  static bool acquires(std::memory_order order) {
    return !planted.relaxed && order != std::memory_order_relaxed &&
           order != std::memory_order_release;
  }
  static bool releases(std::memory_order order) {
    return !planted.relaxed && order != std::memory_order_relaxed &&
           order != std::memory_order_acquire;
  }

  // The value before the first operation is a store that everybody knows.
  cell& cell_of(const void* at, std::uint64_t latest) {
    cell& c = cells_[at];
    if (c.stores.empty()) c.stores.push_back({latest, 0, 0, {}});
    return c;
  }

  std::size_t first_readable(std::size_t thread, const cell& c) const {
    std::size_t index = c.stores.size() - 1;
    while (index > c.seen[thread] &&
           !threads_[thread].knows(c.stores[index].thread, c.stores[index].moment)) {
      --index;
    }
    return index;
  }

  std::uint32_t tick(std::size_t thread) { return threads_[thread].at[thread]++; }

  std::unordered_map<const void*, cell> cells_;
  std::unordered_map<const void*, clock> locks_;
  std::unordered_map<const void*, plain> plain_;
  std::array<clock, most_threads> threads_{};
};

}  // namespace cleave::model
