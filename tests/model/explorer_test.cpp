// explorer_test.cpp -- does the explorer try every order, and see what is wrong in one of them?
#include "model/explorer.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "base/atomic.hpp"

namespace cleave::model {
namespace {

TEST(Explorer, runsOperationsThatDoNotMeetInOneOrder) {
  base::atomic<int> left{0};
  base::atomic<int> right{0};
  scenario s;
  s.threads = {[&] { left.fetch_add(1), left.fetch_add(1); },
               [&] { right.fetch_add(1), right.fetch_add(1); }};
  EXPECT_EQ(explore(s).executions, 1U);
}

TEST(Explorer, seesEveryResultThatStoresAndLoadsMayHave) {
  base::atomic<int> left{0};
  base::atomic<int> right{0};
  int from_left = 0;
  int from_right = 0;
  std::set<std::pair<int, int>> results;
  scenario s;
  s.prepare = [&] { left.store(0), right.store(0); };
  s.threads = {[&] {
                 left.store(1, std::memory_order_release);
                 from_right = right.load(std::memory_order_acquire);
               },
               [&] {
                 right.store(1, std::memory_order_release);
                 from_left = left.load(std::memory_order_acquire);
               }};
  s.finish = [&] { results.emplace(from_left, from_right); };
  explore(s);
  // Also both zeros: neither load is kept from an old value.
  const std::set<std::pair<int, int>> all{{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  EXPECT_EQ(results, all);
}

TEST(Explorer, triesAllOrdersOfThreeThreadsThatUpdateOneValue) {
  base::atomic<int> sum{0};
  std::set<int> results;
  scenario s;
  s.prepare = [&] { sum.store(1); };
  const auto times = [&](int factor, int more) {
    int old = sum.load(std::memory_order_seq_cst);
    while (!sum.compare_exchange_strong(old, old * factor + more, std::memory_order_acq_rel,
                                        std::memory_order_acquire)) {
    }
  };
  s.threads = {[&] { times(2, 0); }, [&] { times(3, 1); }, [&] { times(5, 2); }};
  s.finish = [&] { results.insert(sum.load()); };
  explore(s);
  // 1 -> 2x, 3x + 1, 5x + 2 in each of six orders.
  const std::set<int> all{37, 42, 43, 44};
  EXPECT_EQ(results, all);
}

scenario counted_without_loss(base::atomic<int>& sum) {
  scenario s;
  s.prepare = [&] { sum.store(0); };
  s.threads = {[&] { sum.fetch_add(1, std::memory_order_relaxed); },
               [&] { sum.fetch_add(1, std::memory_order_relaxed); }};
  s.finish = [&] { expect(sum.load() == 2, "a count was lost"); };
  return s;
}

TEST(Explorer, losesNoCountOfUpdates) {
  base::atomic<int> sum{0};
  EXPECT_FALSE(explore(counted_without_loss(sum)).cut_short);
}

TEST(ExplorerDeathTest, seesACountThatIsLostBetweenALoadAndAStore) {
  base::atomic<int> sum{0};
  EXPECT_EXIT((planted.torn = true, explore(counted_without_loss(sum))), testing::ExitedWithCode(3),
              "a count was lost");
}

scenario message(base::atomic<int>& flag, int& data) {
  scenario s;
  s.prepare = [&] { flag.store(0); };
  s.threads = {[&] {
                 write_plain(&data);
                 flag.store(1, std::memory_order_release);
               },
               [&] {
                 if (flag.load(std::memory_order_acquire) == 1) read_plain(&data);
               }};
  return s;
}

TEST(Explorer, letsAReleaseAndAnAcquireOrderPlainMemory) {
  base::atomic<int> flag{0};
  int data = 0;
  EXPECT_EQ(explore(message(flag, data)).executions, 3U)
      << "the load before the store, and both values after it";
}

TEST(ExplorerDeathTest, seesARaceWhereNothingOrders) {
  base::atomic<int> flag{0};
  int data = 0;
  EXPECT_EXIT((planted.relaxed = true, explore(message(flag, data))), testing::ExitedWithCode(3),
              "a race: a read");
}

scenario guarded(base::mutex& guard, int& data) {
  scenario s;
  const auto change = [&] {
    guard.lock();
    write_plain(&data);
    guard.unlock();
  };
  s.threads = {change, change, change};
  return s;
}

TEST(Explorer, triesAllOrdersOfThreeThreadsThatLock) {
  base::mutex guard;
  int data = 0;
  EXPECT_EQ(explore(guarded(guard, data)).executions, 6U);
}

TEST(ExplorerDeathTest, seesALockThatKeepsNobodyOut) {
  base::mutex guard;
  int data = 0;
  EXPECT_EXIT((planted.open_locks = true, explore(guarded(guard, data))),
              testing::ExitedWithCode(3), "a race: a write");
}

TEST(ExplorerDeathTest, seesThreadsThatWaitForEachOther) {
  base::mutex left;
  base::mutex right;
  scenario s;
  const auto both = [](base::mutex& first, base::mutex& second) {
    first.lock();
    second.lock();
    second.unlock();
    first.unlock();
  };
  s.threads = {[&] { both(left, right); }, [&] { both(right, left); }};
  EXPECT_EXIT(explore(s), testing::ExitedWithCode(3), "all threads wait");
}

TEST(Explorer, letsAThreadWaitForAValue) {
  base::atomic<int> value{0};
  scenario s;
  s.prepare = [&] { value.store(0); };
  int data = 0;
  s.threads = {[&] {
                 value.wait(0, std::memory_order_acquire);
                 read_plain(&data);
               },
               [&] {
                 write_plain(&data);
                 value.store(1, std::memory_order_release);
               }};
  EXPECT_EQ(explore(s).executions, 1U);
}

}  // namespace
}  // namespace cleave::model
