#include <cleave/runtime/real.hpp>
#include <cmath>

namespace cleave::runtime {
namespace {

// The double is at most about one unit wrong in its last place, so that rounding it gives
// the nearest float, but for values that lie almost between two of them.
f32 rounded(double x) noexcept {
  return static_cast<f32>(x);
}

}  // namespace

f32 F32_exp(f32 a) noexcept {
  return rounded(std::exp(double{a}));
}
f32 F32_log(f32 a) noexcept {
  return rounded(std::log(double{a}));
}
f32 F32_log2(f32 a) noexcept {
  return rounded(std::log2(double{a}));
}
f32 F32_log10(f32 a) noexcept {
  return rounded(std::log10(double{a}));
}
f32 F32_sin(f32 a) noexcept {
  return rounded(std::sin(double{a}));
}
f32 F32_cos(f32 a) noexcept {
  return rounded(std::cos(double{a}));
}
f32 F32_tan(f32 a) noexcept {
  return rounded(std::tan(double{a}));
}
f32 F32_asin(f32 a) noexcept {
  return rounded(std::asin(double{a}));
}
f32 F32_acos(f32 a) noexcept {
  return rounded(std::acos(double{a}));
}
f32 F32_atan(f32 a) noexcept {
  return rounded(std::atan(double{a}));
}
f32 F32_sinh(f32 a) noexcept {
  return rounded(std::sinh(double{a}));
}
f32 F32_cosh(f32 a) noexcept {
  return rounded(std::cosh(double{a}));
}
f32 F32_tanh(f32 a) noexcept {
  return rounded(std::tanh(double{a}));
}
f32 F32_pow(f32 a, f32 b) noexcept {
  return rounded(std::pow(double{a}, double{b}));
}
f32 F32_atan2(f32 a, f32 b) noexcept {
  return rounded(std::atan2(double{a}, double{b}));
}

}  // namespace cleave::runtime
