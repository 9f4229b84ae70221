// What checked mode finds, and in which words it says so.

#include <algorithm>
#include <cstring>

#include "heap/checked_report.hpp"
#include "heap/checked_state.hpp"
#include "heap/tables.hpp"
#include "heap/told.hpp"

namespace cleave::heap::checked {
namespace {

constexpr unsigned char free_byte = 0xDB;
constexpr unsigned char redzone_byte = 0xFE;

using word = std::uint64_t;
constexpr word repeated(unsigned char byte) noexcept {
  return byte * word{0x0101010101010101};
}

std::size_t size(std::uintptr_t n) noexcept {
  return n;
}

// The first byte in [begin, end) that is another one; `end` if there is none.
std::uintptr_t first_other(std::uintptr_t begin, std::uintptr_t end, unsigned char byte) noexcept {
  const word all = repeated(byte);
  std::uintptr_t at = begin;
  const auto is_other = [byte](std::uintptr_t p) {
    return *reinterpret_cast<const unsigned char*>(p) != byte;
  };
  for (; at < end && at % sizeof(word) != 0; ++at) {
    if (is_other(at)) return at;
  }
  for (; at + sizeof(word) <= end; at += sizeof(word)) {
    word w = 0;
    std::memcpy(&w, reinterpret_cast<const void*>(at), sizeof w);
    if (w != all) break;
  }
  while (at < end && !is_other(at)) ++at;
  return at;
}

// What must hold a pattern, looked at; a tool is told that the program may not touch it.
std::uintptr_t first_changed(std::uintptr_t begin, std::uintptr_t end,
                             unsigned char byte) noexcept {
  void* const p = reinterpret_cast<void*>(begin);
  told::readable(p, end - begin);
  const std::uintptr_t found = first_other(begin, end, byte);
  told::freed(p, end - begin);
  return found;
}

void fill(std::uintptr_t begin, std::size_t bytes, unsigned char byte) noexcept {
  void* const p = reinterpret_cast<void*>(begin);
  told::readable(p, bytes);
  std::memset(p, byte, bytes);
  told::freed(p, bytes);
}

// The allocation that a piece is a part of, and what became of the piece.
void describe(report& to, const records& r, const piece& p) noexcept {
  const bool whole = p.begin == p.run_begin && p.bytes() == p.run_bytes;
  if (!whole) {
    to.print("  it is [%zu, %zu) of an allocation of %zu bytes at 0x%zx\n",
             size(p.begin - p.run_begin), size(p.end - p.run_begin), p.run_bytes,
             size(p.run_begin));
  }
  to.place("allocated", r.places, p.allocated_at);
  if (!p.live) to.place("freed", r.places, p.freed_at);
}

bool covers(const piece* p, std::uintptr_t address) noexcept {
  return p != nullptr && p->begin <= address && address < p->end;
}

// The piece behind a live one that was freed on its own; nullptr if that is not what lies there.
const piece* gone_behind(records& r, const piece& first) noexcept {
  const piece* const next = r.pieces.following(first.begin + 1);
  const piece* const gone = next != nullptr && next->begin == first.end && !next->live
                                ? next
                                : r.past.covering(first.end);
  return gone != nullptr && gone->run == first.run ? gone : nullptr;
}

// Which fault a free of [p, p + bytes) is, beginning in a live piece that ends before.
fault fault_in_live(records& r, const piece& first, std::uintptr_t p, std::size_t bytes) noexcept {
  const std::uintptr_t end = p + bytes;
  if (end < p) return fault::wrong_size;
  if (gone_behind(r, first) != nullptr) return fault::joined_away;
  // Ends exactly where another allocation does: somebody added their sizes.
  if (tables.holds(end - 1)) {
    const piece* const last = r.pieces.covering(end - 1);
    if (last != nullptr && last->live && last->end == end) return fault::strangers;
  }
  return fault::wrong_size;
}

}  // namespace

void quarantine::push(piece* p) noexcept {
  p->next_freed = nullptr;
  (newest == nullptr ? oldest : newest->next_freed) = p;
  newest = p;
  bytes += p->bytes();
  ++pieces;
}

piece* quarantine::pop() noexcept {
  piece* const p = oldest;
  oldest = p->next_freed;
  if (oldest == nullptr) newest = nullptr;
  bytes -= p->bytes();
  --pieces;
  return p;
}

const piece* history::covering(std::uintptr_t address) const noexcept {
  for (std::size_t i = 0; i < std::min(next, last.size()); ++i) {
    const piece& p = last[(next - 1 - i) % last.size()];
    if (covers(&p, address)) return &p;
  }
  return nullptr;
}

void fill_freed(const piece& p) noexcept {
  fill(p.begin, p.bytes(), free_byte);
}

void fill_redzone(std::uintptr_t at) noexcept {
  fill(at, redzone, redzone_byte);
}

void expect_free(records& r, const piece& p, const char* when, std::uint32_t place) noexcept {
  const std::uintptr_t at = first_changed(p.begin, p.end, free_byte);
  if (at == p.end) return;
  report found(fault::write_after_free);
  found.print("  address 0x%zx, byte %zu of a freed piece of %zu bytes at 0x%zx\n", size(at),
              size(at - p.begin), p.bytes(), size(p.begin));
  describe(found, r, p);
  found.print("  noticed %s\n", when);
  found.place("that is", r.places, place);
  found.end();
}

void expect_redzone(records& r, const piece& p, const char* when, std::uint32_t place) noexcept {
  if (!p.has_redzone) return;
  const std::uintptr_t at = first_changed(p.end, p.end + redzone, redzone_byte);
  if (at == p.end + redzone) return;
  report found(fault::write_past_end);
  found.print("  address 0x%zx, %zu bytes behind the end of %zu bytes at 0x%zx\n", size(at),
              size(at - p.end), p.bytes(), size(p.begin));
  describe(found, r, p);
  found.print("  noticed %s\n", when);
  found.place("that is", r.places, place);
  found.end();
}

void report_bad_range(records& r, std::uintptr_t p, std::size_t bytes, const char* call,
                      std::uint32_t place) noexcept {
  const bool inside = tables.holds(p);
  const piece* first = inside ? r.pieces.covering(p) : nullptr;
  if (inside && first == nullptr) first = r.past.covering(p);
  fault what = fault::not_live;
  if (first != nullptr && first->live) {
    what = fault_in_live(r, *first, p, bytes);
  } else if (first != nullptr) {
    const bool part = bytes < first->end - p || p != first->begin;
    const bool beyond = bytes > first->end - p;
    // A range that is freed again in pieces, or as a whole that was freed in pieces.
    what = part && !beyond ? fault::joined_away : fault::double_free;
  }
  report found(what);
  found.print("  %s of %zu bytes at 0x%zx\n", call, bytes, size(p));
  if (first != nullptr && first->live && what != fault::joined_away) {
    found.print("  of them %zu bytes are live, and behind them come %zu that are not of this run\n",
                size(first->end - p), bytes - size(first->end - p));
  }
  if (first != nullptr) {
    found.print("  %zu bytes at 0x%zx are %s\n", first->bytes(), size(first->begin),
                first->live ? "live" : "free");
    describe(found, r, *first);
  }
  if (what == fault::joined_away && first->live) {
    const piece* const gone = gone_behind(r, *first);
    found.print("  %zu bytes at 0x%zx are free\n", gone->bytes(), size(gone->begin));
    describe(found, r, *gone);
  }
  if (what == fault::strangers) {
    const piece* const last = r.pieces.covering(p + bytes - 1);
    found.print("  and %zu bytes at 0x%zx are live\n", last->bytes(), size(last->begin));
    describe(found, r, *last);
  }
  if (first == nullptr && !inside) {
    found.print("  that is outside of the heap, which has [0x%zx, 0x%zx)\n", size(tables.base),
                size(tables.base + (tables.pages << page_bits)));
  } else if (first == nullptr) {
    // A pointer that is a little off is told by its neighbours.
    const piece* const before = r.pieces.preceding(p);
    const piece* const after = r.pieces.following(p);
    if (before != nullptr && p - before->end < page_size) {
      found.print("  that is %zu bytes behind %zu bytes at 0x%zx, which are %s\n",
                  size(p - before->end), before->bytes(), size(before->begin),
                  before->live ? "live" : "free");
      describe(found, r, *before);
    }
    if (after != nullptr && after->begin - p < page_size) {
      found.print("  that is %zu bytes in front of %zu bytes at 0x%zx, which are %s\n",
                  size(after->begin - p), after->bytes(), size(after->begin),
                  after->live ? "live" : "free");
      describe(found, r, *after);
    }
  }
  found.place("this call is", r.places, place);
  found.end();
}

void report_moved_from(records& r, std::uintptr_t place, const char* call,
                       std::uint32_t noticed) noexcept {
  report found(fault::moved_from);
  found.print("  %s on an empty array at 0x%zx\n", call, size(place));
  const piece* const now = tables.holds(place) ? r.pieces.covering(place) : nullptr;
  if (now != nullptr) {
    found.print("  the %zu bytes at 0x%zx there are %s\n", now->bytes(), size(now->begin),
                now->live ? "live" : "free");
    describe(found, r, *now);
  }
  found.place("this call is", r.places, noticed);
  found.end();
}

void report_leaks(records& r, std::uint32_t process) noexcept {
  struct group {
    std::uint32_t place = 0;
    std::size_t runs = 0;
    std::size_t bytes = 0;
    const piece* first = nullptr;
  };
  std::array<group, 8> groups{};
  std::size_t used = 0;
  group all;
  for (piece* p = r.pieces.following(0); p != nullptr; p = r.pieces.following(p->begin + 1)) {
    if (!p->live || p->process != process) continue;
    ++all.runs;
    all.bytes += p->bytes();
    std::size_t i = 0;
    while (i < used && groups[i].place != p->allocated_at) ++i;
    if (i == groups.size()) continue;
    if (i == used) groups[used++] = {p->allocated_at, 0, 0, p};
    ++groups[i].runs;
    groups[i].bytes += p->bytes();
  }
  if (all.runs == 0) return;
  report found(fault::leak);
  found.print("  %zu bytes in %zu pieces are live at exit\n", all.bytes, all.runs);
  for (std::size_t i = 0; i < used; ++i) {
    const group& g = groups[i];
    found.print("  %zu bytes in %zu pieces, the first one %zu bytes at 0x%zx\n", g.bytes, g.runs,
                g.first->bytes(), size(g.first->begin));
    describe(found, r, *g.first);
  }
  found.end(true);
}

void report_no_memory() noexcept {
  report found(fault::no_memory);
  found.print("  the system gives none to %s\n", "note a free");
  found.end();
}

}  // namespace cleave::heap::checked
