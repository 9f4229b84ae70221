// kernels.hpp -- what several tests run on a device.
//
//   m.launch(n, make_cells{places.data(), 1});
#pragma once

#include <cleave/device.hpp>
#include <cstddef>
#include <cstdint>

namespace cleave::test {

using cell = device::piece<std::uint64_t>;

inline constexpr std::uint32_t no_room = 7;

// Makes a cell of `words` numbers for each lane: i, i + 1, ...
struct make_cells {
  cell* to;
  std::size_t words = 1;
  CLEAVE_ON_DEVICE void operator()(device::lane& by, std::size_t i) const noexcept {
    const cell made = by.make<std::uint64_t>(words);
    if (made.size == 0) {
      by.fail(no_room, i);
      return;
    }
    for (std::size_t w = 0; w < words; ++w) made[w] = i + w;
    to[i] = made;
  }
};

// Adds all of a cell to the first number of another, which the lane owns, and frees it.
struct sum_cells {
  const cell* from;
  std::uint64_t* sums;
  CLEAVE_ON_DEVICE void operator()(device::lane& by, std::size_t i) const noexcept {
    std::uint64_t sum = 0;
    for (const std::uint64_t each : from[i]) sum += each;
    sums[i] = sum;
    by.free(from[i]);
  }
};

// Frees what it is given.
struct free_cells {
  const cell* from;
  CLEAVE_ON_DEVICE void operator()(device::lane& by, std::size_t i) const noexcept {
    by.free(from[i]);
  }
};

// Writes the number of the leaf into each element, and frees every second leaf, if asked.
struct fill_leaf {
  CLEAVE_ON_DEVICE void operator()(device::lane& /*by*/, device::piece<std::uint64_t> leaf,
                                   std::size_t number) const noexcept {
    for (std::uint64_t& each : leaf) each = number;
  }
};

}  // namespace cleave::test
