// parallel_test.cpp -- fork trees, visits, transforms, reductions and scans.
#include <cleave/parallel.hpp>

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cleave/array.hpp>
#include <cleave/heap.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/environment.hpp"

namespace {

using cleave::array;
using cleave::heap::live_bytes;
namespace parallel = cleave::parallel;
namespace test = cleave::test;

struct thrown_by_a_leaf : std::runtime_error {
  thrown_by_a_leaf() : std::runtime_error("a leaf") {}
};

array<int> counting(std::size_t n) {
  array<int> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// Odd sizes around the places where a tree changes its shape.
const std::vector<std::size_t> sizes = {0, 1, 2, 3, 7, 8, 9, 100, 1000, 4097};

std::vector<parallel::limits> all_limits() {
  return {{},
          {.grain = 1, .threads = 2},
          {.grain = 3, .threads = 1},
          {.grain = 64, .threads = 4},
          {.depth = 3, .threads = 2}};
}

TEST(DefaultGrain, givesEachThreadSeveralLeavesOfAUsefulSize) {
  EXPECT_EQ(parallel::default_grain(std::size_t{1} << 20, 4, 2), std::size_t{1} << 16);
  EXPECT_EQ(parallel::default_grain(100, 4, 2), 4096u);
  EXPECT_EQ(parallel::default_grain(0, 1, 1), 16384u);
  EXPECT_EQ(parallel::default_grain(100, 65536, 1), 13u);
  EXPECT_EQ(parallel::default_grain(3, 65536, 64), 1u);
}

TEST(ForkTree, givesTheArrayBackInPlace) {
  array<int> numbers = counting(1000);
  const int* const place = numbers.data();
  array<int> doubled = parallel::fork_tree(std::move(numbers),
                                           [](array<int> leaf) {
                                             for (int& x : leaf) x *= 2;
                                             return leaf;
                                           },
                                           {.grain = 1, .threads = 2});
  EXPECT_EQ(doubled.data(), place);
  EXPECT_TRUE(numbers.empty());
  ASSERT_EQ(doubled.size(), 1000u);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(doubled[static_cast<std::size_t>(i)], 2 * i);
}

TEST(ForkTree, cutsNoDeeperThanTheGrainAndTheDepthSay) {
  const auto leaf_sizes = [](parallel::limits chosen) {
    std::mutex guard;
    std::multiset<std::size_t> seen;
    const array<int> whole = parallel::fork_tree(
        counting(100),
        [&](array<int> leaf) {
          const std::lock_guard lock(guard);
          seen.insert(leaf.size());
          return leaf;
        },
        chosen);
    EXPECT_EQ(whole.size(), 100u);
    return seen;
  };
  using set = std::multiset<std::size_t>;
  EXPECT_EQ(leaf_sizes({.grain = 100}), set({100}));
  EXPECT_EQ(leaf_sizes({.grain = 99}), set({50, 50}));
  EXPECT_EQ(leaf_sizes({.grain = 25}), set({25, 25, 25, 25}));
  EXPECT_EQ(leaf_sizes({.depth = 3}), set({12, 13, 12, 13, 12, 13, 12, 13}));
  EXPECT_EQ(leaf_sizes({.grain = 30, .depth = 5}), set({25, 25, 25, 25}));
  EXPECT_EQ(leaf_sizes({.grain = 1, .depth = 1}), set({50, 50}));
  EXPECT_EQ(leaf_sizes({.grain = 1}).size(), 100u);
  EXPECT_EQ(leaf_sizes({.depth = 64}).size(), 100u);
}

TEST(ForkTree, joinsWhatLeavesMake) {
  const std::size_t before = live_bytes();
  {
    const array<std::string> names =
        parallel::fork_tree(counting(50),
                            [](const array<int>& leaf) {
                              array<std::string> made(leaf.size());
                              for (std::size_t i = 0; i < leaf.size(); ++i)
                                made[i] = std::to_string(leaf[i]);
                              return made;
                            },
                            {.grain = 7, .threads = 2});
    ASSERT_EQ(names.size(), 50u);
    for (int i = 0; i < 50; ++i) EXPECT_EQ(names[static_cast<std::size_t>(i)], std::to_string(i));
  }
  EXPECT_EQ(live_bytes(), before);
}

TEST(ForkTree, nodesGetTheResultsOfNeighbours) {
  const std::string text = parallel::fork_tree(
      counting(10), [](array<int> leaf) { return std::to_string(leaf[0]); },
      [](const std::string& left, const std::string& right) { return "(" + left + right + ")"; },
      {.grain = 1, .threads = 2});
  EXPECT_EQ(text, "(((01)(2(34)))((56)(7(89))))");
}

TEST(ForkTree, resultsNeedOnlyMove) {
  const std::unique_ptr<int> sum = parallel::fork_tree(
      counting(100),
      [](const array<int>& leaf) {
        return std::make_unique<int>(std::accumulate(leaf.begin(), leaf.end(), 0));
      },
      [](std::unique_ptr<int> left, std::unique_ptr<int> right) {
        *left += *right;
        return left;
      },
      {.grain = 3, .threads = 2});
  EXPECT_EQ(*sum, 4950);
}

TEST(ForkTree, freesAllPiecesWhenALeafThrows) {
  const std::size_t before = live_bytes();
  const auto leaf = [](array<std::string> names) {
    for (const std::string& name : names) {
      if (name.empty()) throw thrown_by_a_leaf();
    }
    return names;
  };
  for (const parallel::limits& chosen : all_limits()) {
    array<std::string> whole(3000, "a string that does not fit into its own object");
    whole[1500] = "";
    EXPECT_THROW(static_cast<void>(parallel::fork_tree(std::move(whole), leaf, chosen)),
                 thrown_by_a_leaf);
    EXPECT_TRUE(whole.empty());
    EXPECT_EQ(live_bytes(), before);
  }
}

TEST(ForkTree, freesAllPiecesWhenANodeThrows) {
  const std::size_t before = live_bytes();
  EXPECT_THROW(static_cast<void>(parallel::fork_tree(
                   counting(1000), [](array<int> leaf) { return leaf; },
                   [](array<int> left, array<int> right) {
                     if (left.size() >= 100) throw thrown_by_a_leaf();
                     return join(std::move(left), std::move(right));
                   },
                   {.grain = 1, .threads = 2})),
               thrown_by_a_leaf);
  EXPECT_EQ(live_bytes(), before);
}

TEST(ForkTree, usesASecondThread) {
  using oneapi::tbb::global_control;
  // Also where this process has one processor: oneTBB has no worker there by itself.
  const global_control two(global_control::max_allowed_parallelism, 2);
  oneapi::tbb::task_arena(2).execute([] {
    // Two leaves that wait for each other end only if two threads run them.
    std::atomic<int> arrived{0};
    const array<int> whole = parallel::fork_tree(counting(2),
                                                 [&](array<int> leaf) {
                                                   arrived.fetch_add(1);
                                                   while (arrived.load() < 2)
                                                     std::this_thread::yield();
                                                   return leaf;
                                                 },
                                                 {.grain = 1, .threads = 2});
    EXPECT_EQ(whole.size(), 2u);
  });
}

TEST(Limits, oneThreadIsTheCaller) {
  std::set<std::thread::id> seen;
  array<int> numbers = counting(1000);
  parallel::for_each(numbers, [&](int) { seen.insert(std::this_thread::get_id()); },
                     {.grain = 1, .threads = 1});
  EXPECT_EQ(seen, std::set{std::this_thread::get_id()});
}

TEST(Limits, holdWhereThereAreMoreThreads) {
  using oneapi::tbb::global_control;
  const global_control four(global_control::max_allowed_parallelism, 4);
  oneapi::tbb::task_arena(4).execute([] {
    std::atomic<int> running{0};
    std::atomic<int> most{0};
    array<int> numbers = counting(200);
    parallel::for_each(numbers,
                       [&](int) {
                         const int now = running.fetch_add(1) + 1;
                         for (int seen = most.load();
                              now > seen && !most.compare_exchange_weak(seen, now);) {
                         }
                         std::this_thread::yield();
                         running.fetch_sub(1);
                       },
                       {.grain = 1, .threads = 2});
    EXPECT_LE(most.load(), 2);
  });
}

TEST(Limits, callsMayNest) {
  array<array<int>> rows = array<array<int>>::for_overwrite(20);
  for (array<int>& row : rows) row = counting(100);
  parallel::for_each(rows,
                     [](array<int>& row) {
                       parallel::for_each(row, [](int& x) { x += 1; }, {.grain = 5, .threads = 2});
                     },
                     {.grain = 1});
  for (const array<int>& row : rows) {
    EXPECT_EQ(parallel::reduce(row, 0, std::plus<>()), 4950 + 100);
  }
}

TEST(ForEach, visitsEachElementOnce) {
  for (const parallel::limits& chosen : all_limits()) {
    for (const std::size_t n : sizes) {
      array<int> visits(n);
      parallel::for_each(
          visits, [](int& x) { x += 1; }, chosen);
      EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), static_cast<std::ptrdiff_t>(n));
    }
  }
}

TEST(ForEach, takesSpansVectorsAndConstants) {
  const std::vector<int> constants = {1, 2, 3};
  std::atomic<int> sum{0};
  parallel::for_each(constants, [&](const int& x) { sum += x; });
  std::vector<int> numbers = {4, 5};
  parallel::for_each(std::span(numbers), [&](int x) { sum += x; });
  EXPECT_EQ(sum.load(), 15);
}

TEST(ForEach, keepsTheArrayWholeWhenAVisitThrows) {
  const std::size_t before = live_bytes();
  {
    array<std::string> names(2000, "a string that does not fit into its own object");
    names[777] = "";
    EXPECT_THROW(parallel::for_each(names,
                                    [](std::string& name) {
                                      if (name.empty()) throw thrown_by_a_leaf();
                                      name += "!";
                                    },
                                    {.grain = 1, .threads = 2}),
                 thrown_by_a_leaf);
    ASSERT_EQ(names.size(), 2000u);
    for (const std::string& name : names) EXPECT_TRUE(name.empty() || name[0] == 'a');
  }
  EXPECT_EQ(live_bytes(), before);
}

TEST(ForEach, theFirstExceptionIsTheOneThatIsRethrown) {
  array<int> numbers = counting(64);
  try {
    parallel::for_each(numbers, [](int x) { throw x; }, {.grain = 1, .threads = 1});
    FAIL() << "nothing was thrown";
  } catch (int first) {
    EXPECT_EQ(first, 0);
  }
}

TEST(ForPieces, coversTheRangeInPiecesOfAtMostTheGrain) {
  array<int> numbers(1001);
  parallel::for_pieces(numbers,
                       [](std::span<int> piece) {
                         EXPECT_LE(piece.size(), 10u);
                         for (int& x : piece) x += 1;
                       },
                       {.grain = 10, .threads = 2});
  EXPECT_EQ(numbers, array<int>(1001, 1));
}

TEST(Transform, makesOneElementForEach) {
  for (const parallel::limits& chosen : all_limits()) {
    for (const std::size_t n : sizes) {
      const array<int> numbers = counting(n);
      const array<std::string> names = parallel::transform(
          numbers, [](int x) { return std::to_string(x); }, chosen);
      ASSERT_EQ(names.size(), n);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(names[i], std::to_string(i));
    }
  }
}

TEST(Transform, alignsWhatItMakes) {
  struct alignas(128) wide {
    std::uint64_t value;
  };
  const array<wide> made = parallel::transform(
      counting(100), [](int x) { return wide{static_cast<std::uint64_t>(x)}; }, {.grain = 3});
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&made[i]) % 128, 0u);
    EXPECT_EQ(made[i].value, i);
  }
}

TEST(Transform, takesMembers) {
  const std::vector<std::string> names = {"a", "bc", ""};
  EXPECT_EQ(parallel::transform(names, &std::string::size), array<std::size_t>({1, 2, 0}));
}

TEST(Transform, freesWhatItMadeWhenAMakerThrows) {
  const std::size_t before = live_bytes();
  for (const std::size_t thrower : {0u, 1u, 500u, 999u}) {
    std::atomic<int> alive{0};
    struct counted {
      explicit counted(std::atomic<int>& count) : count_(count) { ++count_; }
      counted(counted&& other) noexcept : count_(other.count_) { ++count_; }
      ~counted() { --count_; }
      std::atomic<int>& count_;
    };
    EXPECT_THROW(static_cast<void>(parallel::transform(counting(1000),
                                                       [&](int x) {
                                                         if (static_cast<std::size_t>(x) == thrower)
                                                           throw thrown_by_a_leaf();
                                                         return counted(alive);
                                                       },
                                                       {.grain = 10, .threads = 2})),
                 thrown_by_a_leaf);
    EXPECT_EQ(alive.load(), 0);
    EXPECT_EQ(live_bytes(), before);
  }
}

TEST(Reduce, keepsTheOrderOfTheOperands) {
  for (const parallel::limits& chosen : all_limits()) {
    for (const std::size_t n : sizes) {
      std::string letters(n, ' ');
      for (std::size_t i = 0; i < n; ++i) letters[i] = static_cast<char>('a' + i % 26);
      std::vector<std::string> words;
      for (const char letter : letters) words.emplace_back(1, letter);
      EXPECT_EQ(parallel::reduce(words, std::string(">"), std::plus<>(), chosen), ">" + letters);
    }
  }
}

TEST(Reduce, roundsTheSameForEveryNumberOfThreads) {
  std::mt19937_64 random(test::seed());
  std::uniform_real_distribution<float> some(-1.0f, 1.0f);
  std::vector<float> numbers(10'000);
  for (float& x : numbers) x = some(random);
  const auto sum = [&](std::size_t threads) {
    return parallel::reduce(numbers, 0.0f, std::plus<>(), {.grain = 100, .threads = threads});
  };
  EXPECT_EQ(sum(1), sum(2));
  EXPECT_EQ(sum(1), sum(3));
}

TEST(Reduce, widensBeforeItAdds) {
  const std::vector<std::uint8_t> bytes(100'000, 255);
  EXPECT_EQ(parallel::reduce(bytes, std::uint64_t{1}, std::plus<>()), 25'500'001u);
}

TEST(Reduce, leaksNothingWhenCombiningThrows) {
  const std::size_t before = live_bytes();
  const array<int> numbers = counting(1000);
  EXPECT_THROW(static_cast<void>(parallel::reduce(numbers, 0,
                                                  [](int left, int right) {
                                                    if (right == 600) throw thrown_by_a_leaf();
                                                    return left + right;
                                                  },
                                                  {.grain = 10, .threads = 2})),
               thrown_by_a_leaf);
  EXPECT_EQ(live_bytes(), before + 1000 * sizeof(int));
}

// Multiplication of 2 by 2 matrices does not commute, so order mistakes show.
struct matrix {
  std::uint32_t a, b, c, d;
  friend bool operator==(const matrix&, const matrix&) = default;
  friend matrix operator*(const matrix& l, const matrix& r) {
    return {l.a * r.a + l.b * r.c, l.a * r.b + l.b * r.d, l.c * r.a + l.d * r.c,
            l.c * r.b + l.d * r.d};
  }
};

std::vector<matrix> some_matrices(std::size_t n, std::mt19937_64& random) {
  std::vector<matrix> result(n);
  std::uniform_int_distribution<std::uint32_t> any;
  for (matrix& m : result) m = {any(random), any(random), any(random), any(random)};
  return result;
}

TEST(Scan, agreesWithTheStandardScans) {
  std::mt19937_64 random(test::seed());
  for (const parallel::limits& chosen : all_limits()) {
    for (const std::size_t n : sizes) {
      const std::vector<matrix> numbers = some_matrices(n, random);
      std::vector<matrix> expected(n);
      std::inclusive_scan(numbers.begin(), numbers.end(), expected.begin(), std::multiplies<>());
      std::vector<matrix> scanned = numbers;
      parallel::scan(scanned, std::multiplies<>(), chosen);
      ASSERT_EQ(scanned, expected);

      const matrix init = {1, 2, 3, 4};
      std::exclusive_scan(numbers.begin(), numbers.end(), expected.begin(), init,
                          std::multiplies<>());
      const matrix all = std::accumulate(numbers.begin(), numbers.end(), init, std::multiplies<>());
      scanned = numbers;
      ASSERT_EQ(parallel::exclusive_scan(scanned, init, std::multiplies<>(), chosen), all);
      ASSERT_EQ(scanned, expected);
    }
  }
}

TEST(Scan, leaksNothingWhenCombiningThrows) {
  const std::size_t before = live_bytes();
  {
    array<std::string> words(500, "a string that does not fit into its own object");
    words[400] = "";
    const auto combine = [](const std::string& left, const std::string& right) {
      if (right.empty()) throw thrown_by_a_leaf();
      return std::max(left, right);
    };
    EXPECT_THROW(parallel::scan(words, combine, {.grain = 10, .threads = 2}), thrown_by_a_leaf);
    EXPECT_THROW(static_cast<void>(parallel::exclusive_scan(words, std::string("init"), combine,
                                                            {.grain = 10, .threads = 2})),
                 thrown_by_a_leaf);
    EXPECT_EQ(words.size(), 500u);
  }
  EXPECT_EQ(live_bytes(), before);
}

}  // namespace
