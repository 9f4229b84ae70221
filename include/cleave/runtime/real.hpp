// real.hpp -- F32, section 7.4 of the language: IEEE binary32.
//
// Compile with -ffp-contract=off: a product and a sum are never fused. What comes from the
// math library is computed in double precision and rounded once.
//
//   F32_to_u32(3.9f) == 3;  F32_to_u32(-1.0f) == 0;  F32_bits(1.0f) == 0x3f800000;
#pragma once

#include <bit>
#include <cleave/runtime/value.hpp>

namespace cleave::runtime {

constexpr f32 F32_add(f32 a, f32 b) noexcept {
  return a + b;
}
constexpr f32 F32_sub(f32 a, f32 b) noexcept {
  return a - b;
}
constexpr f32 F32_mul(f32 a, f32 b) noexcept {
  return a * b;
}
constexpr f32 F32_div(f32 a, f32 b) noexcept {
  return a / b;
}
constexpr f32 F32_neg(f32 a) noexcept {
  return -a;
}
constexpr bool F32_is_eq(f32 a, f32 b) noexcept {
  return a == b;
}
constexpr bool F32_is_ne(f32 a, f32 b) noexcept {
  return a != b;
}
constexpr bool F32_is_lt(f32 a, f32 b) noexcept {
  return a < b;
}
constexpr bool F32_is_le(f32 a, f32 b) noexcept {
  return a <= b;
}
constexpr bool F32_is_gt(f32 a, f32 b) noexcept {
  return a > b;
}
constexpr bool F32_is_ge(f32 a, f32 b) noexcept {
  return a >= b;
}
constexpr f32 F32_min(f32 a, f32 b) noexcept {
  return a < b ? a : b;
}
constexpr f32 F32_max(f32 a, f32 b) noexcept {
  return a < b ? b : a;
}

constexpr u32 F32_bits(f32 a) noexcept {
  return std::bit_cast<u32>(a);
}
constexpr f32 F32_from_bits_raw(u32 bits) noexcept {
  return std::bit_cast<f32>(bits);
}
constexpr f32 F32_from_nat(nat n) noexcept {
  return static_cast<f32>(n);
}
// Toward zero; 0 for what is no Nat.
constexpr nat F32_to_nat(f32 a) noexcept {
  return a >= 0 && a < 0x1p48F ? static_cast<nat>(a) : 0;
}
// Toward zero; 0 for what is no U32.
constexpr u32 F32_to_u32(f32 a) noexcept {
  return a >= 0 && a < 0x1p32F ? static_cast<u32>(a) : 0;
}

// Exact, or correctly rounded: no double needed.
CLEAVE_ON_DEVICE inline f32 F32_abs(f32 a) noexcept {
  return __builtin_fabsf(a);
}
CLEAVE_ON_DEVICE inline f32 F32_sqrt(f32 a) noexcept {
  return __builtin_sqrtf(a);
}
CLEAVE_ON_DEVICE inline f32 F32_floor(f32 a) noexcept {
  return __builtin_floorf(a);
}
CLEAVE_ON_DEVICE inline f32 F32_ceil(f32 a) noexcept {
  return __builtin_ceilf(a);
}
CLEAVE_ON_DEVICE inline f32 F32_trunc(f32 a) noexcept {
  return __builtin_truncf(a);
}
CLEAVE_ON_DEVICE inline f32 F32_mod(f32 a, f32 b) noexcept {
  return __builtin_fmodf(a, b);
}

f32 F32_exp(f32 a) noexcept;
f32 F32_log(f32 a) noexcept;
f32 F32_log2(f32 a) noexcept;
f32 F32_log10(f32 a) noexcept;
f32 F32_sin(f32 a) noexcept;
f32 F32_cos(f32 a) noexcept;
f32 F32_tan(f32 a) noexcept;
f32 F32_asin(f32 a) noexcept;
f32 F32_acos(f32 a) noexcept;
f32 F32_atan(f32 a) noexcept;
f32 F32_sinh(f32 a) noexcept;
f32 F32_cosh(f32 a) noexcept;
f32 F32_tanh(f32 a) noexcept;
f32 F32_pow(f32 a, f32 b) noexcept;
f32 F32_atan2(f32 a, f32 b) noexcept;

}  // namespace cleave::runtime
