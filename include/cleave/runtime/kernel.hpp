// kernel.hpp -- a recursive function of a program on a device.
//
// The compiler makes a machine of it: a struct whose step() runs one call until it has its result
// or needs those of other calls (src/lang/emit_kernels.hpp). Nothing of it recurses here either.
// The calls under way are nodes of a tree, level by level in shared memory:
//
//   step all nodes of a level; their calls are the next level       while there are few
//   finish all nodes of a level, each on one lane, with a stack     once there are enough
//   step the level above again, with the results                    until the first has its own
//
//   machine12::slot call;                          // made by the compiler
//   call.state = 0;
//   call.as.a12 = {a};
//   run_on_device<machine12>(call);                // call.as.r12 is the result
//
// Read from the environment when the first kernel runs:
//
//   CLEAVE_DEVICE_MEMORY=N   MiB of memory that host and device share (default 256)
//
// Invariants (tests/lang/device/):
//   K1  Arrays that a kernel gets lie in shared memory and have one owner.
//   K2  When run_on_device() returns, all nodes and stacks have been freed.
#pragma once

#include <cleave/device.hpp>
#include <cleave/runtime/array.hpp>
#include <cleave/runtime/generated.hpp>
#include <cleave/runtime/lane.hpp>
#include <exception>
#include <optional>
#include <utility>

namespace cleave::runtime {

namespace detail {

// The machine; opened by the first call, which stops the program if it cannot be.
[[nodiscard]] device::machine& the_device(device::kind which) noexcept;
// Kernels run one after the other: whoever has one of these has the device.
class device_turn {
 public:
  device_turn() noexcept;
  device_turn(const device_turn&) = delete;
  device_turn& operator=(const device_turn&) = delete;
  ~device_turn();
};
// Ends the program with what a kernel reported, or with what the device says.
[[noreturn, gnu::cold]] void stop_for(const std::exception& failure) noexcept;
// Stops if there is none.
[[nodiscard]] void* take_shared(device::machine& on, std::size_t bytes) noexcept;

#if CLEAVE_PROGRAM_DEVICE == 2
inline constexpr device::kind device_kind = device::kind::cuda;
#else
inline constexpr device::kind device_kind = device::kind::host;
#endif

// So many nodes keep a device busy.
inline constexpr u32 enough_nodes = device_kind == device::kind::cuda ? 1U << 14 : 1U << 8;
// A tree of one branch is never broad: deeper levels are not worth a launch each.
inline constexpr u32 most_levels = 24;

// Memory of nodes while it lives.
template <class T>
class shared_memory {
 public:
  shared_memory(device::machine& on, std::size_t n) noexcept
      : data_(static_cast<T*>(take_shared(on, n * sizeof(T)))), size_(n) {}
  shared_memory(shared_memory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}
  shared_memory& operator=(shared_memory&&) = delete;
  ~shared_memory() {
    if (data_ != nullptr) heap::free(data_, size_ * sizeof(T));
  }
  [[nodiscard]] T* data() const noexcept { return data_; }

 private:
  T* data_;
  std::size_t size_;
};

template <class Machine>
CLEAVE_ON_DEVICE inline void begin_node(typename Machine::tree_node& made,
                                        const typename Machine::slot& call) noexcept {
  made.state = call.state;
  made.waits = 0;
  made.done = false;
  made.slots[0] = call;
}

// One step of each node that is not done.
template <class Machine>
struct step_level {
  typename Machine::tree_node* level;
  const typename Machine::tree_node* results;  // of the calls that they wait for
  typename Machine::tree_node* below;
  u32* used;  // of `below`

  CLEAVE_ON_DEVICE void operator()(device::lane& by, std::size_t i) const noexcept {
    typename Machine::tree_node& at = level[i];
    if (at.done) return;
    const lane_scope scope(by);
    for (u32 k = 0; k < at.waits; ++k) at.slots[k] = results[at.first + k].slots[0];
    at.waits = Machine::step(at);
    at.done = at.waits == 0;
    if (at.done) return;
    at.first = cleave::detail::on_device::add(*used, at.waits);
    for (u32 k = 0; k < at.waits; ++k) begin_node<Machine>(below[at.first + k], at.slots[k]);
  }
};

// The calls that one lane has under way. The first ones need no memory.
template <class Machine>
class lane_stack {
 public:
  using node = typename Machine::tree_node;

  CLEAVE_ON_DEVICE explicit lane_stack(device::lane& by) noexcept : by_(by) {}
  lane_stack(const lane_stack&) = delete;
  lane_stack& operator=(const lane_stack&) = delete;
  CLEAVE_ON_DEVICE ~lane_stack() {
    while (top_ != nullptr) {
      chunk* const below = top_->below;
      by_.free(top_, sizeof(chunk));
      top_ = below;
    }
    if (spare_ != nullptr) by_.free(spare_, sizeof(chunk));
  }

  [[nodiscard]] CLEAVE_ON_DEVICE bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] CLEAVE_ON_DEVICE node& top() noexcept {
    return top_ == nullptr ? first_[size_ - 1] : top_->nodes[(size_ - 1 - near) % per_chunk];
  }
  // Stops if there is no memory.
  CLEAVE_ON_DEVICE void push(const typename Machine::slot& call) noexcept {
    if (size_ >= near && (size_ - near) % per_chunk == 0) grow();
    ++size_;
    begin_node<Machine>(top(), call);
  }
  CLEAVE_ON_DEVICE void pop() noexcept {
    --size_;
    if (size_ < near || (size_ - near) % per_chunk != 0) return;
    // One is kept, so that a stack that moves to and fro there makes no others.
    if (spare_ != nullptr) by_.free(spare_, sizeof(chunk));
    spare_ = top_;
    top_ = top_->below;
  }

 private:
  static constexpr u32 near = 16;
  static constexpr u32 per_chunk = 64;

  struct chunk {
    chunk* below;
    node nodes[per_chunk];
  };

  CLEAVE_ON_DEVICE void grow() noexcept {
    void* const memory = spare_ != nullptr ? spare_ : by_.try_allocate(sizeof(chunk));
    if (memory == nullptr) stop(message::out_of_memory);
    spare_ = nullptr;
    auto* const made = static_cast<chunk*>(memory);
    made->below = top_;
    top_ = made;
  }

  device::lane& by_;
  chunk* top_ = nullptr;
  chunk* spare_ = nullptr;
  u32 size_ = 0;
  node first_[near];
};

// All of the calls below each node, and the node's own result.
template <class Machine>
struct finish_level {
  typename Machine::tree_node* level;

  CLEAVE_ON_DEVICE void operator()(device::lane& by, std::size_t i) const noexcept {
    const lane_scope scope(by);
    typename Machine::tree_node& root = level[i];
    lane_stack<Machine> calls(by);
    // `first` is the number of the call whose result a node gets next.
    typename Machine::tree_node* at = &root;
    for (;;) {
      at->waits = Machine::step(*at);
      if (at->waits != 0) {
        at->first = 0;
      } else {
        if (calls.empty()) break;
        const typename Machine::slot result = at->slots[0];
        calls.pop();
        at = calls.empty() ? &root : &calls.top();
        at->slots[at->first++] = result;
        if (at->first == at->waits) continue;
      }
      calls.push(at->slots[at->first]);
      at = &calls.top();
    }
    root.done = true;
  }
};

// What the host does for one call.
template <class Machine>
class tree_of_calls {
 public:
  using node = typename Machine::tree_node;

  explicit tree_of_calls(device::machine& on) noexcept : on_(on), used_(on, 1) {}

  void run(typename Machine::slot& call) noexcept {
    make(0, 1);
    begin_node<Machine>(*nodes_[0]->data(), call);
    for (u32 level = 0;;) {
      const u32 calls = step(level);
      if (calls == 0) {
        nodes_[level + 1].reset();
        if (level == 0) break;
        --level;
      } else if (calls >= enough_nodes || level + 2 > most_levels) {
        launch(calls, finish_level<Machine>{nodes_[level + 1]->data()});
      } else {
        ++level;
      }
    }
    call = nodes_[0]->data()->slots[0];
    nodes_[0].reset();
  }

 private:
  void make(u32 level, u32 n) noexcept {
    nodes_[level].emplace(on_, n);
    counts_[level] = n;
  }

  // Returns how many calls the level waits for now; they are the level below.
  u32 step(u32 level) noexcept {
    node* const results = nodes_[level + 1] ? nodes_[level + 1]->data() : nullptr;
    shared_memory<node> below(on_, std::size_t{counts_[level]} * Machine::most_calls);
    *used_.data() = 0;
    launch(counts_[level],
           step_level<Machine>{nodes_[level]->data(), results, below.data(), used_.data()});
    nodes_[level + 1].emplace(std::move(below));
    counts_[level + 1] = *used_.data();
    return counts_[level + 1];
  }

  template <class Kernel>
  void launch(u32 n, const Kernel& kernel) noexcept {
    try {
      on_.launch(n, kernel);
      on_.synchronise();
    } catch (const std::exception& failure) {
      stop_for(failure);
    }
  }

  device::machine& on_;
  shared_memory<u32> used_;
  std::optional<shared_memory<node>> nodes_[most_levels + 2];
  u32 counts_[most_levels + 2] = {};
};

}  // namespace detail

// A value that a kernel gets: its arrays are moved to shared memory if they are not there, and
// copied if others own them too. O(1) for what lies there and has one owner, but O(n) for
// arrays of arrays.
template <class T>
[[nodiscard]] inline T to_device(T v) noexcept {
  if constexpr (requires { ops<T>::to_device(v); }) {
    return ops<T>::to_device(v);
  } else {
    static_assert(is_plain<T>);
    return v;
  }
}
template <class A, class B>
[[nodiscard]] inline pair<A, B> to_device(pair<A, B> v) noexcept {
  return {to_device(v.fst), to_device(v.snd)};
}
template <class T>
[[nodiscard]] inline array<T> to_device(array<T> a) noexcept {
  a = Array_own_raw(a);
  device::machine& on = detail::the_device(detail::device_kind);
  const std::size_t bytes = detail::block_bytes<T>(a.depth());
  if (!on.holds(a.data)) {
    void* const there = detail::take_shared(on, bytes);
    std::memcpy(there, static_cast<const void*>(a.data), bytes);
    count(&program_counts::bytes_copied, bytes);
    detail::free_block(a.data, a.depth());
    a.data = static_cast<T*>(there);
  }
  if constexpr (!is_plain<T>) {
    for (std::size_t i = 0; i < a.size(); ++i) a.data[i] = to_device(a.data[i]);
  }
  return a;
}

// Runs the call, whose result is in it afterwards. Stops the program if a kernel does.
template <class Machine>
inline void run_on_device(typename Machine::slot& call) noexcept {
  const detail::device_turn turn;
  detail::tree_of_calls<Machine>(detail::the_device(detail::device_kind)).run(call);
}

// The first and the last thing that a program with kernels does. Exit code 2 if there is no such
// device.
inline void open_device() noexcept {
  static_cast<void>(detail::the_device(detail::device_kind));
}
void close_device() noexcept;

}  // namespace cleave::runtime
