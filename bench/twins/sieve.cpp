// sieve.cpp -- the twin of sieve.bend: a byte for each number.
#include <cstdio>
#include <vector>

#include "twin.hpp"

int main(int count, char** words) {
  const auto n = static_cast<std::size_t>(twin::argument(count, words, 100000));
  std::vector<std::uint8_t> composite(n);
  std::uint32_t primes = 0;
  for (std::size_t i = 2; i < n; ++i) {
    if (composite[i] != 0) continue;
    ++primes;
    for (std::size_t at = i * i; at < n; at += i) composite[at] = 1;
  }
  std::printf("%u\n", primes);
}
