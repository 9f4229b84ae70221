// device.hpp -- arrays that host and device share, and kernels that work on them.
//
// A machine is one device with some memory that host and device both reach, at the same
// addresses. That memory is a part of the heap: arrays there are cut, joined and freed like any
// others, by whichever side holds them (docs/design/device.md).
//
//   device::machine m(device::kind::host);             // kernels run on threads of this process
//   array<float> a = m.make<float>(1 << 20);
//   auto part = device::lend(std::move(a));            // a handle: what kernels pass about
//   m.launch_tree(part, 1024, fill());                 // fill()(lane&, piece<float>, index)
//   m.synchronise();                                   // waits; throws what a kernel reported
//   a = device::own(part);                             // the host's again
//
// A handle has one owner, as an array has, but nobody watches over it: it is freed, owned or
// passed on once. An array that the host cloned, or joined of parts that are no neighbours, has
// left the shared memory. Kernels are function objects that can be copied byte by byte. A kernel
// cannot stop the program: it reports a failure, of which the first counts, and all others drain.
#pragma once

#include <cleave/array.hpp>
#include <cleave/detail/api.hpp>
#include <cleave/detail/device_heap.hpp>
#include <cleave/detail/drop_pieces.hpp>
#include <cleave/detail/raise.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace cleave::device {

enum class kind : std::uint8_t {
  host,  // threads of this process; always there
  cuda,
};

struct options {
  // The shared memory, rounded up to 4 MiB. All of it is held while the machine is open. One array
  // has 1016 MiB of it at most.
  std::size_t bytes = std::size_t{64} << 20;
  // For the host device, up to 1024; 0: as many as the processor runs.
  unsigned threads = 0;
  // Lanes of a block, rounded up to a multiple of 32: up to 1024.
  std::uint32_t block = 128;
};

// What went wrong.
enum class fault : std::uint8_t {
  no_device,      // there is none of this kind here, for the reason in detail()
  too_large,      // the heap has no address space left for so much shared memory
  no_memory,      // the system or the heap's limit refuses it
  not_compiled,   // the kernel was compiled for another kind of device
  kernel_failed,  // a kernel reported a failure: kernel_code() and detail()
  lost,           // the device stopped answering
  not_shared,     // launch_tree() was given memory that is not the machine's
};

// Why there is no device.
inline constexpr std::uint64_t no_plugin = 1;   // libcleave_cuda.so is not found
inline constexpr std::uint64_t none_found = 2;  // CUDA's driver is missing, or has none that serves
inline constexpr std::uint64_t in_child = 3;    // this is a child of fork()

// Codes of kernel failures that are not a kernel's own.
inline constexpr std::uint32_t foreign_memory = 0xffff'0001;  // a free of what is not shared
inline constexpr std::uint32_t unnamed = 0xffff'0002;         // fail(0)

class CLEAVE_API error : public std::runtime_error {
 public:
  explicit error(fault code, std::uint32_t kernel_code = 0, std::uint64_t detail = 0);
  [[nodiscard]] fault code() const noexcept { return code_; }
  [[nodiscard]] std::uint32_t kernel_code() const noexcept { return kernel_code_; }
  [[nodiscard]] std::uint64_t detail() const noexcept { return detail_; }

 private:
  std::uint64_t detail_;
  std::uint32_t kernel_code_;
  fault code_;
};

// A handle to elements in shared memory, which its holder owns.
template <class T>
struct piece {
  T* data = nullptr;
  std::size_t size = 0;

  CLEAVE_ON_DEVICE T& operator[](std::size_t i) const noexcept { return data[i]; }
  CLEAVE_ON_DEVICE T* begin() const noexcept { return data; }
  CLEAVE_ON_DEVICE T* end() const noexcept { return data + size; }
};

template <class T>
struct two_pieces {
  piece<T> left;
  piece<T> right;
};

// The first i elements and the others: two owners from now on. O(1). Requires: i <= size.
template <class T>
CLEAVE_ON_DEVICE constexpr two_pieces<T> cut(piece<T> whole, std::size_t i) noexcept {
  return {{whole.data, i}, {whole.data + i, whole.size - i}};
}

// Cut in the middle, as array::halves() does.
template <class T>
CLEAVE_ON_DEVICE constexpr two_pieces<T> halves(piece<T> whole) noexcept {
  return cut(whole, whole.size / 2);
}

// `left` becomes both, if `right` lies behind it, or one of them is empty. O(1). Else false, and
// nothing has changed.
template <class T>
CLEAVE_ON_DEVICE constexpr bool join(piece<T>& left, piece<T> right) noexcept {
  if (right.size == 0) return true;
  if (left.size == 0) {
    left = right;
    return true;
  }
  if (left.data + left.size != right.data) return false;
  left.size += right.size;
  return true;
}

// One of the threads that a kernel runs on. Made by the machine; all functions may be called by
// all lanes at once, on different runs.
class lane {
 public:
  CLEAVE_ON_DEVICE lane(detail::on_device::device_state& state,
                        detail::on_device::block_cache& block) noexcept
      : state_(&state), block_(&block) {}

  // A run of shared memory; its end is exact. nullptr if nothing fits, and after a failure.
  [[nodiscard]] CLEAVE_ON_DEVICE void* try_allocate(std::size_t bytes,
                                                    std::size_t alignment = 16) noexcept {
    if (failed()) return nullptr;
    void* const p = detail::on_device::allocate(*state_, *block_, bytes, alignment);
#if !defined(__CUDA_ARCH__)
    detail::handed_out(p, bytes);
#endif
    return p;
  }

  // Gives back any run of shared memory, whoever made it. Never fails; memory that is not of
  // this machine is the failure foreign_memory, with its address.
  CLEAVE_ON_DEVICE void free(void* p, std::size_t bytes) noexcept {
    if (bytes == 0) return;
    const auto at = reinterpret_cast<std::uintptr_t>(p);
    const std::uint64_t all = state_->pages * detail::on_device::page_bytes;
    if (at - state_->begin >= all || bytes > all - (at - state_->begin)) {
      fail(foreign_memory, at);
      return;
    }
#if !defined(__CUDA_ARCH__)
    if constexpr (detail::told_by_build) detail::tell_freed(p, bytes);
#endif
    detail::on_device::free(*state_, *block_, at, bytes);
  }

  // Reports a failure. The first one wins and reaches the host; all others are dropped.
  CLEAVE_ON_DEVICE void fail(std::uint32_t code, std::uint64_t with = 0) noexcept {
    detail::on_device::fail(*state_, code == 0 ? unnamed : code, with);
  }

  // Whether any lane has reported one. Long loops ask now and then, and return.
  [[nodiscard]] CLEAVE_ON_DEVICE bool failed() const noexcept {
    return detail::on_device::peek(state_->failed) != 0;
  }

  // n elements, not initialised; empty if nothing fits.
  template <class T>
  [[nodiscard]] CLEAVE_ON_DEVICE piece<T> make(std::size_t n) noexcept {
    static_assert(std::is_trivially_copyable_v<T>);
    if (n > SIZE_MAX / sizeof(T)) return {};
    void* const p = try_allocate(n * sizeof(T), alignof(T) > 16 ? alignof(T) : 16);
    return {static_cast<T*>(p), p == nullptr ? 0 : n};
  }

  // Frees the elements, not what they hold.
  template <class T>
  CLEAVE_ON_DEVICE void free(piece<T> whole) noexcept {
    free(static_cast<void*>(whole.data), whole.size * sizeof(T));
  }

  // Frees them and the arrays that they hold, however deep (detail/drop_pieces.hpp).
  template <class T>
  CLEAVE_ON_DEVICE void drop(piece<T> whole) noexcept {
    detail::on_device::drop(*this, whole);
  }

 private:
  detail::on_device::device_state* state_;
  detail::on_device::block_cache* block_;
};

struct statistics {
  std::size_t shared_bytes = 0;  // all of the machine's memory
  std::size_t free_bytes = 0;    // of these; the device's while kernels run
  std::uint64_t launches = 0;
};

}  // namespace cleave::device

namespace cleave::detail {

// Of an array that is cut in halves `depth` times, the part with this number, from the left.
template <class T>
CLEAVE_ON_DEVICE device::piece<T> leaf_of(device::piece<T> whole, unsigned depth,
                                          std::uint64_t number) noexcept {
  while (depth-- > 0) {
    const device::two_pieces<T> both = device::halves(whole);
    whole = ((number >> depth) & 1) != 0 ? both.right : both.left;
  }
  return whole;
}

// A kernel over the leaves of a tree as one over numbers.
template <class T, class Kernel>
struct leaf_kernel {
  Kernel kernel;
  device::piece<T> whole;
  unsigned depth;

  CLEAVE_ON_DEVICE void operator()(device::lane& by, std::size_t i) const {
    const device::piece<T> leaf = leaf_of(whole, depth, i);
    if (leaf.size != 0) kernel(by, leaf, i);
  }
};

// A launch, whatever the device.
struct device_work {
  std::uint64_t lanes = 0;
  const void* kernel = nullptr;
  std::size_t bytes = 0;
  std::size_t alignment = 1;
  // Runs lanes [first, last) of one block on the host.
  void (*run)(const void* kernel, device::lane& by, std::uint64_t first,
              std::uint64_t last) = nullptr;
};

template <class Kernel>
void run_lanes(const void* kernel, device::lane& by, std::uint64_t first, std::uint64_t last) {
  const Kernel& call = *static_cast<const Kernel*>(kernel);
  for (std::uint64_t i = first; i < last && !by.failed(); ++i) {
    call(by, static_cast<std::size_t>(i));
  }
}

// What a CUDA kernel is started with.
struct cuda_place {
  void* stream = nullptr;
  on_device::device_state* state = nullptr;
  std::uint32_t block = 0;
};

class device_machine;

#if defined(__CUDACC__)

// Lanes from `first` on.
template <class Kernel>
__global__ void run_on_cuda(const Kernel kernel, on_device::device_state* state,
                            std::uint64_t first, std::uint64_t lanes) {
  __shared__ on_device::block_cache cache;
  for (unsigned i = threadIdx.x; i < on_device::block_cache::runs; i += blockDim.x) {
    cache.run[i] = 0;
  }
  __syncthreads();
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  device::lane by(*state, cache);
  if (i < lanes && !by.failed()) kernel(by, static_cast<std::size_t>(first + i));
  __syncthreads();
  if (threadIdx.x == 0) on_device::close(*state, cache);
}

#endif

}  // namespace cleave::detail

namespace cleave::device {

// One device. All functions may be called from any thread; they take turns.
class CLEAVE_API machine {
 public:
  // Throws error: no_device, too_large or no_memory; then nothing is held.
  explicit machine(kind which, const options& chosen = {});
  // Waits for its kernels. A failure that nobody asked for is dropped; pieces that are alive
  // stay, and are freed as ever.
  ~machine();
  machine(machine&&) noexcept;
  machine& operator=(machine&&) noexcept;

  [[nodiscard]] static bool is_available(kind which) noexcept;

  // Calls kernel(lane&, i) for each i < n, and returns at once. Kernels of a machine run one
  // after the other. Those behind a failure, up to the next synchronise(), do not begin.
  // Throws error: not_compiled, no_device or lost; std::bad_alloc.
  template <class Kernel>
  void launch(std::size_t n, const Kernel& kernel) {
    static_assert(std::is_trivially_copyable_v<Kernel>, "a kernel is copied byte by byte");
    static_assert(sizeof(Kernel) <= 2048, "a kernel refers to large data by a piece");
    if (n == 0) return;
#if defined(__CUDACC__)
    if (which() == kind::cuda) {
      const detail::cuda_place at = begin_cuda();
      cudaError_t status = cudaSuccess;
      // CUDA has an end to the number of blocks.
      const std::uint64_t most = std::uint64_t{0x7fff'ffff} * at.block;
      for (std::uint64_t first = 0, lanes = 0; first < n && status == cudaSuccess; first += lanes) {
        lanes = n - first < most ? n - first : most;
        const auto blocks = static_cast<unsigned>((lanes + at.block - 1) / at.block);
        detail::run_on_cuda<<<blocks, at.block, 0, static_cast<cudaStream_t>(at.stream)>>>(
            kernel, at.state, first, lanes);
        status = cudaGetLastError();
      }
      end_cuda(static_cast<int>(status));
      return;
    }
#endif
    start({n, &kernel, sizeof(Kernel), alignof(Kernel), &detail::run_lanes<Kernel>});
  }

  // Cuts the array in halves, each half again, until no leaf has more than `leaf` elements, and
  // calls kernel(lane&, piece<T>, number) for each leaf, numbered from the left; at the same
  // depth all of them, so empty ones, which are left out, have numbers too. The pieces
  // are the kernel's: the launch frees nothing. Throws what launch() throws, and error{not_shared}
  // if the array does not lie in this machine's memory, as clones do not; then nothing has begun.
  template <class T, class Kernel>
  void launch_tree(piece<T> whole, std::size_t leaf, const Kernel& kernel) {
    if (whole.size == 0) return;
    if (!holds(whole.data)) detail::raise<error>(fault::not_shared);
    unsigned depth = 0;
    // The largest leaf is the rounded-up one.
    while (((whole.size - 1) >> depth) + 1 > (leaf == 0 ? 1 : leaf)) ++depth;
    launch(std::size_t{1} << depth, detail::leaf_kernel<T, Kernel>{kernel, whole, depth});
  }

  // Waits until all kernels have ended, and takes over what they freed. Throws
  // error{kernel_failed} with the first failure since the last call, or error{lost}; nothing
  // is lost then, and the machine goes on.
  void synchronise();

  // A run of shared memory, freed with heap::free(). While kernels are under way the free memory
  // is theirs, so this waits for them then. nullptr if nothing fits.
  [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t alignment = 16) noexcept;

  // n value-initialised elements in shared memory; empty if nothing fits.
  template <class T>
  [[nodiscard]] array<T> try_make(std::size_t n) noexcept {
    static_assert(std::is_trivially_copyable_v<T>);
    if (n == 0 || n > SIZE_MAX / sizeof(T)) return {};
    void* const p = try_allocate(n * sizeof(T), alignof(T) > 16 ? alignof(T) : 16);
    if (p == nullptr) return {};
    T* const first = static_cast<T*>(p);
    std::uninitialized_value_construct_n(first, n);
    return array<T>::adopt({first, n});
  }

  // The same. Throws std::bad_alloc.
  template <class T>
  [[nodiscard]] array<T> make(std::size_t n) {
    array<T> made = try_make<T>(n);
    if (made.size() != n) detail::raise<std::bad_alloc>();
    return made;
  }

  // Whether the address lies in its memory. O(1).
  [[nodiscard]] bool holds(const void* p) const noexcept;
  [[nodiscard]] kind which() const noexcept;
  // Waits for no kernel.
  [[nodiscard]] statistics stats() const;

 private:
  void start(const detail::device_work& work);
  detail::cuda_place begin_cuda();
  void end_cuda(int status);

  std::unique_ptr<detail::device_machine> parts_;
};

// The array's elements as a handle, and back. Ownership moves with the handle. O(1).
template <class T>
[[nodiscard]] piece<T> lend(array<T>&& whole) noexcept {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::span<T> elements = whole.release();
  return {elements.data(), elements.size()};
}
template <class T>
[[nodiscard]] array<T> own(piece<T> whole) noexcept {
  return array<T>::adopt({whole.data, whole.size});
}

}  // namespace cleave::device
