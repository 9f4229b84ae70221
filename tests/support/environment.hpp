// environment.hpp -- how a test learns its seed, its length and its build.
//
//   std::mt19937_64 random(test::seed());               // prints the seed
//   for (std::size_t i = 0; i < test::steps(1'000'000, 50'000); ++i) ...
//
// A failure is repeated with the printed seed: CLEAVE_TEST_SEED=123 ctest -R name.
// CLEAVE_TEST_STEPS sets the length of a property test, for soaks.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cleave::test {

enum class sanitizer : std::uint8_t { none, address, thread };
#if defined(__SANITIZE_ADDRESS__)
inline constexpr sanitizer watched_by = sanitizer::address;
#elif defined(__SANITIZE_THREAD__)
inline constexpr sanitizer watched_by = sanitizer::thread;
#elif defined(__has_feature)
#  if __has_feature(address_sanitizer)
inline constexpr sanitizer watched_by = sanitizer::address;
#  elif __has_feature(thread_sanitizer)
inline constexpr sanitizer watched_by = sanitizer::thread;
#  else
inline constexpr sanitizer watched_by = sanitizer::none;
#  endif
#else
inline constexpr sanitizer watched_by = sanitizer::none;
#endif
inline constexpr bool sanitized = watched_by != sanitizer::none;
inline constexpr bool thread_sanitized = watched_by == sanitizer::thread;

// One of two values: sanitizers make a step 10 to 50 times slower, and keep
// shadow memory of their own.
template <typename Value>
constexpr Value by_build(Value plain, Value under_sanitizer) {
  return sanitized ? under_sanitizer : plain;
}

// CLEAVE_TEST_SEED, or a random one; printed, with what to set to have it again.
std::uint64_t seed();

// CLEAVE_TEST_STEPS, or the given length for this build.
std::size_t steps(std::size_t plain, std::size_t under_sanitizer);

}  // namespace cleave::test
