// stencil.cpp -- the twin of stencil.bend.
#include <cstdio>
#include <utility>
#include <vector>

#include "twin.hpp"

namespace {

constexpr std::size_t size = 64 * 64 * 64;

void step(const std::vector<float>& from, std::vector<float>& to) {
  const auto at = [&from](std::size_t i) { return from[i & (size - 1)]; };
  for (std::size_t i = 0; i < size; ++i) {
    const float x = from[i];
    to[i] = x + (at(i + 1) + at(i - 1) + at(i + 64) + at(i - 64) + at(i + 4096) + at(i - 4096) -
                 x * 6.0F) *
                    0.125F;
  }
}

}  // namespace

int main(int count, char** words) {
  std::vector<float> from(size);
  std::vector<float> to(size);
  from[133152] = 4096.0F;
  const auto steps = twin::argument(count, words, 10);
  for (std::uint64_t n = 0; n < steps; ++n) {
    step(from, to);
    std::swap(from, to);
  }
  float sum = 0;
  for (std::size_t i = size; i > 0; --i) sum += from[i - 1];
  std::printf("centre %s, next %s, sum %s\n", twin::show(from[133152]).c_str(),
              twin::show(from[133153]).c_str(), twin::show(sum).c_str());
}
