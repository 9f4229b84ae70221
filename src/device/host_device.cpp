#include "device/host_device.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <utility>

#include "base/check.hpp"

namespace cleave::device {
namespace {

using detail::on_device::device_state;

constexpr std::uint64_t largest_group = 32;
constexpr unsigned most_threads = 1024;

std::uint64_t parts(std::uint64_t n, std::uint64_t of) noexcept {
  return n / of + (n % of != 0);
}

}  // namespace

host_device::host_device(const options& chosen) : block_(chosen.block) {
  const unsigned wanted =
      chosen.threads != 0 ? chosen.threads : std::thread::hardware_concurrency();
  const unsigned count = std::clamp(wanted, 1u, most_threads);
  blocks_.resize(std::size_t{count} + 1);
  threads_.reserve(count);
#if defined(__cpp_exceptions)
  try {
    for (unsigned i = 0; i < count; ++i) threads_.emplace_back([this] { work_on(); });
  } catch (...) {
    stop();
    throw;
  }
#else
  for (unsigned i = 0; i < count; ++i) threads_.emplace_back([this] { work_on(); });
#endif
}

host_device::~host_device() {
  stop();
}

void host_device::stop() noexcept {
  {
    const std::lock_guard guard(lock_);
    stops_ = true;
  }
  work_comes_.notify_all();
  for (std::thread& each : threads_) each.join();
}

// All memory is the threads' own.
bool host_device::map(void* /*begin*/, std::size_t /*bytes*/) noexcept {
  return true;
}

void host_device::unmap(void* /*begin*/, std::size_t /*bytes*/) noexcept {}

void* host_device::allocate(std::size_t bytes) noexcept {
  void* const p = ::operator new(bytes, std::nothrow);
  if (p != nullptr) std::memset(p, 0, bytes);
  return p;
}

void host_device::release(void* local, std::size_t /*bytes*/) noexcept {
  ::operator delete(local);
}

bool host_device::write(void* local, const void* from, std::size_t bytes) noexcept {
  if (!wait()) return false;
  std::memcpy(local, from, bytes);
  return true;
}

bool host_device::read(void* to, const void* local, std::size_t bytes) noexcept {
  if (!wait()) return false;
  std::memcpy(to, local, bytes);
  return true;
}

bool host_device::zero(void* local, std::size_t bytes) noexcept {
  if (!wait()) return false;
  std::memset(local, 0, bytes);
  return true;
}

void host_device::start(const detail::device_work& work, device_state& state) {
  job next;
  next.work = work;
  next.state = &state;
  const std::align_val_t alignment{std::max(work.alignment, alignof(std::max_align_t))};
  next.kernel = {static_cast<std::byte*>(::operator new(work.bytes, alignment)), {alignment}};
  std::memcpy(next.kernel.get(), work.kernel, work.bytes);
  // Few lanes, the leaves of a tree say, are many groups too, so that all threads have some.
  const std::uint64_t share = work.lanes / (8 * threads_.size());
  next.group = std::bit_floor(std::clamp<std::uint64_t>(share, 1, largest_group));
  next.groups = parts(work.lanes, next.group);
  {
    const std::lock_guard guard(lock_);
    jobs_.push_back(std::move(next));
  }
  work_comes_.notify_all();
}

bool host_device::wait() noexcept {
  std::unique_lock guard(lock_);
  work_ended_.wait(guard, [this] { return jobs_.empty(); });
  return true;
}

void host_device::work_on() {
  std::unique_lock guard(lock_);
  for (;;) {
    work_comes_.wait(guard, [this] {
      return stops_ || (!jobs_.empty() && jobs_.front().taken < jobs_.front().groups);
    });
    if (jobs_.empty() || jobs_.front().taken == jobs_.front().groups) return;
    run_group(guard);
  }
}

// The block that a group belongs to; its first group makes it.
host_device::running_block& host_device::block_of(job& of, std::uint64_t group) {
  const std::uint64_t together = block_ / of.group;
  const std::uint64_t number = group / together;
  const bool begins = group % together == 0;
  const auto found = std::find_if(blocks_.begin(), blocks_.end(), [&](const running_block& b) {
    return begins ? !b.used : b.used && b.number == number;
  });
  CLEAVE_CHECK(found != blocks_.end(), "H1: a block has no place");
  if (begins) {
    *found = {true, number, std::min(together, of.groups - group), {}};
  }
  return *found;
}

void host_device::run_group(std::unique_lock<std::mutex>& guard) {
  // The job stays where it is until its last group has ended.
  job& now = jobs_.front();
  if (now.taken % (block_ / now.group) == 0 && detail::on_device::peek(now.state->failed) != 0) {
    // No block begins any more, however many there are.
    end_groups(now.groups - std::exchange(now.taken, now.groups));
    return;
  }
  const std::uint64_t group = now.taken++;
  running_block& block = block_of(now, group);
  guard.unlock();
  const std::uint64_t first = group * now.group;
  lane by(*now.state, block.cache);
  now.work.run(now.kernel.get(), by, first, std::min(first + now.group, now.work.lanes));
  guard.lock();
  if (--block.left == 0) {
    guard.unlock();
    detail::on_device::close(*now.state, block.cache);
    guard.lock();
    block.used = false;
  }
  end_groups(1);
}

void host_device::end_groups(std::uint64_t n) {
  job& now = jobs_.front();
  now.ended += n;
  if (now.ended < now.groups) return;
  jobs_.pop_front();
  if (jobs_.empty()) {
    work_ended_.notify_all();
  } else {
    work_comes_.notify_all();
  }
}

}  // namespace cleave::device
