#include "device/cuda_device.hpp"

#include "device/cuda/plugin.hpp"
#include "os/library.hpp"

namespace cleave::device {

namespace {

cuda_count* counting() noexcept {
  return reinterpret_cast<cuda_count*>(os::library_function(cuda_library, cuda_count_name));
}

}  // namespace

bool has_cuda_device() noexcept {
  cuda_count* const count = counting();
  return count != nullptr && count() > 0;
}

bool has_cuda_plugin() noexcept {
  return counting() != nullptr;
}

std::unique_ptr<backend> open_cuda_device() noexcept {
  auto* const open =
      reinterpret_cast<cuda_open*>(os::library_function(cuda_library, cuda_open_name));
  return std::unique_ptr<backend>(open == nullptr ? nullptr : open());
}

}  // namespace cleave::device
