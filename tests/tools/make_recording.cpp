// make_recording.cpp -- writes recordings whose map is known, for tests of the command.
//
//   make_recording small|hostile|odd|empty|million FILE
//
// small: four pages from the begin of the heap on are of place 1; four of place 2, of which the
// first 64 bytes are left at 3 ms; place 3 has sixteen whole pages a MiB further, cut in two
// at 4 ms. It ends at 10 ms. hostile: the same, with marks of HTML in the names, and what turns
// the direction of text or controls terminals. odd: frees of what is not live. empty: no event.
// million: a million events, with a hundred thousand live pieces.
#include <cleave/trace.hpp>
#include <cstdio>
#include <fstream>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace cleave;
using trace::event_kind;

constexpr std::uint64_t base = 0x10'0000'0000;
constexpr std::uint64_t page = 4096;
constexpr std::uint64_t millisecond = 1'000'000;

trace::recording empty(const std::string& path) {
  trace::recording made;
  made.base = base;
  made.reserved = std::uint64_t{1} << 40;
  made.program = path;
  made.complete = true;
  made.places.resize(65);
  for (std::uint64_t i = 1; i < made.places.size(); ++i) made.places[i].addresses = {0x1000 + i};
  made.modules.push_back({0x1000, 0x2000, 0, path});
  return made;
}

trace::recording small(const std::string& path) {
  trace::recording made = empty(path);
  auto& all = made.events;
  all.push_back({1 * millisecond, base, 4 * page, 0, 1, 1, event_kind::allocate});
  all.push_back({2 * millisecond, base + 4 * page, 4 * page, 0, 2, 1, event_kind::allocate});
  all.push_back({3 * millisecond, base + 4 * page + 64, 4 * page - 64, 0, 0, 1, event_kind::free});
  const std::uint64_t far = base + 256 * page;
  all.push_back({4 * millisecond, far, 16 * page, 0, 3, 2, event_kind::allocate});
  all.push_back({4 * millisecond + 1, far, 16 * page, 8 * page, 0, 2, event_kind::cut});
  all.push_back({10 * millisecond, 0, 4 * page, 0, 0, 1, event_kind::purge});
  return made;
}

trace::recording odd() {
  trace::recording made = empty("/usr/bin/odd");
  made.complete = false;
  made.events.push_back({1, base, 64, 0, 0, 1, event_kind::free});
  made.events.push_back({2, base, 64, 0, 1, 1, event_kind::allocate});
  made.events.push_back({3, base + 32, 64, 0, 2, 1, event_kind::allocate});
  return made;
}

trace::recording million() {
  trace::recording made = empty("/usr/bin/million");
  std::mt19937_64 random(7);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> live;
  std::vector<std::uint64_t> free_slots;
  std::uint64_t top = base;
  constexpr std::uint64_t slot = 1024;
  for (std::uint64_t i = 0; i < 1'000'000; ++i) {
    const std::uint64_t time = i * 1000 + random() % 900;
    if (live.size() < 1000 || (live.size() < 100'000 && random() % 5 < 3)) {
      const std::uint64_t size = 16 + random() % (slot - 16);
      std::uint64_t at = top;
      if (free_slots.empty()) {
        top += slot;
      } else {
        at = free_slots.back();
        free_slots.pop_back();
      }
      const auto place = static_cast<std::uint32_t>(1 + random() % 64);
      made.events.push_back({time, at, size, 0, place, 1, event_kind::allocate});
      live.push_back({at, size});
      continue;
    }
    auto& chosen = live[random() % live.size()];
    made.events.push_back({time, chosen.first, chosen.second, 0, 0, 1, event_kind::free});
    free_slots.push_back(chosen.first);
    chosen = live.back();
    live.pop_back();
  }
  return made;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string kind = argc == 3 ? argv[1] : "";
  trace::recording made;
  if (kind == "small") {
    made = small("/usr/bin/small");
  } else if (kind == "hostile") {
    made = small("/tmp/<script>alert(1)<!--\"'&\u202e\u009b.so");
  } else if (kind == "odd") {
    made = odd();
  } else if (kind == "empty") {
    made = empty("/usr/bin/empty");
  } else if (kind == "million") {
    made = million();
  } else {
    std::fprintf(stderr, "usage: make_recording small|hostile|odd|empty|million FILE\n");
    return 2;
  }
  const std::vector<std::byte> bytes = trace::encode(made);
  std::ofstream file(argv[2], std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  return file.good() ? 0 : 1;
}
