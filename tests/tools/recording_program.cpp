// recording_program.cpp -- writes a recording of five events to the file that it is given.
#include <cleave/trace.hpp>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <vector>

namespace trace = cleave::trace;

int main(int count, char** words) {
  if (count != 2) return 2;
  using kind = trace::event_kind;
  constexpr std::uint64_t base = 0x10'0000'0000;
  trace::recording all;
  all.base = base;
  all.reserved = std::uint64_t{1} << 30;
  all.program = "/bin/some program";
  all.complete = true;
  all.events = {{1000, base, 3000, 0, 0, 1, kind::allocate},
                {3000, base + 8192, 1000, 0, 0, 1, kind::allocate},
                {5000, base, 3000, 0, 0, 1, kind::free},
                {7000, base + 8192, 900, 0, 0, 1, kind::free},
                {10000, base + 8192, 64, 32, 0, 1, kind::copy}};
  const std::vector<std::byte> bytes = trace::encode(all);
  std::ofstream file(words[1], std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  return file.good() ? 0 : 1;
}
