// cuda_device.hpp -- finds the plugin that drives CUDA devices, if it is there.
#pragma once

#include <memory>

#include "device/backend.hpp"

namespace cleave::device {

// Whether there is the plugin, and a device that can do what a machine needs.
[[nodiscard]] bool has_cuda_device() noexcept;
// Whether the plugin was found; without it nobody can tell about devices.
[[nodiscard]] bool has_cuda_plugin() noexcept;
// nullptr if there is none.
[[nodiscard]] std::unique_ptr<backend> open_cuda_device() noexcept;

}  // namespace cleave::device
