// alloc.cpp -- one array is made, touched and freed, again and again.
#include "workloads/filling.hpp"
#include "workloads/workloads.hpp"

namespace cleave::bench {
namespace {

// With no cut in it, copying is the plain use of each malloc.
template <std::size_t Bytes>
struct alloc_body {
  // Calls of the system make the largest arrays slow for some.
  static constexpr std::size_t repeats = Bytes > (std::size_t{32} << 20) ? 20'000 : 1'000'000;
  static constexpr std::size_t quick_repeats = repeats / 10;

  template <strategy S>
  static std::uint64_t run(job& todo) {
    std::uint64_t sum = 0;
    for (std::size_t round = 0; round < todo.repeats; ++round) {
      auto a = S::make(Bytes / sizeof(word));
      word* const cells = S::data(a);
      cells[0] = static_cast<word>(round);
      keep(cells);
      sum += cells[0];
      S::free(std::move(a));
    }
    return sum;
  }
};

template <std::size_t Bytes>
workload alloc_of(const char* bytes) {
  workload made = describe<alloc_body<Bytes>>(std::string("alloc-") + bytes);
  made.extra = true;
  add_strategies<alloc_body<Bytes>>(
      made, strategy_list<copy<c_malloc>, copy<mimalloc>, copy<jemalloc>, copy<tbb_malloc>,
                          copy<snmalloc>, cleave_array, cleave_run>{});
  return made;
}

constexpr std::size_t kib = 1024, mib = 1024 * kib;

}  // namespace

std::vector<workload> allocations() {
  return {alloc_of<16>("16"),        alloc_of<64>("64"),          alloc_of<256>("256"),
          alloc_of<kib>("1k"),       alloc_of<4 * kib>("4k"),     alloc_of<16 * kib>("16k"),
          alloc_of<64 * kib>("64k"), alloc_of<256 * kib>("256k"), alloc_of<mib>("1m"),
          alloc_of<4 * mib>("4m"),   alloc_of<16 * mib>("16m"),   alloc_of<64 * mib>("64m")};
}

}  // namespace cleave::bench
