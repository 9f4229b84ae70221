#include "model/explorer.hpp"

#include <sched.h>

#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <semaphore>
#include <thread>

#include "model/clocks.hpp"

namespace cleave::model {

weakness planted;

namespace {

using set_of_threads = std::uint32_t;

constexpr set_of_threads one(std::size_t thread) {
  return set_of_threads{1} << thread;
}

bool writes(kind what) {
  return what == kind::store || what == kind::update || what == kind::lock;
}

// Whether the order of two operations of different threads can make a difference.
bool conflict(const access& a, const access& b) {
  return a.at == b.at && (writes(a.what) || writes(b.what));
}

// How many values a load may find is seen when its thread moves.
constexpr std::size_t unknown = SIZE_MAX;

// One choice of an execution: who moved, and which value a load found.
struct choice {
  set_of_threads able = 0;    // who could move
  set_of_threads wanted = 0;  // who is to be tried here
  set_of_threads tried = 0;
  set_of_threads asleep = 0;  // who was tried before something that does not concern it
  access next[most_threads];  // what each would do
  std::size_t thread = 0;
  std::size_t value = 0;  // 0 is the latest
  std::size_t values = 1;
};

// What this execution has done, for the clocks that say which steps had to come first.
struct done_step {
  std::size_t thread = 0;
  access what;
};

thread_local bool is_watched = false;
thread_local std::size_t own_number = 0;

class explorer {
 public:
  explicit explorer(const scenario& what) : scenario_(what), count_(what.threads.size()) {}

  outcome run(std::size_t most);

  void announce(const access& next, std::uint64_t latest);
  std::uint64_t found(const access& own, std::uint64_t latest) {
    return memory_.load(own_number, own, latest, replayed_value());
  }
  void stored(const access& own, std::uint64_t written, bool update) {
    memory_.store(own_number, own, 0, written, update);
  }
  void unlocked(const void* mutex) {
    locked_.erase(mutex);
    memory_.unlock(own_number, mutex);
    // The order of locks follows from who takes them.
    clock& of_lock = last_write_[mutex];
    of_lock.join(order_[own_number]);
  }
  void read_plain(const void* at) {
    if (!memory_.read(own_number, at)) fail("a race: a read that no order keeps from a write");
  }
  void write_plain(const void* at) {
    if (!memory_.write(own_number, at)) fail("a race: a write that nothing keeps apart");
  }

  void print_steps() const {
    static constexpr const char* names[] = {"load", "store", "update", "lock", "wait"};
    std::map<const void*, int> numbers;
    for (const done_step& s : steps_) {
      const auto at = numbers.try_emplace(s.what.at, static_cast<int>(numbers.size())).first;
      std::fprintf(stderr, "  thread %zu: %s of object %d\n", s.thread,
                   names[static_cast<int>(s.what.what)], at->second);
    }
  }

 private:
  enum class job { none, body, tidy, stop };

  void work(std::size_t thread);
  void give_job(std::size_t thread, job what);
  void choose_next();
  bool is_able(std::size_t thread) const;
  void want_other_orders();
  std::size_t pick(const choice& at) const;
  void take_step(const choice& at);
  std::size_t replayed_value() const { return free_run_ ? 0 : path_[depth_ - 1].value; }
  bool next_path();

  const scenario& scenario_;
  std::size_t count_;
  memory memory_;

  std::vector<choice> path_;
  std::size_t depth_ = 0;
  // Past the point where all that is left was tried elsewhere: any order will do.
  bool free_run_ = false;
  std::vector<done_step> steps_;
  std::vector<clock> when_;  // for each step: the steps that had to come first
  clock order_[most_threads];
  std::map<const void*, clock> last_write_;
  std::map<const void*, clock> reads_since_;
  std::map<const void*, std::size_t> locked_;

  access next_[most_threads];
  set_of_threads waiting_ = 0;  // have announced their next operation
  set_of_threads running_ = 0;  // have not ended
  std::size_t current_ = 0;

  job jobs_[most_threads]{};
  std::unique_ptr<std::binary_semaphore> turn_[most_threads];
  std::binary_semaphore main_turn_{0};
};

bool explorer::is_able(std::size_t thread) const {
  if ((waiting_ & one(thread)) == 0) return false;
  const access& next = next_[thread];
  if (next.what == kind::lock) return planted.open_locks || !locked_.contains(next.at);
  if (next.what == kind::wait) return memory_.latest(next.at, next.old) != next.old;
  return true;
}

// The next operation of a thread conflicts with an earlier step that need not come first: then
// the other order is wanted too, from the state before that step on.
void explorer::want_other_orders() {
  for (std::size_t thread = 0; thread < count_; ++thread) {
    if ((waiting_ & one(thread)) == 0) continue;
    for (std::size_t i = steps_.size(); i-- > 0;) {
      const done_step& s = steps_[i];
      if (s.thread == thread || !conflict(s.what, next_[thread])) continue;
      const auto moment = static_cast<std::uint32_t>(i + 1);
      if (order_[thread].knows(s.thread, moment)) continue;
      choice& before = path_[i];
      before.wanted |= (before.able & one(thread)) != 0 ? one(thread) : before.able;
      break;
    }
  }
}

std::size_t explorer::pick(const choice& at) const {
  const set_of_threads left = at.able & ~at.asleep;
  // Going on with the same thread costs no switch.
  if ((left & one(current_)) != 0) return current_;
  return static_cast<std::size_t>(std::countr_zero(left));
}

// The thread moves: its operation joins the order of steps.
void explorer::take_step(const choice& at) {
  const std::size_t thread = at.thread;
  const access& own = at.next[thread];
  clock& mine = order_[thread];
  mine.join(last_write_[own.at]);
  if (writes(own.what)) mine.join(reads_since_[own.at]);
  steps_.push_back({thread, own});
  mine.at[thread] = static_cast<std::uint32_t>(steps_.size());
  if (writes(own.what)) {
    last_write_[own.at] = mine;
    reads_since_[own.at] = {};
  } else {
    reads_since_[own.at].join(mine);
  }
  waiting_ &= ~one(thread);
  if (own.what == kind::lock) {
    locked_[own.at] = thread;
    if (!planted.open_locks) memory_.lock(thread, own.at);
  }
}

// Called when every thread that has not ended waits for its turn.
void explorer::choose_next() {
  choice now;
  for (std::size_t thread = 0; thread < count_; ++thread) {
    if (is_able(thread)) now.able |= one(thread);
    now.next[thread] = next_[thread];
  }
  if (now.able == 0) fail("all threads wait for each other");
  if (steps_.size() > 2000) fail("an execution does not end");
  if (!free_run_ && depth_ < path_.size()) {
    choice& again = path_[depth_];
    if (again.able != now.able) fail("the same choices led to another state");
    if (again.values == unknown) {
      again.values = memory_.readable(again.thread, again.next[again.thread], 0);
    }
    now = again;
  } else if (!free_run_) {
    want_other_orders();
    if (depth_ > 0) {
      const choice& before = path_[depth_ - 1];
      for (std::size_t t = 0; t < count_; ++t) {
        const bool slept = ((before.asleep | before.tried) & one(t)) != 0 && t != before.thread;
        if (slept && !conflict(before.next[t], before.next[before.thread])) now.asleep |= one(t);
      }
    }
    if ((now.able & ~now.asleep) == 0) {
      free_run_ = true;
    } else {
      now.thread = pick(now);
      now.wanted = one(now.thread);
      const access& own = now.next[now.thread];
      if (own.what == kind::load) now.values = memory_.readable(now.thread, own, 0);
      path_.push_back(now);
    }
  }
  if (free_run_) {
    now.asleep = 0;
    now.thread = pick(now);
  } else {
    ++depth_;
  }
  take_step(now);
  current_ = now.thread;
}

void explorer::announce(const access& next, std::uint64_t latest) {
  const std::size_t own = own_number;
  next_[own] = next;
  waiting_ |= one(own);
  if (next.what != kind::lock) {
    // So that the explorer knows the value before anybody changes it.
    (void)memory_.readable(own, next, latest);
  }
  if (waiting_ != running_) {
    // At the begin: the next thread comes up to its first operation.
    main_turn_.release();
    turn_[own]->acquire();
    return;
  }
  choose_next();
  if (current_ == own) return;
  turn_[current_]->release();
  turn_[own]->acquire();
}

void explorer::work(std::size_t thread) {
  own_number = thread;
  for (;;) {
    turn_[thread]->acquire();
    if (jobs_[thread] == job::stop) return;
    if (jobs_[thread] == job::tidy) {
      scenario_.tidy();
      main_turn_.release();
      continue;
    }
    is_watched = true;
    scenario_.threads[thread]();
    is_watched = false;
    running_ &= ~one(thread);
    if (running_ == 0 || waiting_ != running_) {
      main_turn_.release();
    } else {
      choose_next();
      turn_[current_]->release();
    }
  }
}

void explorer::give_job(std::size_t thread, job what) {
  jobs_[thread] = what;
  turn_[thread]->release();
  main_turn_.acquire();
}

// The next execution: the last choice that has something left to try. False if none has.
bool explorer::next_path() {
  while (!path_.empty()) {
    choice& last = path_.back();
    if (++last.value < last.values) return true;
    last.value = 0;
    last.values = 1;
    last.tried |= one(last.thread);
    const set_of_threads left = last.wanted & last.able & ~last.tried & ~last.asleep;
    if (left != 0) {
      last.thread = static_cast<std::size_t>(std::countr_zero(left));
      last.values = last.next[last.thread].what == kind::load ? unknown : 1;
      return true;
    }
    path_.pop_back();
  }
  return false;
}

explorer* active = nullptr;

outcome explorer::run(std::size_t most) {
  outcome all;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < count_; ++t) {
    turn_[t] = std::make_unique<std::binary_semaphore>(0);
    threads.emplace_back([this, t] { work(t); });
  }
  active = this;
  for (std::size_t t = 0; t < count_; ++t) give_job(t, job::tidy);
  do {
    memory_.reset();
    steps_.clear();
    last_write_.clear();
    reads_since_.clear();
    locked_.clear();
    for (clock& each : order_) each = {};
    depth_ = 0;
    free_run_ = false;
    waiting_ = 0;
    running_ = 0;
    current_ = 0;
    scenario_.prepare();
    running_ = one(count_) - 1;
    for (std::size_t t = 0; t < count_; ++t) give_job(t, job::body);
    for (std::size_t t = 0; t < count_; ++t) give_job(t, job::tidy);
    scenario_.finish();
    all.steps = std::max(all.steps, steps_.size());
    all.cut_short = ++all.executions == most;
  } while (!all.cut_short && next_path());
  active = nullptr;
  for (std::size_t t = 0; t < count_; ++t) {
    jobs_[t] = job::stop;
    turn_[t]->release();
  }
  for (std::thread& each : threads) each.join();
  return all;
}

}  // namespace

outcome explore(const scenario& what, std::size_t most) {
  // Threads that take turns do so fastest on one processor.
  cpu_set_t before;
  cpu_set_t only;
  CPU_ZERO(&only);
  const bool known = sched_getaffinity(0, sizeof before, &before) == 0;
  for (int cpu = 0; known && cpu < CPU_SETSIZE && CPU_COUNT(&only) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &only);
  }
  if (known) sched_setaffinity(0, sizeof only, &only);
  const outcome all = explorer(what).run(most);
  if (known) sched_setaffinity(0, sizeof before, &before);
  return all;
}

void fail(const std::string& what) noexcept {
  std::fprintf(stderr, "model: %s, after\n", what.c_str());
  if (active != nullptr) active->print_steps();
  std::_Exit(3);
}

bool watched() noexcept {
  return is_watched;
}
void announce(const access& next, std::uint64_t latest) noexcept {
  active->announce(next, latest);
}
std::uint64_t found(const access& own, std::uint64_t latest) noexcept {
  return active->found(own, latest);
}
void updated(const access& own, std::uint64_t written) noexcept {
  active->stored(own, written, true);
}
void stored(const access& own, std::uint64_t written) noexcept {
  active->stored(own, written, false);
}
void unlocked(const void* mutex) noexcept {
  active->unlocked(mutex);
}
void read_plain(const void* at) noexcept {
  active->read_plain(at);
}
void write_plain(const void* at) noexcept {
  active->write_plain(at);
}

}  // namespace cleave::model
