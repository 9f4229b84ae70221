#include <cleave/runtime/fork.hpp>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_scheduler_observer.h>

#include <algorithm>
#include <bit>
#include <cleave/detail/fork.hpp>
#include <cleave/runtime/cell.hpp>
#include <new>

#include "os/memory.hpp"
#include "os/stack.hpp"
#include "runtime/threads.hpp"

namespace cleave::runtime {
namespace {

using cleave::detail::crew;

// Levels of forks beyond one task for each thread. More would not balance the load much
// better and cost more than they bring.
constexpr u32 levels_beyond = 4;
constexpr std::size_t least_stack = std::size_t{1} << 20;

// Of the team that runs.
constinit crew* workers = nullptr;

// Half of the address space is for the heap, and most of the rest for the first thread.
std::size_t stack_for_each(std::size_t threads, std::size_t wanted) noexcept {
  return std::max(least_stack, std::min(wanted, os::address_space_left() / (4 * threads)));
}

// Watches the stacks of all threads that come to help.
class stack_watch : public oneapi::tbb::task_scheduler_observer {
 public:
  explicit stack_watch(oneapi::tbb::task_arena& arena) : task_scheduler_observer(arena) {
    observe(true);
  }
  stack_watch(const stack_watch&) = delete;
  stack_watch& operator=(const stack_watch&) = delete;
  ~stack_watch() override { observe(false); }

  // A thread enters whenever there is work.
  void on_scheduler_entry(bool is_worker) override {
    struct watch {
      watch() noexcept { os::watch_stack(); }
      watch(const watch&) = delete;
      watch& operator=(const watch&) = delete;
      ~watch() { os::unwatch_stack(); }
    };
    if (is_worker) thread_local const watch until_thread_exit;
  }
};

// Calls f with so many levels of forks left.
template <class F>
void with_levels(u32 levels, F f) noexcept {
  const u32 before = detail::levels_left;
  detail::levels_left = levels;
  f();
  detail::levels_left = before;
}

}  // namespace

namespace detail {

thread_local constinit u32 levels_left = 0;

void run_branches(const branch* all, std::size_t n) noexcept {
  if (n == 1 || levels_left == 0) {
    for (; n != 0; --n, ++all) all->call(all->work);
    return;
  }
  const u32 levels = levels_left - 1;
  const u32* const here = &levels_left;
  const std::size_t half = (n + 1) / 2;
  workers->fork([=] { with_levels(levels, [=] { run_branches(all, half); }); },
                [=] {
                  // Where another thread takes this, somebody had nothing to do, and in a tree
                  // that leans to one side most of the work may be here.
                  const bool taken = &levels_left != here;
                  with_levels(taken ? std::max(levels, levels_beyond) : levels,
                              [=] { run_branches(all + half, n - half); });
                });
}

}  // namespace detail

struct thread_team::members {
  members(std::size_t threads, std::size_t stack_bytes)
      : count(threads),
        most(oneapi::tbb::global_control::max_allowed_parallelism, threads),
        stack(oneapi::tbb::global_control::thread_stack_size,
              stack_for_each(threads, stack_bytes)) {}
  members(const members&) = delete;
  members& operator=(const members&) = delete;
  // Waits for the threads, so that what they keep goes back to the heap. It fails only if
  // somebody else uses oneTBB still; then there is nothing to wait for.
  ~members() { static_cast<void>(oneapi::tbb::finalize(scheduler, std::nothrow)); }

  std::size_t count;
  oneapi::tbb::task_scheduler_handle scheduler{oneapi::tbb::attach{}};
  oneapi::tbb::global_control most;
  oneapi::tbb::global_control stack;
};

thread_team::thread_team(std::size_t threads, std::size_t stack_bytes) {
  many_threads = threads > 1;
  if (many_threads) others_ = std::make_unique<members>(threads, stack_bytes);
}

thread_team::~thread_team() {
  others_.reset();
  many_threads = false;
}

void thread_team::run(void (*function)(void*), void* argument) noexcept {
  if (others_ == nullptr) return function(argument);
  oneapi::tbb::task_arena arena(static_cast<int>(others_->count));
  const stack_watch watch(arena);
  arena.execute([&] {
    crew all(others_->count);
    workers = &all;
    const auto levels = static_cast<u32>(std::bit_width(others_->count - 1)) + levels_beyond;
    with_levels(levels, [=] { function(argument); });
    workers = nullptr;
  });
}

}  // namespace cleave::runtime
