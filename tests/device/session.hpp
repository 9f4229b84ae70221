// session.hpp -- host and device do things with pieces of one machine; an oracle watches.
//
//   device_session s;
//   s.take(what, which, number);       // any numbers make a correct use
//   s.finish();                        // everything is freed by one side or the other
//
// What kernels are to do is collected and launched as one; the host goes on meanwhile. Broken
// rules throw std::logic_error.
#pragma once

#include <cleave/device.hpp>
#include <cleave/heap.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/interval_oracle.hpp"

namespace cleave::test {

class device_session {
 public:
  explicit device_session(unsigned threads = 3)
      : machine_(device::kind::host, {.bytes = std::size_t{4} << 20, .threads = threads}) {}

  void take(unsigned what, std::size_t which, std::size_t number) {
    switch (what % 9) {
      case 0: host_makes(size_from(number), std::size_t{1} << (what / 9 % 14)); break;
      case 1:
      case 2: wish({nullptr, size_from(number), std::size_t{1} << (what / 9 % 14)}); break;
      case 3: cut(which, number); break;
      case 4: device_frees(which); break;
      case 5: host_frees(which); break;
      case 6: join(which); break;
      case 7: launch(); break;
      case 8: synchronise(); break;
    }
  }

  void finish() {
    synchronise();
    while (!runs_.empty()) {
      if (runs_.size() % 2 == 0) {
        device_frees(runs_.size() / 2);
      } else {
        host_frees(runs_.size() / 2);
      }
    }
    synchronise();
    expect(oracle_.bytes() == 0, "the oracle has runs left");
    const device::statistics now = machine_.stats();
    expect(now.free_bytes == now.shared_bytes, "memory of the machine is missing");
  }

 private:
  struct run {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
  };
  // Frees `given`, or makes a run.
  struct request {
    void* given = nullptr;
    std::size_t bytes = 0;
    std::size_t alignment = 1;
  };

  static void expect(bool holds, const char* what) {
    if (!holds) throw std::logic_error(what);
  }

  // Mostly small; 64 KiB at most.
  static std::size_t size_from(std::size_t number) {
    return 1 + ((number & 0x3fff) >> (number >> 14 << 2));
  }

  void add(void* p, std::size_t bytes, std::size_t alignment) {
    expect(reinterpret_cast<std::uintptr_t>(p) % alignment == 0, "a run is not aligned");
    expect(machine_.holds(p), "a run is not shared");
    auto* const data = static_cast<std::byte*>(p);
    oracle_.insert(data, bytes, 0);
    runs_.push_back({data, bytes});
  }

  void host_makes(std::size_t bytes, std::size_t alignment) {
    void* const p = machine_.try_allocate(bytes, alignment);
    if (p != nullptr) add(p, bytes, alignment);
  }

  void wish(request one) {
    if (wishes_.size() < 500) wishes_.push_back(one);
  }

  run take_out(std::size_t which) {
    std::swap(runs_[which % runs_.size()], runs_.back());
    const run out = runs_.back();
    runs_.pop_back();
    oracle_.remove(out.data, out.bytes);
    return out;
  }

  void device_frees(std::size_t which) {
    if (runs_.empty()) return;
    const run out = take_out(which);
    wishes_.push_back({out.data, out.bytes, 1});
  }

  void host_frees(std::size_t which) {
    if (runs_.empty()) return;
    const run out = take_out(which);
    heap::free(out.data, out.bytes);
  }

  void cut(std::size_t which, std::size_t number) {
    if (runs_.empty()) return;
    run& whole = runs_[which % runs_.size()];
    const std::size_t at = number % whole.bytes;
    if (at == 0) return;
    oracle_.cut(whole.data, at);
    const run rest{whole.data + at, whole.bytes - at};
    whole.bytes = at;
    runs_.push_back(rest);
  }

  void join(std::size_t which) {
    if (runs_.empty()) return;
    run& left = runs_[which % runs_.size()];
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (runs_[i].data != left.data + left.bytes) continue;
      oracle_.join(left.data, runs_[i].data);
      left.bytes += runs_[i].bytes;
      runs_[i] = runs_.back();
      runs_.pop_back();
      return;
    }
  }

  void launch() {
    if (wishes_.empty()) return;
    under_way_.push_back(std::exchange(wishes_, {}));
    made_.emplace_back(under_way_.back().size());
    const request* const from = under_way_.back().data();
    void** const to = made_.back().data();
    machine_.launch(under_way_.back().size(), [from, to](device::lane& by, std::size_t i) {
      const request& one = from[i];
      if (one.given != nullptr) {
        by.free(one.given, one.bytes);
      } else {
        to[i] = by.try_allocate(one.bytes, one.alignment);
        if (to[i] != nullptr) static_cast<volatile std::byte*>(to[i])[one.bytes - 1] = std::byte{1};
      }
    });
  }

  void synchronise() {
    launch();
    machine_.synchronise();
    for (std::size_t b = 0; b < under_way_.size(); ++b) {
      for (std::size_t i = 0; i < made_[b].size(); ++i) {
        const request& one = under_way_[b][i];
        if (made_[b][i] != nullptr) add(made_[b][i], one.bytes, one.alignment);
      }
    }
    under_way_.clear();
    made_.clear();
    oracle_.check_all();
    expect(heap::live_bytes() == oracle_.bytes(), "live bytes are counted wrong");
  }

  device::machine machine_;
  interval_oracle oracle_;
  std::vector<run> runs_;
  std::vector<request> wishes_;
  std::deque<std::vector<request>> under_way_;
  std::deque<std::vector<void*>> made_;
};

}  // namespace cleave::test
