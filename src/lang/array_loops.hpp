// array_loops.hpp -- loops over arrays whose indices move in even steps.
//
//   number(n, a):                          counter n, step -1; array a stays in its place
//     match n:                             slots of a: the first index is n - 1, step -1
//       case 0n: a
//       case 1n+p: number(p, Array.set(a, U32.from_nat(p), 7))
//
// A function that calls itself in tail position is a loop. array_loop looks at one round of
// it by symbols: which parameters change by a constant, which arrays are the same ones in
// each round, whatever was written to them, and which indices are sums of such numbers. For
// those the emitter computes once how many rounds stay within the array, and leaves out the
// wrapping of the index, so that the C++ compiler sees neighbouring slots.
//
// An index is 32 bits and arrays have 2^d slots, so sums modulo 2^32 are all that is needed.
//
// Invariants (tests/lang/array_loops_test.cpp):
//   L1  In round k of the loop, from 0, an index of an access is that of round 0 plus
//       k * step of its slots, modulo 2^32.
//   L2  The array of an access has the block and the depth of `array` before round 0.
//   L3  What `first` is made of is known before round 0, and computing it cannot stop.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "lang/core.hpp"
#include "lang/layout.hpp"

namespace cleave::lang {

// A parameter, or what lies in it: the fields to follow, outermost first.
struct loop_place {
  const core::variable* parameter = nullptr;
  std::vector<std::size_t> fields;
  const core::type* of = nullptr;
  auto operator<=>(const loop_place&) const = default;
};

// The constant and factor * term for each term, by its number.
struct linear {
  std::map<std::size_t, std::uint32_t> factors;
  std::int64_t constant = 0;  // of a U32 modulo 2^32, of a Nat as it is
  auto operator<=>(const linear&) const = default;
};

// A number that the loop finds at a place, or that one of the runtime's functions makes of
// others. Of a Nat its low 32 bits count, except as an argument.
struct loop_term {
  loop_place place;
  const def_decl* native = nullptr;  // null for a place
  std::vector<linear> arguments;
  auto operator<=>(const loop_term&) const = default;
};

// A parameter that changes by a constant; a counter if it is a Nat that falls.
struct loop_step {
  const core::variable* parameter = nullptr;
  std::int64_t by = 0;
};

// Slots of one array that indices of one step walk over, side by side.
struct loop_slots {
  loop_place array;
  linear first;             // the lowest index, in round 0
  std::uint32_t width = 0;  // from there to the highest
  std::int32_t step = 0;
};

struct loop_access {
  std::size_t slots = 0;     // by its number
  std::uint32_t offset = 0;  // from the lowest
};

// A U32 of the code that changes by a constant.
struct loop_number {
  linear first;
  std::int32_t step = 0;
};

struct array_loop {
  // O(size of the function).
  array_loop(const core::function& one, const layouts& shapes);

  // There is a counter, an index that moves with it, and none that does not move evenly: where
  // some must be wrapped, the compiler gains little from the others.
  [[nodiscard]] bool found() const { return found_; }

  std::vector<loop_term> terms;
  std::vector<loop_step> steps;
  std::vector<loop_slots> slots;
  // By the operations of the code.
  std::unordered_map<const core::operation*, loop_access> accesses;
  std::unordered_map<const core::operation*, loop_number> numbers;

 private:
  bool found_ = false;
};

// The largest step that is looked at, and the largest distance of slots side by side.
inline constexpr std::int64_t largest_step = 64;
inline constexpr std::uint32_t largest_width = 1U << 20;

}  // namespace cleave::lang
