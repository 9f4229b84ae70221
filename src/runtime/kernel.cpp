#include <cleave/runtime/kernel.hpp>

#include <algorithm>
#include <array>
#include <mutex>
#include <string>

#include "runtime/environment.hpp"
#include "runtime/output.hpp"
#include "runtime/threads.hpp"

namespace cleave::runtime {
namespace {

constexpr std::size_t usual_megabytes = 256;
constexpr std::size_t most_megabytes = std::size_t{1} << 20;
constexpr int no_device_code = 2;

// By the number of the line that a kernel reports: see stop.hpp.
constexpr std::array lines = {message::nat_limit, message::fail_stop, message::deep_array,
                              message::stack_overflow, message::out_of_memory};

std::optional<device::machine> open_machine;
std::mutex turns;
std::mutex opening;

}  // namespace

namespace detail {

thread_local constinit device::lane* lane_of_thread = nullptr;

device::machine& the_device(device::kind which) noexcept {
  const std::lock_guard only(opening);
  if (open_machine) return *open_machine;
  const std::size_t megabytes = number_in("CLEAVE_DEVICE_MEMORY", usual_megabytes, most_megabytes);
  const auto threads = static_cast<unsigned>(number_in("CLEAVE_THREADS", 1, most_threads));
  try {
    return open_machine.emplace(which,
                                device::options{.bytes = megabytes << 20, .threads = threads});
  } catch (const device::error& failure) {
    if (failure.code() != device::fault::no_device) stop_for(failure);
    end_process(no_device_code, std::string("bend: ") + failure.what() + "\n");
  }
}

device_turn::device_turn() noexcept {
  turns.lock();
}

device_turn::~device_turn() {
  turns.unlock();
}

void stop_for(const std::exception& failure) noexcept {
  const auto* const known = dynamic_cast<const device::error*>(&failure);
  if (known != nullptr && known->code() == device::fault::no_memory) stop(message::out_of_memory);
  if (known != nullptr && known->code() == device::fault::kernel_failed &&
      known->kernel_code() - 1 < lines.size()) {
    stop(lines[known->kernel_code() - 1]);
  }
  std::string line = std::string("bend: the device failed: ") + failure.what();
  if (known != nullptr && known->code() == device::fault::too_large) {
    line += " (CLEAVE_DEVICE_MEMORY says how much, in MiB)";
  }
  stop(line.c_str());
}

void* take_shared(device::machine& on, std::size_t bytes) noexcept {
  void* const run = on.try_allocate(bytes);
  if (run == nullptr) stop(message::out_of_memory);
  return run;
}

}  // namespace detail

void close_device() noexcept {
  open_machine.reset();
}

}  // namespace cleave::runtime
