// sort.cpp -- 2^24 words, sorted by halves, two of which are merged into a new array.
#include <hwy/contrib/sort/vqsort.h>
#include <oneapi/tbb/global_control.h>

#include <algorithm>
#include <bit>
#include <cleave/parallel.hpp>
#include <execution>
#include <memory>

#include "workloads/filling.hpp"
#include "workloads/workloads.hpp"

namespace cleave::bench {
namespace {

// All strategies sort the leaves with the same vectorised sort; what differs is how
// halves are had and where the merged ones lie. Beside them stand sorts of whole arrays.
struct sort_body {
  // One sort, of so many times `unit` words.
  static constexpr std::size_t repeats = 1024, quick_repeats = 64;
  static constexpr std::size_t unit = std::size_t{1} << 14;
  static constexpr std::size_t leaf = std::size_t{1} << 16;

  static std::size_t size_of(const job& todo) { return std::bit_floor(todo.repeats) * unit; }

  static word noise(std::size_t i) {
    word x = content(i, 0);
    x = (x ^ (x >> 15)) * 2246822519u;
    return x ^ (x >> 13);
  }
  // Brings the pages in, which is measured, and fills them, which is not.
  static void fill(stopwatch& watch, word* cells, std::size_t n) {
    for (std::size_t i = 0; i < n; i += 4096 / sizeof(word)) cells[i] = 0;
    keep(cells);
    watch.pause();
    for (std::size_t i = 0; i < n; ++i) cells[i] = noise(i);
    keep(cells);
    watch.resume();
  }
  static std::uint64_t check(stopwatch& watch, const word* cells, std::size_t n) {
    watch.pause();
    const std::uint64_t sum = digest(cells, n);
    watch.resume();
    return sum;
  }

  static void sort_leaf(word* cells, std::size_t n) {
    hwy::Sorter()(cells, n, hwy::SortAscending());
  }

  template <strategy S>
  static typename S::array sorted(typename S::array left, crew& workers, unsigned thread,
                                  unsigned threads) {
    const std::size_t n = S::size(left);
    if (n <= leaf) {
      sort_leaf(S::data(left), n);
      return left;
    }
    auto right = S::halve(left);
    if (threads == 1) {
      left = sorted<S>(std::move(left), workers, thread, 1);
      right = sorted<S>(std::move(right), workers, thread, 1);
    } else {
      const unsigned share = threads / 2;
      const unsigned other = thread + share;
      workers.both(
          other, [&] { left = sorted<S>(std::move(left), workers, thread, share); },
          [&] { right = sorted<S>(std::move(right), workers, other, share); });
    }
    auto whole = S::make(n);
    const word* const l = S::data(left);
    const word* const r = S::data(right);
    std::merge(l, l + n / 2, r, r + n / 2, S::data(whole));
    S::free(std::move(left));
    S::free(std::move(right));
    return whole;
  }

  template <strategy S>
  static std::uint64_t run(job& todo) {
    auto a = S::make(size_of(todo));
    fill(todo.watch, S::data(a), S::size(a));
    a = sorted<S>(std::move(a), todo.workers, 0, todo.workers.size());
    const std::uint64_t sum = check(todo.watch, S::data(a), S::size(a));
    S::free(std::move(a));
    return sum;
  }

  // A sort of a whole array, which lies in memory of ours.
  template <class Sort>
  static std::uint64_t run_flat(job& todo, Sort sort) {
    auto a = cleave::array<word>::for_overwrite(size_of(todo));
    fill(todo.watch, a.data(), a.size());
    sort(a);
    return check(todo.watch, a.data(), a.size());
  }
  static std::uint64_t limit(job& todo) {
    return run_flat(todo, [](auto& a) { sort_leaf(a.data(), a.size()); });
  }
  static std::uint64_t std_sort(job& todo) {
    return run_flat(todo, [](auto& a) { std::sort(a.begin(), a.end()); });
  }
  static std::string can_sort_par() {
#if defined(__SANITIZE_THREAD__)
    return "the thread sanitizer does not see how oneTBB hands over work";
#else
    return {};
#endif
  }
  static std::uint64_t std_sort_par(job& todo) {
    const tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                      todo.workers.size());
    return run_flat(todo, [](auto& a) { std::sort(std::execution::par, a.begin(), a.end()); });
  }
  static std::uint64_t parlaylib_sort(job& todo) {
    return run_flat(todo,
                    [&](auto& a) { parlaylib::sort(a.data(), a.size(), todo.workers.size()); });
  }
  static std::uint64_t cleave_sort(job& todo) {
    return run_flat(todo, [&](auto& a) {
      parallel::sort(a, {}, {}, {.grain = 0, .depth = 0, .threads = todo.workers.size()});
    });
  }
};

}  // namespace

workload sort(unsigned threads) {
  workload made = describe<sort_body>("sort");
  made.threads = threads;
  add_limit<sort_body>(made);
  if (threads == 1) add_own(made, "std-sort", &sort_body::std_sort);
  add_own(made, "std-sort-par", &sort_body::std_sort_par, &sort_body::can_sort_par);
  add_own(made, parlaylib::sort_name(), &sort_body::parlaylib_sort, &parlaylib::prepare);
  add_strategies<sort_body>(made, owning_shareable_strategies{});
  add_own(made, "cleave-sort", &sort_body::cleave_sort);
  return made;
}

}  // namespace cleave::bench
