// field_reports_arrays_test.cpp -- each element of a cut array dies exactly once.
//
// Row 8 of the field reports: a slice was taken for the owner, and elements
// were destroyed twice or never (roc-lang/roc#9742).
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cleave/array.hpp>
#include <cleave/heap.hpp>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "support/environment.hpp"
#include "support/whole_heap.hpp"

namespace cleave::test {
namespace {

// Counts the deaths of each cell that was ever constructed, also by a move.
class registry {
 public:
  static constexpr std::size_t most = std::size_t{1} << 24;

  std::size_t born() { return next_.fetch_add(1); }
  void died(std::size_t number) { deaths_[number].fetch_add(1); }
  void found_elsewhere() { ++strays_; }

  std::size_t births() const { return next_; }
  // Cells that were destroyed at another place than they were constructed at.
  std::size_t strays() const { return strays_; }
  std::size_t with_deaths_other_than_one() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < next_; ++i) count += deaths_[i] != 1;
    return count;
  }

 private:
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::size_t> strays_ = 0;
  std::unique_ptr<std::atomic<std::uint8_t>[]> deaths_ { new std::atomic<std::uint8_t>[most] {} };
};

registry* cells_of_this_test = nullptr;

class cell {
 public:
  cell() : cell(0) {}
  explicit cell(std::uint32_t value) : value_(value) {}
  cell(cell&& other) noexcept : value_(other.value_) {}
  cell(const cell& other) noexcept : value_(other.value_) {}
  cell& operator=(const cell& other) noexcept {
    value_ = other.value_;
    return *this;
  }
  ~cell() {
    if (self_ != this) {
      cells_of_this_test->found_elsewhere();
      return;
    }
    cells_of_this_test->died(number_);
  }

  std::uint32_t value() const { return value_; }
  void set(std::uint32_t value) { value_ = value; }

 private:
  const cell* self_ = this;
  std::size_t number_ = cells_of_this_test->born();
  std::uint32_t value_;
};

// An array, and what it must contain.
struct checked_array {
  array<cell> cells;
  std::vector<std::uint32_t> values;

  bool agrees() const {
    return std::equal(cells.begin(), cells.end(), values.begin(), values.end(),
                      [](const cell& one, std::uint32_t value) { return one.value() == value; });
  }
};

class exchange_table {
 public:
  void put(checked_array&& given) {
    const std::lock_guard guard(lock_);
    arrays_.push_back(std::move(given));
  }
  bool take(checked_array& taken) {
    const std::lock_guard guard(lock_);
    if (arrays_.empty()) return false;
    taken = std::move(arrays_.back());
    arrays_.pop_back();
    return true;
  }

 private:
  std::mutex lock_;
  std::vector<checked_array> arrays_;
};

class player {
 public:
  player(std::uint64_t seed, exchange_table& table) : random_(seed), table_(table) {}

  // One random operation. Returns false if an array does not contain what it must.
  bool step() {
    const std::size_t dice = below(100);
    if (arrays_.empty() || (dice < 20 && arrays_.size() < 40)) return make();
    if (dice < 45) return cut();
    if (dice < 65) return join();
    if (dice < 75) return table_.put(take()), true;
    if (dice < 85) return receive();
    if (dice < 90) return resize();
    return take().agrees();
  }

 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }

  checked_array take() {
    std::swap(arrays_[below(arrays_.size())], arrays_.back());
    checked_array taken = std::move(arrays_.back());
    arrays_.pop_back();
    return taken;
  }

  bool make() {
    checked_array made;
    made.cells = array<cell>(below(below(8) == 0 ? 2000 : 100));
    for (cell& one : made.cells) {
      made.values.push_back(static_cast<std::uint32_t>(random_()));
      one.set(made.values.back());
    }
    arrays_.push_back(std::move(made));
    return true;
  }

  bool cut() {
    checked_array left = take();
    const std::size_t at = below(left.cells.size() + 1);
    checked_array right{left.cells.cut(at), {}};
    const auto middle = left.values.begin() + static_cast<std::ptrdiff_t>(at);
    right.values.assign(middle, left.values.end());
    left.values.erase(middle, left.values.end());
    const bool agree = left.agrees() && right.agrees();
    // Neighbours stand in order, so that join() meets them again.
    arrays_.push_back(std::move(left));
    arrays_.push_back(std::move(right));
    return agree;
  }

  bool join() {
    if (arrays_.size() < 2) return true;
    const std::size_t index = below(arrays_.size() - 1);
    checked_array& left = arrays_[index];
    checked_array& right = arrays_[index + 1];
    if (left.cells.size() > 10'000) return true;
    left.cells = cleave::join(std::move(left.cells), std::move(right.cells));
    left.values.insert(left.values.end(), right.values.begin(), right.values.end());
    arrays_.erase(arrays_.begin() + static_cast<std::ptrdiff_t>(index) + 1);
    return arrays_[index].agrees();
  }

  bool receive() {
    checked_array received;
    if (!table_.take(received)) return true;
    const bool agrees = received.agrees();
    arrays_.push_back(std::move(received));
    return agrees;
  }

  bool resize() {
    checked_array& one = arrays_[below(arrays_.size())];
    const std::size_t size = below(one.cells.size() + 20);
    one.cells.resize(size);
    one.values.resize(size);
    return one.agrees();
  }

  std::mt19937_64 random_;
  exchange_table& table_;
  std::vector<checked_array> arrays_;
};

TEST(FieldReport08, everyElementIsDestroyedExactlyOnce) {
  registry cells;
  cells_of_this_test = &cells;
  const std::uint64_t first_seed = seed();
  const std::size_t total = std::min<std::size_t>(steps(60'000, 6'000), 100'000);
  std::atomic<int> disagreements = 0;
  {
    exchange_table table;
    std::latch begun(2);
    const auto play = [&](std::uint64_t my_seed) {
      begun.arrive_and_wait();
      player one(my_seed, table);
      for (std::size_t i = 0; i < total / 2; ++i) {
        if (!one.step()) ++disagreements;
      }
    };
    std::thread other(play, first_seed + 1);
    play(first_seed);
    other.join();
  }
  ASSERT_LT(cells.births(), registry::most);
  EXPECT_GT(cells.births(), total);
  EXPECT_EQ(disagreements, 0);
  EXPECT_EQ(cells.strays(), 0U);
  EXPECT_EQ(cells.with_deaths_other_than_one(), 0U);
  EXPECT_TRUE(heap_is_whole());
}

}  // namespace
}  // namespace cleave::test
