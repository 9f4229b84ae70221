// environment.cpp -- reads CLEAVE_TEST_SEED and CLEAVE_TEST_STEPS.
#include "support/environment.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>

namespace cleave::test {
namespace {

std::optional<std::uint64_t> number(const char* name) {
  const char* const text = std::getenv(name);
  if (text == nullptr || *text == '\0') return std::nullopt;
  std::uint64_t value = 0;
  const char* const end = text + std::strlen(text);
  const auto [stopped, error] = std::from_chars(text, end, value);
  if (error != std::errc() || stopped != end) {
    std::fprintf(stderr, "%s: '%s' is not a number; set a decimal number\n", name, text);
    std::exit(2);
  }
  return value;
}

std::uint64_t random_seed() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

}  // namespace

std::uint64_t seed() {
  const std::uint64_t value = number("CLEAVE_TEST_SEED").value_or(random_seed());
  std::printf("[   SEED   ] CLEAVE_TEST_SEED=%llu\n", static_cast<unsigned long long>(value));
  std::fflush(stdout);
  return value;
}

std::size_t steps(std::size_t plain, std::size_t under_sanitizer) {
  return static_cast<std::size_t>(
      number("CLEAVE_TEST_STEPS").value_or(by_build(plain, under_sanitizer)));
}

}  // namespace cleave::test
