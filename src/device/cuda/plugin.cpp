// plugin.cpp -- a CUDA device as a backend, over CUDA's runtime.
//
// Built as libcleave_cuda.so where CUDA's toolkit is; plugin.hpp says how it is found.
//
// Shared memory is the host's, pinned, and mapped at the same addresses on the device, so a handle
// means the same on both sides and nothing moves by itself: a kernel reads its cells over the
// bus. The tables that kernels count in are plain memory of the device.
#include "device/cuda/plugin.hpp"

#include <cuda_runtime_api.h>

#include <new>

namespace cleave::device {
namespace {

bool done(cudaError_t status) noexcept {
  return status == cudaSuccess;
}

int attribute(cudaDeviceAttr which, int device) noexcept {
  int value = 0;
  return done(cudaDeviceGetAttribute(&value, which, device)) ? value : 0;
}

// The host's addresses must be the device's too, or handles would need translation.
bool can_serve(int device) noexcept {
  return attribute(cudaDevAttrUnifiedAddressing, device) != 0 &&
         attribute(cudaDevAttrCanMapHostMemory, device) != 0 &&
         attribute(cudaDevAttrHostRegisterSupported, device) != 0 &&
         attribute(cudaDevAttrCanUseHostPointerForRegisteredMem, device) != 0;
}

int count_devices() noexcept {
  int all = 0;
  // Also where there is no driver.
  if (!done(cudaGetDeviceCount(&all))) return 0;
  int serving = 0;
  for (int device = 0; device < all; ++device) serving += can_serve(device) ? 1 : 0;
  return serving;
}

class cuda_backend : public backend {
 public:
  cuda_backend(int device, cudaStream_t stream) noexcept : stream_(stream), device_(device) {}
  cuda_backend(const cuda_backend&) = delete;
  cuda_backend& operator=(const cuda_backend&) = delete;
  ~cuda_backend() override {
    use();
    cudaStreamDestroy(stream_);
  }

  bool map(void* begin, std::size_t bytes) noexcept override {
    use();
    if (!done(cudaHostRegister(begin, bytes, cudaHostRegisterMapped | cudaHostRegisterPortable))) {
      return false;
    }
    void* there = nullptr;
    if (done(cudaHostGetDevicePointer(&there, begin, 0)) && there == begin) return true;
    cudaHostUnregister(begin);
    return false;
  }
  void unmap(void* begin, std::size_t) noexcept override {
    use();
    cudaHostUnregister(begin);
  }

  void* allocate(std::size_t bytes) noexcept override {
    use();
    void* made = nullptr;
    if (!done(cudaMalloc(&made, bytes))) return nullptr;
    if (zero(made, bytes) && wait()) return made;
    cudaFree(made);
    return nullptr;
  }
  void release(void* local, std::size_t) noexcept override {
    use();
    cudaFree(local);
  }

  // Through the stream, so that each comes after the work before, and waited for, so that the
  // host's side may be used again at once.
  bool write(void* local, const void* from, std::size_t bytes) noexcept override {
    use();
    return done(cudaMemcpyAsync(local, from, bytes, cudaMemcpyHostToDevice, stream_)) && wait();
  }
  bool read(void* to, const void* local, std::size_t bytes) noexcept override {
    use();
    return done(cudaMemcpyAsync(to, local, bytes, cudaMemcpyDeviceToHost, stream_)) && wait();
  }
  bool zero(void* local, std::size_t bytes) noexcept override {
    use();
    return done(cudaMemsetAsync(local, 0, bytes, stream_));
  }

  // Kernels are launched by the code that they are part of.
  void start(const detail::device_work&, detail::on_device::device_state&) override {}
  void* stream() noexcept override { return stream_; }
  bool wait() noexcept override {
    use();
    return done(cudaStreamSynchronize(stream_));
  }

 private:
  // The current device is the calling thread's.
  void use() const noexcept { cudaSetDevice(device_); }

  cudaStream_t stream_;
  int device_;
};

backend* open_first() noexcept {
  int all = 0;
  if (!done(cudaGetDeviceCount(&all))) return nullptr;
  for (int device = 0; device < all; ++device) {
    cudaStream_t stream = nullptr;
    if (!can_serve(device) || !done(cudaSetDevice(device)) ||
        !done(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking))) {
      continue;
    }
    if (auto* const made = new (std::nothrow) cuda_backend(device, stream)) return made;
    cudaStreamDestroy(stream);
  }
  return nullptr;
}

}  // namespace
}  // namespace cleave::device

// Under the names of plugin.hpp.
extern "C" {
[[gnu::visibility("default")]] cleave::device::backend* cleave_open_cuda_1() noexcept {
  return cleave::device::open_first();
}
[[gnu::visibility("default")]] int cleave_count_cuda_1() noexcept {
  return cleave::device::count_devices();
}
}
