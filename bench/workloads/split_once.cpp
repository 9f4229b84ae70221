// split_once.cpp -- 2^16 words, cut in two, both halves touched, both freed.
#include "workloads/filling.hpp"
#include "workloads/workloads.hpp"

namespace cleave::bench {
namespace {

struct split_once_body {
  static constexpr std::size_t repeats = 16000, quick_repeats = 2000;
  static constexpr std::size_t size = std::size_t{1} << 16;

  static word touch(word* left, word* right, word value) {
    left[0] = value;
    right[0] = value + 1;
    keep(left);
    keep(right);
    return left[0] + right[0];
  }

  template <strategy S>
  static std::uint64_t run(job& todo) {
    std::uint64_t sum = 0;
    for (std::size_t round = 0; round < todo.repeats; ++round) {
      auto left = S::make(size);
      auto right = S::halve(left);
      sum += touch(S::data(left), S::data(right), static_cast<word>(round));
      S::free(std::move(left));
      S::free(std::move(right));
    }
    return sum;
  }

  static std::uint64_t run_immer(job& todo) {
    std::uint64_t sum = 0;
    for (std::size_t round = 0; round < todo.repeats; ++round) {
      sum += immer::split(size, static_cast<word>(round));
    }
    return sum;
  }

  static std::uint64_t limit(job& todo) {
    word* const cells = flat_buffer(size);
    std::uint64_t sum = 0;
    for (std::size_t round = 0; round < todo.repeats; ++round) {
      sum += touch(cells, cells + size / 2, static_cast<word>(round));
    }
    return sum;
  }
};

}  // namespace

workload split_once() {
  workload made = describe<split_once_body>("split-once");
  add_limit<split_once_body>(made);
  add_strategies<split_once_body>(made, all_strategies{});
  add_own(made, immer::name(), &split_once_body::run_immer, &immer::prepare);
  return made;
}

}  // namespace cleave::bench
