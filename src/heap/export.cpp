// The names of the heap's numbers for the world outside; docs/seeing.md lists them.

#include "heap/export.hpp"

#include <cstdint>
#include <string>

#include "base/metrics.hpp"
#include "heap/geometry.hpp"

namespace cleave::heap {
namespace {

using base::metric_kind;
using base::text_out;

constexpr std::string_view prefix = "cleave_heap_";

constexpr base::metric<statistics> numbers[] = {
    {"live_bytes", metric_kind::gauge, "Bytes in live runs.",
     [](const statistics& s) noexcept -> std::uint64_t { return s.live; }},
    {"held_bytes", metric_kind::gauge, "Memory that the system may have put behind the heap.",
     [](const statistics& s) noexcept -> std::uint64_t { return s.held; }},
    {"held_peak_bytes", metric_kind::gauge, "The most that was held since the start.",
     [](const statistics& s) noexcept -> std::uint64_t { return s.peak_held; }},
    {"held_limit_bytes", metric_kind::gauge, "The most that may be held.",
     [](const statistics& s) noexcept -> std::uint64_t {
       return s.held_limit == SIZE_MAX ? base::without_limit : s.held_limit;
     }},
    {"reserved_bytes", metric_kind::gauge, "Address space of the heap.",
     [](const statistics& s) noexcept -> std::uint64_t { return s.reserved; }},
    {"committed_bytes", metric_kind::gauge, "The part of the address space that is accessible.",
     [](const statistics& s) noexcept -> std::uint64_t { return s.committed; }},
    {"metadata_bytes", metric_kind::gauge, "The tables of the heap, beside what is held.",
     [](const statistics& s) noexcept -> std::uint64_t { return s.metadata; }},
    {"free_bytes", metric_kind::gauge, "Pages that stand free, never used ones among them.",
     [](const statistics& s) noexcept -> std::uint64_t { return s.free; }},
    {"cached_bytes", metric_kind::gauge, "Free pages that wait in the caches of threads.",
     [](const statistics& s) noexcept -> std::uint64_t { return s.cached; }},
    {"largest_free_bytes", metric_kind::gauge, "The largest run that the address space can give.",
     [](const statistics& s) noexcept -> std::uint64_t { return s.largest_free; }},
    {"allocations", metric_kind::counter, "Runs that were handed out.",
     [](const statistics& s) noexcept { return s.allocations; }},
    {"frees", metric_kind::counter, "Runs that were given back.",
     [](const statistics& s) noexcept { return s.frees; }},
    {"extensions", metric_kind::counter, "Runs that grew in place.",
     [](const statistics& s) noexcept { return s.extensions; }},
    {"system_calls", metric_kind::counter, "Calls of the system for memory.",
     [](const statistics& s) noexcept { return s.system_calls; }},
};

// What is said of each size class.
constexpr base::metric<class_statistics> class_numbers[] = {
    {"slabs", metric_kind::gauge, "Slabs of a size class.",
     [](const class_statistics& c) noexcept -> std::uint64_t { return c.slabs; }},
    {"slots", metric_kind::gauge, "Slots in the slabs of a size class.",
     [](const class_statistics& c) noexcept -> std::uint64_t { return c.slots; }},
    {"slots_used", metric_kind::gauge, "Slots in use, whole or in part.",
     [](const class_statistics& c) noexcept -> std::uint64_t { return c.slots_used; }},
};

std::uint64_t block_bytes(std::size_t order) noexcept {
  return std::uint64_t{page_size} << order;
}

}  // namespace

void write_json(text_out& to, const statistics& s,
                std::span<const class_statistics> classes) noexcept {
  to << "{";
  base::write_members(to, numbers, s);
  std::string_view before = ",\"free_blocks\":[";
  for (std::size_t order = 0; order < order_count; ++order) {
    to << before << "{\"block_bytes\":" << block_bytes(order)
       << ",\"blocks\":" << std::uint64_t{s.free_blocks[order]} << "}";
    before = ",";
  }
  to << "],\"classes\":[";
  before = "";
  for (const class_statistics& one : classes) {
    to << before << "{\"slot_bytes\":" << std::uint64_t{one.slot_bytes} << ",";
    base::write_members(to, class_numbers, one);
    to << "}";
    before = ",";
  }
  to << "]}";
}

void write_prometheus(text_out& to, const statistics& s,
                      std::span<const class_statistics> classes) noexcept {
  for (const auto& one : numbers) {
    base::write_family(to, prefix, one);
    base::write_sample(to, prefix, one, "", s);
  }
  constexpr std::string_view blocks = "free_blocks";
  base::write_family(to, prefix, blocks, metric_kind::gauge, "Free blocks of this many bytes.");
  for (std::size_t order = 0; order < order_count; ++order) {
    to << prefix << blocks << "{block_bytes=\"" << block_bytes(order) << "\"} "
       << std::uint64_t{s.free_blocks[order]} << "\n";
  }
  for (const auto& number : class_numbers) {
    base::write_family(to, "cleave_heap_class_", number);
    for (const class_statistics& one : classes) {
      char text[40];
      text_out label(text, sizeof text);
      label << "{slot_bytes=\"" << std::uint64_t{one.slot_bytes} << "\"}";
      base::write_sample(to, "cleave_heap_class_", number, {text, label.size()}, one);
    }
  }
}

std::string to_json(const statistics& s) {
  return base::text_of([&](text_out& to) { write_json(to, s, s.classes); });
}

std::string to_prometheus(const statistics& s) {
  return base::text_of([&](text_out& to) { write_prometheus(to, s, s.classes); });
}

}  // namespace cleave::heap
