#include "top_frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace cleave::tool {
namespace {

using cleave::detail::shown;
using cleave::detail::shown_class;

constexpr std::size_t most_looks = 1000;
constexpr std::size_t graph_rows = 5;
// In front of bars and graphs.
constexpr std::size_t label_columns = 22;

double number(std::uint64_t n) {
  return static_cast<double>(n);
}

double seconds_between(std::uint64_t from, std::uint64_t to) {
  return to > from ? number(to - from) / 1e9 : 0;
}

double per_second(const top_view& view, std::uint64_t shown::* count) {
  if (!view.has_before) return 0;
  const double time = seconds_between(view.before.written, view.now.written);
  const std::uint64_t was = view.before.*count;
  const std::uint64_t is = view.now.*count;
  return time > 0 && is > was ? number(is - was) / time : 0;
}

std::string rate_text(double rate) {
  constexpr double most = 1e18;
  return count_text(static_cast<std::uint64_t>(std::round(std::min(rate, most)))) + "/s";
}

std::uint64_t used_bytes(const shown_class& c) {
  return c.slots_used * c.slot_bytes;
}

std::uint64_t spare_bytes(const shown_class& c) {
  return c.slots > c.slots_used ? (c.slots - c.slots_used) * c.slot_bytes : 0;
}

class drawer {
 public:
  explicit drawer(const top_view& view) : view_(view), now_(view.now) {}

  std::vector<std::string> all() {
    title();
    if (view_.help) {
      help();
    } else {
      memory();
      rates();
      history();
      classes();
    }
    if (view_.keys) footer();
    for (std::string& line : lines_) line = cut_to_columns(line, view_.width);
    return std::move(lines_);
  }

 private:
  void add(std::string line = "") { lines_.push_back(std::move(line)); }

  std::string strong(std::string_view text) const {
    return painted(text, colour::strong, view_.look);
  }

  void title() {
    std::string line = strong(fmt::format("cleave top  {}", now_.process)) + "  " + view_.program +
                       "  up " + time_text(seconds_between(now_.began, now_.written));
    if (view_.keys) line += fmt::format("  every {:g} s", view_.interval);
    if (view_.paused) line += "  " + painted("paused", colour::yellow, view_.look);
    add(line);
    add();
  }

  // A name and an amount, a bar, and what the whole of the bar is.
  void amount(std::string_view name, std::uint64_t bytes, std::uint64_t whole, colour how,
              const std::string& behind) {
    const std::size_t width = view_.width > 72 ? view_.width - 50 : 22;
    const double share = whole > 0 ? number(bytes) / number(whole) : 0;
    add(left(name, 10) + right(bytes_text(bytes), 10) + "  " +
        painted(bar(std::min(share, 1.0), width, view_.look), how, view_.look) + "  " + behind);
  }

  void memory() {
    amount("live", now_.live, now_.held, colour::green,
           percent_text(number(now_.live), number(now_.held)) + " of what is held");
    if (now_.held_limit == UINT64_MAX) {
      amount("held", now_.held, now_.peak_held, colour::cyan,
             percent_text(number(now_.held), number(now_.peak_held)) + " of the peak");
    } else {
      amount("held", now_.held, now_.held_limit, colour::yellow,
             percent_text(number(now_.held), number(now_.held_limit)) + " of the limit");
    }
    add(left("peak", 10) + right(bytes_text(now_.peak_held), 10) + "  limit " +
        (now_.held_limit == UINT64_MAX ? "none" : bytes_text(now_.held_limit)));
    add(left("idle", 10) + right(bytes_text(now_.idle), 10) + "  for a purge; " +
        bytes_text(now_.cached) + " in caches, " + bytes_text(now_.metadata) + " in tables");
    add();
  }

  void rate(std::string_view name, std::uint64_t shown::* count) {
    add(left(name, 14) + right(rate_text(per_second(view_, count)), 20) +
        right(count_text(now_.*count), 28) + " since the start");
  }

  void rates() {
    rate("allocations", &shown::allocations);
    rate("frees", &shown::frees);
    rate("extensions", &shown::extensions);
    rate("system calls", &shown::system_calls);
    add();
  }

  void history() {
    if (view_.live.size() < 2) return;
    const std::size_t width = view_.width > label_columns + 10 ? view_.width - label_columns : 10;
    const std::size_t n = std::min(width, view_.live.size());
    const auto last =
        std::vector<double>(view_.live.end() - static_cast<std::ptrdiff_t>(n), view_.live.end());
    const double top = *std::max_element(last.begin(), last.end());
    const std::vector<std::string> rows = graph(last, n, graph_rows, view_.look);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::string label;
      if (i == 0) label = "live, most " + bytes_text(static_cast<std::uint64_t>(top));
      if (i + 1 == rows.size()) label.assign(1, '0');
      add(left(label, label_columns) + painted(rows[i], colour::green, view_.look));
    }
    add();
  }

  std::vector<shown_class> sorted() const {
    std::vector<shown_class> all;
    for (std::size_t c = 0;
         c < std::min<std::uint64_t>(now_.classes, cleave::detail::shown_classes); ++c) {
      if (now_.by_class[c].slabs > 0) all.push_back(now_.by_class[c]);
    }
    std::sort(all.begin(), all.end(), [this](const shown_class& a, const shown_class& b) {
      switch (view_.order) {
        case class_order::used:
          if (used_bytes(a) != used_bytes(b)) return used_bytes(a) > used_bytes(b);
          break;
        case class_order::spare:
          if (spare_bytes(a) != spare_bytes(b)) return spare_bytes(a) > spare_bytes(b);
          break;
        case class_order::size: break;
      }
      return a.slot_bytes < b.slot_bytes;
    });
    return all;
  }

  void classes() {
    const std::vector<shown_class> all = sorted();
    const auto mark = [this](std::string_view name, class_order order) {
      return std::string(name) + (view_.order == order ? "*" : " ");
    };
    add(strong(right(mark("slot", class_order::size), 10) + right("slabs ", 8) +
               right("slots ", 10) + right("in use ", 10) +
               right(mark("bytes", class_order::used), 12) +
               right(mark("spare", class_order::spare), 12)));
    std::size_t room = all.size();
    if (view_.height > 0) {
      const std::size_t taken = lines_.size() + (view_.keys ? 2 : 0);
      room = view_.height > taken ? view_.height - taken : 0;
    }
    if (all.empty()) add("  no run of a size class has been handed out");
    const std::size_t n = all.size() > room && room > 0 ? room - 1 : std::min(room, all.size());
    for (std::size_t i = 0; i < n; ++i) class_row(all[i]);
    if (n < all.size() && room > 0) add(fmt::format("  and {} more", all.size() - n));
  }

  void class_row(const shown_class& c) {
    const double share = c.slots > 0 ? number(c.slots_used) / number(c.slots) : 0;
    const std::size_t width = view_.width > 74 ? view_.width - 64 : 10;
    add(right(count_text(c.slot_bytes) + " ", 10) + right(count_text(c.slabs) + " ", 8) +
        right(count_text(c.slots) + " ", 10) + right(count_text(c.slots_used) + " ", 10) +
        right(bytes_text(used_bytes(c)) + " ", 12) + right(bytes_text(spare_bytes(c)) + " ", 12) +
        painted(bar(std::min(share, 1.0), width, view_.look), colour::green, view_.look));
  }

  void help() {
    for (const char* const line :
         {"q  quits, as Ctrl-C does",
          "s  sorts the classes by slot, by bytes in use, by spare bytes", "p  pauses, and goes on",
          "+  looks more often; -  less often", "h  shows this, and hides it", "",
          "live   bytes of runs that the program has",
          "held   memory that the system may have put behind the heap's pages",
          "idle   free memory that has not gone back to the system yet",
          "spare  slots of a class that wait for the next run of its size"}) {
      add(line);
    }
  }

  void footer() {
    while (view_.height > 1 && lines_.size() + 1 < view_.height) add();
    if (view_.height > 0 && lines_.size() + 1 > view_.height) lines_.resize(view_.height - 1);
    add(painted("q quit  s sort  p pause  + - interval  h help", colour::weak, view_.look));
  }

  const top_view& view_;
  const shown& now_;
  std::vector<std::string> lines_;
};

}  // namespace

void top_view::add(const shown& seen) {
  if (!live.empty() && seen.written == now.written) return;
  if (!live.empty()) {
    before = now;
    has_before = true;
  }
  now = seen;
  live.push_back(number(seen.live));
  if (live.size() > most_looks) live.erase(live.begin());
}

double allocations_per_second(const top_view& view) {
  return per_second(view, &shown::allocations);
}

double frees_per_second(const top_view& view) {
  return per_second(view, &shown::frees);
}

std::vector<std::string> frame(const top_view& view) {
  return drawer(view).all();
}

}  // namespace cleave::tool
