#include "trace_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace cleave::tool {
namespace {

constexpr std::size_t curve_steps = 200;
constexpr std::size_t graph_rows = 5;
constexpr std::size_t label_columns = 16;

double number(std::uint64_t n) {
  return static_cast<double>(n);
}

template <class Row>
std::vector<Row> first(std::vector<Row> rows, std::size_t n) {
  if (rows.size() > n) rows.resize(n);
  return rows;
}

std::vector<pinning> by_place(const replay::history& past) {
  std::map<std::uint32_t, pinning> sums;
  for (const replay::pin& one : past.pins) {
    const std::uint32_t place = past.allocations[past.spans[one.keeper].owner].place;
    pinning& sum = sums[place];
    sum.place = place;
    ++sum.pages;
    sum.dead_bytes += past.page_bytes - one.live;
    sum.longest = std::max(sum.longest, one.length);
    sum.weight += number(past.page_bytes - one.live) * number(one.length);
    if (one.to == replay::none) ++sum.still;
  }
  std::vector<pinning> rows;
  for (const auto& [place, sum] : sums) rows.push_back(sum);
  std::sort(rows.begin(), rows.end(), [](const pinning& a, const pinning& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.place < b.place;
  });
  return rows;
}

std::string plural(std::uint64_t n, std::string_view one, std::string_view many) {
  return count_text(n) + " " + std::string(n == 1 ? one : many);
}

struct odd_row {
  std::uint64_t replay::oddities::* count;
  const char* name;
  const char* words;
};
constexpr odd_row odd_rows[] = {
    {&replay::oddities::freed_dead, "freed_dead", "frees of bytes that were not live"},
    {&replay::oddities::reused_live, "reused_live", "allocations over bytes that were live"},
    {&replay::oddities::extended_dead, "extended_dead", "growths of what was not live"},
    {&replay::oddities::cut_dead, "cut_dead", "cuts and joins of what was not live"},
    {&replay::oddities::outside, "outside", "ranges that are empty or not in the heap"},
    {&replay::oddities::backwards, "backwards", "times before the one before"},
};

class writer {
 public:
  writer(const trace_summary& all, const place_namer& name_of, const style& look, std::size_t width,
         std::size_t most)
      : all_(all), name_of_(name_of), look_(look), width_(width), most_(most) {}

  std::string text() {
    head();
    live();
    list("who held the most that was live", all_.at_peak, "run", "runs");
    sizes();
    copies();
    pins();
    fragmentation();
    others();
    leaks();
    odd();
    return std::move(text_);
  }

 private:
  void line(std::string words = "") { text_ += cut_to_columns(words, most_) + "\n"; }

  // Names come from the recording, which may hold anything.
  std::string name(std::uint32_t place) const { return plain_name(name_of_(place), look_.unicode); }

  void heading(const std::string& words) {
    line();
    line(painted(words, colour::strong, look_));
  }

  void head() {
    std::uint64_t events = 0;
    for (const std::uint64_t n : all_.events) events += n;
    line(fmt::format("{}: {} in {}, {}", plain_name(all_.program, look_.unicode),
                     plural(events, "event", "events"), duration_text(all_.length),
                     plural(all_.threads, "thread", "threads")));
    std::string kinds;
    for (std::size_t k = 0; k < trace::event_kinds; ++k) {
      if (all_.events[k] == 0) continue;
      kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ",
                           trace::to_text(static_cast<trace::event_kind>(k)),
                           count_text(all_.events[k]));
    }
    if (!kinds.empty()) line(kinds);
    if (!all_.complete) {
      const std::string why =
          all_.ending.empty() ? "" : ": " + plain_name(all_.ending, look_.unicode);
      line(painted("the recording is not complete, and this is what came before its end" + why,
                   colour::yellow, look_));
    }
    if (all_.lost > 0) {
      line(painted(plural(all_.lost, "event was", "events were") + " not recorded", colour::yellow,
                   look_));
    }
  }

  void curve(const std::string& top, const std::vector<double>& values, colour how) {
    const std::size_t columns = width_ > label_columns + 10 ? width_ - label_columns : 10;
    const std::vector<std::string> rows =
        graph(values, std::min(columns, values.size()), graph_rows, look_);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::string label = i == 0 ? top : i + 1 == rows.size() ? "0" : "";
      line(right(label, label_columns - 2) + "  " + painted(rows[i], how, look_));
    }
    line(std::string(label_columns, ' ') + "0 to " + duration_text(all_.length));
  }

  void live() {
    heading("live over time");
    line(fmt::format("most {} at {}, {} at the end; on pages of {} at most",
                     bytes_text(all_.peak_live), duration_text(all_.peak_time),
                     bytes_text(all_.end_live), bytes_text(all_.most_held)));
    if (all_.peak_live == 0) return;
    std::vector<double> values;
    for (const replay::sample& step : all_.curve) values.push_back(number(step.most_live));
    curve(bytes_text(all_.peak_live), values, colour::green);
  }

  void list(const std::string& title, const std::vector<replay::holding>& rows,
            std::string_view one, std::string_view many) {
    if (rows.empty()) return;
    heading(title);
    for (const replay::holding& row : first(rows, all_.top)) {
      line(right(bytes_text(row.bytes), 12) + right(count_text(row.count), 12) + " " +
           left(row.count == 1 ? one : many, 7) + name(row.place));
    }
    more(rows.size());
  }

  void more(std::size_t rows) {
    if (rows > all_.top) line(fmt::format("{:>12} more", rows - all_.top));
  }

  void sizes() {
    std::uint64_t most = 0;
    for (const replay::size_class& one : all_.sizes) most = std::max(most, one.count);
    if (most == 0) return;
    heading("sizes of allocations");
    for (std::size_t k = 0; k < all_.sizes.size(); ++k) {
      const replay::size_class& one = all_.sizes[k];
      if (one.count == 0) continue;
      const std::size_t columns = width_ > 60 ? width_ - 44 : 16;
      line("up to " + right(bytes_text(std::uint64_t{1} << k), 10) +
           right(count_text(one.count), 12) + right(bytes_text(one.bytes), 12) + "  " +
           painted(bar(number(one.count) / number(most), columns, look_), colour::cyan, look_));
    }
  }

  void copies() {
    if (all_.copies.empty()) return;
    replay::holding sum;
    for (const replay::holding& row : all_.copies) {
      sum.bytes += row.bytes;
      sum.count += row.count;
    }
    list(fmt::format("joins of what were no neighbours: {} copied {}",
                     plural(sum.count, "join", "joins"), bytes_text(sum.bytes)),
         all_.copies, "join", "joins");
  }

  void pins() {
    if (all_.pins.empty()) return;
    heading(plural(all_.pinned_pages, "page was", "pages were") +
            " kept by a small rest; the free bytes on them, and whose rest it was");
    for (const pinning& row : first(all_.pins, all_.top)) {
      line(right(bytes_text(row.dead_bytes), 12) + right(count_text(row.pages), 12) + " " +
           left(row.pages == 1 ? "page" : "pages", 7) +
           fmt::format("for {}{}  ", duration_text(row.longest), row.still > 0 ? " and on" : "") +
           name(row.place));
    }
    more(all_.pins.size());
  }

  void fragmentation() {
    std::vector<double> values;
    double most = 0;
    for (const replay::sample& step : all_.curve) {
      values.push_back(step.fragmentation());
      most = std::max(most, step.fragmentation());
    }
    if (most == 0) return;
    heading("the free share of the pages with live bytes, over time");
    curve(percent_text(most, 1), values, colour::yellow);
  }

  void others() {
    std::vector<std::string> found;
    if (all_.purged > 0) found.push_back(bytes_text(all_.purged) + " went back to the system");
    const std::uint64_t collections = all_.collected.minor + all_.collected.major;
    if (collections > 0) {
      found.push_back(fmt::format(
          "{}, {} of them full, reclaimed {}", plural(collections, "collection", "collections"),
          count_text(all_.collected.major), bytes_text(all_.collected.reclaimed)));
    }
    if (all_.forgotten > 0) {
      found.push_back(plural(all_.forgotten, "large array was", "large arrays were") +
                      " forgotten");
    }
    if (!found.empty()) line();
    for (const std::string& one : found) line(one);
  }

  void leaks() {
    if (all_.at_end.empty()) {
      line();
      line("everything was freed at the end");
      return;
    }
    list(all_.complete ? "live at the end, so never freed" : "live where the recording ends",
         all_.at_end, "run", "runs");
  }

  void odd() {
    if (all_.odd.count() == 0) return;
    heading("what cannot be, as where a recording begins late or events are missing");
    for (const odd_row& row : odd_rows) {
      if (all_.odd.*row.count > 0) {
        line(right(count_text(all_.odd.*row.count), 12) + " " + row.words);
      }
    }
  }

  const trace_summary& all_;
  const place_namer& name_of_;
  const style& look_;
  std::size_t width_;
  std::size_t most_;
  std::string text_;
};

using json = nlohmann::ordered_json;

json rows_of(const std::vector<replay::holding>& rows, std::size_t top,
             const place_namer& name_of) {
  json list = json::array();
  for (const replay::holding& row : first(rows, top)) {
    list.push_back({{"bytes", row.bytes}, {"count", row.count}, {"place", name_of(row.place)}});
  }
  return list;
}

}  // namespace

trace_summary summed_up(const trace::recording& seen, const replay::history& past,
                        std::size_t top) {
  trace_summary all;
  all.top = top;
  all.program = seen.program;
  all.complete = seen.complete;
  all.ending = seen.ending;
  all.lost = seen.lost;
  all.length = past.times.back();
  for (const trace::event& one : seen.events) {
    all.threads = std::max(all.threads, one.thread);
    ++all.events[static_cast<std::size_t>(one.kind)];
  }
  all.curve = replay::curve(past, curve_steps);
  all.peak_live = past.live[past.peak];
  all.peak_time = past.times[past.peak];
  all.most_held = *std::max_element(past.held.begin(), past.held.end());
  all.end_live = past.live.back();
  all.end_held = past.held.back();
  all.at_peak = replay::holders(past, past.peak);
  all.at_end = replay::holders(past, past.last());
  all.sizes.assign(past.sizes.begin(), past.sizes.end() - 1);
  all.copies = past.copies;
  all.page_bytes = past.page_bytes;
  all.pinned_pages = past.pinned_pages;
  all.pins = by_place(past);
  all.collected = past.collected;
  all.purged = past.purged;
  all.forgotten = past.forgotten;
  all.odd = past.odd;
  return all;
}

std::string as_text(const trace_summary& all, const place_namer& name_of, const style& look,
                    std::size_t width, std::size_t most) {
  return writer(all, name_of, look, width, most).text();
}

json as_json(const trace_summary& all, const place_namer& name_of) {
  json out;
  out["program"] = all.program;
  out["complete"] = all.complete;
  out["ending"] = all.complete ? json() : json(all.ending);
  out["lost"] = all.lost;
  out["length_nanoseconds"] = all.length;
  out["threads"] = all.threads;
  for (std::size_t k = 0; k < trace::event_kinds; ++k) {
    out["events"][trace::to_text(static_cast<trace::event_kind>(k))] = all.events[k];
  }
  out["peak"] = {{"live_bytes", all.peak_live},
                 {"nanoseconds", all.peak_time},
                 {"held_by", rows_of(all.at_peak, all.top, name_of)}};
  out["most_held_bytes"] = all.most_held;
  out["end"] = {{"live_bytes", all.end_live},
                {"held_bytes", all.end_held},
                {"held_by", rows_of(all.at_end, all.top, name_of)}};
  out["sizes"] = json::array();
  for (std::size_t k = 0; k < all.sizes.size(); ++k) {
    const replay::size_class& one = all.sizes[k];
    if (one.count == 0) continue;
    out["sizes"].push_back(
        {{"up_to_bytes", std::uint64_t{1} << k}, {"count", one.count}, {"bytes", one.bytes}});
  }
  out["copies"] = rows_of(all.copies, all.top, name_of);
  out["page_bytes"] = all.page_bytes;
  out["pinned_pages"] = all.pinned_pages;
  out["pinned_by"] = json::array();
  for (const pinning& row : first(all.pins, all.top)) {
    out["pinned_by"].push_back({{"pages", row.pages},
                                {"pages_at_end", row.still},
                                {"free_bytes", row.dead_bytes},
                                {"longest_nanoseconds", row.longest},
                                {"place", name_of(row.place)}});
  }
  out["purged_bytes"] = all.purged;
  out["collections"] = {{"minor", all.collected.minor},
                        {"major", all.collected.major},
                        {"reclaimed_bytes", all.collected.reclaimed}};
  out["forgotten"] = all.forgotten;
  for (const odd_row& row : odd_rows) out["odd"][row.name] = all.odd.*row.count;
  out["curve"] = json::array();
  for (const replay::sample& step : all.curve) {
    out["curve"].push_back({{"nanoseconds", step.time},
                            {"most_live_bytes", step.most_live},
                            {"live_bytes", step.live},
                            {"held_bytes", step.held},
                            {"free_share", step.fragmentation()}});
  }
  return out;
}

}  // namespace cleave::tool
