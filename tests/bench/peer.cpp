// peer.cpp -- a library as bench/peer.h asks for, over the C library: arrays are copied when they
// are cut or joined, and vectors do their work in a flat loop.
#include "peer.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace {

uint32_t* cells(const cleave_peer_array* a) {
  return static_cast<uint32_t*>(a->words[0]);
}
// The second word is a number.
size_t size(const cleave_peer_array* a) {
  return reinterpret_cast<size_t>(a->words[1]);
}
void copy(const uint32_t* from, size_t n, cleave_peer_array* to) {
  cleave_peer_make(to, n);
  std::copy_n(from, n, cells(to));
}

}  // namespace

void* cleave_peer_allocate(size_t bytes) {
  return std::malloc(bytes);
}
void cleave_peer_release(void* pointer, size_t) {
  std::free(pointer);
}
void cleave_peer_purge() {}

void cleave_peer_make(cleave_peer_array* made, size_t n) {
  made->words[0] = std::malloc(n * sizeof(uint32_t));
  made->words[1] = reinterpret_cast<void*>(n);
}
void cleave_peer_cut(cleave_peer_array* a, size_t half, cleave_peer_array* right) {
  cleave_peer_array left;
  copy(cells(a), half, &left);
  copy(cells(a) + half, size(a) - half, right);
  cleave_peer_free(a);
  *a = left;
}
void cleave_peer_join(cleave_peer_array* a, cleave_peer_array* right) {
  cleave_peer_array whole;
  cleave_peer_make(&whole, size(a) + size(right));
  std::copy_n(cells(right), size(right), std::copy_n(cells(a), size(a), cells(&whole)));
  cleave_peer_free(a);
  cleave_peer_free(right);
  *a = whole;
}
void cleave_peer_free(cleave_peer_array* a) {
  std::free(a->words[0]);
}
uint32_t* cleave_peer_data(cleave_peer_array* a) {
  return cells(a);
}

struct cleave_peer_vector {
  std::vector<uint32_t> cells;
};
cleave_peer_vector* cleave_peer_vector_of(const uint32_t* from, size_t n) {
  return new cleave_peer_vector{{from, from + n}};
}
void cleave_peer_vector_end(cleave_peer_vector* v, uint32_t* to) {
  std::copy(v->cells.begin(), v->cells.end(), to);
  delete v;
}
uint32_t cleave_peer_vector_walk(cleave_peer_vector* v, size_t) {
  const uint32_t sum = std::accumulate(v->cells.begin(), v->cells.end(), uint32_t{0});
  delete v;
  return sum;
}
void cleave_peer_vector_map(cleave_peer_vector* v) {
  for (uint32_t& cell : v->cells) cell = 3 * cell + 1;
}
void cleave_peer_vector_fork_tree(cleave_peer_vector* v, unsigned, uint32_t first) {
  std::iota(v->cells.begin(), v->cells.end(), first);
}
uint32_t cleave_peer_vector_split(size_t, uint32_t value) {
  return 2 * value + 1;
}
uint32_t cleave_peer_vector_small(size_t n, uint32_t first) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < n; ++i) sum += first + i;
  return sum;
}

void cleave_peer_sort(uint32_t* from, size_t n, unsigned) {
  std::sort(from, from + n);
}
