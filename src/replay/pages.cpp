// pages.cpp -- counts the pages that ranges touch.
#include "replay/pages.hpp"

#include <algorithm>

namespace cleave::replay {
namespace {

// A range as the parts of its border pages and a number of whole pages between them.
struct parts {
  std::uint64_t first = 0;  // page numbers
  std::uint64_t last = 0;
  std::uint64_t in_first = 0;  // bytes; 0: there is no such part
  std::uint64_t in_last = 0;
  std::uint64_t whole = 0;
};

parts divide(std::uint64_t begin, std::uint64_t end, std::uint64_t page_bytes) {
  parts result;
  result.first = begin / page_bytes;
  result.last = end / page_bytes;
  const std::uint64_t from = begin % page_bytes;
  const std::uint64_t rest = end % page_bytes;
  if (result.first == result.last) {
    result.in_first = rest - from;
    return result;
  }
  std::uint64_t first_whole = result.first;
  if (from != 0) {
    result.in_first = page_bytes - from;
    ++first_whole;
  }
  result.in_last = rest;
  result.whole = result.last - first_whole;
  return result;
}

}  // namespace

void page_counts::add(std::uint64_t begin, std::uint64_t end, moment now) {
  const parts range = divide(begin, end, page_bytes_);
  held_pages_ += range.whole;
  if (range.in_first != 0) add_to_page(range.first, range.in_first, now);
  if (range.in_last != 0) add_to_page(range.last, range.in_last, now);
}

void page_counts::remove(std::uint64_t begin, std::uint64_t end, moment now) {
  const parts range = divide(begin, end, page_bytes_);
  held_pages_ -= range.whole;
  if (range.in_first != 0) remove_from_page(range.first, range.in_first, now);
  if (range.in_last != 0) remove_from_page(range.last, range.in_last, now);
}

void page_counts::add_to_page(std::uint64_t number, std::uint64_t bytes, moment now) {
  const auto [place, fresh] = partial_.try_emplace(number);
  page& on = place->second;
  if (fresh) ++held_pages_;
  const std::uint64_t before = on.live;
  on.live += bytes;
  if (on.live * 2 > page_bytes_) end_pin(number, on, before, now);
  if (on.live == page_bytes_) partial_.erase(place);
}

void page_counts::remove_from_page(std::uint64_t number, std::uint64_t bytes, moment now) {
  const auto [place, was_whole] = partial_.try_emplace(number);
  page& on = place->second;
  if (was_whole) on.live = page_bytes_;
  const std::uint64_t before = on.live;
  on.live -= bytes;
  if (on.live == 0) {
    end_pin(number, on, before, now);
    partial_.erase(place);
    --held_pages_;
  } else if (on.live * 2 <= page_bytes_ && on.pinned_from == none) {
    on.pinned_from = now;
  }
}

void page_counts::end_pin(std::uint64_t number, page& on, std::uint64_t live, moment now) {
  // One event that frees several spans may pin a page on its way to an empty one.
  if (on.pinned_from != none && on.pinned_from != now) {
    ended_.push_back({number * page_bytes_, live, on.pinned_from});
  }
  on.pinned_from = none;
}

std::vector<page_counts::pinned_page> page_counts::open_pins() const {
  std::vector<pinned_page> result;
  for (const auto& [number, on] : partial_) {
    if (on.pinned_from != none) result.push_back({number * page_bytes_, on.live, on.pinned_from});
  }
  std::sort(result.begin(), result.end(),
            [](const pinned_page& a, const pinned_page& b) { return a.page < b.page; });
  return result;
}

}  // namespace cleave::replay
