// collection.hpp -- one collection, from the moment when all threads stand still.
//
// The steps, in run():
//   1  The young blocks are condemned; in a full collection the old ones too.
//   2  What roots and remembered fields refer to is copied, and what the copies refer to.
//      The threads that wait help.
//   3  Weak references to what was not reached become null.
//   4  Objects with a finalizer that were not reached are due, and live once more.
//   5  Payloads whose proxies were not reached are freed.
//   6  The condemned blocks are put back.
#pragma once

#include <atomic>
#include <cleave/collector.hpp>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "collector/scavenger.hpp"
#include "collector/state.hpp"

namespace cleave::gc::detail {

class collection final : public shared_work {
 public:
  collection(heap_state& state, extent what) noexcept : state_(state), what_(what) {}
  void run() noexcept;

  void help() noexcept override;

  // --- For scavengers ---

  [[nodiscard]] heap_state& state() noexcept { return state_; }
  [[nodiscard]] unsigned tenure() const noexcept { return state_.chosen.tenure; }
  // Whether no other thread copies.
  [[nodiscard]] bool alone() const noexcept { return alone_; }
  // An empty block for copies of that age; nullptr if there is no memory.
  block* to_block(unsigned age) noexcept;
  void note_kept() noexcept { some_kept_.store(true, std::memory_order_relaxed); }

  // Whether a thread waits for work.
  [[nodiscard]] bool hungry() const noexcept {
    return hungry_.load(std::memory_order_relaxed) != 0;
  }
  void give(block& gray) noexcept;
  // A block that another thread has given; nullptr when no thread has work left.
  block* next() noexcept;

 private:
  void condemn() noexcept;
  void roots(scavenger& leader) noexcept;
  void remembered(scavenger& one) noexcept;
  // Objects that stay where they are, and all that they reach.
  void kept(scavenger& leader) noexcept;
  void weak_references() noexcept;
  void finalizers(scavenger& leader) noexcept;
  void proving() noexcept;
  void put_back() noexcept;
  void end_nurseries() noexcept;

  // Where an object is now; 0 if it was not reached.
  static word now(word object) noexcept;

  heap_state& state_;
  const extent what_;
  bool alone_ = true;
  block* condemned_ = nullptr;
  block* dirty_ = nullptr;
  payload* dirty_payloads_ = nullptr;
  std::atomic<bool> some_kept_{false};
  // Work that threads have for each other: one lock guards it.
  std::mutex lock_;
  block* given_ = nullptr;
  unsigned workers_ = 1;
  unsigned idle_ = 0;
  // No thread had work at the same time, and all give up.
  bool over_ = false;
  std::atomic<unsigned> hungry_{0};
  std::atomic<std::uint64_t> copied_{0};
};

}  // namespace cleave::gc::detail
