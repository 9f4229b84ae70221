// backend.hpp -- what a machine asks of a device.
//
// Two implement it: threads of this process (host_device.hpp), always, and a CUDA device, where
// there is one. What is written, read or zeroed comes after all work that was started before.
#pragma once

#include <cleave/device.hpp>
#include <cstddef>

namespace cleave::device {

class backend {
 public:
  backend() noexcept = default;
  backend(const backend&) = delete;
  backend& operator=(const backend&) = delete;
  virtual ~backend() = default;

  // Lets the device reach this memory, at the same addresses. False if refused. Taken back by
  // unmap(), while no work is under way.
  [[nodiscard]] virtual bool map(void* begin, std::size_t bytes) noexcept = 0;
  virtual void unmap(void* begin, std::size_t bytes) noexcept = 0;

  // Zeroed memory local to the device, which only kernels and the three below touch. nullptr if
  // refused.
  [[nodiscard]] virtual void* allocate(std::size_t bytes) noexcept = 0;
  virtual void release(void* local, std::size_t bytes) noexcept = 0;
  // False if the device is lost, all three.
  [[nodiscard]] virtual bool write(void* local, const void* from, std::size_t bytes) noexcept = 0;
  [[nodiscard]] virtual bool read(void* to, const void* local, std::size_t bytes) noexcept = 0;
  [[nodiscard]] virtual bool zero(void* local, std::size_t bytes) noexcept = 0;

  // Begins work on a host device. Throws std::bad_alloc; then nothing has begun.
  virtual void start(const detail::device_work& work, detail::on_device::device_state& state) = 0;
  // The stream that CUDA kernels are launched on; nullptr on a host device.
  [[nodiscard]] virtual void* stream() noexcept = 0;
  // All that was started has ended, and this thread sees what it wrote. False if the device is
  // lost.
  [[nodiscard]] virtual bool wait() noexcept = 0;
};

}  // namespace cleave::device
