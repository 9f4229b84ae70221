// walk.cpp -- 2^16 words, cut down to small leaves, summed, every piece freed.
#include "workloads/filling.hpp"
#include "workloads/workloads.hpp"

namespace cleave::bench {
namespace {

template <std::size_t Leaf>
struct walk_body {
  static constexpr std::size_t repeats = 1600, quick_repeats = 100;
  static constexpr std::size_t size = std::size_t{1} << 16;

  template <strategy S>
  static word walk(typename S::array a) {
    const std::size_t n = S::size(a);
    if (n == Leaf) {
      const word* const cells = S::data(a);
      word sum = 0;
      for (std::size_t i = 0; i < Leaf; ++i) sum += cells[i];
      S::free(std::move(a));
      return sum;
    }
    auto right = S::halve(a);
    const word sum = walk<S>(std::move(a));
    return sum + walk<S>(std::move(right));
  }

  template <strategy S>
  static std::uint64_t run(job& todo) {
    std::uint64_t sum = 0;
    for (std::size_t round = 0; round < todo.repeats; ++round) {
      auto a = S::make(size);
      fill_unmeasured(todo.watch, S::data(a), size, round);
      sum += walk<S>(std::move(a));
    }
    return sum;
  }

  static std::uint64_t run_immer(job& todo) {
    std::uint64_t sum = 0;
    for (std::size_t round = 0; round < todo.repeats; ++round) {
      sum += immer::walk(vector_unmeasured(todo.watch, size, round), Leaf);
    }
    return sum;
  }

  static std::uint64_t limit(job& todo) {
    word* const cells = flat_buffer(size);
    std::uint64_t sum = 0;
    for (std::size_t round = 0; round < todo.repeats; ++round) {
      fill_unmeasured(todo.watch, cells, size, round);
      word part = 0;
      for (std::size_t i = 0; i < size; ++i) part += cells[i];
      sum += part;
    }
    return sum;
  }
};

template <std::size_t Leaf>
workload walk_of() {
  workload made = describe<walk_body<Leaf>>("walk-" + std::to_string(Leaf));
  add_limit<walk_body<Leaf>>(made);
  add_strategies<walk_body<Leaf>>(made, all_strategies{});
  add_own(made, immer::name(), &walk_body<Leaf>::run_immer, &immer::prepare);
  return made;
}

}  // namespace

std::vector<workload> walks() {
  return {walk_of<1>(), walk_of<4>(), walk_of<16>()};
}

}  // namespace cleave::bench
