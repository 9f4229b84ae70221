// twin.hpp -- what the twins share: their argument, two things at once, printing floats.
//
// A twin does by hand, on plain memory, what the program of the same name in
// examples/programs/ does. It takes the same argument and prints the same lines.
//
//   int main(int count, char** words) {
//     const auto n = twin::argument(count, words, 10);
//     twin::both([&] { left(n); }, [&] { right(n); });
//   }
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_invoke.h>

namespace twin {

// The first word as a number.
inline std::uint64_t argument(int count, char** words, std::uint64_t usual) {
  return count > 1 ? std::strtoull(words[1], nullptr, 10) : usual;
}

// As many as CLEAVE_THREADS says, 1 if it says nothing.
inline std::size_t threads() {
  static const std::size_t number = [] {
    const char* text = std::getenv("CLEAVE_THREADS");
    const auto value = text != nullptr ? std::strtoull(text, nullptr, 10) : 1;
    return value > 0 ? static_cast<std::size_t>(value) : 1;
  }();
  return number;
}

// Does both, at the same time if there is more than one thread.
template <class First, class Second>
void both(const First& first, const Second& second) {
  if (threads() == 1) {
    first();
    second();
    return;
  }
  static const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads());
  tbb::parallel_invoke(first, second);
}

// A number that looks random, for each i.
inline std::uint32_t noise(std::uint32_t i) {
  const std::uint32_t x = i * 2654435769U;
  const std::uint32_t y = (x ^ (x >> 15)) * 2246822519U;
  return y ^ (y >> 13);
}

// The fewest digits that read back to x, without an exponent.
inline std::string show(float x) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, x, std::chars_format::fixed);
  return {text, end.ptr};
}

}  // namespace twin
