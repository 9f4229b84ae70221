// runs_fuzz.cpp -- libFuzzer chooses what happens to a few runs; the oracle watches.
//
// An input is a list of steps of four bytes: what to do, with which run, and a
// number. Whatever the fuzzer makes up is a correct use of the heap, so any
// broken rule, failed check or report of a sanitizer is a bug of ours. The heap
// lives on from input to input; an input ends with all its runs freed.
#include <array>
#include <cleave/heap.hpp>
#include <cleave/run.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>

#include "support/interval_oracle.hpp"

namespace cleave::test {
namespace {

class session {
 public:
  void step(std::span<const std::uint8_t, 4> bytes) {
    run& chosen = runs_[bytes[1] % runs_.size()];
    const std::size_t number = bytes[2] | std::size_t{bytes[3]} << 8;
    switch (bytes[0] % 7) {
      case 0: make(chosen, size_from(number), heap::default_alignment); break;
      case 1: make(chosen, size_from(number), std::size_t{1} << (bytes[0] / 7 % 17)); break;
      case 2: cut(chosen, number); break;
      case 3: join(chosen); break;
      case 4: drop(chosen); break;
      case 5: extend(chosen, size_from(number)); break;
      case 6: shrink(chosen, number); break;
    }
  }

  void finish() {
    for (run& each : runs_) drop(each);
    if (heap::live_bytes() != 0) fail("bytes are live after all runs were freed");
    // Walking the whole heap takes as long as a thousand inputs do.
    static unsigned inputs = 0;
    if (++inputs % 1000 != 0) return;
    const std::string wrong = heap::verify();
    if (!wrong.empty()) fail(wrong);
  }

 private:
  [[noreturn]] static void fail(const std::string& what) {
    std::fprintf(stderr, "%s\n", what.c_str());
    std::abort();
  }

  // Half of all sizes are below 512 bytes; the largest is 1 MiB.
  static std::size_t size_from(std::size_t number) {
    return number < 0x8000 ? number >> 6 : (number & 0x1FFF) << (number >> 13);
  }

  void make(run& chosen, std::size_t bytes, std::size_t alignment) {
    drop(chosen);
    chosen = run::try_make(bytes, alignment);
    if (reinterpret_cast<std::uintptr_t>(chosen.data()) % alignment != 0) fail("not aligned");
    if (!chosen.empty()) oracle_.insert(chosen.data(), chosen.size(), 0);
  }

  void drop(run& chosen) {
    if (!chosen.empty()) oracle_.remove(chosen.data(), chosen.size());
    chosen = run();
  }

  void cut(run& chosen, std::size_t number) {
    for (run& free_place : runs_) {
      if (!free_place.empty() || chosen.empty()) continue;
      const std::size_t at = number % (chosen.size() + 1);
      oracle_.cut(chosen.data(), at);
      run rest = chosen.cut(at);
      free_place = std::move(chosen.empty() ? chosen : rest);
      if (chosen.empty()) chosen = std::move(rest);
      return;
    }
  }

  // With any neighbour to the right, whether or not they were ever one.
  void join(run& chosen) {
    if (chosen.empty()) return;
    std::byte* const end = chosen.data() + chosen.size();
    for (run& other : runs_) {
      if (other.empty() || other.data() != end) continue;
      oracle_.join(chosen.data(), other.data());
      if (!chosen.join(std::move(other))) fail("neighbours did not join");
      return;
    }
  }

  void extend(run& chosen, std::size_t more) {
    if (chosen.empty()) return;
    const std::size_t bytes = chosen.size() + more;
    if (chosen.extend(bytes)) oracle_.extend(chosen.data(), bytes);
  }

  // Now and then all that is free goes back to the system.
  void shrink(run& chosen, std::size_t number) {
    if (number % 512 == 0) heap::purge();
    if (chosen.empty()) return;
    const std::size_t bytes = number % (chosen.size() + 1);
    if (bytes == 0) return drop(chosen);
    oracle_.shrink(chosen.data(), bytes);
    chosen.shrink(bytes);
  }

  interval_oracle oracle_;
  std::array<run, 16> runs_;
};

}  // namespace
}  // namespace cleave::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  cleave::test::session session;
  for (std::span<const std::uint8_t> left(data, bytes); left.size() >= 4; left = left.subspan(4)) {
    session.step(left.first<4>());
  }
  session.finish();
  return 0;
}
