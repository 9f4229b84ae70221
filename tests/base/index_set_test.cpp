// index_set_test.cpp -- the bitmap with summaries against std::set.
#include "base/index_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "support/environment.hpp"

namespace cleave::base {
namespace {

// A set whose storage is followed by words of ones, as the storage of one set is
// followed by that of the next in an arena: nothing may be read from there.
class guarded_set {
 public:
  explicit guarded_set(std::size_t capacity)
      : leaf_(index_set::leaf_words(capacity) + guard, ~std::uint64_t{0}),
        middle_(index_set::middle_words(capacity) + guard, ~std::uint64_t{0}) {
    std::fill(leaf_.begin(), leaf_.end() - guard, 0);
    std::fill(middle_.begin(), middle_.end() - guard, 0);
    set = index_set(leaf_.data(), middle_.data());
  }

  bool guards_are_whole() const {
    const auto is_whole = [](std::uint64_t word) { return word == ~std::uint64_t{0}; };
    return std::all_of(leaf_.end() - guard, leaf_.end(), is_whole) &&
           std::all_of(middle_.end() - guard, middle_.end(), is_whole);
  }

  index_set set;
  std::vector<std::uint64_t>& leaf() { return leaf_; }
  std::vector<std::uint64_t>& middle() { return middle_; }

 private:
  static constexpr std::ptrdiff_t guard = 65;
  std::vector<std::uint64_t> leaf_;
  std::vector<std::uint64_t> middle_;
};

const std::size_t capacities[] = {1,    2,    63,   64,   65,    127,   128,    129,
                                  4095, 4096, 4097, 8192, 12289, 65536, 262143, 262144};

std::size_t next_in(const std::set<std::size_t>& model, std::size_t from) {
  const auto found = model.lower_bound(from);
  return found == model.end() ? index_set::none : *found;
}

TEST(IndexSet, isEmptyAtFirst) {
  for (const std::size_t capacity : capacities) {
    const guarded_set s(capacity);
    EXPECT_TRUE(s.set.empty());
    EXPECT_TRUE(s.set.valid(capacity));
    EXPECT_EQ(s.set.count(capacity), 0U);
    EXPECT_EQ(s.set.next(0), index_set::none);
  }
}

TEST(IndexSet, endsAtItsCapacityForEveryStartOfASearch) {
  for (const std::size_t capacity : capacities) {
    guarded_set s(capacity);
    s.set.insert(capacity - 1);
    EXPECT_EQ(s.set.first(), capacity - 1);
    EXPECT_EQ(s.set.next(0), capacity - 1);
    EXPECT_EQ(s.set.next(capacity - 1), capacity - 1);
    // A loop over the members goes on behind the last of them.
    EXPECT_EQ(s.set.next(capacity), index_set::none) << "of " << capacity;
    s.set.erase(capacity - 1);
    EXPECT_TRUE(s.set.empty());
    EXPECT_TRUE(s.guards_are_whole());
  }
}

TEST(IndexSet, agreesWithASetOfTheStandardLibrary) {
  std::mt19937_64 random(test::seed());
  for (const std::size_t capacity : capacities) {
    guarded_set s(capacity);
    std::set<std::size_t> model;
    for (int step = 0; step < 2000; ++step) {
      // Members come and go in three sizes of neighbourhoods, so that words fill and empty.
      const std::size_t near = std::size_t{1} << (random() % 3 * 6 + 1);
      const std::size_t i = (random() % 2 == 0 ? random() % near : random()) % capacity;
      if (random() % 2 == 0) {
        s.set.insert(i);
        model.insert(i);
      } else {
        s.set.erase(i);
        model.erase(i);
      }
      ASSERT_EQ(s.set.contains(i), model.contains(i));
      ASSERT_EQ(s.set.empty(), model.empty());
      if (!model.empty()) {
        ASSERT_EQ(s.set.first(), *model.begin());
      }
      for (const std::size_t from :
           {i, i + 1, static_cast<std::size_t>(random() % capacity), capacity}) {
        ASSERT_EQ(s.set.next(from), next_in(model, from)) << "from " << from << " of " << capacity;
      }
    }
    EXPECT_EQ(s.set.count(capacity), model.size());
    EXPECT_TRUE(s.set.valid(capacity));
    EXPECT_TRUE(s.guards_are_whole());
  }
}

TEST(IndexSet, insertingAndErasingTwiceIsHarmless) {
  guarded_set s(4096);
  s.set.insert(77);
  s.set.insert(77);
  EXPECT_EQ(s.set.count(4096), 1U);
  s.set.erase(78);
  EXPECT_TRUE(s.set.contains(77));
  s.set.erase(77);
  s.set.erase(77);
  EXPECT_TRUE(s.set.empty());
  EXPECT_TRUE(s.set.valid(4096));
}

TEST(IndexSet, isNotValidWhenALevelDisagreesWithTheOneBelow) {
  guarded_set s(65536);
  s.set.insert(5000);
  ASSERT_TRUE(s.set.valid(65536));
  // I1 in both directions: a word without its summary bit, and a bit without a word.
  s.leaf()[3] = 1;
  EXPECT_FALSE(s.set.valid(65536));
  s.leaf()[3] = 0;
  s.leaf()[5000 / 64] = 0;
  EXPECT_FALSE(s.set.valid(65536));
  // I2 likewise.
  guarded_set other(65536);
  other.leaf()[9000 / 64] = 1;
  other.middle()[9000 / 4096] = std::uint64_t{1} << (9000 / 64 % 64);
  EXPECT_FALSE(other.set.valid(65536));
}

}  // namespace
}  // namespace cleave::base
