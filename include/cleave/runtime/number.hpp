// number.hpp -- U32 and Nat, section 7.2 and 7.3 of the language, and Bool.
//
//   U32_div(7, 0) == 0;  U32_mod(7, 0) == 7;  U32_shln(1, 32) == 0;
//   Nat_sub(2, 5) == 0;  Nat_add(nat_limit, 1);             // stops
#pragma once

#include <bit>
#include <cleave/runtime/stop.hpp>
#include <cleave/runtime/value.hpp>

namespace cleave::runtime {

template <class T>
constexpr cmp compare(T a, T b) noexcept {
  return static_cast<cmp>(1 + (a > b) - (a < b));
}

// ---- Bool --------------------------------------------------------------------------

constexpr bool Bool_not(bool a) noexcept {
  return !a;
}
constexpr bool Bool_and(bool a, bool b) noexcept {
  return a & b;
}
constexpr bool Bool_or(bool a, bool b) noexcept {
  return a | b;
}
constexpr bool Bool_xor(bool a, bool b) noexcept {
  return a != b;
}

// ---- U32 ---------------------------------------------------------------------------

constexpr u32 U32_add(u32 a, u32 b) noexcept {
  return a + b;
}
constexpr u32 U32_sub(u32 a, u32 b) noexcept {
  return a - b;
}
constexpr u32 U32_mul(u32 a, u32 b) noexcept {
  return a * b;
}
constexpr u32 U32_div(u32 a, u32 b) noexcept {
  return b == 0 ? 0 : a / b;
}
constexpr u32 U32_mod(u32 a, u32 b) noexcept {
  return b == 0 ? a : a % b;
}
constexpr u32 U32_and(u32 a, u32 b) noexcept {
  return a & b;
}
constexpr u32 U32_or(u32 a, u32 b) noexcept {
  return a | b;
}
constexpr u32 U32_xor(u32 a, u32 b) noexcept {
  return a ^ b;
}
constexpr u32 U32_not(u32 a) noexcept {
  return ~a;
}
constexpr u32 U32_shln(u32 a, nat n) noexcept {
  return n < 32 ? a << n : 0;
}
constexpr u32 U32_shrn(u32 a, nat n) noexcept {
  return n < 32 ? a >> n : 0;
}

constexpr bool U32_is_eq(u32 a, u32 b) noexcept {
  return a == b;
}
constexpr bool U32_is_ne(u32 a, u32 b) noexcept {
  return a != b;
}
constexpr bool U32_is_lt(u32 a, u32 b) noexcept {
  return a < b;
}
constexpr bool U32_is_le(u32 a, u32 b) noexcept {
  return a <= b;
}
constexpr bool U32_is_gt(u32 a, u32 b) noexcept {
  return a > b;
}
constexpr bool U32_is_ge(u32 a, u32 b) noexcept {
  return a >= b;
}
constexpr cmp U32_cmp(u32 a, u32 b) noexcept {
  return compare(a, b);
}
constexpr u32 U32_min(u32 a, u32 b) noexcept {
  return a < b ? a : b;
}
constexpr u32 U32_max(u32 a, u32 b) noexcept {
  return a < b ? b : a;
}

// The place of the highest bit; 0 for 0.
constexpr nat U32_log2(u32 a) noexcept {
  return a == 0 ? 0 : static_cast<nat>(31 - std::countl_zero(a));
}
constexpr nat U32_to_nat(u32 a) noexcept {
  return a;
}
constexpr u32 U32_from_nat(nat n) noexcept {
  return static_cast<u32>(n);
}
constexpr f32 U32_to_f32(u32 a) noexcept {
  return static_cast<f32>(a);
}

// ---- Nat ---------------------------------------------------------------------------

// Stops if n is past the limit. Also 1n+p for a p that is any Nat.
constexpr nat checked_nat(nat n) noexcept {
  if (n > nat_limit) [[unlikely]] {
    stop(message::nat_limit);
  }
  return n;
}

constexpr nat Nat_add(nat a, nat b) noexcept {
  return checked_nat(a + b);
}
constexpr nat Nat_sub(nat a, nat b) noexcept {
  return a < b ? 0 : a - b;
}
constexpr nat Nat_mul(nat a, nat b) noexcept {
#if defined(__CUDA_ARCH__)
  if (__umul64hi(a, b) != 0) stop(message::nat_limit);
  return checked_nat(a * b);
#else
  nat product = 0;
  if (__builtin_mul_overflow(a, b, &product)) [[unlikely]] {
    stop(message::nat_limit);
  }
  return checked_nat(product);
#endif
}
constexpr nat Nat_div(nat a, nat b) noexcept {
  return b == 0 ? 0 : a / b;
}
constexpr nat Nat_mod(nat a, nat b) noexcept {
  return b == 0 ? a : a % b;
}

constexpr bool Nat_is_eq(nat a, nat b) noexcept {
  return a == b;
}
constexpr bool Nat_is_ne(nat a, nat b) noexcept {
  return a != b;
}
constexpr bool Nat_is_lt(nat a, nat b) noexcept {
  return a < b;
}
constexpr bool Nat_is_le(nat a, nat b) noexcept {
  return a <= b;
}
constexpr bool Nat_is_gt(nat a, nat b) noexcept {
  return a > b;
}
constexpr bool Nat_is_ge(nat a, nat b) noexcept {
  return a >= b;
}
constexpr cmp Nat_cmp(nat a, nat b) noexcept {
  return compare(a, b);
}
constexpr nat Nat_min(nat a, nat b) noexcept {
  return a < b ? a : b;
}
constexpr nat Nat_max(nat a, nat b) noexcept {
  return a < b ? b : a;
}

}  // namespace cleave::runtime
