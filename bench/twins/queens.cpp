// queens.cpp -- the twin of queens.bend.
#include <cstdio>

#include "twin.hpp"

namespace {

struct attacked {
  std::uint32_t columns = 0;
  std::uint32_t down = 0;
  std::uint32_t up = 0;
};

// `forks`: so many rows more in which the columns are tried at the same time.
std::uint32_t place(std::uint32_t left, const attacked& by, std::uint32_t all, int forks);

std::uint32_t try_columns(std::uint32_t free, std::uint32_t left, const attacked& by,
                          std::uint32_t all, int forks) {
  std::uint32_t ways = 0;
  const auto first = [&](std::uint32_t bit) {
    return place(left, {by.columns | bit, (by.down | bit) << 1, (by.up | bit) >> 1}, all,
                 forks - 1);
  };
  if (forks > 0 && free != 0) {
    const std::uint32_t bit = free & (~free + 1);
    std::uint32_t rest = 0;
    twin::both([&] { ways = first(bit); },
               [&] { rest = try_columns(free - bit, left, by, all, forks); });
    return ways + rest;
  }
  while (free != 0) {
    const std::uint32_t bit = free & (~free + 1);
    ways += first(bit);
    free -= bit;
  }
  return ways;
}

std::uint32_t place(std::uint32_t left, const attacked& by, std::uint32_t all, int forks) {
  if (left == 0) return 1;
  return try_columns(all & ~(by.columns | by.down | by.up), left - 1, by, all, forks);
}

}  // namespace

int main(int count, char** words) {
  const auto n = static_cast<std::uint32_t>(twin::argument(count, words, 8));
  std::printf("%u\n", place(n, {}, (1U << n) - 1, 2));
}
