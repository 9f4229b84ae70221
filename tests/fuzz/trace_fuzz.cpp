// trace_fuzz.cpp -- libFuzzer writes recordings; the reader must survive them.
//
// An input is taken as it is, and once more with the checksums put right, so that what stands
// behind them is read too. What was read and is written again reads the same.
#include <algorithm>
#include <cleave/trace.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "trace/format.hpp"

namespace cleave::trace {
namespace {

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

void put_checksums(std::vector<std::byte>& bytes) {
  if (bytes.size() < format::header_bytes(0)) return;
  auto at = static_cast<std::size_t>(format::get_fixed(bytes.data() + 12, 4));
  if (at < format::header_bytes(0) || at > bytes.size()) return;
  format::put_fixed(bytes.data() + at - 4, format::checksum(bytes.data(), at - 4), 4);
  while (bytes.size() - at >= format::block_header_bytes) {
    std::byte* const p = bytes.data() + at;
    const auto payload = static_cast<std::size_t>(format::get_fixed(p + 4, 4));
    if (payload > bytes.size() - at - format::block_header_bytes) return;
    const std::uint32_t sum = format::checksum(p, 12);
    format::put_fixed(p + 12, format::checksum(p + format::block_header_bytes, payload, sum), 4);
    at += format::block_header_bytes + payload;
  }
}

void read_it(std::span<const std::byte> bytes) {
  std::string why;
  const auto all = try_read(bytes, why);
  expect(all.has_value() == why.empty(), "an error without words");
  if (!all) return;
  expect(all->complete == all->ending.empty(), "an end without words");
  expect(all->events.size() <= bytes.size() && all->places.size() <= bytes.size() + 1,
         "more than the file can hold");
  std::uint64_t last = 0;
  bool distinct = true;
  for (const event& e : all->events) {
    expect(e.time >= last, "events out of order");
    expect(e.place < all->places.size(), "a place that is not there");
    distinct = distinct && (e.time > last || &e == all->events.data());
    last = e.time;
  }
  const auto again = try_read(encode(*all), why);
  expect(again.has_value(), "what was written is not read");
  expect(again->places == all->places && again->modules == all->modules, "another table");
  expect(!distinct || again->events == all->events, "other events");
}

}  // namespace
}  // namespace cleave::trace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  std::vector<std::byte> input(bytes);
  std::copy_n(reinterpret_cast<const std::byte*>(data), bytes, input.begin());
  cleave::trace::read_it(input);
  cleave::trace::put_checksums(input);
  cleave::trace::read_it(input);
  return 0;
}
