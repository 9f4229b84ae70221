// metrics.hpp -- the numbers of a struct of statistics, by name, as JSON and for Prometheus.
//
//   constexpr metric<statistics> all[] = {
//       {"live_bytes", metric_kind::gauge, "Bytes in live runs.",
//        [](const statistics& s) -> std::uint64_t { return s.live; }},
//   };
//   write_members(out, all, s);                               // "live_bytes":12345
//   write_family(out, "cleave_heap_", all[0]);                // # HELP ..., # TYPE ...
//   write_sample(out, "cleave_heap_", all[0], "", s);         // cleave_heap_live_bytes 12345
//
// A table of these is the one place that names a number: JSON has the name as it is, and
// Prometheus has it behind a prefix, with "_total" behind what only grows. Bytes end in "_bytes",
// times in "_seconds".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/text_out.hpp"

namespace cleave::base {

enum class metric_kind : std::uint8_t { gauge, counter };
// How a number is written: as it is, or as seconds where it is nanoseconds.
enum class metric_unit : std::uint8_t { plain, seconds };

// Stands for "no limit": null in JSON, +Inf for Prometheus.
inline constexpr std::uint64_t without_limit = UINT64_MAX;

template <class Statistics>
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): the order is that of a reader
struct metric {
  std::string_view name;
  metric_kind kind;
  // One sentence, without a backslash or a line's end.
  std::string_view help;
  std::uint64_t (*get)(const Statistics&) noexcept;
  metric_unit unit = metric_unit::plain;
};

inline void write_number(text_out& to, std::uint64_t number, metric_unit unit) noexcept {
  if (unit == metric_unit::plain) {
    to << number;
    return;
  }
  constexpr std::uint64_t second = 1'000'000'000;
  // With all nine digits, so that no nanosecond is lost.
  char rest[10] = ".";
  std::uint64_t left = number % second;
  for (std::size_t i = 9; i > 0; --i, left /= 10) rest[i] = static_cast<char>('0' + left % 10);
  to << number / second << std::string_view(rest, sizeof rest);
}

// The members of an object, without its braces.
template <class Statistics, std::size_t N>
void write_members(text_out& to, const metric<Statistics> (&all)[N], const Statistics& s) noexcept {
  std::string_view before = "\"";
  for (const metric<Statistics>& one : all) {
    to << before << one.name << "\":";
    before = ",\"";
    const std::uint64_t number = one.get(s);
    if (number == without_limit) {
      to << "null";
    } else {
      write_number(to, number, one.unit);
    }
  }
}

inline void write_family(text_out& to, std::string_view prefix, std::string_view name,
                         metric_kind kind, std::string_view help) noexcept {
  const bool grows = kind == metric_kind::counter;
  const std::string_view suffix = grows ? "_total" : "";
  to << "# HELP " << prefix << name << suffix << " " << help << "\n";
  to << "# TYPE " << prefix << name << suffix << (grows ? " counter\n" : " gauge\n");
}

template <class Statistics>
void write_family(text_out& to, std::string_view prefix, const metric<Statistics>& one) noexcept {
  write_family(to, prefix, one.name, one.kind, one.help);
}

// `labels` is empty, or all of them with their braces.
template <class Statistics>
void write_sample(text_out& to, std::string_view prefix, const metric<Statistics>& one,
                  std::string_view labels, const Statistics& s) noexcept {
  to << prefix << one.name << (one.kind == metric_kind::counter ? "_total" : "") << labels << " ";
  const std::uint64_t number = one.get(s);
  if (number == without_limit) {
    to << "+Inf";
  } else {
    write_number(to, number, one.unit);
  }
  to << "\n";
}

// What `write` writes, as a string. Throws std::bad_alloc, and nothing else.
template <class Write>
std::string text_of(const Write& write) {
  text_out measure(nullptr, 0);
  write(measure);
  std::string text(measure.size(), '\0');
  text_out out(text.data(), text.size());
  write(out);
  return text;
}

}  // namespace cleave::base
