#include "heap/checked_runs.hpp"

#include <bit>
#include <new>

#include "base/bits.hpp"
#include "os/memory.hpp"

namespace cleave::heap::checked {
namespace {

// Pieces are made in steps of this size.
constexpr std::size_t step_bytes = std::size_t{256} << 10;

void* own_memory(std::size_t bytes) noexcept {
  bytes = base::align_up(bytes, os::page_bytes());
  void* const begin = os::reserve(bytes, os::page_bytes());
  if (begin != nullptr && !os::commit(begin, bytes)) {
    os::release(begin, bytes);
    return nullptr;
  }
  return begin;
}

}  // namespace

bool piece_map::start(std::uintptr_t base, std::size_t bytes) noexcept {
  const std::size_t region = std::size_t{1} << region_bits;
  base_ = base::align_down(base, region);
  regions_ = (base - base_ + bytes + region - 1) >> region_bits;
  const std::size_t lists = regions_ << (region_bits - list_bits);
  lists_ = static_cast<piece**>(os::reserve(lists * sizeof(piece*), os::page_bytes()));
  std::size_t words = lists / 64;
  bits_[0] = static_cast<std::uint64_t*>(os::reserve(words * 8, os::page_bytes()));
  open_ = static_cast<std::uint8_t*>(own_memory(regions_));
  if (lists_ == nullptr || bits_[0] == nullptr || open_ == nullptr) return false;
  words_[0] = words;
  for (unsigned level = 1; level < levels; ++level) {
    words = (words + 63) / 64;
    words_[level] = words;
    bits_[level] = static_cast<std::uint64_t*>(own_memory(words * 8));
    if (bits_[level] == nullptr) return false;
  }
  return has_spare(2);
}

bool piece_map::prepare(std::uintptr_t address) noexcept {
  const std::size_t list = number_of(address);
  if (accessible(list)) return true;
  const std::size_t region = list >> (region_bits - list_bits);
  constexpr std::size_t n = std::size_t{1} << (region_bits - list_bits);
  static_assert(n / 64 * 8 % 4096 == 0, "regions share no pages");
  if (!os::commit(static_cast<void*>(lists_ + region * n), n * sizeof(piece*)) ||
      !os::commit(bits_[0] + region * (n / 64), n / 8)) {
    return false;
  }
  open_[region] = 1;
  return true;
}

bool piece_map::has_spare(std::size_t n) noexcept {
  if (spare_count_ >= n) return true;
  auto* const fresh = static_cast<piece*>(own_memory(step_bytes));
  if (fresh == nullptr) return false;
  for (std::size_t i = step_bytes / sizeof(piece); i-- > 0;) discard(fresh + i);
  return true;
}

piece* piece_map::make() noexcept {
  if (!has_spare(1)) return nullptr;
  piece* const p = spare_;
  spare_ = p->next_here;
  --spare_count_;
  return new (p) piece;
}

void piece_map::discard(piece* p) noexcept {
  p->next_here = spare_;
  spare_ = p;
  ++spare_count_;
}

void piece_map::insert(piece* p) noexcept {
  piece** at = &lists_[number_of(p->begin)];
  if (*at == nullptr) set_bit(number_of(p->begin));
  while (*at != nullptr && (*at)->begin < p->begin) at = &(*at)->next_here;
  p->next_here = *at;
  *at = p;
}

void piece_map::erase(piece* p) noexcept {
  piece** const list = &lists_[number_of(p->begin)];
  piece** at = list;
  while (*at != p) at = &(*at)->next_here;
  *at = p->next_here;
  if (*list == nullptr) clear_bit(number_of(p->begin));
}

piece* piece_map::preceding(std::uintptr_t address) noexcept {
  const std::size_t own = number_of(address);
  piece* found = nullptr;
  if (accessible(own)) {
    for (piece* p = lists_[own]; p != nullptr && p->begin <= address; p = p->next_here) found = p;
  }
  if (found != nullptr) return found;
  const std::size_t list = before(own);
  if (list == none) return nullptr;
  for (found = lists_[list]; found->next_here != nullptr;) found = found->next_here;
  return found;
}

piece* piece_map::following(std::uintptr_t address) noexcept {
  if (address < base_) address = base_;
  const std::size_t own = number_of(address);
  if (accessible(own)) {
    for (piece* p = lists_[own]; p != nullptr; p = p->next_here) {
      if (p->begin >= address) return p;
    }
  }
  const std::size_t list = after(own);
  return list == none ? nullptr : lists_[list];
}

void piece_map::set_bit(std::size_t list) noexcept {
  for (unsigned level = 0; level < levels; ++level, list /= 64) {
    std::uint64_t& w = bits_[level][list / 64];
    const bool had_some = w != 0;
    w |= std::uint64_t{1} << (list % 64);
    if (had_some) return;
  }
}

void piece_map::clear_bit(std::size_t list) noexcept {
  for (unsigned level = 0; level < levels; ++level, list /= 64) {
    std::uint64_t& w = bits_[level][list / 64];
    w &= ~(std::uint64_t{1} << (list % 64));
    if (w != 0) return;
  }
}

std::size_t piece_map::before(std::size_t list) const noexcept {
  for (unsigned level = 0; level < levels; ++level, list /= 64) {
    const std::uint64_t lower = (std::uint64_t{1} << (list % 64)) - 1;
    std::uint64_t w = word(level, list / 64) & lower;
    if (w == 0) continue;
    std::size_t found = list / 64 * 64 + base::floor_log2(w);
    for (; level > 0; --level) {
      w = word(level - 1, found);
      found = found * 64 + base::floor_log2(w);
    }
    return found;
  }
  return none;
}

std::size_t piece_map::after(std::size_t list) const noexcept {
  for (unsigned level = 0; level < levels; ++level, list /= 64) {
    const std::uint64_t lower_and_own = (std::uint64_t{2} << (list % 64)) - 1;
    std::uint64_t w = list / 64 < words_[level] ? word(level, list / 64) & ~lower_and_own : 0;
    if (w == 0) continue;
    std::size_t found = list / 64 * 64 + static_cast<std::size_t>(std::countr_zero(w));
    for (; level > 0; --level) {
      w = word(level - 1, found);
      found = found * 64 + static_cast<std::size_t>(std::countr_zero(w));
    }
    return found;
  }
  return none;
}

}  // namespace cleave::heap::checked
