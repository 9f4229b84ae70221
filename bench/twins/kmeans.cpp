// kmeans.cpp -- the twin of kmeans.bend.
#include <cmath>
#include <cstdio>
#include <vector>

#include "twin.hpp"

namespace {

struct point {
  float x;
  float y;
};

struct sum {
  float x = 0;
  float y = 0;
  std::uint32_t count = 0;
};

float noise(std::uint32_t i) {
  return static_cast<float>(twin::noise(i) >> 8) / 16777216.0F;
}

point random(std::uint32_t i) {
  const float angle = static_cast<float>(i % 8) * 0.7853982F;
  return {static_cast<float>(std::cos(static_cast<double>(angle))) + noise(i * 2),
          static_cast<float>(std::sin(static_cast<double>(angle))) + noise(i * 2 + 1)};
}

std::size_t nearest(const point& p, const std::vector<point>& centres) {
  std::size_t best = 0;
  float least = 1e30F;
  for (std::size_t k = centres.size(); k > 0; --k) {
    const float dx = p.x - centres[k - 1].x;
    const float dy = p.y - centres[k - 1].y;
    const float d = dx * dx + dy * dy;
    if (d < least) {
      least = d;
      best = k - 1;
    }
  }
  return best;
}

float hundredths(float x) {
  return std::floor(x * 100.0F + 0.5F) / 100.0F;
}

}  // namespace

int main(int count, char** words) {
  std::vector<point> points;
  for (std::uint32_t i = 0; i < 16384; ++i) points.push_back(random(i));
  std::vector<point> centres(points.begin(), points.begin() + 8);
  const auto rounds = twin::argument(count, words, 10);
  for (std::uint64_t n = 0; n < rounds; ++n) {
    std::vector<sum> sums(centres.size());
    for (std::size_t i = points.size(); i > 0; --i) {
      const point& p = points[i - 1];
      sum& s = sums[nearest(p, centres)];
      s.x += p.x;
      s.y += p.y;
      ++s.count;
    }
    for (std::size_t k = 0; k < sums.size(); ++k) {
      const auto size = static_cast<float>(sums[k].count);
      centres[k] = sums[k].count == 0 ? point{0, 0} : point{sums[k].x / size, sums[k].y / size};
    }
  }
  for (const auto& c : centres) {
    std::printf("(%s, %s)\n", twin::show(hundredths(c.x)).c_str(),
                twin::show(hundredths(c.y)).c_str());
  }
}
