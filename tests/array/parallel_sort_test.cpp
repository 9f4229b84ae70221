// parallel_sort_test.cpp -- the parallel merge sort against the standard one.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cleave/array.hpp>
#include <cleave/heap.hpp>
#include <cleave/parallel.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/environment.hpp"

namespace {

using cleave::array;
using cleave::heap::live_bytes;
namespace parallel = cleave::parallel;
namespace test = cleave::test;

struct thrown_by_a_comparator : std::runtime_error {
  thrown_by_a_comparator() : std::runtime_error("a comparator") {}
};

// A key with few values, and the place where the element was.
struct card {
  std::uint32_t rank;
  std::uint32_t place;
  friend bool operator==(const card&, const card&) = default;
};

array<card> some_cards(std::size_t n, std::uint32_t ranks, std::mt19937_64& random) {
  array<card> cards = array<card>::for_overwrite(n);
  for (std::size_t i = 0; i < n; ++i) {
    cards[i] = {static_cast<std::uint32_t>(random() % ranks), static_cast<std::uint32_t>(i)};
  }
  return cards;
}

// Places only grow among equal ranks, so the one stable order is the order by both.
bool in_stable_order(const card& left, const card& right) {
  return std::pair(left.rank, left.place) < std::pair(right.rank, right.place);
}

std::vector<card> stably_sorted(const array<card>& cards) {
  std::vector<card> result(cards.begin(), cards.end());
  std::sort(result.begin(), result.end(), in_stable_order);
  return result;
}

bool same(const array<card>& cards, const std::vector<card>& expected) {
  return std::equal(cards.begin(), cards.end(), expected.begin(), expected.end());
}

TEST(ParallelSort, isTheStableSortForAllSizesAndGrains) {
  std::mt19937_64 random(test::seed());
  for (const std::size_t grain : {1u, 20u, 33u, 100u}) {
    for (std::size_t n = 0; n < 700; n += n < 70 ? 1 : 13) {
      array<card> cards = some_cards(n, 8, random);
      const std::vector<card> expected = stably_sorted(cards);
      parallel::sort(cards, {}, &card::rank, {.grain = grain, .threads = 2});
      ASSERT_TRUE(same(cards, expected)) << "grain " << grain << ", size " << n;
    }
  }
}

TEST(ParallelSort, isTheStableSortForManyElements) {
  std::mt19937_64 random(test::seed());
  for (const std::size_t threads : {0u, 1u, 2u, 4u}) {
    for (const std::uint32_t ranks : {1u, 2u, 300u, 4'000'000'000u}) {
      array<card> cards = some_cards(100'000, ranks, random);
      const std::vector<card> expected = stably_sorted(cards);
      parallel::sort(cards, {}, &card::rank, {.threads = threads});
      ASSERT_TRUE(same(cards, expected)) << threads << " threads, " << ranks << " ranks";
    }
  }
}

TEST(ParallelSort, sortsWhatIsPartlyInOrder) {
  std::mt19937_64 random(test::seed());
  for (int round = 0; round < 30; ++round) {
    array<card> cards = some_cards(5000, 1000, random);
    // Some stretches are sorted already, so that their halves are joined as they
    // stand while their neighbours move.
    for (std::size_t begin = 0; begin < cards.size();) {
      const std::size_t end = std::min(cards.size(), begin + random() % 1500);
      if (random() % 2 == 0) {
        std::sort(cards.begin() + begin, cards.begin() + end, in_stable_order);
      }
      begin = end + 1;
    }
    const std::vector<card> expected = stably_sorted(cards);
    parallel::sort(cards, {}, &card::rank, {.grain = 50, .threads = 2});
    ASSERT_TRUE(same(cards, expected)) << "round " << round;
  }
}

TEST(ParallelSort, sortedInputStaysWhereItIs) {
  array<int> numbers(10'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i / 3);
  const int* const place = numbers.data();
  std::atomic<std::size_t> comparisons{0};
  parallel::sort(numbers,
                 [&](int left, int right) {
                   ++comparisons;
                   return left < right;
                 },
                 {}, {.grain = 100, .threads = 2});
  EXPECT_EQ(numbers.data(), place);
  EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
  EXPECT_LT(comparisons.load(), numbers.size());
}

TEST(ParallelSort, takesComparatorsAndProjections) {
  std::vector<std::string> words = {"pear", "fig", "banana", "kiwi", "date"};
  parallel::sort(words, std::ranges::greater(), &std::string::size, {.grain = 2});
  EXPECT_EQ(words, (std::vector<std::string>{"banana", "pear", "kiwi", "date", "fig"}));
  parallel::sort(words);
  EXPECT_EQ(words, (std::vector<std::string>{"banana", "date", "fig", "kiwi", "pear"}));
}

TEST(ParallelSort, aSpanIsSortedInItsPlace) {
  std::mt19937_64 random(test::seed());
  const std::size_t before = live_bytes();
  for (const std::size_t n : {33u, 65u, 1000u, 1025u}) {
    std::vector<std::uint64_t> numbers(n);
    for (std::uint64_t& x : numbers) x = random();
    std::vector<std::uint64_t> expected = numbers;
    std::sort(expected.begin(), expected.end());
    parallel::sort(std::span(numbers), {}, {}, {.grain = 20, .threads = 2});
    ASSERT_EQ(numbers, expected);
  }
  EXPECT_EQ(live_bytes(), before);
}

TEST(ParallelSort, ownsTheSameBytesAfterwards) {
  std::mt19937_64 random(test::seed());
  const std::size_t before = live_bytes();
  // Around a power of two the number of merges, and so the memory that the result
  // is in, is odd for one and even for the other.
  for (const std::size_t n : {31u, 33u, 64u, 128u, 1000u, 2000u, 4000u}) {
    array<card> cards = some_cards(n, 1000, random);
    parallel::sort(cards, {}, &card::rank, {.grain = 20, .threads = 2});
    EXPECT_EQ(live_bytes(), before + n * sizeof(card));
  }
  EXPECT_EQ(live_bytes(), before);
}

TEST(ParallelSort, movesOwnersAndAlignedElements) {
  struct alignas(64) wide {
    std::unique_ptr<std::uint64_t> key;
  };
  std::mt19937_64 random(test::seed());
  array<wide> owners(3000);
  std::uint64_t sum = 0;
  for (wide& owner : owners) {
    owner.key = std::make_unique<std::uint64_t>(random() % 1000);
    sum += *owner.key;
  }
  const auto key = [](const wide& owner) { return *owner.key; };
  parallel::sort(owners, {}, key, {.grain = 10, .threads = 2});
  EXPECT_TRUE(std::ranges::is_sorted(owners, {}, key));
  for (const wide& owner : owners) sum -= *owner.key;
  EXPECT_EQ(sum, 0u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(owners.data()) % 64, 0u);
}

TEST(ParallelSort, loseNothingWhenTheComparatorThrows) {
  std::mt19937_64 random(test::seed());
  const std::size_t before = live_bytes();
  {
    std::vector<std::string> expected(2000);
    for (std::string& word : expected) {
      word = "a word that is too long for its object " + std::to_string(random());
    }
    // Later and later, so that leaves, searches and merges are all hit.
    for (int until = 0; until < 30'000; until += until / 3 + 1) {
      array<std::string> words(expected);
      std::atomic<int> calls{0};
      const auto compare = [&](const std::string& left, const std::string& right) {
        if (calls.fetch_add(1) == until) throw thrown_by_a_comparator();
        return left < right;
      };
      try {
        parallel::sort(words, compare, {}, {.grain = 50, .threads = 2});
        EXPECT_TRUE(std::ranges::is_sorted(words));
      } catch (const thrown_by_a_comparator&) {
      }
      std::ranges::sort(words);
      std::ranges::sort(expected);
      ASSERT_TRUE(std::ranges::equal(words, expected)) << "after call " << until;
    }
  }
  EXPECT_EQ(live_bytes(), before);
}

TEST(ParallelSort, aSpanKeepsItsElementsWhenTheComparatorThrows) {
  std::vector<int> numbers(1000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i * 7919 % 1000);
  std::vector<int> unordered = numbers;
  std::atomic<int> calls{0};
  const auto compare = [&](int left, int right) {
    if (calls.fetch_add(1) == 5000) throw thrown_by_a_comparator();
    return left < right;
  };
  EXPECT_THROW(parallel::sort(unordered, compare, {}, {.grain = 20, .threads = 2}),
               thrown_by_a_comparator);
  EXPECT_TRUE(std::is_permutation(unordered.begin(), unordered.end(), numbers.begin()));
}

TEST(ParallelSort, withoutMemoryTheRangeIsUnchanged) {
  array<std::uint8_t> numbers(std::size_t{64} << 20);
  for (std::size_t i = 0; i < 1000; ++i) numbers[i] = static_cast<std::uint8_t>(i * 77);
  const std::vector<std::uint8_t> before(numbers.begin(), numbers.begin() + 1000);
  cleave::heap::set_held_limit(0);
  EXPECT_THROW(parallel::sort(numbers), std::bad_alloc);
  cleave::heap::set_held_limit(SIZE_MAX);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), numbers.begin()));
}

}  // namespace
