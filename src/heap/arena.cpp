#include "heap/arena.hpp"

#include <algorithm>
#include <bit>

#include "base/atomic.hpp"
#include "base/bits.hpp"
#include "base/check.hpp"
#include "heap/tables.hpp"
#include "heap/told.hpp"

namespace cleave::heap {
namespace {

// The bits of [from, from + n) that fall into word w.
constexpr std::uint64_t mask_in(std::size_t w, std::size_t from, std::size_t n) noexcept {
  const std::size_t lo = std::max(from, w * 64);
  const std::size_t hi = std::min(from + n, w * 64 + 64);
  if (lo >= hi) return 0;
  const std::uint64_t ones =
      hi - lo == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (hi - lo)) - 1;
  return ones << (lo & 63);
}

std::size_t count(std::uint64_t word) noexcept {
  return static_cast<std::size_t>(std::popcount(word));
}

// Calls f(page, order) for the largest aligned blocks that make up a range.
template <typename F>
void for_each_block(std::size_t page, std::size_t n, F f) noexcept {
  while (n > 0) {
    const unsigned fit = base::floor_log2(n);
    const unsigned order =
        page == 0 ? fit : std::min(fit, static_cast<unsigned>(std::countr_zero(page)));
    f(page, order);
    page += std::size_t{1} << order;
    n -= std::size_t{1} << order;
  }
}

}  // namespace

void arena::open(std::size_t pages, kind of, unsigned system_order, std::size_t first) noexcept {
  std::uint64_t* leaf = leaf_;
  std::uint64_t* middle = middle_;
  for (unsigned k = 0; k < orders; ++k) {
    sets_[k] = base::index_set(leaf, middle);
    leaf += base::index_set::leaf_words(arena_pages >> k);
    middle += base::index_set::middle_words(arena_pages >> k);
  }
  pages_ = pages;
  kind_ = of;
  system_order_ = static_cast<std::uint8_t>(system_order);
  together_ = of.huge ? std::uint8_t{huge_order} : system_order_;
  first_ = first;
  free_ = pages - first;
  insert_range(first, free_);
  // Release: as above.
  orders_.store(listed_, std::memory_order_release);
}

void arena::resize(std::size_t pages) noexcept {
  CLEAVE_CHECK(wholly_free() && backed_count_ == 0, "an arena in use was to change its size");
  claim(first_, pages_ - first_);
  pages_ = pages;
  merge_range(first_, pages_ - first_);
}

void arena::count_taken(std::size_t page, std::size_t n) noexcept {
  base::touched(this);
  free_ -= n;
  subtract_idle(backed_in(page, n));
  // Release: see may_have().
  orders_.store(listed_, std::memory_order_release);
}

void arena::count_given(std::size_t page, std::size_t n) noexcept {
  base::touched(this);
  free_ += n;
  add_idle(backed_in(page, n));
  // Release: as above.
  orders_.store(listed_, std::memory_order_release);
}

void arena::insert(std::size_t page, unsigned order) noexcept {
  sets_[order].insert(page >> order);
  listed_ |= 1u << order;
}

void arena::erase(std::size_t page, unsigned order) noexcept {
  sets_[order].erase(page >> order);
  if (sets_[order].empty()) listed_ &= ~(1u << order);
}

void arena::insert_range(std::size_t page, std::size_t n) noexcept {
  for_each_block(page, n, [this](std::size_t p, unsigned k) { insert(p, k); });
}

std::size_t arena::take(std::size_t n, unsigned order) noexcept {
  const std::uint32_t usable = listed_ >> order;
  if (usable == 0) return none;
  unsigned from = order + static_cast<unsigned>(std::countr_zero(usable));
  std::size_t page = sets_[from].first() << from;
  if (unbacked_in(page, n) != 0) {
    // Rather a larger block whose memory is there than the smallest without.
    for (std::uint32_t larger = usable & (usable - 1); larger != 0; larger &= larger - 1) {
      const unsigned k = order + static_cast<unsigned>(std::countr_zero(larger));
      const std::size_t first = sets_[k].first() << k;
      if (unbacked_in(first, n) != 0) continue;
      from = k;
      page = first;
      break;
    }
  }
  erase(page, from);
  while (from > order) {
    --from;
    insert(page + (std::size_t{1} << from), from);
  }
  // The buddies of the rest are in use, so it needs no merging.
  insert_range(page + n, (std::size_t{1} << order) - n);
  count_taken(page, n);
  return page;
}

std::size_t arena::block_over(std::size_t page) const noexcept {
  for (unsigned k = 0; k < orders; ++k) {
    if (sets_[k].contains(page >> k)) return k;
  }
  return none;
}

std::size_t arena::free_from(std::size_t page, std::size_t n) const noexcept {
  const std::size_t end = std::min(page + n, pages_);
  std::size_t p = page;
  while (p < end) {
    const std::size_t k = block_over(p);
    if (k == none) return p - page;
    p = ((p >> k) + 1) << k;
  }
  return std::min(p, end) - page;
}

bool arena::claim(std::size_t page, std::size_t n) noexcept {
  const std::size_t end = page + n;
  if (free_from(page, n) != n) return false;
  for (std::size_t p = page; p < end;) {
    const auto k = static_cast<unsigned>(block_over(p));
    const std::size_t begin = p >> k << k;
    const std::size_t next = begin + (std::size_t{1} << k);
    erase(begin, k);
    insert_range(begin, page > begin ? page - begin : 0);
    insert_range(end, next > end ? next - end : 0);
    p = next;
  }
  count_taken(page, n);
  return true;
}

void arena::give_block(std::size_t page, unsigned order) noexcept {
  while (order < arena_order) {
    const std::size_t buddy = page ^ (std::size_t{1} << order);
    if (!sets_[order].contains(buddy >> order)) break;
    erase(buddy, order);
    page &= ~(std::size_t{1} << order);
    ++order;
  }
  insert(page, order);
}

void arena::merge_range(std::size_t page, std::size_t n) noexcept {
  for_each_block(page, n, [this](std::size_t p, unsigned k) { give_block(p, k); });
  count_given(page, n);
}

void arena::give(std::size_t page, std::size_t n) noexcept {
  CLEAVE_CHECK(block_over(page) == none, "pages were freed twice");
  touch(page, n);
  merge_range(page, n);
}

void arena::put_back(range block) noexcept {
  merge_range(block.page, block.n);
}

void arena::touch(std::size_t page, std::size_t n) noexcept {
  const std::size_t first = page >> chunk_order;
  const std::size_t last = (page + n - 1) >> chunk_order;
  for (std::size_t w = first / 64; w <= last / 64; ++w) {
    recent_[w] |= mask_in(w, first, last - first + 1);
  }
}

std::size_t arena::unbacked_in(std::size_t page, std::size_t n) const noexcept {
  std::size_t missing = 0;
  for (std::size_t w = page / 64; w * 64 < page + n; ++w) {
    // A whole word of 64 full words is the common case of a large run used again.
    if (w % 64 == 0 && (w + 64) * 64 <= page + n && full_[w / 64] == ~std::uint64_t{0}) {
      w += 63;
      continue;
    }
    missing += count(mask_in(w, page, n) & ~backed_[w]);
  }
  return missing;
}

arena::range arena::backing_of(std::size_t page, std::size_t n) const noexcept {
  if (together_ == 0) return {page, n};
  const std::size_t extent = std::size_t{1} << together_;
  const std::size_t begin = base::align_down(page, extent);
  return {begin, std::min(base::align_up(page + n, extent), pages_) - begin};
}

std::size_t arena::free_unbacked_in(std::size_t page, std::size_t n) const noexcept {
  const std::size_t end = page + n;
  if (n == 0 || unbacked_in(page, n) == 0) return 0;
  std::size_t sum = 0;
  for (std::size_t p = page; p < end;) {
    const std::size_t k = block_over(p);
    const std::size_t next = k == none ? p + 1 : std::min(((p >> k) + 1) << k, end);
    if (k != none) sum += unbacked_in(p, next - p);
    p = next;
  }
  return sum;
}

void arena::mark_backed(std::size_t page, std::size_t n) noexcept {
  const range all = backing_of(page, n);
  const std::size_t end = all.page + all.n;
  // What lies around the range and is free is held for nothing from now on.
  add_idle(free_unbacked_in(all.page, page - all.page) +
           free_unbacked_in(page + n, end - (page + n)));
  for (std::size_t w = all.page / 64; w * 64 < end; ++w) {
    const std::uint64_t before = backed_[w];
    backed_[w] |= mask_in(w, all.page, all.n);
    backed_count_ += count(backed_[w] ^ before);
    if (backed_[w] == ~std::uint64_t{0}) full_[w / 64] |= std::uint64_t{1} << (w & 63);
  }
}

std::size_t arena::clear_backed(std::size_t page, std::size_t n) noexcept {
  std::size_t cleared = 0;
  for (std::size_t w = page / 64; w * 64 < page + n; ++w) {
    const std::uint64_t before = backed_[w];
    backed_[w] &= ~mask_in(w, page, n);
    cleared += count(backed_[w] ^ before);
    if (backed_[w] != ~std::uint64_t{0}) full_[w / 64] &= ~(std::uint64_t{1} << (w & 63));
  }
  backed_count_ -= cleared;
  return cleared;
}

arena::range arena::inaccessible_in(std::size_t page, std::size_t n) const noexcept {
  std::size_t first = page >> commit_order;
  std::size_t last = (page + n - 1) >> commit_order;
  const auto accessible = [&](std::size_t s) { return (accessible_[s / 64] >> (s & 63)) & 1; };
  while (first <= last && accessible(first)) ++first;
  if (first > last) return {};
  while (accessible(last)) --last;
  return {first << commit_order, (last - first + 1) << commit_order};
}

arena::range arena::with_room(range wanted, std::size_t more) const noexcept {
  const std::size_t end = std::min(wanted.page + wanted.n + more, pages_);
  std::size_t s = (wanted.page + wanted.n) >> commit_order;
  while ((s + 1) << commit_order <= end && ((accessible_[s / 64] >> (s & 63)) & 1) == 0) ++s;
  return {wanted.page, std::max(s << commit_order, wanted.page + wanted.n) - wanted.page};
}

std::size_t arena::mark_accessible(range made) noexcept {
  std::size_t fresh = 0;
  const std::size_t first = made.page >> commit_order;
  for (std::size_t s = first; s < (made.page + made.n) >> commit_order; ++s) {
    const std::uint64_t bit = std::uint64_t{1} << (s & 63);
    if ((accessible_[s / 64] & bit) != 0) continue;
    accessible_[s / 64] |= bit;
    fresh += std::size_t{1} << commit_order;
    // Tests make arenas that are no part of a heap.
    if (told::wanted() && tables.base != 0) {
      const auto a = static_cast<std::size_t>(this - tables.arena_at);
      const std::uintptr_t begin = tables.base + a * arena_size + (s << (commit_order + page_bits));
      told::freed(reinterpret_cast<void*>(begin), page_size << commit_order);
    }
  }
  return fresh;
}

// The pages of a word that are backed and, if asked, lie in chunks of no recent free.
std::uint64_t arena::returnable(std::size_t word, bool expired) const noexcept {
  std::uint64_t pages = backed_[word];
  if (!expired || pages == 0) return pages;
  constexpr std::size_t chunk = std::size_t{1} << chunk_order;
  for (std::size_t p = 0; p < 64; p += chunk) {
    const std::size_t c = (word * 64 + p) >> chunk_order;
    if ((recent_[c / 64] >> (c & 63)) & 1) pages &= ~mask_in(0, p, chunk);
  }
  return pages;
}

bool arena::take_idle(cursor& at, bool expired, range& block) noexcept {
  // With an age, blocks smaller than a chunk stay: the rest of their chunk is in use. So do
  // those that are smaller than a page of the system, in any case.
  const unsigned least = expired ? chunk_order : system_order_;
  for (; at.orders_left > least; --at.orders_left, at.block = 0) {
    const unsigned order = at.orders_left - 1;
    for (;;) {
      const std::size_t i = sets_[order].next(at.block);
      if (i == base::index_set::none) break;
      at.block = i + 1;
      const range found{i << order, std::size_t{1} << order};
      if (idle_part(found, found.page, expired).n == 0) continue;
      erase(found.page, order);
      count_taken(found.page, found.n);
      block = found;
      return true;
    }
  }
  return false;
}

arena::range arena::idle_part(range block, std::size_t from, bool expired) const noexcept {
  const std::size_t end = block.page + block.n;
  range part{};
  for (std::size_t w = from / 64; w * 64 < end; ++w) {
    std::uint64_t pages = returnable(w, expired) & mask_in(w, from, end - from);
    if (part.n == 0) {
      if (pages == 0) continue;
      part.page = w * 64 + static_cast<std::size_t>(std::countr_zero(pages));
      pages >>= part.page & 63;
      part.n = static_cast<std::size_t>(std::countr_one(pages));
    } else {
      part.n += static_cast<std::size_t>(std::countr_one(pages));
    }
    if (part.page + part.n < (w + 1) * 64) break;
  }
  return part;
}

void arena::forget_ages() noexcept {
  std::fill(std::begin(recent_), std::end(recent_), 0);
}

const char* arena::check(bool lost) const noexcept {
  std::size_t sum = 0;
  std::size_t covered_to = 0;
  for (unsigned k = 0; k < orders; ++k) {
    if (!sets_[k].valid(arena_pages >> k)) return "I1/I2: a set of free blocks is damaged";
    const bool listed = (listed_ >> k) & 1;
    if (listed == sets_[k].empty()) return "the summary of orders is wrong";
  }
  if (orders_.load(std::memory_order_relaxed) != listed_) return "the hint of orders is old";
  for (std::size_t p = 0; p < pages_;) {
    std::size_t found = none;
    for (unsigned k = 0; k < orders; ++k) {
      if ((p & ((std::size_t{1} << k) - 1)) != 0) break;
      if (!sets_[k].contains(p >> k)) continue;
      if (found != none) return "B2: free blocks overlap";
      found = k;
    }
    if (found == none) {
      ++p;
      continue;
    }
    if (p < covered_to) return "B2: free blocks overlap";
    const std::size_t n = std::size_t{1} << found;
    if (p + n > pages_) return "B1: a free block leaves the arena";
    if (found < arena_order && sets_[found].contains((p ^ n) >> found)) {
      return "B3: two free buddies were not merged";
    }
    // A smaller block may hide inside; block_over() would find it first.
    for (std::size_t q = p; q < p + n; ++q) {
      if (block_over(q) != found) return "B2: free blocks overlap";
    }
    sum += n;
    covered_to = p + n;
    p += n;
  }
  if (sum != free_) return "B4: the count of free pages is wrong";
  std::size_t backed = 0;
  for (std::size_t w = 0; w < page_words; ++w) {
    backed += count(backed_[w]);
    if ((backed_[w] == ~std::uint64_t{0}) != (((full_[w / 64] >> (w & 63)) & 1) != 0)) {
      return "the summary of backed pages is wrong";
    }
    for (std::size_t b = 0; b < 64 && w * 64 + b < pages_; ++b) {
      const std::size_t page = w * 64 + b;
      const bool is_backed = (backed_[w] >> b) & 1;
      const std::size_t s = page >> commit_order;
      if (is_backed && ((accessible_[s / 64] >> (s & 63)) & 1) == 0) {
        return "B5: a backed page is not accessible";
      }
    }
  }
  if (backed != backed_count_) return "B5: the count of backed pages is wrong";
  std::size_t idle = 0;
  for (std::size_t page = first_; page < pages_; ++page) {
    const bool is_backed = (backed_[page / 64] >> (page & 63)) & 1;
    if (is_free(page)) {
      idle += is_backed ? 1 : 0;
    } else if (!is_backed && !lost) {
      return "B6: a page in use is not backed";
    }
  }
  if (idle != idle_pages()) return "B7: the count of idle pages is wrong";
  return nullptr;
}

}  // namespace cleave::heap
