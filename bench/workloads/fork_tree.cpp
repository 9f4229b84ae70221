// fork_tree.cpp -- 2^20 words, cut four levels deep, written by the leaves, joined.
#include "workloads/filling.hpp"
#include "workloads/workloads.hpp"

namespace cleave::bench {
namespace {

struct fork_tree_body {
  static constexpr std::size_t repeats = 300, quick_repeats = 40;
  static constexpr std::size_t size = std::size_t{1} << 20;
  static constexpr unsigned depth = 4;

  static void write(word* cells, std::size_t n, word first) {
    for (std::size_t i = 0; i < n; ++i) cells[i] = first + static_cast<word>(i);
    keep(cells);
  }

  // The first cell of `a` gets `first`, the others count up. The work is shared by
  // the threads [thread, thread + threads).
  template <strategy S>
  static typename S::array tree(typename S::array a, unsigned level, word first, crew& workers,
                                unsigned thread, unsigned threads) {
    const std::size_t n = S::size(a);
    if (level == 0) {
      write(S::data(a), n, first);
      return a;
    }
    const std::size_t half = n / 2;
    const word middle = first + static_cast<word>(half);
    auto right = S::halve(a);
    if (threads == 1) {
      auto left = tree<S>(std::move(a), level - 1, first, workers, thread, 1);
      right = tree<S>(std::move(right), level - 1, middle, workers, thread, 1);
      return S::join(std::move(left), std::move(right));
    }
    const unsigned share = threads / 2;
    const unsigned other = thread + share;
    workers.both(
        other, [&] { a = tree<S>(std::move(a), level - 1, first, workers, thread, share); },
        [&] { right = tree<S>(std::move(right), level - 1, middle, workers, other, share); });
    return S::join(std::move(a), std::move(right));
  }

  template <strategy S>
  static std::uint64_t run(job& todo) {
    auto a = S::make(size);
    fill_unmeasured(todo.watch, S::data(a), size, 0);
    for (std::size_t round = 0; round < todo.repeats; ++round) {
      a = tree<S>(std::move(a), depth, static_cast<word>(round * 7), todo.workers, 0,
                  todo.workers.size());
    }
    todo.watch.pause();
    const std::uint64_t sum = digest(S::data(a), S::size(a));
    todo.watch.resume();
    S::free(std::move(a));
    return sum;
  }

  static std::uint64_t run_immer(job& todo) {
    const immer::vector v = vector_unmeasured(todo.watch, size, 0);
    for (std::size_t round = 0; round < todo.repeats; ++round) {
      immer::fork_tree(v, depth, static_cast<word>(round * 7));
    }
    return digest_unmeasured(todo.watch, v, size);
  }

  static void write_shared(word* cells, std::size_t n, word first, crew& workers, unsigned thread,
                           unsigned threads) {
    if (threads == 1) return write(cells, n, first);
    const unsigned share = threads / 2;
    const unsigned other = thread + share;
    const std::size_t half = n / 2;
    const word middle = first + static_cast<word>(half);
    workers.both(
        other, [&] { write_shared(cells, half, first, workers, thread, share); },
        [&] { write_shared(cells + half, half, middle, workers, other, share); });
  }

  static std::uint64_t limit(job& todo) {
    word* const cells = flat_buffer(size);
    fill_unmeasured(todo.watch, cells, size, 0);
    for (std::size_t round = 0; round < todo.repeats; ++round) {
      write_shared(cells, size, static_cast<word>(round * 7), todo.workers, 0, todo.workers.size());
    }
    todo.watch.pause();
    const std::uint64_t sum = digest(cells, size);
    todo.watch.resume();
    return sum;
  }
};

}  // namespace

workload fork_tree(unsigned threads) {
  workload made = describe<fork_tree_body>("fork-tree");
  made.threads = threads;
  add_limit<fork_tree_body>(made);
  if (threads == 1) {
    add_strategies<fork_tree_body>(made, all_strategies{});
    add_own(made, immer::name(), &fork_tree_body::run_immer, &immer::prepare);
  } else {
    add_strategies<fork_tree_body>(made, shareable_strategies{});
  }
  return made;
}

}  // namespace cleave::bench
