// small.cpp -- eight words are made, cut, summed and freed.
#include "workloads/filling.hpp"
#include "workloads/workloads.hpp"

namespace cleave::bench {
namespace {

struct small_body {
  static constexpr std::size_t repeats = 10'000'000, quick_repeats = 500'000;
  static constexpr std::size_t size = 8;

  static void write(word* cells, word first) {
    for (std::size_t i = 0; i < size; ++i) cells[i] = first + static_cast<word>(i);
    keep(cells);
  }
  static word sum_of_half(const word* cells) {
    word sum = 0;
    for (std::size_t i = 0; i < size / 2; ++i) sum += cells[i];
    return sum;
  }

  template <strategy S>
  static std::uint64_t run(job& todo) {
    std::uint64_t sum = 0;
    for (std::size_t round = 0; round < todo.repeats; ++round) {
      auto left = S::make(size);
      write(S::data(left), static_cast<word>(round));
      auto right = S::halve(left);
      sum += sum_of_half(S::data(left));
      S::free(std::move(left));
      sum += sum_of_half(S::data(right));
      S::free(std::move(right));
    }
    return sum;
  }

  static std::uint64_t run_immer(job& todo) {
    std::uint64_t sum = 0;
    for (std::size_t round = 0; round < todo.repeats; ++round) {
      sum += immer::small(size, static_cast<word>(round));
    }
    return sum;
  }

  static std::uint64_t limit(job& todo) {
    word* const cells = flat_buffer(size);
    std::uint64_t sum = 0;
    for (std::size_t round = 0; round < todo.repeats; ++round) {
      write(cells, static_cast<word>(round));
      word part = 0;
      for (std::size_t i = 0; i < size; ++i) part += cells[i];
      sum += part;
    }
    return sum;
  }
};

}  // namespace

workload small() {
  workload made = describe<small_body>("small");
  add_limit<small_body>(made);
  add_strategies<small_body>(made, all_strategies{});
  add_own(made, immer::name(), &small_body::run_immer, &immer::prepare);
  return made;
}

}  // namespace cleave::bench
