// collector.hpp -- a generational collector for runtimes, with arrays that can be let go.
//
//   struct pair {
//     gc::ref<gc::value> head, tail;
//     void trace(gc::visitor& to) { to.visit(head, tail); }
//   };
//   gc::collector c;                                        // as many as one likes
//   gc::mutator m(c);                                       // one per thread
//   gc::local<gc::value> list(m);
//   for (int i = 0; i < 10; ++i) {
//     gc::local<gc::value> number(m, gc::immediate::integer(i));
//     list = m.make<pair>(number, list);
//   }
//   gc::local<gc::byte_array> scratch = m.make_bytes(1 << 20);
//   m.forget(scratch);                                      // free at once, and safe
//
// Small objects are made in a nursery per thread, copied while they are young, and copied
// to the old generation when they have survived. Large arrays stay where they are
// (arrays.hpp). All threads stop for a collection, and help with it. What a program must
// do, and what must it not, are the rules H1 to H7 in mutator.hpp; docs/collector.md
// embeds it in ten steps; docs/design/collector.md says how it works.
#pragma once

#include <chrono>
#include <cleave/collector/arrays.hpp>
#include <cleave/collector/local.hpp>
#include <cleave/collector/mutator.hpp>
#include <cleave/collector/ref.hpp>
#include <cleave/collector/value.hpp>
#include <cleave/heap.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace cleave::gc {

// Help in finding mistakes. The environment variable CLEAVE_COLLECTOR sets the same, for
// example "verify,stress=10,poison,quarantine=64,prove"; it is read by each collector.
struct debugging {
  // Walk everything after each collection, and stop the program if something is wrong.
  bool verify = false;
  // Collect at every n-th allocation; 0 for never.
  std::size_t stress = 0;
  // Overwrite the memory that objects were moved away from, or died in.
  bool poison = false;
  // Keep this many MiB of forgotten payloads from being used again, without access.
  std::size_t quarantine_mib = 0;
  // Free no forgotten payload; report each forgotten array that a later collection still
  // reaches from a root, with the path, on standard error and as an event.
  bool prove = false;
};

struct event {
  enum class kind { begin, end, finalizers, reached };
  kind what = kind::begin;
  extent collected = extent::young;
  // Of `end`: how long the threads stood still.
  std::chrono::nanoseconds pause{0};
  // Of `finalizers`: how many wait. Of `reached`: the report.
  std::size_t waiting = 0;
  const char* report = "";
};

// The defaults serve most programs. Sizes in bytes.
struct options {
  // Small objects that are made between two young collections, by all threads.
  std::size_t nursery = std::size_t{4} << 20;
  // How many young collections an object survives before it is old: 1 to 3.
  unsigned tenure = 2;
  // Arrays of more bytes than this become proxy and payload: 64 to 8192.
  std::size_t large_threshold = 4096;
  // Payloads that are made, and not forgotten, between two young collections.
  std::size_t large_budget = std::size_t{64} << 20;
  // A full collection comes when the old generation is this many times what the last
  // full one left, and at least old_minimum.
  double growth = 2.0;
  std::size_t old_minimum = std::size_t{32} << 20;
  // The most memory that objects and payloads may take; then std::bad_alloc. While a
  // collection copies, it may take up to its own size more. Threads that ask at the same
  // moment may pass it, each by what it asks for and a block of 64 KiB.
  std::size_t limit = SIZE_MAX;
  // A wish for young collections: the nursery shrinks, down to a sixteenth, while they
  // take longer. 0 for none. Full collections do not know it.
  std::chrono::microseconds pause_goal{0};
  // Threads that a collection may use, of those that are stopped for it.
  unsigned helpers = 8;
  // Called with all threads stopped; must not touch the collector, nor throw.
  std::function<void(const event&)> on_event = nullptr;
  debugging debug = {};
};

// All sizes in bytes.
struct statistics {
  // Small objects, without their headers' blocks: made since the start, up to the last
  // refill of each thread's part of the nursery.
  std::uint64_t allocated_small = 0;
  std::uint64_t young_collections = 0;
  std::uint64_t full_collections = 0;
  // The memory of small objects at this moment: blocks in use, blocks kept for later.
  std::size_t blocks = 0;
  std::size_t idle_blocks = 0;

  // Payloads. These only grow, and at any moment
  //   allocated + given = forgotten + taken + swept + large_young + large_old,
  // where a trim counts as forgotten.
  std::uint64_t allocated = 0;
  std::uint64_t given = 0;
  std::uint64_t forgotten = 0;
  std::uint64_t taken = 0;
  std::uint64_t swept = 0;
  std::size_t large_young = 0;
  std::size_t large_old = 0;
  std::size_t large_arrays = 0;
  // What the budget of the next young collection has been charged with.
  std::size_t charged = 0;
  // Forgotten payloads that a debugging mode holds back.
  std::size_t quarantined = 0;

  // Copied by all collections; the part of it that threads copied which waited for another
  // one's collection; and what was alive after the last full one.
  std::uint64_t copied = 0;
  std::uint64_t copied_by_helpers = 0;
  std::size_t old_after_full = 0;
  std::chrono::nanoseconds pause_total{0};
  std::chrono::nanoseconds pause_longest{0};
  std::chrono::nanoseconds pause_last{0};
  // Those that threw too.
  std::uint64_t finalizers_run = 0;
};

// The numbers as one JSON object; times are seconds with nine digits. Error: std::bad_alloc.
[[nodiscard]] CLEAVE_API std::string to_json(const statistics& s);

// One collector's numbers, and what it is called: any UTF-8.
struct named_statistics {
  std::string_view name;
  statistics numbers;
};

// The numbers in the text format of Prometheus, with the label `collector` that tells them apart.
// The format wants each metric in one place, so all collectors go into one call, and their names
// differ; the text may stand behind the heap's. Error: std::bad_alloc.
[[nodiscard]] CLEAVE_API std::string to_prometheus(std::span<const named_statistics> all);

class CLEAVE_API collector {
 public:
  // Throws std::invalid_argument for options out of their range, and std::bad_alloc.
  explicit collector(const options& chosen = {});
  // Frees all objects and payloads; finalizers that did not run never will.
  // Requires: no mutator, global, weak, roots or lend of it is left.
  ~collector();
  collector(const collector&) = delete;
  collector& operator=(const collector&) = delete;

  // Exact for payloads at any moment, and for all else when no other thread allocates.
  [[nodiscard]] statistics stats() const;

  // Walks everything that can be reached, and recounts. Returns an empty string, or what
  // is wrong first. Stops all threads. O(heap).
  [[nodiscard]] std::string verify(mutator& m);

  [[nodiscard]] detail::heap_state& inside() noexcept { return *inside_; }

 private:
  std::unique_ptr<detail::heap_state> inside_;
};

// Roots that the program keeps in its own way, such as the stack of an interpreter. The
// function is called in each collection, with all threads stopped, and shows each word:
//
//   gc::roots r(c, [&](gc::visitor& to) { for (gc::value& v : stack) to.visit(v); });
//
// It must not allocate in the collector, nor throw.
class CLEAVE_API roots {
 public:
  [[nodiscard]] roots(collector& owner, std::function<void(visitor&)> show);
  ~roots();
  roots(const roots&) = delete;
  roots& operator=(const roots&) = delete;

 private:
  friend class detail::heap_state;
  collector& owner_;
  std::function<void(visitor&)> show_;
};

}  // namespace cleave::gc
