// generated.hpp -- what only the code of compiled programs needs.
//
//   array<u32> own = copy_of_view(left_half(a));     // a is read here, its half is wanted
//
//   u32 rounds = straight_rounds(n, 1);              // a loop that counts n down
//   u32* slots = straight_slots<-1, 0>(a, 9, rounds);
//   for (u32 k = 0; k < rounds; ++k) slots[-k] = 0;  // slots 9, 8, ... as long as they last
#pragma once

#include <cleave/runtime/array.hpp>

namespace cleave::runtime {

// A value that this code only reads, with owners of its own. Arrays in it are copied, not
// shared: keep() would change the bits here and not those of the owner.
template <class T>
[[nodiscard]] CLEAVE_ON_DEVICE inline T copy_of_view(T v) noexcept {
  if constexpr (requires { ops<T>::copy(v); }) {
    return ops<T>::copy(v);
  } else {
    keep(v);
    return v;
  }
}
template <class T>
[[nodiscard]] CLEAVE_ON_DEVICE inline array<T> copy_of_view(array<T> v) noexcept {
  const array<T> made{detail::new_block<T>(v.depth()), v.depth()};
  for (std::size_t i = 0; i < v.size(); ++i) made.data[i] = copy_of_view(v.data[i]);
  return made;
}
template <class A, class B>
[[nodiscard]] CLEAVE_ON_DEVICE inline pair<A, B> copy_of_view(pair<A, B> v) noexcept {
  return {copy_of_view(v.fst), copy_of_view(v.snd)};
}

// ---- Loops whose indices move in even steps: src/lang/array_loops.hpp ------------------

// Fewer are not worth the preparations.
inline constexpr u32 fewest_rounds = 8;

// Rounds until a counter is below its step; so few that they are an int.
[[nodiscard]] constexpr u32 straight_rounds(nat counter, nat step) noexcept {
  constexpr nat most = 1U << 30;
  const nat rounds = counter / step;
  return static_cast<u32>(rounds < most ? rounds : most);
}

// The slot of index `first`. `rounds` becomes so small that in round k, for all k below it,
// the slots from first + k * step on, to `width` slots behind, lie in a row in the array.
template <std::int32_t step, u32 width, class T>
[[nodiscard]] constexpr T* straight_slots(array<T> a, u32 first, u32& rounds) noexcept {
  const u32 at = a.wrap(first);
  const u32 above = a.size() - 1 - at;
  u32 straight = rounds;
  if (above < width) {
    straight = 0;
  } else if constexpr (step > 0) {
    straight = (above - width) / u32{step} + 1;
  } else if constexpr (step < 0) {
    straight = at / u32{-step} + 1;
  }
  if (straight < rounds) rounds = straight;
  return a.data + at;
}

}  // namespace cleave::runtime
