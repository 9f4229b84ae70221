// lane.hpp -- which lane of a device this code runs on, for what allocates and fails there.
//
//   {
//     const detail::lane_scope scope(by);        // the code of the program that follows is a
//     kernel's T* block = detail::new_block<T>(3);        // from by.try_allocate()
//   }
//
// The host device says it in a variable of the thread, a CUDA device in memory of the block.
// Programs without kernels do without: see array.hpp.
#pragma once

#include <cleave/device.hpp>
#include <cleave/runtime/stop.hpp>
#include <cleave/runtime/value.hpp>

namespace cleave::runtime::detail {

#if defined(__CUDA_ARCH__)

__device__ inline device::lane*& current_lane() noexcept {
  __shared__ device::lane* lanes[1024];
  return lanes[threadIdx.x];
}

#else

// Null on threads that run no kernel. Initial-exec: no call to find it.
extern thread_local constinit device::lane* lane_of_thread
    __attribute__((tls_model("initial-exec")));

inline device::lane*& current_lane() noexcept {
  return lane_of_thread;
}

#endif

class lane_scope {
 public:
  CLEAVE_ON_DEVICE explicit lane_scope(device::lane& by) noexcept {
#if defined(__CUDA_ARCH__)
    current_lane() = &by;
#else
    outside_ = current_lane();
    current_lane() = &by;
#endif
  }
  lane_scope(const lane_scope&) = delete;
  lane_scope& operator=(const lane_scope&) = delete;
  CLEAVE_ON_DEVICE ~lane_scope() {
#if !defined(__CUDA_ARCH__)
    current_lane() = outside_;
#endif
  }

 private:
  device::lane* outside_ = nullptr;
};

// The memory of an array in a kernel. Stops if there is none.
[[nodiscard]] CLEAVE_ON_DEVICE inline void* take_of(device::lane& by, std::size_t bytes,
                                                    std::size_t alignment) noexcept {
  void* const run = by.try_allocate(bytes, bytes < 16 ? alignment : 16);
  if (run == nullptr) stop(message::out_of_memory);
  return run;
}

}  // namespace cleave::runtime::detail

#if defined(__CUDA_ARCH__)

namespace cleave::runtime {

// The host says the line when the kernel has ended. This thread goes no further.
[[noreturn]] __device__ inline void stop(message::line what) noexcept {
  detail::current_lane()->fail(what);
  asm volatile("exit;");
  __builtin_unreachable();
}

}  // namespace cleave::runtime

#endif
