// main.cpp -- how much of the heap's work is shared by threads, counted, for many of them.
//
//   contention             the table
//   contention --smoke     each workload once, on the smallest amounts
//
// A machine with few processors cannot show what 64 threads do to each other: they run one after
// the other. So this does not measure that. The threads here are real, with caches of their own,
// but a baton goes around: each does one step and hands it on, so that steps of all threads
// alternate as finely as they can. Each operation on an atomic, a lock, or what a lock guards is
// counted by its cache line (counted.hpp). What comes out is exact, and the worst case of fine
// interleaving: how many lines move between threads, and how many locks are taken, in a step.
//
// Time is taken in a second go, in which nothing is counted: of a step, and under a lock. Between
// two steps of a thread others have run, so caches are cold, and both are long rather than short.
// Together they say from how many threads on the busiest lock is always taken ("saturated"), which
// is a bound that no machine passes. docs/design/scaling.md draws the conclusions.
#include <algorithm>
#include <array>
#include <chrono>
#include <cleave/heap.hpp>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <semaphore>
#include <thread>
#include <utility>
#include <vector>

#include "contention/counted.hpp"

namespace {

namespace contention = cleave::contention;
namespace heap = cleave::heap;

struct piece {
  void* at = nullptr;
  std::size_t bytes = 0;
};

// Where threads leave pieces for others. Only one runs at a time.
using places = std::vector<std::vector<piece>>;

class worker {
 public:
  worker(unsigned number, unsigned threads, places& all)
      : number_(number), threads_(threads), all_(all), random_(number) {}

  // Made, written, dropped.
  void own(std::size_t bytes) {
    const piece made = make(bytes);
    heap::free(made.at, made.bytes);
  }

  // Made, cut in four, all pieces dropped.
  void cut(std::size_t bytes) {
    const piece made = make(bytes);
    for (std::size_t i = 0; i < 4; ++i) {
      heap::free(static_cast<std::byte*>(made.at) + i * bytes / 4, bytes / 4);
    }
  }

  // Made here, dropped by the next thread.
  void hand_over(std::size_t bytes) {
    drop_what_came();
    all_[(number_ + 1) % threads_].push_back(make(bytes));
  }

  // Made here, cut in four, each piece dropped by another thread.
  void hand_around(std::size_t bytes) {
    drop_what_came();
    const piece made = make(bytes);
    for (std::size_t i = 0; i < 4; ++i) {
      all_[(number_ + i + 1) % threads_].push_back(
          {static_cast<std::byte*>(made.at) + i * bytes / 4, bytes / 4});
    }
  }

  // A hundred runs of many sizes live; one of them is dropped, and another one made.
  void churn() {
    if (live_.size() < 100) {
      live_.push_back(make(any_size()));
      return;
    }
    piece& one = live_[random_() % live_.size()];
    heap::free(one.at, one.bytes);
    one = make(any_size());
  }

  void end() {
    drop_what_came();
    for (const piece& one : live_) heap::free(one.at, one.bytes);
    live_.clear();
  }

 private:
  piece make(std::size_t bytes) {
    void* const at = heap::allocate(bytes);
    *static_cast<std::byte*>(at) = std::byte{1};
    return {at, bytes};
  }
  void drop_what_came() {
    for (const piece& one : std::exchange(all_[number_], {})) heap::free(one.at, one.bytes);
  }
  std::size_t any_size() {
    return random_() % 100 < 90 ? random_() % 1000 + 1 : random_() % 100'000 + 1;
  }

  unsigned number_;
  unsigned threads_;
  places& all_;
  std::vector<piece> live_;
  std::mt19937_64 random_;
};

struct workload {
  const char* name;
  std::function<void(worker&)> step;
};

const std::array<workload, 9> workloads = {{
    {"64 B, own", [](worker& w) { w.own(64); }},
    {"4 KiB in quarters, own", [](worker& w) { w.cut(4096); }},
    {"64 KiB, own", [](worker& w) { w.own(65'536); }},
    {"8 MiB, own", [](worker& w) { w.own(std::size_t{8} << 20); }},
    {"many sizes, own", [](worker& w) { w.churn(); }},
    {"64 B to the next thread", [](worker& w) { w.hand_over(64); }},
    {"1 KiB in quarters, all around", [](worker& w) { w.hand_around(1024); }},
    {"64 KiB to the next thread", [](worker& w) { w.hand_over(65'536); }},
    {"64 KiB in quarters, all around", [](worker& w) { w.hand_around(65'536); }},
}};

// So many steps of each thread, one after the other, after as many for which nothing is switched
// on. How long the later ones took, in nanoseconds for each.
double go_around(const workload& what, unsigned threads, std::size_t steps, bool& switched) {
  places all(threads);
  std::vector<std::unique_ptr<std::binary_semaphore>> turns;
  for (unsigned t = 0; t < threads; ++t)
    turns.push_back(std::make_unique<std::binary_semaphore>(0));
  std::chrono::nanoseconds spent{0};
  std::vector<std::thread> crew;
  for (unsigned t = 0; t < threads; ++t) {
    crew.emplace_back([&, t] {
      contention::be(t);
      worker self(t, threads, all);
      const auto my_turn = [&](const auto& work) {
        turns[t]->acquire();
        work();
        turns[(t + 1) % threads]->release();
      };
      for (std::size_t i = 0; i < 2 * steps; ++i) {
        my_turn([&] {
          if (i == steps && t == 0) {
            static_cast<void>(contention::taken());
            switched = true;
          }
          const auto before = std::chrono::steady_clock::now();
          what.step(self);
          if (switched) spent += std::chrono::steady_clock::now() - before;
        });
      }
      my_turn([&] {
        switched = false;
        self.end();
      });
      // What came after this thread had ended its own.
      my_turn([&] { self.end(); });
    });
  }
  turns[0]->release();
  for (std::thread& one : crew) one.join();
  return static_cast<double>(spent.count()) / static_cast<double>(steps * threads);
}

double each(std::uint64_t n, std::size_t steps) {
  return static_cast<double>(n) / static_cast<double>(steps);
}

void table(bool smoke) {
  std::printf("%-31s %8s %8s %8s %8s %8s %8s %9s %9s %10s\n", "one step of", "threads", "locks",
              "busiest", "updates", "moves", "hottest", "step, ns", "held, ns", "saturated");
  for (const workload& what : workloads) {
    for (const unsigned threads : {1U, 2U, 8U, 64U}) {
      const std::size_t steps = smoke ? 2 : 400;
      go_around(what, threads, steps, contention::counting);
      const contention::counts seen = contention::taken();
      const double looks = contention::clock_nanoseconds();
      const double step = go_around(what, threads, steps, contention::timing) - looks;
      const double held = contention::held_nanoseconds();
      const std::size_t all = steps * threads;
      const double busy = each(seen.busiest, all) * held;
      std::printf("%-31s %8u %8.3f %8.3f %8.3f %8.3f %8.3f %9.0f %9.0f ", what.name, threads,
                  each(seen.locks, all), each(seen.busiest, all), each(seen.updates, all),
                  each(seen.transfers, all), each(seen.hottest, all), step, held);
      if (busy > 0) {
        std::printf("%10.0f\n", std::max(1.0, step / busy));
      } else {
        std::printf("%10s\n", "-");
      }
    }
  }
}

}  // namespace

int main(int count, char** words) {
  heap::options chosen;
  // No thread of the heap's own among those that are counted.
  chosen.purge_thread = false;
  heap::start(chosen);
  table(count > 1 && std::strcmp(words[1], "--smoke") == 0);
}
