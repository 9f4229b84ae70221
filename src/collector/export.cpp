// A collector's statistics as text; docs/seeing.md lists the names.

#include <cleave/collector.hpp>
#include <cstdint>
#include <string>

#include "base/metrics.hpp"

namespace cleave::gc {
namespace {

using base::metric_kind;
using base::metric_unit;
using base::text_out;

constexpr std::string_view prefix = "cleave_collector_";

std::uint64_t nanoseconds(std::chrono::nanoseconds time) noexcept {
  return static_cast<std::uint64_t>(time.count());
}

constexpr base::metric<statistics> numbers[] = {
    {"allocated_small_bytes", metric_kind::counter, "Small objects that were made.",
     [](const statistics& s) noexcept { return s.allocated_small; }},
    {"young_collections", metric_kind::counter, "Collections of the young generation.",
     [](const statistics& s) noexcept { return s.young_collections; }},
    {"full_collections", metric_kind::counter, "Collections of both generations.",
     [](const statistics& s) noexcept { return s.full_collections; }},
    {"block_bytes", metric_kind::gauge, "Blocks with small objects.",
     [](const statistics& s) noexcept -> std::uint64_t { return s.blocks; }},
    {"idle_block_bytes", metric_kind::gauge, "Blocks that are kept for later.",
     [](const statistics& s) noexcept -> std::uint64_t { return s.idle_blocks; }},
    {"large_allocated_bytes", metric_kind::counter, "Large arrays that were made.",
     [](const statistics& s) noexcept { return s.allocated; }},
    {"large_given_bytes", metric_kind::counter, "Large arrays that the program gave.",
     [](const statistics& s) noexcept { return s.given; }},
    {"large_forgotten_bytes", metric_kind::counter, "Large arrays that were let go, and trims.",
     [](const statistics& s) noexcept { return s.forgotten; }},
    {"large_taken_bytes", metric_kind::counter, "Large arrays that the program took.",
     [](const statistics& s) noexcept { return s.taken; }},
    {"large_swept_bytes", metric_kind::counter, "Large arrays that a collection found dead.",
     [](const statistics& s) noexcept { return s.swept; }},
    {"large_young_bytes", metric_kind::gauge, "Large arrays of the young generation.",
     [](const statistics& s) noexcept -> std::uint64_t { return s.large_young; }},
    {"large_old_bytes", metric_kind::gauge, "Large arrays of the old generation.",
     [](const statistics& s) noexcept -> std::uint64_t { return s.large_old; }},
    {"large_arrays", metric_kind::gauge, "How many large arrays there are.",
     [](const statistics& s) noexcept -> std::uint64_t { return s.large_arrays; }},
    {"charged_bytes", metric_kind::gauge, "What the budget of the next collection has spent.",
     [](const statistics& s) noexcept -> std::uint64_t { return s.charged; }},
    {"quarantined_bytes", metric_kind::gauge, "Forgotten arrays that debugging holds back.",
     [](const statistics& s) noexcept -> std::uint64_t { return s.quarantined; }},
    {"copied_bytes", metric_kind::counter, "What collections copied.",
     [](const statistics& s) noexcept { return s.copied; }},
    {"copied_by_helpers_bytes", metric_kind::counter, "What waiting threads copied of it.",
     [](const statistics& s) noexcept { return s.copied_by_helpers; }},
    {"old_after_full_bytes", metric_kind::gauge, "What the last full collection left.",
     [](const statistics& s) noexcept -> std::uint64_t { return s.old_after_full; }},
    {"pause_seconds", metric_kind::counter, "How long the threads stood still, in all.",
     [](const statistics& s) noexcept { return nanoseconds(s.pause_total); }, metric_unit::seconds},
    {"longest_pause_seconds", metric_kind::gauge, "The longest pause.",
     [](const statistics& s) noexcept { return nanoseconds(s.pause_longest); },
     metric_unit::seconds},
    {"last_pause_seconds", metric_kind::gauge, "The last pause.",
     [](const statistics& s) noexcept { return nanoseconds(s.pause_last); }, metric_unit::seconds},
    {"finalizers_run", metric_kind::counter, "Finalizers that ran.",
     [](const statistics& s) noexcept { return s.finalizers_run; }},
};

void write_label(text_out& to, std::string_view name) noexcept {
  to << "{collector=\"";
  for (const char& c : name) {
    if (c == '\n') {
      to << "\\n";
    } else if (c == '"' || c == '\\') {
      to << "\\" << std::string_view(&c, 1);
    } else {
      to << std::string_view(&c, 1);
    }
  }
  to << "\"}";
}

}  // namespace

std::string to_json(const statistics& s) {
  return base::text_of([&](text_out& to) {
    to << "{";
    base::write_members(to, numbers, s);
    to << "}";
  });
}

std::string to_prometheus(std::span<const named_statistics> all) {
  std::string text;
  for (const auto& number : numbers) {
    text += base::text_of([&](text_out& to) { base::write_family(to, prefix, number); });
    for (const named_statistics& one : all) {
      const std::string label = base::text_of([&](text_out& to) { write_label(to, one.name); });
      text += base::text_of(
          [&](text_out& to) { base::write_sample(to, prefix, number, label, one.numbers); });
    }
  }
  return text;
}

}  // namespace cleave::gc
