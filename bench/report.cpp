// report.cpp -- lays out the tables and the JSON.
#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "strategies/all.hpp"

namespace cleave::bench {
namespace {

// Three digits that count, in the unit that suits.
std::string time_text(double seconds) {
  struct unit {
    double size;
    const char* name;
  };
  for (const unit u : {unit{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}}) {
    if (seconds < u.size) continue;
    const double value = seconds / u.size;
    const int digits = value < 10 ? 2 : value < 100 ? 1 : 0;
    return fmt::format("{:.{}f} {}", value, digits, u.name);
  }
  return fmt::format("{:.0f} ns", seconds * 1e9);
}

std::string size_text(std::size_t bytes) {
  const double value = static_cast<double>(bytes);
  return bytes < 1'000'000 ? fmt::format("{:.0f} kB", value / 1e3)
                           : fmt::format("{:.1f} MB", value / 1e6);
}

// What a table of one line per workload shows of a result.
std::string value_text(const result& r) {
  return r.rss_bytes ? size_text(*r.rss_bytes) : time_text(r.seconds);
}
double value_of(const result& r) {
  return r.rss_bytes ? static_cast<double>(*r.rss_bytes) : r.seconds;
}

std::string title(const result& r) {
  return r.threads == 1 ? r.workload : fmt::format("{}, {} threads", r.workload, r.threads);
}

using rows = std::vector<std::vector<std::string>>;

// The first column to the left, the others to the right.
std::string layout(const rows& cells) {
  std::vector<std::size_t> widths;
  for (const auto& row : cells) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : cells) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += i == 0 ? fmt::format("{:<{}}", row[i], widths[i])
                     : fmt::format("  {:>{}}", row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

template <class... S>
bool is_one_of(const std::string& name, strategy_list<S...>) {
  return ((name == S::name()) || ...);
}

// Whether a strategy is for many workloads, and not what only one of them has.
bool is_general(const std::string& strategy) {
  return strategy == "limit" || is_one_of(strategy, all_strategies{});
}

// The results of one workload and number of threads.
struct group {
  std::string name;
  std::vector<const result*> results;

  [[nodiscard]] const result* find(const std::string& strategy) const {
    for (const result* r : results) {
      if (r->strategy == strategy) return r;
    }
    return nullptr;
  }
  // The least that another strategy needs which owns and frees its arrays, on any
  // thread.
  [[nodiscard]] const result* best_other() const {
    const result* best = nullptr;
    for (const result* r : results) {
      const std::string& s = r->strategy;
      if (s == "limit" || s == raw::name() || s == midpoint<false>::name()) continue;
      if (s.starts_with(cleave_array::name())) continue;
      if (best == nullptr || value_of(*r) < value_of(*best)) best = r;
    }
    return best;
  }
};

std::vector<group> groups_of(const std::vector<result>& results) {
  std::vector<group> groups;
  for (const result& r : results) {
    const std::string name = title(r);
    if (groups.empty() || groups.back().name != name) groups.push_back({name, {}});
    groups.back().results.push_back(&r);
  }
  return groups;
}

std::string ratio_text(const result* above, const result* below) {
  if (above == nullptr || below == nullptr || value_of(*below) <= 0) return "-";
  return fmt::format("{:.2f}", value_of(*above) / value_of(*below));
}

}  // namespace

std::string summary_table(const std::vector<result>& results) {
  std::vector<std::string> strategies;
  std::string others;
  for (const result& r : results) {
    if (!is_general(r.strategy)) {
      others += fmt::format("{}, {}: {}\n", title(r), r.strategy, value_text(r));
    } else if (std::find(strategies.begin(), strategies.end(), r.strategy) == strategies.end()) {
      strategies.push_back(r.strategy);
    }
  }
  // A workload without limit or raw must not move those to the end.
  const auto known = strategy_names();
  const auto place = [&](const std::string& s) { return std::find(known.begin(), known.end(), s); };
  std::sort(strategies.begin(), strategies.end(),
            [&](const std::string& a, const std::string& b) { return place(a) < place(b); });

  rows cells(1, {"workload"});
  for (const std::string& s : strategies) cells[0].push_back(s);
  cells[0].insert(cells[0].end(), {"cleave/raw", "cleave/best other"});
  for (const group& g : groups_of(results)) {
    std::vector<std::string> row{g.name};
    for (const std::string& s : strategies) {
      const result* const found = g.find(s);
      row.push_back(found == nullptr ? "-" : value_text(*found));
    }
    const result* const ours = g.find(cleave_array::name());
    const result* const other = g.best_other();
    row.push_back(ratio_text(ours, g.find(raw::name())));
    std::string against = ratio_text(ours, other);
    if (against != "-") against += fmt::format(" ({})", other->strategy);
    row.push_back(against);
    cells.push_back(std::move(row));
  }
  return layout(cells) + others;
}

std::string detail_table(const std::vector<result>& results) {
  rows cells(
      1, {"workload and strategy", "median", "least", "most", "x raw", "page faults", "resident"});
  for (const group& g : groups_of(results)) {
    cells.push_back({g.name});
    for (const result* r : g.results) {
      cells.push_back({"  " + r->strategy, time_text(r->seconds), time_text(r->seconds_min),
                       time_text(r->seconds_max),
                       r->ratio_to_raw ? fmt::format("{:.2f}", *r->ratio_to_raw) : "-",
                       fmt::format("{}", r->page_faults),
                       r->rss_bytes ? size_text(*r->rss_bytes) : "-"});
    }
  }
  return layout(cells);
}

std::string to_json(const std::vector<result>& results) {
  // In the order that is written here.
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  const auto or_null = [](const auto& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
  };
  for (const result& r : results) {
    all.push_back({{"workload", r.workload},
                   {"strategy", r.strategy},
                   {"threads", r.threads},
                   {"rounds", r.rounds},
                   {"repeats", r.repeats},
                   {"seconds", r.seconds},
                   {"seconds_min", r.seconds_min},
                   {"seconds_max", r.seconds_max},
                   {"ratio_to_raw", or_null(r.ratio_to_raw)},
                   {"page_faults", r.page_faults},
                   {"rss_bytes", or_null(r.rss_bytes)}});
  }
  return all.dump(1) + "\n";
}

}  // namespace cleave::bench
