// filling.hpp -- contents that every strategy is given, and can be checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "workload.hpp"

namespace cleave::bench {

// What element `i` of array number `round` holds.
inline word content(std::size_t i, std::size_t round) noexcept {
  return static_cast<word>(i) * 2654435761u + static_cast<word>(round);
}

// Fills a new array with the watch stopped. Each page is written once before, in
// the measured time: if the memory came fresh from the system, its page faults
// are the strategy's own cost.
inline void fill_unmeasured(stopwatch& watch, word* data, std::size_t n, std::size_t round) {
  constexpr std::size_t page = 4096 / sizeof(word);
  for (std::size_t i = 0; i < n; i += page) data[i] = 0;
  keep(data);
  watch.pause();
  for (std::size_t i = 0; i < n; ++i) data[i] = content(i, round);
  keep(data);
  watch.resume();
}

// Where the limit works: the memory that raw has too.
inline word* flat_buffer(std::size_t n) {
  raw::prepare();
  return raw::make(n).data;
}

// A vector of what fill_unmeasured() fills in, made with the watch stopped.
inline immer::vector vector_unmeasured(stopwatch& watch, std::size_t n, std::size_t round) {
  watch.pause();
  std::vector<word> cells(n);
  for (std::size_t i = 0; i < n; ++i) cells[i] = content(i, round);
  const immer::vector made = immer::of(cells.data(), n);
  watch.resume();
  return made;
}

// A sum that notices when elements change their places.
inline std::uint64_t digest(const word* data, std::size_t n) noexcept {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += (i + 1) * data[i];
  return sum;
}

// The same of a vector, which is gone then; with the watch stopped.
inline std::uint64_t digest_unmeasured(stopwatch& watch, immer::vector v, std::size_t n) {
  watch.pause();
  std::vector<word> cells(n);
  immer::end(v, cells.data());
  const std::uint64_t sum = digest(cells.data(), n);
  watch.resume();
  return sum;
}

}  // namespace cleave::bench
