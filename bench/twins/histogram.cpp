// histogram.cpp -- the twin of histogram.bend: atomic additions if there are several threads.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <vector>

#include "twin.hpp"

namespace {

using buckets = std::vector<std::atomic<std::uint32_t>>;

std::uint32_t bucket(std::uint32_t x) {
  return ((x & 15) + 1) * (((x >> 4) & 15) + 1) - 1;
}

void count(std::uint32_t bits, std::uint32_t from, buckets& in) {
  if (bits > 14) {
    const std::uint32_t half = bits - 1;
    twin::both([&, half] { count(half, from, in); },
               [&, half] { count(half, from + (1U << half), in); });
    return;
  }
  const bool alone = twin::threads() == 1;
  for (std::uint32_t i = from; i != from + (1U << bits); ++i) {
    auto& one = in[bucket(twin::noise(i))];
    if (alone) {
      one.store(one.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    } else {
      one.fetch_add(1, std::memory_order_relaxed);
    }
  }
}

}  // namespace

int main(int argument_count, char** words) {
  const auto bits = static_cast<std::uint32_t>(twin::argument(argument_count, words, 18));
  buckets in(256);
  count(bits, 0, in);
  std::uint32_t all = 0;
  std::uint32_t most = 0;
  for (const auto& one : in) {
    all += one;
    most = std::max(most, one.load());
  }
  std::printf("all %u, most %u, of 1 %u, of 60 %u\n", all, most, in[0].load(), in[59].load());
}
