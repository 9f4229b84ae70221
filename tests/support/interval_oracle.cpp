// interval_oracle.cpp -- the map of live runs, and the paint on them.
#include "support/interval_oracle.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string>

namespace cleave::test {
namespace {

// A run's first and last bytes that are painted; short runs are painted whole.
constexpr std::size_t edge = 32;
constexpr std::size_t stride = 512;
constexpr std::size_t stripe = 16;

std::byte colour(std::uintptr_t address, std::uint64_t tag) {
  const std::uint64_t mixed = (address + tag * 0x9E3779B97F4A7C15U) * 0xD6E8FEB86659FD93U;
  return static_cast<std::byte>(mixed >> 56);
}

// Calls `use(first, last)` for each painted range of [begin, end).
template <typename Use>
void for_painted(std::uintptr_t begin, std::uintptr_t end, const Use& use) {
  if (end - begin <= stride) {
    use(begin, end);
    return;
  }
  use(begin, begin + edge);
  for (std::uintptr_t at = (begin + stride - 1) / stride * stride; at + stripe <= end;
       at += stride) {
    use(at, at + stripe);
  }
  use(end - edge, end);
}

void paint(std::uintptr_t begin, std::uintptr_t end, std::uint64_t tag) {
  for_painted(begin, end, [tag](std::uintptr_t first, std::uintptr_t last) {
    for (std::uintptr_t at = first; at < last; ++at) {
      *reinterpret_cast<std::byte*>(at) = colour(at, tag);
    }
  });
}

std::string text(const char* what, std::uintptr_t begin, std::uintptr_t end) {
  char buffer[160];
  std::snprintf(buffer, sizeof(buffer), "%s: [%#zx, %#zx), %zu bytes", what,
                static_cast<std::size_t>(begin), static_cast<std::size_t>(end),
                static_cast<std::size_t>(end - begin));
  return buffer;
}

void expect_painted(std::uintptr_t begin, std::uintptr_t end, std::uint64_t tag) {
  for_painted(begin, end, [&](std::uintptr_t first, std::uintptr_t last) {
    for (std::uintptr_t at = first; at < last; ++at) {
      if (*reinterpret_cast<const std::byte*>(at) != colour(at, tag)) {
        throw broken_rule(text("a byte changed that nobody wrote", at, at + 1) +
                          text(" of", begin, end));
      }
    }
  });
}

std::uintptr_t address(const std::byte* data) {
  return reinterpret_cast<std::uintptr_t>(data);
}

}  // namespace

interval_oracle::table::iterator interval_oracle::find(const std::byte* data) {
  const auto found = live_.find(address(data));
  if (found == live_.end()) {
    throw broken_rule(text("no live run begins here", address(data), address(data)));
  }
  return found;
}

interval_oracle::view interval_oracle::look(const std::byte* data) {
  const std::lock_guard guard(lock_);
  const auto found = find(data);
  return {found->first, found->first + found->second.bytes, found->second.tag};
}

void interval_oracle::expect_room(std::uintptr_t begin, std::uintptr_t end) const {
  const auto next = live_.lower_bound(begin);
  if (next != live_.end() && next->first < end) {
    throw broken_rule(text("handed out twice", begin, end) +
                      text(", live", next->first, next->first + next->second.bytes));
  }
  if (next == live_.begin()) return;
  const auto before = std::prev(next);
  const std::uintptr_t before_end = before->first + before->second.bytes;
  if (before_end > begin) {
    throw broken_rule(text("handed out twice", begin, end) +
                      text(", live", before->first, before_end));
  }
}

void interval_oracle::insert(std::byte* data, std::size_t bytes, int holder) {
  const std::uintptr_t begin = address(data);
  if (bytes == 0) throw broken_rule(text("an empty run is not live", begin, begin));
  std::uint64_t tag = 0;
  {
    const std::lock_guard guard(lock_);
    expect_room(begin, begin + bytes);
    tag = next_tag_++;
    live_[begin] = {bytes, tag, holder};
    bytes_ += bytes;
  }
  paint(begin, begin + bytes, tag);
}

void interval_oracle::remove(std::byte* data, std::size_t bytes) {
  const view run = look(data);
  if (run.end - run.begin != bytes) {
    throw broken_rule(text("freed with another size", run.begin, run.begin + bytes));
  }
  expect_painted(run.begin, run.end, run.tag);
  const std::lock_guard guard(lock_);
  bytes_ -= bytes;
  live_.erase(run.begin);
}

void interval_oracle::cut(std::byte* data, std::size_t at) {
  const view run = look(data);
  const std::uintptr_t middle = run.begin + at;
  if (middle > run.end) throw broken_rule(text("cut outside", run.begin, run.end));
  if (middle == run.begin || middle == run.end) return;
  expect_painted(run.begin, run.end, run.tag);
  {
    const std::lock_guard guard(lock_);
    entry& left = live_.at(run.begin);
    left.bytes = at;
    live_[middle] = {run.end - middle, left.tag, left.holder};
  }
  // The new edges were inside before, and perhaps not painted.
  paint(run.begin, middle, run.tag);
  paint(middle, run.end, run.tag);
}

void interval_oracle::join(std::byte* left, std::byte* right) {
  const view first = look(left);
  const view second = look(right);
  if (first.end != second.begin) {
    throw broken_rule(text("joined, but not neighbours", first.begin, second.end));
  }
  expect_painted(first.begin, first.end, first.tag);
  expect_painted(second.begin, second.end, second.tag);
  {
    const std::lock_guard guard(lock_);
    live_.erase(second.begin);
    live_.at(first.begin).bytes = second.end - first.begin;
  }
  paint(first.begin, second.end, first.tag);
}

void interval_oracle::extend(std::byte* data, std::size_t bytes) {
  const view run = look(data);
  if (bytes < run.end - run.begin) {
    throw broken_rule(text("extended to less", run.begin, run.end));
  }
  expect_painted(run.begin, run.end, run.tag);
  {
    const std::lock_guard guard(lock_);
    expect_room(run.end, run.begin + bytes);
    bytes_ += run.begin + bytes - run.end;
    live_.at(run.begin).bytes = bytes;
  }
  paint(run.begin, run.begin + bytes, run.tag);
}

void interval_oracle::shrink(std::byte* data, std::size_t bytes) {
  const view run = look(data);
  if (bytes > run.end - run.begin) throw broken_rule(text("shrunk to more", run.begin, run.end));
  expect_painted(run.begin, run.end, run.tag);
  {
    const std::lock_guard guard(lock_);
    bytes_ -= run.end - run.begin - bytes;
    live_.at(run.begin).bytes = bytes;
    if (bytes == 0) live_.erase(run.begin);
  }
  paint(run.begin, run.begin + bytes, run.tag);
}

void interval_oracle::hand_over(std::byte* data, int to) {
  const std::lock_guard guard(lock_);
  find(data)->second.holder = to;
}

void interval_oracle::check(std::byte* data) {
  const view run = look(data);
  expect_painted(run.begin, run.end, run.tag);
}

void interval_oracle::check_all() {
  const std::lock_guard guard(lock_);
  for (const auto& [begin, run] : live_) expect_painted(begin, begin + run.bytes, run.tag);
}

std::optional<std::size_t> interval_oracle::neighbour(const std::byte* end, int holder) {
  const std::lock_guard guard(lock_);
  const auto found = live_.find(address(end));
  if (found == live_.end() || found->second.holder != holder) return std::nullopt;
  return found->second.bytes;
}

std::size_t interval_oracle::bytes() {
  const std::lock_guard guard(lock_);
  return bytes_;
}

std::size_t interval_oracle::runs() {
  const std::lock_guard guard(lock_);
  return live_.size();
}

}  // namespace cleave::test
