// fork.hpp -- work in two halves: the one place that calls oneTBB.
//
// A call of parallel.hpp makes one `crew`. It says how many threads may help, runs
// two halves of a task at the same time, and keeps the first exception of any of
// them until all have ended, so that nobody leaves a frame that another thread
// still uses. Once a task has failed, those that have not begun are skipped.
//
//   crew workers(threads);
//   workers.run([&] { workers.fork([&] { ... }, [&] { ... }); });   // rethrows
//
// Invariants (tests/array/parallel_test.cpp):
//   F1  When run() returns or throws, no task of it is running or waiting.
//   F2  Every task of a fork() is called; what stands in attempt() may be skipped.
#pragma once

#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

namespace cleave::detail {

// A task for oneTBB that calls `work`. oneTBB begins a task after it was made; but
// oneTBB is not compiled with the thread sanitizer, which sees only atomics of ours.
// So the copy that the task keeps publishes itself, and the task reads it first. (That
// it has ended, a task_group says in its header, which the sanitizer sees.) Without
// an initial value, since that would be a plain write, in memory that oneTBB reuses.
template <class Work>
class deferred {
 public:
  explicit deferred(Work& work) noexcept { here().store(&work, std::memory_order_relaxed); }
  deferred(const deferred& other) noexcept {
    here().store(other.here().load(std::memory_order_relaxed), std::memory_order_release);
  }
  deferred& operator=(const deferred&) = delete;
  void operator()() const { (*here().load(std::memory_order_acquire))(); }

 private:
  std::atomic_ref<Work*> here() const noexcept { return std::atomic_ref<Work*>(work_); }

  mutable Work* work_;
};

class crew {
 public:
  // At most `threads` threads, and as many as oneTBB has here; 0 means all of these.
  explicit crew(std::size_t threads)
      : here_(static_cast<std::size_t>(oneapi::tbb::this_task_arena::max_concurrency())),
        threads_(threads == 0 ? here_ : std::min(threads, here_)) {}

  [[nodiscard]] std::size_t threads() const noexcept { return threads_; }
  [[nodiscard]] bool failed() const noexcept { return failed_.load(std::memory_order_relaxed); }

  // Runs the work, whose forks may use the threads. Rethrows the first exception
  // that an attempt() met.
  template <class Work>
  void run(Work&& work) {
    if (threads_ > 1 && threads_ < here_) {
      oneapi::tbb::task_arena(static_cast<int>(threads_)).execute(work);
    } else {
      work();
    }
    if (failed()) std::rethrow_exception(std::exchange(first_, nullptr));
  }

  // Runs both, the left one on this thread, perhaps at the same time. Requires:
  // neither throws.
  template <class Left, class Right>
  void fork(Left&& left, Right&& right) noexcept {
    if (threads_ == 1) {
      left();
      right();
      return;
    }
    // Isolated: when a task around this call is cancelled, oneTBB still runs both.
    oneapi::tbb::task_group_context isolated(oneapi::tbb::task_group_context::isolated);
    oneapi::tbb::task_group others(isolated);
    others.run(others.defer(deferred(right)));
    left();
    others.wait();
  }

  // Runs the work, unless something has failed before, and keeps what it throws.
  template <class Work>
  void attempt(Work&& work) noexcept {
    if (failed()) return;
    try {
      work();
    } catch (...) {
      // Relaxed: run() reads both when all tasks have been collected.
      if (!failed_.exchange(true, std::memory_order_relaxed)) first_ = std::current_exception();
    }
  }

 private:
  const std::size_t here_;
  const std::size_t threads_;
  std::atomic<bool> failed_{false};
  std::exception_ptr first_;
};

// Cuts `piece` down to leaves of at most `grain` elements, calls leaf(piece) for
// each, and node(left, right) for the results of two neighbours. `result` stays
// empty if anything failed. A Piece has size() and halves(). Requires: grain > 0.
template <class Piece, class Leaf, class Node, class Result>
void fold_tree(crew& workers, Piece&& piece, std::size_t grain, Leaf& leaf, Node& node,
               std::optional<Result>& result) noexcept {
  if (piece.size() <= grain) {
    workers.attempt([&] { result.emplace(leaf(std::forward<Piece>(piece))); });
    return;
  }
  auto pair = std::forward<Piece>(piece).halves();
  std::optional<Result> left;
  std::optional<Result> right;
  workers.fork([&] { fold_tree(workers, std::move(pair.first), grain, leaf, node, left); },
               [&] { fold_tree(workers, std::move(pair.second), grain, leaf, node, right); });
  workers.attempt([&] { result.emplace(node(*std::move(left), *std::move(right))); });
}

}  // namespace cleave::detail
