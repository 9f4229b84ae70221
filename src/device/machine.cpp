// machine: one device, and what the heap and the device's tables say of its memory.
//
// While kernels are under way the free memory is the device's ("lent out"): extents that the heap
// counts as allocated. When they have ended, the host takes back what was not handed out, and
// adds what the device counted dead to its own counters.

#include <cleave/device.hpp>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <string>
#include <system_error>

#include "base/bits.hpp"
#include "base/check.hpp"
#include "device/backend.hpp"
#include "device/cuda_device.hpp"
#include "device/host_device.hpp"
#include "heap/shared.hpp"
#include "heap/tables.hpp"
#include "os/thread.hpp"

namespace cleave::detail {
namespace {

namespace shared = heap::shared;
using device::fault;
using on_device::device_state;
using on_device::packed;

constexpr std::size_t page_bytes = on_device::page_bytes;
constexpr std::size_t region_step = heap::page_size << heap::commit_order;
constexpr std::size_t most_regions = 64;

static_assert(heap::page_size == on_device::page_bytes);

std::string text_of(fault code, std::uint32_t kernel_code, std::uint64_t detail) {
  switch (code) {
    case fault::no_device:
      switch (detail) {
        case device::no_plugin:
          return "cleave::device: there is no such device: libcleave_cuda.so is not found";
        case device::none_found:
          return "cleave::device: there is no such device: CUDA's driver is missing, or names none "
                 "that can share memory";
        case device::in_child: return "cleave::device: a child of fork() has no device";
        default: return "cleave::device: there is no such device";
      }
    case fault::too_large: return "cleave::device: no address space for so much shared memory";
    case fault::not_shared:
      return "cleave::device: a kernel was to work on memory that is not the machine's";
    case fault::no_memory: return "cleave::device: no memory to share";
    case fault::not_compiled: return "cleave::device: the kernel is not compiled for this device";
    case fault::lost: return "cleave::device: the device does not answer";
    case fault::kernel_failed: break;
  }
  if (kernel_code == device::foreign_memory) {
    char address[2 + 16 + 1];
    std::snprintf(address, sizeof(address), "0x%llx", static_cast<unsigned long long>(detail));
    return std::string("cleave::device: a kernel freed memory that is not the machine's: ") +
           address;
  }
  if (kernel_code == device::unnamed) {
    return "cleave::device: a kernel failed and named no code, detail " + std::to_string(detail);
  }
  return "cleave::device: a kernel failed with code " + std::to_string(kernel_code) + ", detail " +
         std::to_string(detail);
}

std::unique_ptr<device::backend> open_backend(device::kind which, const device::options& chosen) {
  if (which == device::kind::cuda) return device::open_cuda_device();
#if defined(__cpp_exceptions)
  try {
    return std::make_unique<device::host_device>(chosen);
  } catch (const std::system_error&) {
    // The system gives no threads.
    raise<device::error>(fault::no_memory);
  } catch (const std::bad_alloc&) {
    raise<device::error>(fault::no_memory);
  }
#else
  return std::make_unique<device::host_device>(chosen);
#endif
}

}  // namespace

class device_machine {
 public:
  device_machine(device::kind which, device::options chosen);
  ~device_machine();
  device_machine(const device_machine&) = delete;
  device_machine& operator=(const device_machine&) = delete;

  void start(const device_work& work);
  cuda_place begin_cuda();
  void end_cuda(int status);
  void synchronise();
  void* try_allocate(std::size_t bytes, std::size_t alignment) noexcept;
  [[nodiscard]] bool holds(std::uintptr_t at) const noexcept;
  [[nodiscard]] device::kind which() const noexcept { return which_; }
  [[nodiscard]] device::statistics stats() const;

 private:
  // The threads, or the context, of a device are not there in a child.
  [[nodiscard]] bool in_child() const noexcept { return os::process_number() != process_; }
  void expect_same_process() const {
    if (in_child()) raise<device::error>(fault::no_device, 0u, device::in_child);
  }
  [[nodiscard]] bool open_tables() noexcept;
  void close_tables() noexcept;
  void close_memory(std::size_t mapped) noexcept;
  // Lends the free memory to the device, unless it has it.
  void lend_out();
  // Waits for the device, and takes back what it does not need. False if it is lost.
  bool settle() noexcept;
  void merge_log() noexcept;
  void take_back_extents() noexcept;
  // Frees bytes that are live for the heap.
  void free_run(std::uintptr_t begin, std::size_t bytes) noexcept;
  void give_back_small() noexcept {
    free_run(small_, small_end_ - small_);
    small_ = small_end_ = 0;
  }
  void* take_small(std::size_t bytes, std::size_t alignment) noexcept;
  std::uintptr_t take_run(std::size_t bytes, std::size_t alignment) noexcept;
  [[nodiscard]] heap::page_index first_page() const noexcept { return regions_[0].page; }

  std::mutex lock_;  // guards all that changes
  device::kind which_;
  device::options options_;
  std::uint32_t process_ = os::process_number();
  std::unique_ptr<device::backend> backend_;
  shared::region regions_[most_regions];
  std::size_t region_count_ = 0;
  std::uint64_t span_ = 0;  // pages from the first one to the last one
  device_state state_;      // as it was written to the device, or read from it last
  device_state* on_device_ = nullptr;
  bool lent_out_ = false;
  bool lost_ = false;
  // The first failure that nobody has been told of.
  std::uint32_t failed_ = 0;
  std::uint64_t detail_ = 0;
  // What small runs are taken from.
  std::uintptr_t small_ = 0;
  std::uintptr_t small_end_ = 0;
  // Relaxed: a count for whoever asks, which orders nothing.
  std::atomic<std::uint64_t> launches_ = 0;
  // Copies of the device's tables, as far as they are needed.
  std::unique_ptr<std::uint64_t[]> log_;
  std::unique_ptr<std::uint32_t[]> dead_;
};

device_machine::device_machine(device::kind which, device::options chosen)
    : which_(which), options_(chosen) {
  options_.block = std::clamp<std::uint32_t>((options_.block + 31) / 32 * 32, 32, 1024);
  if (options_.bytes == 0) options_.bytes = region_step;
  if (options_.bytes > SIZE_MAX / 2) raise<device::error>(fault::too_large);
  backend_ = open_backend(which, options_);
  if (backend_ == nullptr) {
    raise<device::error>(fault::no_device, 0u,
                         device::has_cuda_plugin() ? device::none_found : device::no_plugin);
  }
  const std::size_t bytes = base::align_up(options_.bytes, region_step);
  shared::refusal why = shared::refusal::none;
  region_count_ = shared::open(bytes, regions_, most_regions, why);
  if (region_count_ == 0) {
    raise<device::error>(why == shared::refusal::too_large ? fault::too_large : fault::no_memory);
  }
  const shared::region& last = regions_[region_count_ - 1];
  span_ = last.page + last.pages - first_page();
  std::size_t mapped = 0;
  while (mapped < region_count_ &&
         backend_->map(reinterpret_cast<void*>(heap::tables.address_of(regions_[mapped].page)),
                       regions_[mapped].pages * page_bytes)) {
    ++mapped;
  }
  if (mapped == region_count_ && open_tables()) return;
  close_tables();
  close_memory(mapped);
  raise<device::error>(fault::no_memory);
}

bool device_machine::open_tables() noexcept {
  log_.reset(new (std::nothrow) std::uint64_t[2 * span_]);
  dead_.reset(new (std::nothrow) std::uint32_t[span_]);
  state_.begin = heap::tables.address_of(first_page());
  state_.pages = span_;
  state_.dead = static_cast<std::uint32_t*>(backend_->allocate(span_ * sizeof(std::uint32_t)));
  state_.next = static_cast<std::uint32_t*>(backend_->allocate(span_ * sizeof(std::uint32_t)));
  state_.log = static_cast<std::uint64_t*>(backend_->allocate(2 * span_ * sizeof(std::uint64_t)));
  on_device_ = static_cast<device_state*>(backend_->allocate(sizeof(device_state)));
  return log_ != nullptr && dead_ != nullptr && state_.dead != nullptr && state_.next != nullptr &&
         state_.log != nullptr && on_device_ != nullptr;
}

void device_machine::close_tables() noexcept {
  if (state_.dead != nullptr) backend_->release(state_.dead, span_ * sizeof(std::uint32_t));
  if (state_.next != nullptr) backend_->release(state_.next, span_ * sizeof(std::uint32_t));
  if (state_.log != nullptr) backend_->release(state_.log, 2 * span_ * sizeof(std::uint64_t));
  if (on_device_ != nullptr) backend_->release(on_device_, sizeof(device_state));
}

void device_machine::close_memory(std::size_t mapped) noexcept {
  for (std::size_t i = 0; i < mapped; ++i) {
    backend_->unmap(reinterpret_cast<void*>(heap::tables.address_of(regions_[i].page)),
                    regions_[i].pages * page_bytes);
  }
  shared::close(regions_, region_count_);
}

device_machine::~device_machine() {
  if (in_child()) {
    // Its threads are not there to be ended, nor is its lock to be trusted.
    [[maybe_unused]] const auto* const left_alone = backend_.release();
    shared::close(regions_, region_count_);
    return;
  }
  {
    const std::lock_guard guard(lock_);
    settle();
    give_back_small();
  }
  close_tables();
  close_memory(region_count_);
}

void device_machine::lend_out() {
  if (lent_out_) return;
  shared::region ranges[device_state::most_extents];
  std::size_t n = 0;
  for (std::size_t i = 0; i < region_count_; ++i) {
    // Each region gets its share of the places.
    const std::size_t most = (device_state::most_extents - n) / (region_count_ - i);
    n += shared::take_all(regions_[i], ranges + n, most);
  }
  state_.logged = 0;
  state_.free_pages = 0;
  state_.current = 0;
  state_.extents = static_cast<std::uint32_t>(n);
  // Kernels behind a failure that nobody has seen do not begin.
  state_.failed = failed_;
  state_.detail = detail_;
  std::fill(std::begin(state_.spare), std::end(state_.spare), 0);
  for (std::size_t i = 0; i < n; ++i) {
    shared::hand_out(ranges[i].page, ranges[i].pages * page_bytes);
    state_.extent_at[i] = {ranges[i].page - first_page(),
                           static_cast<std::uint32_t>(ranges[i].pages), 0};
  }
  lent_out_ = true;
  if (!backend_->write(on_device_, &state_, sizeof state_)) lost_ = true;
}

void device_machine::start(const device_work& work) {
  expect_same_process();
  const std::lock_guard guard(lock_);
  if (which_ != device::kind::host) raise<device::error>(fault::not_compiled);
  lend_out();
  if (lost_) raise<device::error>(fault::lost);
  backend_->start(work, *on_device_);
  launches_.fetch_add(1, std::memory_order_relaxed);
}

cuda_place device_machine::begin_cuda() {
  expect_same_process();
  // Held until end_cuda(): the stream is one thread's meanwhile.
  lock_.lock();
  lend_out();
  if (lost_) {
    lock_.unlock();
    raise<device::error>(fault::lost);
  }
  return {backend_->stream(), on_device_, options_.block};
}

void device_machine::end_cuda(int status) {
  if (status == 0) launches_.fetch_add(1, std::memory_order_relaxed);
  lock_.unlock();
  if (status != 0) raise<device::error>(fault::not_compiled);
}

bool device_machine::settle() noexcept {
  if (!lent_out_) return !lost_;
  if (lost_ || !backend_->wait() || !backend_->read(&state_, on_device_, sizeof state_)) {
    // What the device had stays lent: nobody knows what it does there.
    lost_ = true;
    return false;
  }
  merge_log();
  if (lost_) return false;
  take_back_extents();
  lent_out_ = false;
  if (failed_ == 0 && state_.failed != 0) {
    failed_ = state_.failed;
    detail_ = state_.detail;
  }
  return true;
}

void device_machine::merge_log() noexcept {
  const std::uint64_t n = state_.logged;
  CLEAVE_CHECK(n <= 2 * span_, "a kernel freed more than there is: freed twice?");
  if (n == 0) return;
  lost_ = !backend_->read(log_.get(), state_.log, n * sizeof(std::uint64_t));
  if (lost_) return;
  // Of the counters those between the first and the last that are needed.
  std::uint64_t low = span_;
  std::uint64_t high = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    if (log_[i] >> 32 != 0) continue;
    low = std::min(low, log_[i]);
    high = std::max(high, log_[i] + 1);
  }
  if (low < high) {
    const std::uint64_t bytes = (high - low) * sizeof(std::uint32_t);
    lost_ = !backend_->read(dead_.get() + low, state_.dead + low, bytes) ||
            !backend_->zero(state_.dead + low, bytes);
    if (lost_) return;
  }
  for (std::uint64_t i = 0; i < n; ++i) {
    const auto page = static_cast<std::uint32_t>(log_[i]);
    const std::uint64_t pages = log_[i] >> 32;
    if (pages != 0) {
      shared::free_range(first_page() + page, pages);
    } else {
      shared::free_bytes(first_page() + page, dead_[page] & ~device_state::logged_once);
    }
  }
}

void device_machine::take_back_extents() noexcept {
  for (const std::uint64_t word : state_.spare) {
    if (word != 0) free_run(packed::begin(state_, word), packed::bytes(word));
  }
  for (std::uint32_t e = 0; e < state_.extents; ++e) {
    const on_device::extent& of = state_.extent_at[e];
    if (of.used != of.pages) {
      shared::free_range(first_page() + of.page + of.used, of.pages - of.used);
    }
  }
}

void device_machine::free_run(std::uintptr_t begin, std::size_t bytes) noexcept {
  while (bytes > 0) {
    const heap::page_index page = heap::tables.page_of(begin);
    const std::size_t inside = begin % page_bytes;
    std::size_t part = std::min(page_bytes - inside, bytes);
    if (part == page_bytes) {
      part = bytes / page_bytes * page_bytes;
      shared::free_range(page, part / page_bytes);
    } else {
      shared::free_bytes(page, static_cast<std::uint32_t>(part));
    }
    begin += part;
    bytes -= part;
  }
}

void device_machine::synchronise() {
  expect_same_process();
  std::uint32_t code = 0;
  std::uint64_t with = 0;
  {
    const std::lock_guard guard(lock_);
    if (!settle()) raise<device::error>(fault::lost);
    give_back_small();
    code = std::exchange(failed_, 0);
    with = std::exchange(detail_, 0);
  }
  if (code != 0) raise<device::error>(fault::kernel_failed, code, with);
}

std::uintptr_t device_machine::take_run(std::size_t bytes, std::size_t alignment) noexcept {
  const unsigned least = base::ceil_log2(std::max<std::size_t>(alignment / page_bytes, 1));
  if (bytes > shared::most_pages * page_bytes || least > heap::arena_order) return 0;
  const std::size_t n = (bytes + page_bytes - 1) / page_bytes;
  const unsigned order = std::max(base::ceil_log2(n), least);
  for (std::size_t i = 0; i < region_count_; ++i) {
    const heap::page_index page = shared::take(regions_[i], n, order, least);
    if (page == shared::no_page) continue;
    shared::hand_out(page, bytes);
    return heap::tables.address_of(page);
  }
  return 0;
}

// Small runs lie side by side in a chunk; what is left of it goes back at the next synchronise().
void* device_machine::take_small(std::size_t bytes, std::size_t alignment) noexcept {
  std::uintptr_t at = base::align_up(small_, alignment);
  if (small_ == 0 || at > small_end_ || bytes > small_end_ - at) {
    const std::uintptr_t chunk = take_run(on_device::chunk_bytes, page_bytes);
    if (chunk == 0) return nullptr;
    give_back_small();
    at = small_ = chunk;
    small_end_ = chunk + on_device::chunk_bytes;
  }
  free_run(small_, at - small_);
  small_ = at + bytes;
  return reinterpret_cast<void*>(at);
}

void* device_machine::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
  if (in_child() || bytes == 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) {
    return nullptr;
  }
  const std::lock_guard guard(lock_);
  if (!settle()) return nullptr;
  if (bytes <= page_bytes / 2 && alignment <= page_bytes) {
    if (void* const p = take_small(bytes, alignment); p != nullptr) return handed_out(p, bytes);
  }
  return handed_out(reinterpret_cast<void*>(take_run(bytes, alignment)), bytes);
}

bool device_machine::holds(std::uintptr_t at) const noexcept {
  return std::any_of(regions_, regions_ + region_count_, [at](const shared::region& each) {
    return at - heap::tables.address_of(each.page) < each.pages * page_bytes;
  });
}

device::statistics device_machine::stats() const {
  // The regions stay as they are, so nobody waits here for those who wait for kernels.
  device::statistics sum;
  sum.launches = launches_.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < region_count_; ++i) {
    sum.shared_bytes += regions_[i].pages * page_bytes;
    sum.free_bytes += shared::free_pages(regions_[i]) * page_bytes;
  }
  return sum;
}

}  // namespace cleave::detail

namespace cleave::device {

error::error(fault code, std::uint32_t kernel_code, std::uint64_t detail)
    : std::runtime_error(detail::text_of(code, kernel_code, detail)),
      detail_(detail),
      kernel_code_(kernel_code),
      code_(code) {}

machine::machine(kind which, const options& chosen)
    : parts_(std::make_unique<detail::device_machine>(which, chosen)) {}
machine::~machine() = default;
machine::machine(machine&&) noexcept = default;
machine& machine::operator=(machine&&) noexcept = default;

bool machine::is_available(kind which) noexcept {
  return which == kind::host || has_cuda_device();
}

void machine::start(const detail::device_work& work) {
  parts_->start(work);
}

detail::cuda_place machine::begin_cuda() {
  return parts_->begin_cuda();
}

void machine::end_cuda(int status) {
  parts_->end_cuda(status);
}

void machine::synchronise() {
  parts_->synchronise();
}

void* machine::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
  return parts_->try_allocate(bytes, alignment);
}

bool machine::holds(const void* p) const noexcept {
  return parts_->holds(reinterpret_cast<std::uintptr_t>(p));
}

kind machine::which() const noexcept {
  return parts_->which();
}

statistics machine::stats() const {
  return parts_->stats();
}

}  // namespace cleave::device
