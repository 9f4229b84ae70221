// retention.cpp -- a piece of each of 250 arrays is kept: what stays resident?
#include <optional>

#include "workloads/filling.hpp"
#include "workloads/workloads.hpp"

namespace cleave::bench {
namespace {

// All arrays are made and filled, then each is cut `Depth` times and one piece
// of it is kept, from a different place in each array.
template <unsigned Depth>
struct retention_body {
  // The number of arrays.
  static constexpr std::size_t repeats = 250, quick_repeats = 250;
  static constexpr std::size_t size = std::size_t{1} << 16;

  // Whether array `i` keeps the right half of its piece at this level.
  static bool goes_right(std::size_t i, unsigned level) {
    return ((i * 40503u) >> (level + 2) & 1) != 0;
  }

  template <strategy S>
  static std::uint64_t run(job& todo) {
    todo.watch.pause();
    std::vector<std::optional<typename S::array>> kept(todo.repeats);
    // What this process had before is not to be used without being seen.
    S::purge();
    const std::size_t before = resident_bytes();
    todo.watch.resume();

    for (std::size_t i = 0; i < kept.size(); ++i) {
      kept[i].emplace(S::make(size));
      fill_unmeasured(todo.watch, S::data(*kept[i]), size, i);
    }
    for (std::size_t i = 0; i < kept.size(); ++i) {
      auto piece = std::move(*kept[i]);
      for (unsigned level = 0; level < Depth; ++level) {
        auto right = S::halve(piece);
        if (goes_right(i, level)) std::swap(piece, right);
        S::free(std::move(right));
      }
      kept[i].emplace(std::move(piece));
    }
    S::purge();

    todo.watch.pause();
    const std::size_t after = resident_bytes();
    todo.resident = after > before ? after - before : 0;
    std::uint64_t sum = 0;
    for (auto& piece : kept) {
      sum += digest(S::data(*piece), S::size(*piece));
      S::free(std::move(*piece));
    }
    todo.watch.resume();
    return sum;
  }
};

template <unsigned Depth>
workload retention_of(const char* kept) {
  workload made = describe<retention_body<Depth>>(std::string("retention-") + kept);
  made.in_child = true;
  add_strategies<retention_body<Depth>>(made, owning_strategies{});
  return made;
}

}  // namespace

std::vector<workload> retentions() {
  return {retention_of<4>("16k"), retention_of<12>("64")};
}

}  // namespace cleave::bench
