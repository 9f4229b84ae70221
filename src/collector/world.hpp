// world.hpp -- the threads of one collector, and how they stop.
//
// A thread is running, waiting at a safepoint, or away (in `blocking`). A collection
// begins when its own thread is the only one that runs. Those that wait may help with it;
// those that are away are not waited for, and wait themselves when they come back.
//
//   world::stopped all(w, me);       // waits until every other thread has stopped
//   if (!all.ours()) ...             // another thread has collected meanwhile
//
// One lock guards all of this. It is free while a collection runs, so that the helpers
// can be told of their work; `collecting` keeps everybody else where they are.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "collector/block.hpp"

namespace cleave::gc::detail {

// What a thread has of its own.
struct member {
  enum class state { running, waiting, away };

  local_list* locals = nullptr;
  state now = state::running;
  // The block that it makes objects in, and the part of it that is free.
  block* nursery = nullptr;
  word* top = nullptr;
  word* limit = nullptr;
  // How many no_safepoint there are.
  unsigned forbidden = 0;
  member* next = nullptr;
};

// What those that wait can do meanwhile.
class shared_work {
 public:
  shared_work() = default;
  shared_work(const shared_work&) = delete;
  shared_work& operator=(const shared_work&) = delete;
  virtual ~shared_work() = default;
  // Called by several threads at once. Returns when nothing is left to do.
  virtual void help() noexcept = 0;
};

class world {
 public:
  world() = default;
  world(const world&) = delete;
  world& operator=(const world&) = delete;

  void attach(member& m) noexcept;
  void detach(member& m) noexcept;

  // Whether somebody wants all others to stop. Relaxed: a thread that sees it late stops
  // late, and what it has to see then it sees through the lock.
  [[nodiscard]] bool wanted() const noexcept { return wanted_.load(std::memory_order_relaxed); }
  // Waits while a collection runs, and helps.
  void wait(member& m) noexcept;

  void leave(member& m) noexcept;
  void come_back(member& m) noexcept;

  // Stops all others, from its constructor to its destructor, unless another thread did:
  // then it has waited for the end of that.
  class stopped {
   public:
    stopped(world& w, member& m) noexcept;
    ~stopped();
    stopped(const stopped&) = delete;
    stopped& operator=(const stopped&) = delete;
    [[nodiscard]] bool ours() const noexcept { return ours_; }

   private:
    world& world_;
    bool ours_;
  };

  // --- For the thread that has stopped the others ---

  // Lets up to `most` of the waiting threads help, until finish() has waited for them.
  void share(shared_work& work, unsigned most) noexcept;
  void finish() noexcept;
  [[nodiscard]] unsigned waiting() const noexcept;
  template <class Function>
  void each(Function function) {
    for (member* m = members_; m != nullptr; m = m->next) function(*m);
  }
  [[nodiscard]] bool empty() const noexcept { return members_ == nullptr; }

 private:
  // Requires the lock, which it may give up for a while.
  void stay(std::unique_lock<std::mutex>& guard) noexcept;

  mutable std::mutex lock_;
  std::condition_variable changed_;
  std::atomic<bool> wanted_{false};
  bool collecting_ = false;
  unsigned running_ = 0;
  unsigned waiting_ = 0;
  member* members_ = nullptr;
  shared_work* work_ = nullptr;
  std::uint64_t work_number_ = 0;
  unsigned most_ = 0;
  unsigned joined_ = 0;
  unsigned done_ = 0;
};

}  // namespace cleave::gc::detail
