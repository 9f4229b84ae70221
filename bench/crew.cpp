// crew.cpp -- mailboxes of one pointer, spinning first and sleeping later.
#include "crew.hpp"

#include <pthread.h>
#include <sched.h>

#include "measure.hpp"

namespace cleave::bench {
namespace {

// About 0.1 ms: longer than the work between two forks of a workload, so that
// no thread sleeps while a round is running.
constexpr int spins_before_sleep = 4000;

// Returns the first value of `slot` that is not `old`.
template <class T>
T wait_while(const std::atomic<T>& slot, T old) noexcept {
  for (int spin = 0; spin < spins_before_sleep; ++spin) {
    // Acquire: the writes of the thread that changed the slot come before.
    if (const T now = slot.load(std::memory_order_acquire); now != old) return now;
    relax();
  }
  slot.wait(old, std::memory_order_acquire);
  return slot.load(std::memory_order_acquire);
}

// Binds the calling thread to one of the processors that the process may use, counted from the
// last one. Without it the system at times puts two threads that work on one, and all strategies
// take the same. The caller of a crew stays free: what it starts would be bound as it is.
void bind_to(unsigned from_last) noexcept {
  cpu_set_t allowed;
  if (pthread_getaffinity_np(pthread_self(), sizeof allowed, &allowed) != 0) return;
  const auto count = static_cast<unsigned>(CPU_COUNT(&allowed));
  if (count < 2) return;
  unsigned left = count - 1 - from_last % count;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed) || left-- != 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    pthread_setaffinity_np(pthread_self(), sizeof one, &one);
    return;
  }
}

}  // namespace

crew::crew(unsigned threads) {
  for (unsigned i = 1; i < threads; ++i) {
    workers_.push_back(std::make_unique<mailbox>());
    mailbox& box = *workers_.back();
    box.thread = std::thread([&box, i] {
      bind_to(i - 1);
      work(box);
    });
  }
}

crew::~crew() {
  static constexpr job stop{nullptr, nullptr};
  for (const auto& box : workers_) {
    box->task.store(&stop, std::memory_order_release);
    box->task.notify_one();
    box->thread.join();
  }
}

crew::post crew::start(unsigned worker, const job& task) noexcept {
  mailbox& box = *workers_[worker - 1];
  // Release: the worker sees the task and all that was written before it.
  box.task.store(&task, std::memory_order_release);
  box.task.notify_one();
  return &box;
}

void crew::finish(post box) noexcept {
  for (const job* task = box->task.load(std::memory_order_acquire); task != nullptr;) {
    task = wait_while(box->task, task);
  }
}

void crew::work(mailbox& box) noexcept {
  for (;;) {
    const job* const task = wait_while<const job*>(box.task, nullptr);
    if (task->run == nullptr) return;
    task->run(task->what);
    // Release: whoever waits in finish() sees what the job wrote.
    box.task.store(nullptr, std::memory_order_release);
    box.task.notify_one();
  }
}

}  // namespace cleave::bench
