// generated.hpp -- what only the code of compiled programs needs.
//
//   array<u32> own = copy_of_view(left_half(a));     // a is read here, its half is wanted
#pragma once

#include <cleave/runtime/array.hpp>

namespace cleave::runtime {

// A value that this code only reads, with owners of its own. Arrays in it are copied, not
// shared: keep() would change the bits here and not those of the owner.
template <class T>
[[nodiscard]] inline T copy_of_view(T v) noexcept {
  if constexpr (requires { ops<T>::copy(v); }) {
    return ops<T>::copy(v);
  } else {
    keep(v);
    return v;
  }
}
template <class T>
[[nodiscard]] inline array<T> copy_of_view(array<T> v) noexcept {
  const array<T> made{detail::new_block<T>(v.depth()), v.depth()};
  for (std::size_t i = 0; i < v.size(); ++i) made.data[i] = copy_of_view(v.data[i]);
  return made;
}
template <class A, class B>
[[nodiscard]] inline pair<A, B> copy_of_view(pair<A, B> v) noexcept {
  return {copy_of_view(v.fst), copy_of_view(v.snd)};
}

}  // namespace cleave::runtime
