#include "device/cuda_device.hpp"

#include "device/cuda/plugin.hpp"
#include "os/library.hpp"

namespace cleave::device {

bool has_cuda_device() noexcept {
  auto* const count =
      reinterpret_cast<cuda_count*>(os::library_function(cuda_library, cuda_count_name));
  return count != nullptr && count() > 0;
}

std::unique_ptr<backend> open_cuda_device() noexcept {
  auto* const open =
      reinterpret_cast<cuda_open*>(os::library_function(cuda_library, cuda_open_name));
  return std::unique_ptr<backend>(open == nullptr ? nullptr : open());
}

}  // namespace cleave::device
