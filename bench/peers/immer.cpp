// immer.cpp -- immer's flexible vectors as a peer of `cleave bench`, by the contract of
// bench/peer.h.
//
//   bench/peers/build DIR OUT              with the sources in DIR/immer
//
// Whatever is not needed any more is moved from, so that immer may change its nodes in place.
#include <algorithm>
#include <cstdint>
#include <immer/algorithm.hpp>
#include <immer/flex_vector.hpp>
#include <immer/flex_vector_transient.hpp>
#include <utility>

#include "peer.h"

namespace {

using vector = immer::flex_vector<uint32_t>;

uint32_t sum_of(const vector& v) {
  uint32_t sum = 0;
  immer::for_each_chunk(v, [&sum](const uint32_t* cell, const uint32_t* end) {
    for (; cell != end; ++cell) sum += *cell;
  });
  return sum;
}

// Keeps the first half of v and returns the second one.
vector halve(vector& v) {
  const size_t half = v.size() / 2;
  vector right = v.drop(half);
  v = std::move(v).take(half);
  return right;
}

uint32_t walk(vector v, size_t leaf) {
  if (v.size() == leaf) return sum_of(v);
  vector right = halve(v);
  const uint32_t sum = walk(std::move(v), leaf);
  return sum + walk(std::move(right), leaf);
}

vector map(vector v) {
  if (v.size() == 1) return std::move(v).update(0, [](uint32_t x) { return x * 3 + 1; });
  vector right = halve(v);
  vector left = map(std::move(v));
  return std::move(left) + map(std::move(right));
}

vector tree(vector v, unsigned levels, uint32_t first) {
  if (levels == 0) {
    auto cells = std::move(v).transient();
    for (size_t i = 0; i < cells.size(); ++i) cells.set(i, first + static_cast<uint32_t>(i));
    return cells.persistent();
  }
  const auto middle = first + static_cast<uint32_t>(v.size() / 2);
  vector right = halve(v);
  vector left = tree(std::move(v), levels - 1, first);
  return std::move(left) + tree(std::move(right), levels - 1, middle);
}

vector counting(size_t n, uint32_t first) {
  auto made = vector{}.transient();
  for (size_t i = 0; i < n; ++i) made.push_back(first + static_cast<uint32_t>(i));
  return made.persistent();
}

}  // namespace

struct cleave_peer_vector {
  vector elements;
};

cleave_peer_vector* cleave_peer_vector_of(const uint32_t* cells, size_t n) {
  return new cleave_peer_vector{vector(cells, cells + n)};
}

void cleave_peer_vector_end(cleave_peer_vector* v, uint32_t* cells) {
  std::copy(v->elements.begin(), v->elements.end(), cells);
  delete v;
}

uint32_t cleave_peer_vector_walk(cleave_peer_vector* v, size_t leaf) {
  vector elements = std::move(v->elements);
  delete v;
  return walk(std::move(elements), leaf);
}

void cleave_peer_vector_map(cleave_peer_vector* v) {
  v->elements = map(std::move(v->elements));
}

void cleave_peer_vector_fork_tree(cleave_peer_vector* v, unsigned levels, uint32_t first) {
  v->elements = tree(std::move(v->elements), levels, first);
}

uint32_t cleave_peer_vector_split(size_t n, uint32_t value) {
  // One element many times is what it makes fastest.
  vector left(n, 0);
  vector right = halve(left);
  left = std::move(left).set(0, value);
  right = std::move(right).set(0, value + 1);
  return left[0] + right[0];
}

uint32_t cleave_peer_vector_small(size_t n, uint32_t first) {
  vector left = counting(n, first);
  const vector right = halve(left);
  return sum_of(left) + sum_of(right);
}
