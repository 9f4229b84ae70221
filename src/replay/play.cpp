// play.cpp -- plays a recording, event by event, on an ordered map of what is live.
#include "replay/play.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/bits.hpp"
#include "base/check.hpp"
#include "replay/pages.hpp"

namespace cleave::replay {
namespace {

using trace::event;
using trace::event_kind;

// Longer, then with more dead, then by address.
bool comes_first(const pin& a, const pin& b) {
  if (a.length != b.length) return a.length > b.length;
  if (a.live != b.live) return a.live < b.live;
  return a.page != b.page ? a.page < b.page : a.from < b.from;
}

// What a recording says, if that can be.
std::uint64_t page_bytes_of(const trace::recording& recording) {
  return std::has_single_bit(recording.page_bytes) ? recording.page_bytes : 4096;
}

class player {
 public:
  player(const trace::recording& recording, std::size_t most_pins);
  history run();

 private:
  // Begin of a live span to its index.
  using live_map = std::map<std::uint64_t, std::uint32_t>;

  void play(const event& what);
  void allocate(const event& what);
  void free(const event& what);
  void cut(const event& what);
  void join(const event& what);
  void extend(const event& what);

  [[nodiscard]] bool inside(const event& what) const;
  [[nodiscard]] bool is_live(std::uint64_t begin, std::uint64_t end) const;
  // The first live span that ends behind `address`.
  [[nodiscard]] live_map::const_iterator at_or_behind(std::uint64_t address) const;
  // Ends all that lives in [begin, end); returns how many bytes did.
  std::uint64_t clear(std::uint64_t begin, std::uint64_t end, ending how);
  void cut_at(std::uint64_t address, ending how);
  void open(std::uint64_t begin, std::uint64_t end, std::uint32_t owner, std::uint32_t parent);
  // Returns the next one.
  live_map::const_iterator close(live_map::const_iterator one, ending how);
  void note_pins();
  void note_pin(const page_counts::pinned_page& page, moment to);

  const trace::recording& recording_;
  std::size_t most_pins_;
  history past_;
  page_counts pages_;
  live_map live_;
  std::uint64_t live_bytes_ = 0;
  moment now_ = 0;
  std::unordered_map<std::uint32_t, holding> copies_;
};

player::player(const trace::recording& recording, std::size_t most_pins)
    : recording_(recording), most_pins_(most_pins), pages_(page_bytes_of(recording)) {
  past_.base = recording.base;
  past_.reserved = recording.reserved;
  past_.page_bytes = page_bytes_of(recording);
}

history player::run() {
  const std::size_t n = recording_.events.size();
  CLEAVE_CHECK(n < std::size_t{1} << 30, "a recording of too many events to play");
  past_.times.reserve(n + 1);
  past_.live.reserve(n + 1);
  past_.held.reserve(n + 1);
  past_.times.push_back(0);
  past_.live.push_back(0);
  past_.held.push_back(0);
  for (const event& what : recording_.events) {
    ++now_;
    if (what.time < past_.times.back()) ++past_.odd.backwards;
    past_.times.push_back(std::max(what.time, past_.times.back()));
    play(what);
    past_.live.push_back(live_bytes_);
    past_.held.push_back(pages_.held());
    if (live_bytes_ > past_.live[past_.peak]) past_.peak = now_;
  }
  for (const page_counts::pinned_page& page : pages_.open_pins()) note_pin(page, none);
  std::sort(past_.pins.begin(), past_.pins.end(), comes_first);
  for (const auto& [place, sum] : copies_) past_.copies.push_back(sum);
  std::sort(past_.copies.begin(), past_.copies.end(), [](const holding& a, const holding& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.place < b.place;
  });
  return std::move(past_);
}

void player::play(const event& what) {
  switch (what.kind) {
    case event_kind::allocate: return allocate(what);
    case event_kind::free: return free(what);
    case event_kind::cut: return cut(what);
    case event_kind::join: return join(what);
    case event_kind::extend: return extend(what);
    case event_kind::copy: {
      holding& sum = copies_[what.place];
      sum.place = what.place;
      sum.bytes += what.other;
      ++sum.count;
      return;
    }
    case event_kind::purge: past_.purged += what.size; return;
    case event_kind::collection:
      ++(what.address == 0 ? past_.collected.minor : past_.collected.major);
      past_.collected.reclaimed += what.other;
      return;
    case event_kind::forget: ++past_.forgotten; return;
  }
}

void player::allocate(const event& what) {
  if (!inside(what)) {
    ++past_.odd.outside;
    return;
  }
  const std::uint64_t end = what.address + what.size;
  if (clear(what.address, end, ending::overwritten) != 0) ++past_.odd.reused_live;
  size_class& sizes = past_.sizes[base::ceil_log2(what.size)];
  ++sizes.count;
  sizes.bytes += what.size;
  const auto owner = static_cast<std::uint32_t>(past_.allocations.size());
  past_.allocations.push_back(
      {what.address, what.size, past_.times.back(), what.place, what.thread, now_});
  pages_.add(what.address, end, now_);
  note_pins();
  live_bytes_ += what.size;
  open(what.address, end, owner, none);
}

void player::free(const event& what) {
  if (!inside(what)) {
    ++past_.odd.outside;
    return;
  }
  if (clear(what.address, what.address + what.size, ending::freed) != what.size) {
    ++past_.odd.freed_dead;
  }
}

void player::cut(const event& what) {
  if (!inside(what) || what.other > what.size) {
    ++past_.odd.outside;
  } else if (!is_live(what.address, what.address + what.size)) {
    ++past_.odd.cut_dead;
  } else {
    cut_at(what.address + what.other, ending::cut);
  }
}

void player::join(const event& what) {
  if (!inside(what) || what.other > what.size) {
    ++past_.odd.outside;
    return;
  }
  const std::uint64_t at = what.address + what.other;
  if (!is_live(what.address, what.address + what.size)) {
    ++past_.odd.cut_dead;
    return;
  }
  if (what.other == 0 || what.other == what.size) return;
  // Bytes keep the owner that they were allocated by, also when owners meet in one array.
  const auto right = live_.find(at);
  if (right == live_.end()) return;
  const auto left = std::prev(right);
  const span left_half = past_.spans[left->second];
  const span right_half = past_.spans[right->second];
  if (left_half.owner != right_half.owner) return;
  close(left, ending::joined);
  close(right, ending::joined);
  open(left_half.begin, right_half.end, left_half.owner, left_half.parent);
}

void player::extend(const event& what) {
  if (!inside(what) || what.other >= what.size) {
    ++past_.odd.outside;
    return;
  }
  const std::uint64_t from = what.address + what.other;
  const std::uint64_t end = what.address + what.size;
  if (clear(from, end, ending::overwritten) != 0) ++past_.odd.reused_live;
  const auto next = live_.lower_bound(from);
  const auto last = next == live_.begin() ? live_.end() : std::prev(next);
  const bool grows = last != live_.end() && past_.spans[last->second].end == from;
  pages_.add(from, end, now_);
  note_pins();
  live_bytes_ += end - from;
  if (grows) {
    const std::uint32_t index = last->second;
    const span before = past_.spans[index];
    close(last, ending::extended);
    open(before.begin, end, before.owner, index);
  } else {
    ++past_.odd.extended_dead;
    const auto owner = static_cast<std::uint32_t>(past_.allocations.size());
    past_.allocations.push_back(
        {from, end - from, past_.times.back(), what.place, what.thread, now_});
    open(from, end, owner, none);
  }
}

bool player::inside(const event& what) const {
  if (what.size == 0 || what.size > std::numeric_limits<std::uint64_t>::max() - what.address) {
    return false;
  }
  if (recording_.reserved == 0) return true;
  return what.address >= recording_.base && what.address - recording_.base <= recording_.reserved &&
         what.size <= recording_.reserved - (what.address - recording_.base);
}

player::live_map::const_iterator player::at_or_behind(std::uint64_t address) const {
  auto next = live_.upper_bound(address);
  if (next != live_.begin() && past_.spans[std::prev(next)->second].end > address) --next;
  return next;
}

bool player::is_live(std::uint64_t begin, std::uint64_t end) const {
  for (auto one = at_or_behind(begin); one != live_.end() && one->first <= begin; ++one) {
    begin = past_.spans[one->second].end;
    if (begin >= end) return true;
  }
  return false;
}

std::uint64_t player::clear(std::uint64_t begin, std::uint64_t end, ending how) {
  auto one = at_or_behind(begin);
  if (one == live_.end() || one->first >= end) return 0;
  // As a rule it is one whole span, which takes no second search.
  if (one->first != begin || past_.spans[one->second].end != end) {
    cut_at(begin, ending::unseen_cut);
    cut_at(end, ending::unseen_cut);
    one = live_.lower_bound(begin);
  }
  std::uint64_t bytes = 0;
  while (one != live_.end() && one->first < end) {
    const span gone = past_.spans[one->second];
    bytes += gone.size();
    pages_.remove(gone.begin, gone.end, now_);
    note_pins();  // while the span still is in the map, so that it can be a keeper
    one = close(one, how);
  }
  live_bytes_ -= bytes;
  return bytes;
}

void player::cut_at(std::uint64_t address, ending how) {
  const auto one = at_or_behind(address);
  if (one == live_.end() || one->first >= address) return;
  const std::uint32_t index = one->second;
  const span whole = past_.spans[index];
  close(one, how);
  open(whole.begin, address, whole.owner, index);
  open(address, whole.end, whole.owner, index);
}

void player::open(std::uint64_t begin, std::uint64_t end, std::uint32_t owner,
                  std::uint32_t parent) {
  const auto index = static_cast<std::uint32_t>(past_.spans.size());
  past_.spans.push_back({begin, end, now_, none, owner, parent, ending::live});
  live_.emplace(begin, index);
}

player::live_map::const_iterator player::close(live_map::const_iterator one, ending how) {
  past_.spans[one->second].died = now_;
  past_.spans[one->second].how = how;
  return live_.erase(one);
}

void player::note_pins() {
  for (const page_counts::pinned_page& page : pages_.ended()) note_pin(page, now_);
  pages_.ended().clear();
}

void player::note_pin(const page_counts::pinned_page& page, moment to) {
  ++past_.pinned_pages;
  if (most_pins_ == 0) return;
  const std::uint64_t until = to == none ? past_.times.back() : past_.times[to];
  const pin found{page.page, page.live, until - past_.times[page.from],
                  page.from, to,        at_or_behind(page.page)->second};
  // A heap with the least of those that are kept in front.
  if (past_.pins.size() == most_pins_) {
    if (!comes_first(found, past_.pins.front())) return;
    std::pop_heap(past_.pins.begin(), past_.pins.end(), comes_first);
    past_.pins.pop_back();
  }
  past_.pins.push_back(found);
  std::push_heap(past_.pins.begin(), past_.pins.end(), comes_first);
}

}  // namespace

history play(const trace::recording& recording, std::size_t most_pins) {
  return player(recording, most_pins).run();
}

}  // namespace cleave::replay
