// scratch.cpp -- arrays that are used once, with and without forget(), beside small objects.
//
// Each thread makes an array, writes its first byte, and lets it go: by forget(), or by
// dropping its last reference. Printed is the time of one array.
#include <cleave/collector.hpp>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "measure.hpp"

namespace cleave::bench {
namespace {

struct cell {
  gc::ref<cell> next;
  std::uint64_t number = 0;
  cell(const gc::local<cell>& n, std::uint64_t i) : next(n), number(i) {}
  void trace(gc::visitor& to) { to.visit(next); }
};

void use(gc::mutator& m, std::size_t bytes, std::size_t times, bool forget) {
  for (std::size_t i = 0; i < times; ++i) {
    const gc::local<gc::byte_array> a = m.make_bytes_for_overwrite(bytes);
    a->bytes()[0] = std::byte{1};
    if (forget) (void)m.forget(a);
  }
}

void measure(std::size_t bytes, std::size_t times, std::size_t cells, bool forget, unsigned threads,
             int rounds) {
  gc::collector c;
  gc::mutator m(c);
  gc::local<cell> kept(m);
  for (std::size_t i = 0; i < cells; ++i) kept = m.make<cell>(kept, i);
  m.collect();
  m.collect();
  const gc::statistics before = c.stats();
  const sample s = repeat(rounds, [&] {
    std::vector<std::thread> others;
    for (unsigned t = 1; t < threads; ++t) {
      others.emplace_back([&] {
        gc::mutator mine(c);
        use(mine, bytes, times / threads, forget);
      });
    }
    use(m, bytes, times / threads, forget);
    const gc::blocking away(m);
    for (std::thread& one : others) one.join();
    return sample{};
  });
  const gc::statistics now = c.stats();
  const auto each = static_cast<std::uint64_t>(rounds);
  std::printf("%5zu x %5zu KiB, %7zu objects, %u thread%s, %-9s %9.2f us each %6llu collections\n",
              times, bytes / 1024, cells, threads, threads == 1 ? " " : "s",
              forget ? "forgotten" : "dropped", s.seconds * 1e6 / static_cast<double>(times),
              static_cast<unsigned long long>((now.young_collections + now.full_collections -
                                               before.young_collections - before.full_collections) /
                                              each));
  std::fflush(stdout);
}

}  // namespace

void scratch_arrays(const amount& work) {
  const std::size_t times = work.smoke ? 20 : 20'000;
  const std::size_t cells = work.smoke ? 1'000 : 2'000'000;
  for (const std::size_t bytes :
       {std::size_t{64} << 10, std::size_t{1} << 20, std::size_t{16} << 20}) {
    for (const std::size_t beside : {std::size_t{0}, cells}) {
      for (const unsigned threads : {1u, 2u}) {
        for (const bool forget : {true, false}) {
          // Without forget, large arrays collect often: fewer of them.
          const std::size_t fewer = forget || work.smoke ? times : times / 10;
          measure(bytes, fewer, beside, forget, threads, work.rounds);
        }
      }
    }
  }
}

}  // namespace cleave::bench
