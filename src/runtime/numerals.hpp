// numerals.hpp -- the digits of numbers.
//
//   numerals::text made = numerals::of_f32(0.1F);        // "0.1"
//   to.write(made.bytes, made.length);
#pragma once

#include <cleave/runtime/value.hpp>

namespace cleave::runtime::numerals {

struct text {
  char bytes[40];
  std::size_t length;
};

[[nodiscard]] text of_nat(nat n) noexcept;

// The shortest digits that read back as the same float, laid out as section 7.4 says:
// 100.25, 1e+21, -0, nan.
[[nodiscard]] text of_f32(f32 x) noexcept;

}  // namespace cleave::runtime::numerals
