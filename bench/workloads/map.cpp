// map.cpp -- 2^16 words, cut down to the leaves, a new value for each, joined.
#include "workloads/filling.hpp"
#include "workloads/workloads.hpp"

namespace cleave::bench {
namespace {

// In place, the leaf is written and joined. Anew, it is freed and another array
// of one element takes its place: what a runtime does that cannot reuse it.
template <bool Anew>
struct map_body {
  static constexpr std::size_t repeats = 400, quick_repeats = 25;
  static constexpr std::size_t size = std::size_t{1} << 16;

  static word next(word value) { return value * 3 + 1; }

  template <strategy S>
  static typename S::array map(typename S::array a) {
    const std::size_t n = S::size(a);
    if (n == 1) {
      if constexpr (Anew) {
        const word value = next(S::data(a)[0]);
        S::free(std::move(a));
        auto made = S::make(1);
        S::data(made)[0] = value;
        return made;
      } else {
        word* const cell = S::data(a);
        cell[0] = next(cell[0]);
        return a;
      }
    }
    auto right = S::halve(a);
    auto left = map<S>(std::move(a));
    right = map<S>(std::move(right));
    return S::join(std::move(left), std::move(right));
  }

  template <strategy S>
  static std::uint64_t run(job& todo) {
    auto a = S::make(size);
    fill_unmeasured(todo.watch, S::data(a), size, 0);
    for (std::size_t round = 0; round < todo.repeats; ++round) {
      a = map<S>(std::move(a));
      keep(S::data(a));
    }
    const std::uint64_t sum = digest(S::data(a), S::size(a));
    S::free(std::move(a));
    return sum;
  }

  static std::uint64_t run_immer(job& todo) {
    const immer::vector v = vector_unmeasured(todo.watch, size, 0);
    for (std::size_t round = 0; round < todo.repeats; ++round) immer::map(v);
    return digest_unmeasured(todo.watch, v, size);
  }

  static std::uint64_t limit(job& todo) {
    word* const cells = flat_buffer(size);
    fill_unmeasured(todo.watch, cells, size, 0);
    for (std::size_t round = 0; round < todo.repeats; ++round) {
      for (std::size_t i = 0; i < size; ++i) cells[i] = next(cells[i]);
      keep(cells);
    }
    return digest(cells, size);
  }
};

}  // namespace

workload map_in_place() {
  workload made = describe<map_body<false>>("map");
  add_limit<map_body<false>>(made);
  add_strategies<map_body<false>>(made, all_strategies{});
  add_own(made, immer::name(), &map_body<false>::run_immer, &immer::prepare);
  return made;
}

workload map_anew() {
  workload made = describe<map_body<true>>("map-anew");
  made.extra = true;
  add_limit<map_body<true>>(made);
  add_strategies<map_body<true>>(made, owning_strategies{});
  return made;
}

}  // namespace cleave::bench
