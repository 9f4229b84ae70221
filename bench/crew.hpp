// crew.hpp -- worker threads that wait awake, for work of a few microseconds.
//
// A round of a parallel workload takes some twenty microseconds, about as long
// as starting a thread. So the threads are started once, spin for a while when
// they have nothing to do, and then sleep. All strategies use the same crew.
//
//   crew workers(2);                                    // the caller and one more
//   workers.both(1, [&] { left(); }, [&] { right(); }); // right() on thread 1
//
// Invariants:
//   C1  A worker runs one job at a time; both() returns after its job ended.
//   C2  What a thread wrote before both() is seen by the job, and what the job
//       wrote is seen after both().
#pragma once

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace cleave::bench {

class crew {
 public:
  // Starts `threads` - 1 workers; the caller is thread 0.
  explicit crew(unsigned threads);
  ~crew();
  crew(const crew&) = delete;
  crew& operator=(const crew&) = delete;

  [[nodiscard]] unsigned size() const noexcept {
    return static_cast<unsigned>(workers_.size()) + 1;
  }

  // Runs `theirs` on thread `worker` and `mine` here, at the same time.
  // Requires: 0 < worker < size(), and that worker has no job.
  template <class Mine, class Theirs>
  void both(unsigned worker, Mine&& mine, Theirs&& theirs) {
    job task{[](void* what) { (*static_cast<std::remove_reference_t<Theirs>*>(what))(); }, &theirs};
    post box = start(worker, task);
    mine();
    finish(box);
  }

 private:
  struct job {
    void (*run)(void*);
    void* what;
  };
  // One per worker, alone on its cache line. `task` is null when it is idle.
  struct alignas(128) mailbox {
    std::atomic<const job*> task{nullptr};
    std::thread thread;
  };
  using post = mailbox*;

  post start(unsigned worker, const job& task) noexcept;
  static void finish(post box) noexcept;
  static void work(mailbox& box) noexcept;

  std::vector<std::unique_ptr<mailbox>> workers_;
};

}  // namespace cleave::bench
