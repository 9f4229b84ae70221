// host_device.hpp -- a device made of threads, which runs kernels as a real one does.
//
// Work is done in the order in which it was started. Its lanes form blocks, and the lanes of a
// block groups of up to 32, each of which runs on one thread from the first to the last. Groups
// are taken in order, so those of one block run on several threads at once and share its cache:
// what races on a device races here too, before the eyes of the thread sanitizer.
//
//   host_device d(chosen);                       // its threads wait for work
//   d.start(work, state);
//   d.wait();
//
// Invariants:
//   H1  A block has a place from the begin of its first group to the end of its last one. No
//       more blocks have one at once than there are threads, and one that is not wholly taken.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include "device/backend.hpp"

namespace cleave::device {

// Frees the copy of a kernel.
struct aligned_delete {
  std::align_val_t alignment{alignof(std::max_align_t)};
  void operator()(std::byte* p) const noexcept { ::operator delete(p, alignment); }
};

class host_device final : public backend {
 public:
  // Throws std::bad_alloc, and std::system_error if there are no threads.
  explicit host_device(const options& chosen);
  ~host_device() override;

  [[nodiscard]] bool map(void* begin, std::size_t bytes) noexcept override;
  void unmap(void* begin, std::size_t bytes) noexcept override;
  [[nodiscard]] void* allocate(std::size_t bytes) noexcept override;
  void release(void* local, std::size_t bytes) noexcept override;
  [[nodiscard]] bool write(void* local, const void* from, std::size_t bytes) noexcept override;
  [[nodiscard]] bool read(void* to, const void* local, std::size_t bytes) noexcept override;
  [[nodiscard]] bool zero(void* local, std::size_t bytes) noexcept override;
  void start(const detail::device_work& work, detail::on_device::device_state& state) override;
  [[nodiscard]] void* stream() noexcept override { return nullptr; }
  [[nodiscard]] bool wait() noexcept override;

 private:
  struct job {
    detail::device_work work;
    detail::on_device::device_state* state = nullptr;
    std::unique_ptr<std::byte, aligned_delete> kernel;  // a copy
    std::uint64_t group = 0;                            // lanes of one
    std::uint64_t groups = 0;
    std::uint64_t taken = 0;
    std::uint64_t ended = 0;
  };

  struct running_block {
    bool used = false;
    std::uint64_t number = 0;
    std::uint64_t left = 0;  // groups that have not ended
    detail::on_device::block_cache cache{};
  };

  void work_on();
  void run_group(std::unique_lock<std::mutex>& guard);
  // So many groups of the first job have ended, which is gone with the last ones.
  void end_groups(std::uint64_t n);
  running_block& block_of(job& of, std::uint64_t group);
  void stop() noexcept;

  std::uint64_t block_;
  std::mutex lock_;  // guards all that follows
  std::condition_variable work_comes_;
  std::condition_variable work_ended_;
  std::deque<job> jobs_;
  std::vector<running_block> blocks_;
  bool stops_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace cleave::device
