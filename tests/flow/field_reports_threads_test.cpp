// field_reports_threads_test.cpp -- memory stays flat where threads and processes come and go.
//
// Each suite is a row of the field reports: a complaint that users of other
// systems made in public, turned into a test. CLEAVE_TEST_STEPS makes them as long as a soak.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cleave/heap.hpp>
#include <cleave/run.hpp>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <latch>
#include <mutex>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "support/environment.hpp"
#include "support/fresh_heap.hpp"
#include "support/memory.hpp"
#include "support/waiting.hpp"
#include "support/whole_heap.hpp"

namespace cleave::test {
namespace {

// ---- Row 12: memory drifts up at a flat live set, worse with threads (snmalloc#814, #615)

// A queue of runs of at most `most` bytes in all.
class belt {
 public:
  explicit belt(std::size_t most) : most_(most) {}

  void put(run&& sent) {
    std::unique_lock lock(lock_);
    changed_.wait(lock, [this] { return bytes_ < most_; });
    bytes_ += sent.size();
    runs_.push_back(std::move(sent));
    changed_.notify_all();
  }
  bool full() {
    const std::lock_guard guard(lock_);
    return bytes_ >= most_;
  }
  // An empty run when all is done.
  run take() {
    std::unique_lock lock(lock_);
    changed_.wait(lock, [this] { return closed_ || !runs_.empty(); });
    if (runs_.empty()) return {};
    run taken = std::move(runs_.front());
    runs_.pop_front();
    bytes_ -= taken.size();
    changed_.notify_all();
    return taken;
  }
  void close() {
    const std::lock_guard guard(lock_);
    closed_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<run> runs_;
  std::size_t bytes_ = 0;
  std::size_t most_;
  bool closed_ = false;
};

// The most that was held in each eighth of the time.
class held_over_time {
 public:
  explicit held_over_time(std::size_t steps) : steps_(steps) {}

  void look(std::size_t step) {
    std::size_t& most = most_[std::min(step * 8 / steps_, most_.size() - 1)];
    most = std::max(most, heap::stats().held);
  }
  // The second half holds what the first one did, but for what the caches of a few threads
  // take by chance: there is no slope.
  bool is_flat() const {
    const std::size_t early = *std::max_element(most_.begin(), most_.begin() + 4);
    const std::size_t late = *std::max_element(most_.begin() + 4, most_.end());
    return late <= early + early / 4 + 1_MiB;
  }

 private:
  std::size_t steps_;
  std::array<std::size_t, 8> most_{};
};

std::size_t random_size(std::mt19937_64& random) {
  const std::size_t dice = random() % 100;
  if (dice < 70) return random() % 500 + 1;
  return dice < 97 ? random() % 20'000 + 1 : random() % 400'000 + 1;
}

TEST(FieldReport12, producersAndConsumersHoldNoMoreAsTimePasses) {
  // The caches are as full as they get after some 20,000.
  const std::size_t total = steps(300'000, 100'000);
  const std::uint64_t first_seed = seed();
  belt moving(8_MiB);
  held_over_time held(total);
  // The first look sees as much live as any later one: who is ahead, the producers or the
  // consumers, is the scheduler's to say and may change half way.
  for (std::mt19937_64 random(first_seed + 2); !moving.full();) {
    moving.put(run(random_size(random)));
  }
  held.look(0);
  std::atomic<std::size_t> made = 0;
  std::vector<std::thread> producers;
  std::vector<std::thread> consumers;
  for (std::uint64_t t = 0; t < 2; ++t) {
    producers.emplace_back([&, t] {
      std::mt19937_64 random(first_seed + t);
      while (made.fetch_add(1) < total) {
        run whole(random_size(random));
        whole.data()[0] = std::byte{1};
        // The pieces of a run go different ways.
        run tail = whole.cut(random() % (whole.size() + 1));
        if (!tail.empty()) moving.put(std::move(tail));
        if (!whole.empty() && random() % 2 == 0) moving.put(std::move(whole));
      }
    });
    consumers.emplace_back([&] {
      for (;;) {
        const run taken = moving.take();
        if (taken.empty()) return;
      }
    });
  }
  // This thread only looks.
  for (std::size_t now = 0; now < total; now = made) {
    held.look(now);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (std::thread& one : producers) one.join();
  moving.close();
  for (std::thread& one : consumers) one.join();
  EXPECT_TRUE(held.is_flat());
  EXPECT_TRUE(heap_is_whole());
}

TEST(FieldReport12, aThreadForEachTaskHoldsNoMoreAsTimePasses) {
  const std::size_t total = std::min<std::size_t>(steps(8'000, 600), 1'000'000);
  std::mt19937_64 random(seed());
  std::deque<run> live;
  held_over_time held(total);
  for (std::size_t task = 0; task < total; ++task) {
    std::vector<run> results(8);
    std::vector<run> done;
    for (std::size_t i = 0; i < 8 && live.size() > 200; ++i) {
      done.push_back(std::move(live.front()));
      live.pop_front();
    }
    const std::uint64_t own_seed = random();
    std::thread([&results, &done, own_seed] {
      std::mt19937_64 own(own_seed);
      for (run& each : results) each = run(random_size(own));
      done.clear();
    }).join();
    for (run& each : results) live.push_back(std::move(each));
    held.look(task);
  }
  EXPECT_TRUE(held.is_flat());
  live.clear();
  EXPECT_TRUE(heap_is_whole());
}

// ---- Row 13: resident memory stays high after a burst (snmalloc#846, mimalloc#776)

TEST(FieldReport13, residentMemoryFollowsWhatIsLiveAfterABurst) {
  if (sanitized) GTEST_SKIP() << "SKIP: a sanitizer keeps memory of its own";
  using namespace std::chrono_literals;
  if (!start_heap({.purge_delay = 20ms})) GTEST_SKIP() << own_process;
  // 2 GiB in a soak.
  const std::size_t burst = std::min<std::size_t>(steps(256, 256), 2048) * 1_MiB;
  const std::size_t kept = burst / 16;
  const std::size_t before = resident_bytes();
  std::mt19937_64 random(seed());
  std::vector<run> runs;
  for (std::size_t sum = 0; sum < burst; sum += runs.back().size()) {
    runs.emplace_back(random() % 200'000 + 1);
    touch(runs.back().data(), runs.back().size());
  }
  EXPECT_GE(resident_bytes() - before, burst);
  // A sixteenth of the runs, spread over all of the memory.
  std::size_t live = 0;
  for (run& each : runs) {
    if (live < kept && random() % 16 == 0) {
      live += each.size();
    } else {
      each = run();
    }
  }
  EXPECT_TRUE(wait_until([before, live] {
    heap::purge_expired();
    // The largest cache of a thread, and the last range, may wait for their use.
    return resident_bytes() < before + live * 13 / 10 + 8_MiB;
  })) << "live "
      << live << ", resident " << resident_bytes() - before;
  runs.clear();
  EXPECT_TRUE(heap_is_whole());
}

// ---- Row 15: the child of a fork deadlocks on an inherited lock (snmalloc#630, jemalloc#2019,
// gperftools#499)

template <typename Work>
int exit_code_of_child(const Work& work) {
  const pid_t child = fork();
  if (child == 0) {
    die_if_stuck();
    _exit(work());
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

void use_a_little(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<run> runs;
  for (int i = 0; i < 30; ++i) {
    runs.emplace_back(random_size(random));
    if (i % 4 == 1) runs.push_back(runs.back().cut(runs.back().size() / 2));
    if (i % 3 == 0) runs[random() % runs.size()] = run();
  }
}

TEST(FieldReport15, childrenOfAForkUseTheHeapAndFreePiecesOfThreadsThatTheyDoNotHave) {
  if (sanitized) GTEST_SKIP() << "SKIP: a sanitizer does not follow a fork of several threads";
  // 10,000 in a soak.
  const std::size_t forks = std::min<std::size_t>(steps(500, 500), 10'000);
  std::atomic<bool> stop = false;
  std::array<std::atomic<run*>, 3> shown{};
  std::latch begun(3);
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      // A half of these is here, and the child frees the other halves.
      run mine(20'000 + t * 500);
      run piece = mine.cut(9'001);
      shown[t] = &piece;
      begun.count_down();
      for (std::uint64_t i = 0; !stop; ++i) use_a_little(i * 3 + t);
    });
  }
  begun.wait();
  for (std::size_t i = 0; i < forks; ++i) {
    const int code = exit_code_of_child([&shown, i] {
      for (const std::atomic<run*>& each : shown) *each = run();
      use_a_little(i);
      std::thread(use_a_little, i + 1).join();
      run large(3_MiB);
      touch(large.data(), large.size());
      if (i % 50 != 0) return 0;
      heap::purge();
      return heap::verify().empty() ? 0 : 1;
    });
    ASSERT_EQ(code, 0) << "fork " << i;
  }
  stop = true;
  for (std::thread& one : threads) one.join();
  EXPECT_TRUE(heap_is_whole());
}

TEST(FieldReport15, aChildFindsNothingWrongWithTheCachesThatItLost) {
  if (sanitized) GTEST_SKIP() << "SKIP: a sanitizer does not follow a fork of several threads";
  std::latch filled(1);
  std::latch done(1);
  std::thread other([&] {
    use_a_little(5);
    run piece(3000);
    piece.shrink(1000);  // a unit stays open
    filled.count_down();
    done.wait();
  });
  filled.wait();
  const std::size_t live = heap::live_bytes();
  EXPECT_EQ(exit_code_of_child([live] {
              if (heap::live_bytes() != live) return 1;
              if (!heap::verify().empty()) return 2;
              use_a_little(6);
              heap::purge();
              return heap::live_bytes() == live && heap::verify().empty() ? 0 : 3;
            }),
            0);
  done.count_down();
  other.join();
  EXPECT_TRUE(heap_is_whole());
}

TEST(FieldReport15, handlersOfOthersMayUseTheHeapAroundAFork) {
  static run held_by_handler;
  // Registered later than the heap's, so these run before it locks and after it unlocks; and
  // between explicit calls the heap is this thread's alone.
  pthread_atfork([] { held_by_handler = run(5000); }, [] { held_by_handler = run(); },
                 [] { held_by_handler = run(); });
  EXPECT_EQ(exit_code_of_child([] { return heap::live_bytes() == 0 ? 0 : 1; }), 0);
  EXPECT_EQ(heap::live_bytes(), 0U);
  heap::before_fork();
  use_a_little(1);
  const int code = exit_code_of_child([] {
    heap::after_fork_in_child();
    use_a_little(2);
    return heap::live_bytes() == 0 && heap::verify().empty() ? 0 : 1;
  });
  heap::after_fork_in_parent();
  EXPECT_EQ(code, 0);
  EXPECT_TRUE(heap_is_whole());
}

// ---- Row 16: threads that only free, free in late destructors or exit with full caches leak or
// crash (mimalloc#1364, #1177, parlaylib#72, snmalloc#161)

TEST(FieldReport16, aHundredThousandThreadsWhoseFirstActIsAFreeHoldNoMore) {
  const std::size_t count = by_build<std::size_t>(100'000, 2'000);
  for (std::size_t i = 1; i <= count; ++i) {
    run given(i % 5000 + 100);
    run rest = given.cut(given.size() / 2);
    std::thread([&given] {
      given = run();
      const run own(700);
    }).join();
    rest = run();
  }
  // What two threads may keep, and not a page for each that ended.
  EXPECT_LE(heap::stats().peak_held, 32_MiB);
  EXPECT_EQ(heap::live_bytes(), 0U);
  EXPECT_TRUE(heap_is_whole());
}

// A key whose destructor comes back until the last round, and only then uses the heap. The thread
// sanitizer ends its own record of a thread in the last round, and what it instrumented cannot
// run after that: there it is the round before.
struct late_user {
  static constexpr int last_round = PTHREAD_DESTRUCTOR_ITERATIONS - (thread_sanitized ? 1 : 0);
  static inline pthread_key_t key;
  static inline std::atomic<int> used = 0;
  run given;
  int rounds = 0;

  static void destroy(void* value) {
    auto* const self = static_cast<late_user*>(value);
    if (++self->rounds < last_round) {
      pthread_setspecific(key, self);
      return;
    }
    ++used;
    self->given = run();
    use_a_little(9);
  }
};

TEST(FieldReport16, aThreadThatFirstUsesTheHeapInItsLastDestructorLeavesNothing) {
  ASSERT_EQ(pthread_key_create(&late_user::key, late_user::destroy), 0);
  constexpr int count = 50;
  for (int i = 0; i < count; ++i) {
    late_user late{run(5000), 0};
    run rest = late.given.cut(1234);
    // The C library's own thread: the standard one might free its state on our heap.
    pthread_t thread{};
    ASSERT_EQ(pthread_create(
                  &thread, nullptr,
                  [](void* user) -> void* {
                    pthread_setspecific(late_user::key, user);
                    return nullptr;
                  },
                  &late),
              0);
    pthread_join(thread, nullptr);
  }
  EXPECT_EQ(late_user::used, count);
  EXPECT_EQ(heap::live_bytes(), 0U);
  EXPECT_TRUE(heap_is_whole()) << "a cache was left behind";
  pthread_key_delete(late_user::key);
}

}  // namespace
}  // namespace cleave::test
