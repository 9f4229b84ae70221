// steps.hpp -- an input of libFuzzer as a list of steps of four bytes.
//
//   for_each_step(data, bytes, [&](const step& s) { switch (s.what % 5) { ... } });
//   expect_nothing_live();
//
// Whatever the fuzzer makes up is a correct use, so each broken rule is a bug of ours.
#pragma once

#include <cleave/heap.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace cleave::test {

struct step {
  unsigned what = 0;
  std::size_t which = 0;
  std::size_t number = 0;  // below 65536
};

template <typename F>
void for_each_step(const std::uint8_t* data, std::size_t bytes, F f) {
  for (; bytes >= 4; data += 4, bytes -= 4) {
    f(step{data[0], data[1], data[2] | std::size_t{data[3]} << 8});
  }
}

// Half of all sizes are below 512; the largest is 2^20.
inline std::size_t size_from(std::size_t number) {
  return number < 0x8000 ? number >> 6 : (number & 0x1FFF) << (number >> 13);
}

[[noreturn]] inline void fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

inline void expect(bool holds, const char* what) {
  if (!holds) fail(what);
}

// At the end of an input.
inline void expect_nothing_live() {
  expect(heap::live_bytes() == 0, "bytes are live after all was dropped");
  // Walking the whole heap takes as long as a thousand inputs do.
  static unsigned inputs = 0;
  if (++inputs % 1000 != 0) return;
  const std::string wrong = heap::verify();
  if (!wrong.empty()) fail(wrong);
}

// Takes each step of an input in a session of its own. Nothing may be live after it.
template <typename Session>
void run_session(const std::uint8_t* data, std::size_t bytes) {
  {
    Session all;
    for_each_step(data, bytes, [&all](const step& s) { all.take(s); });
  }
  expect_nothing_live();
}

}  // namespace cleave::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes);
