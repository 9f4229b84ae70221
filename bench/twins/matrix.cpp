// matrix.cpp -- the twin of matrix.bend.
#include <cstdio>
#include <numeric>
#include <vector>

#include "twin.hpp"

namespace {

using matrix = std::vector<std::uint32_t>;

matrix filled(std::size_t size, std::uint32_t seed) {
  matrix made(size);
  for (std::size_t i = 0; i < size; ++i) made[i] = static_cast<std::uint32_t>(i) * seed % 1000;
  return made;
}

}  // namespace

int main(int count, char** words) {
  const std::size_t side = std::size_t{1} << twin::argument(count, words, 6);
  const matrix left = filled(side * side, 7);
  const matrix right = filled(side * side, 13);
  matrix out(side * side);
  for (std::size_t row = 0; row < side; ++row) {
    for (std::size_t k = 0; k < side; ++k) {
      const std::uint32_t x = left[row * side + k];
      for (std::size_t c = 0; c < side; ++c) out[row * side + c] += x * right[k * side + c];
    }
  }
  std::uint32_t trace = 0;
  for (std::size_t i = 0; i < side; ++i) trace += out[i * side + i];
  std::printf("trace %u, sum %u\n", trace,
              std::accumulate(out.begin(), out.end(), std::uint32_t{0}));
}
