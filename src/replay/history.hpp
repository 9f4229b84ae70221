// history.hpp -- what a recording says of the heap, at every moment of it.
//
// A recording of n events has n + 1 moments: moment m is after the first m events. What
// lived between two moments is a span: a range of bytes with one owner, the allocation
// that handed it out. Cuts, joins and partial frees end spans and begin others; nothing
// is ever changed. So the state at any moment is a filter over all spans, forwards and
// backwards alike, and that is also what the page of `cleave map` is given.
//
//   const replay::history past = replay::play(recording);            // play.hpp
//   const replay::moment peak = past.peak;
//   for (const replay::holding& who : replay::holders(past, peak)) ...  // most bytes first
//
// Bytes are counted in three ways (docs/design/replay.md):
//   live     the bytes of live spans
//   held     the bytes of pages on which at least one byte is live
//   pinned   held - live: what live spans keep from being given back
//
// Invariants (tests/replay/):
//   H1  Spans that live at one moment do not overlap, and none is empty.
//   H2  live[m] is the sum of the sizes of the spans that live at m.
//   H3  born <= died for each span; spans are in the order of `born`.
//   H4  A span's parent has the same owner, a smaller index, and died when the span was
//       born or earlier.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cleave::replay {

// How many events have been played.
using moment = std::uint32_t;

inline constexpr std::uint32_t none = ~std::uint32_t{0};

// How a span came to its end.
enum class ending : std::uint8_t {
  live,         // it did not
  freed,        // it was given back
  cut,          // the program said so
  unseen_cut,   // a part of it was freed, so it had been cut
  joined,       // with its neighbour
  extended,     // it grew in place
  overwritten,  // its bytes were handed out again, so its free is missing
};

struct allocation {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::uint64_t time = 0;  // nanoseconds
  std::uint32_t place = 0;
  std::uint32_t thread = 0;
  moment born = 0;
};

struct span {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  moment born = 0;              // it lives at the moments [born, died)
  moment died = none;           // `none`: at the last moment too
  std::uint32_t owner = 0;      // index into history::allocations
  std::uint32_t parent = none;  // the span that it was a part of; of a joined one, the left half's
  ending how = ending::live;

  [[nodiscard]] std::uint64_t size() const noexcept { return end - begin; }
  [[nodiscard]] bool lives_at(moment m) const noexcept { return born <= m && m < died; }
};

// A page of which at most half was live, from a free that left it so until it was empty or
// more than half live again.
struct pin {
  std::uint64_t page = 0;    // its address
  std::uint64_t live = 0;    // bytes, at the end
  std::uint64_t length = 0;  // nanoseconds
  moment from = 0;
  moment to = 0;             // `none`: it still is
  std::uint32_t keeper = 0;  // index into history::spans: the first on the page, at the end
};

// Events that cannot be true of a heap: from a trace that begins late, lost events, or is
// damaged. Each is counted once, and what can be played of it is played.
struct oddities {
  std::uint64_t freed_dead = 0;     // a free of bytes of which some were not live
  std::uint64_t reused_live = 0;    // an allocation over bytes that were live
  std::uint64_t extended_dead = 0;  // growth of what was not live
  std::uint64_t cut_dead = 0;       // a cut or a join of what was not live
  std::uint64_t outside = 0;        // a range that is empty, or not in the reservation
  std::uint64_t backwards = 0;      // a time before that of the event before it

  [[nodiscard]] std::uint64_t count() const noexcept {
    return freed_dead + reused_live + extended_dead + cut_dead + outside + backwards;
  }
};

// Sums of one place.
struct holding {
  std::uint32_t place = 0;
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;
};

struct size_class {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
};

struct collections {
  std::uint64_t minor = 0;
  std::uint64_t major = 0;
  std::uint64_t reclaimed = 0;  // bytes
};

struct history {
  std::uint64_t base = 0;
  std::uint64_t reserved = 0;
  std::uint64_t page_bytes = 4096;
  std::vector<allocation> allocations;  // in the order of their moments
  std::vector<span> spans;
  // One for each moment.
  std::vector<std::uint64_t> times;  // nanoseconds; never falls
  std::vector<std::uint64_t> live;
  std::vector<std::uint64_t> held;
  moment peak = 0;  // the first one with the most bytes live
  // sizes[k]: allocations of more than 2^(k-1) and at most 2^k bytes.
  std::array<size_class, 65> sizes{};
  std::vector<holding> copies;     // bytes that joins copied, most first
  std::vector<pin> pins;           // the longest, at most play()'s most_pins
  std::uint64_t pinned_pages = 0;  // how many there were, also those that are not in `pins`
  collections collected;
  std::uint64_t purged = 0;     // bytes that went back to the system
  std::uint64_t forgotten = 0;  // large arrays that the collector let go of
  oddities odd;

  [[nodiscard]] moment last() const noexcept { return static_cast<moment>(times.size() - 1); }
  [[nodiscard]] std::uint64_t pinned(moment m) const { return held[m] - live[m]; }
};

// The last moment that is not after `time`; 0 if there is none. O(log events).
moment moment_at(const history& past, std::uint64_t time);

// The spans that live at `m`, by address. O(spans), and the sorting of those that live.
std::vector<std::uint32_t> live_at(const history& past, moment m);

// What lives at `m`, by the place of its allocation, most bytes first. At the last moment
// these are the leaks. O(spans).
std::vector<holding> holders(const history& past, moment m);

// The history in `n` steps of equal time, for curves. O(events).
struct sample {
  std::uint64_t time = 0;  // the step's end
  moment at = 0;           // the last moment of the step
  std::uint64_t most_live = 0;
  std::uint64_t most_held = 0;
  std::uint64_t live = 0;  // at its end
  std::uint64_t held = 0;
  // The share of held memory that is not live, at its end.
  [[nodiscard]] double fragmentation() const noexcept {
    return held == 0 ? 0.0 : static_cast<double>(held - live) / static_cast<double>(held);
  }
};
std::vector<sample> curve(const history& past, std::size_t n);

// The spans of one allocation as a tree: parents before their children, children by birth and
// address. O(spans).
struct tree_node {
  std::uint32_t span = 0;
  std::uint32_t depth = 0;
};
std::vector<tree_node> cut_tree(const history& past, std::uint32_t owner);

}  // namespace cleave::replay
