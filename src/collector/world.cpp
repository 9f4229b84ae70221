// world.cpp -- the threads of one collector, and how they stop.
#include "collector/world.hpp"

namespace cleave::gc::detail {

void world::attach(member& m) noexcept {
  std::unique_lock guard(lock_);
  changed_.wait(guard, [&] { return !collecting_; });
  m.next = members_;
  members_ = &m;
  ++running_;
}

void world::detach(member& m) noexcept {
  // This thread runs, so no collection has begun that would walk the list.
  const std::lock_guard guard(lock_);
  member** at = &members_;
  while (*at != &m) at = &(*at)->next;
  *at = m.next;
  --running_;
  changed_.notify_all();
}

void world::stay(std::unique_lock<std::mutex>& guard) noexcept {
  std::uint64_t helped = 0;
  while (collecting_) {
    if (work_ == nullptr || helped == work_number_ || joined_ == most_) {
      changed_.wait(guard);
      continue;
    }
    helped = work_number_;
    shared_work* const work = work_;
    ++joined_;
    guard.unlock();
    work->help();
    guard.lock();
    ++done_;
    changed_.notify_all();
  }
}

void world::wait(member& m) noexcept {
  std::unique_lock guard(lock_);
  if (!collecting_) return;
  m.now = member::state::waiting;
  --running_;
  ++waiting_;
  changed_.notify_all();
  stay(guard);
  --waiting_;
  ++running_;
  m.now = member::state::running;
}

void world::leave(member& m) noexcept {
  const std::lock_guard guard(lock_);
  m.now = member::state::away;
  --running_;
  changed_.notify_all();
}

void world::come_back(member& m) noexcept {
  std::unique_lock guard(lock_);
  changed_.wait(guard, [&] { return !collecting_; });
  ++running_;
  m.now = member::state::running;
}

world::stopped::stopped(world& w, member& m) noexcept : world_(w), ours_(false) {
  std::unique_lock guard(w.lock_);
  if (w.collecting_) {
    guard.unlock();
    w.wait(m);
    return;
  }
  ours_ = true;
  w.collecting_ = true;
  // Relaxed, see wanted().
  w.wanted_.store(true, std::memory_order_relaxed);
  w.changed_.wait(guard, [&] { return w.running_ == 1; });
}

world::stopped::~stopped() {
  if (!ours_) return;
  const std::lock_guard guard(world_.lock_);
  world_.collecting_ = false;
  world_.wanted_.store(false, std::memory_order_relaxed);
  world_.changed_.notify_all();
}

void world::share(shared_work& work, unsigned most) noexcept {
  const std::lock_guard guard(lock_);
  work_ = &work;
  ++work_number_;
  most_ = most;
  joined_ = done_ = 0;
  changed_.notify_all();
}

void world::finish() noexcept {
  std::unique_lock guard(lock_);
  // Nobody joins from now on.
  work_ = nullptr;
  changed_.wait(guard, [&] { return done_ == joined_; });
}

unsigned world::waiting() const noexcept {
  const std::lock_guard guard(lock_);
  return waiting_;
}

}  // namespace cleave::gc::detail
