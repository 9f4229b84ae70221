// heap_scenario.hpp -- the tiny heap as the subject of a scenario.
//
//   scenario s = on_the_heap();
//   s.threads = {[&] { free_after_writing(left); }, ...};
//   explore(s);
//
// Each execution begins and ends with a whole heap, and threads begin with empty caches.
#pragma once

#include <cleave/heap.hpp>
#include <cstddef>
#include <string>

#include "heap/geometry.hpp"
#include "heap/thread_cache.hpp"
#include "heap/unit.hpp"
#include "model/explorer.hpp"

namespace cleave::model {

inline constexpr std::size_t page = heap::page_size;

struct piece {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
};

inline piece allocate(std::size_t bytes) {
  return {static_cast<std::byte*>(heap::try_allocate(bytes, 8)), bytes};
}

inline piece part(const piece& of, std::size_t from, std::size_t to) {
  return {of.data + from, to - from};
}

// Names each byte to the explorer as written now.
inline void write(const piece& p) {
  for (std::size_t i = 0; i < p.bytes; ++i) write_plain(p.data + i);
}

inline void free_after_writing(const piece& p) {
  write(p);
  heap::free(p.data, p.bytes);
}

// Tells the counter what this thread has freed in its open unit.
inline void close_unit() {
  heap::unit::close(heap::caches::of_this_thread());
}

// One more run of this size, used and freed, if there is memory for it.
inline void use(std::size_t bytes) {
  const piece p = allocate(bytes);
  if (p.data != nullptr) free_after_writing(p);
}

inline void expect_whole() {
  heap::purge();
  const std::string wrong = heap::verify();
  if (!wrong.empty()) fail(wrong);
  expect(heap::live_bytes() == 0, "bytes are live that were freed");
  expect(heap::stats().held == 0, "pages are held that are free");
}

inline scenario on_the_heap() {
  heap::options chosen;
  chosen.reserve_bytes = heap::arena_size;
  chosen.purge_delay = std::chrono::milliseconds(-1);
  chosen.huge_pages = false;
  heap::start(chosen);
  // Executions begin alike: all is accessible.
  const piece all = allocate(heap::arena_size);
  expect(all.data != nullptr, "no memory for one arena");
  heap::free(all.data, all.bytes);
  expect_whole();
  scenario made;
  made.tidy = [] {
    // A thread has its cache before the explorer watches it.
    (void)heap::caches::of_this_thread();
    heap::purge();
  };
  made.finish = expect_whole;
  return made;
}

}  // namespace cleave::model
