// state.hpp -- everything that one collector is made of.
//
//   block.hpp, payload.hpp    where objects and payloads lie
//   world.hpp                 the threads, and how they stop
//   roots.hpp                 globals, weak references, callbacks, finalizers
//   collection.hpp            one collection; scavenger.hpp copies for one thread of it
//   walk.hpp                  checks, and who reaches what
//
// Locks: that of the roots is taken before those of the blocks and of the payloads, which
// are not held together; that of the world is never held with another. The heap's own come
// last.
#pragma once

#include <atomic>
#include <chrono>
#include <cleave/collector.hpp>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include "collector/block_pool.hpp"
#include "collector/payload.hpp"
#include "collector/roots.hpp"
#include "collector/world.hpp"

namespace cleave::gc::detail {

class heap_state {
 public:
  explicit heap_state(const options& wanted);
  ~heap_state();
  heap_state(const heap_state&) = delete;
  heap_state& operator=(const heap_state&) = delete;

  // --- For mutators ---

  // A block for new objects, if the nursery has one left in this epoch, or in any case,
  // and the limit allows it. nullptr if not.
  block* nursery_block(bool in_any_case) noexcept;
  // The thread's block is full, or the thread ends.
  void retire(member& m) noexcept;
  // Whether payloads of so many bytes more fit the budget and the limit.
  [[nodiscard]] bool within_budget(std::size_t bytes) const noexcept;
  [[nodiscard]] bool within_limit(std::size_t bytes) const noexcept;
  // Collects, unless another thread collected while this one waited for it to stop.
  // Returns whether it did.
  bool collect(member& m, extent what) noexcept;
  // True at every n-th call in stress mode.
  [[nodiscard]] bool stressed() noexcept;
  // Stops the program if the thread may not stop here.
  void at_safepoint(const member& m) const noexcept;
  // Stops the program if the accounts are wrong. In checked builds, at each safepoint.
  void recount() const noexcept;

  void remember(word* field) noexcept;
  void remember(payload& held, word* element) noexcept;
  // Puts it in the list of dirty ones, unless it is there.
  void list(block& dirty) noexcept;
  void list(payload& dirty) noexcept;

  [[nodiscard]] statistics stats() const;
  // What is wrong in all that is reachable, or nothing. With all threads stopped.
  [[nodiscard]] std::string check();
  [[nodiscard]] std::string verify(member& m);

  static void show(gc::roots& shown, visitor& to) { shown.show_(to); }
  static member& member_of(mutator& m) noexcept;

  const options chosen;
  world threads;
  payload_space payloads;
  root_set roots_kept;

 private:
  friend class collection;
  friend class heap_walk;

  void run_collection(extent what) noexcept;
  // Reports who still reaches what was forgotten, once for each array.
  void report_reached() noexcept;
  void tell(const event& what) const;
  void adapt(std::chrono::nanoseconds pause) noexcept;
  [[nodiscard]] std::size_t old_bytes() const noexcept;
  // Blocks and large arrays in use.
  [[nodiscard]] std::size_t used_bytes() const noexcept;

  // Guards the pool, the lists of blocks and the numbers below.
  mutable std::mutex blocks_lock_;
  block_pool pool_;
  block* young_ = nullptr;
  block* old_ = nullptr;
  std::size_t young_count_ = 0;
  std::size_t old_count_ = 0;
  // The nursery of this epoch, in blocks: what it may have, and what was handed out.
  std::size_t nursery_blocks_;
  std::size_t nursery_taken_ = 0;
  // The old block that the last collection copied to, and that has room.
  block* open_old_ = nullptr;
  // Old blocks with a field that may refer to a young object.
  std::atomic<block*> dirty_{nullptr};

  std::size_t full_at_;
  std::atomic<std::size_t> stress_count_{0};
  statistics totals_;
};

}  // namespace cleave::gc::detail
