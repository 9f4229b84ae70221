// midpoint.cpp -- reserves the space of the midpoint strategy and hands out blocks.
#include "strategies/midpoint.hpp"

#include <sys/mman.h>

#include <algorithm>

namespace cleave::bench {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t page = 4096;
// Small blocks are taken from the space many at a time.
constexpr unsigned batch_order = 14;

void* reserve(std::size_t bytes) {
  void* const got = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return got == MAP_FAILED ? nullptr : got;
}

}  // namespace

std::string midpoint_space::prepare() {
  if (base_ != nullptr) return {};
  // The largest block's size more, so that the space begins at a multiple of it.
  constexpr std::size_t largest = sizeof(word) << (orders - 1);
  void* const space = reserve(bytes + largest);
  void* const bitmap = reserve(words / 8);
  if (space == nullptr || bitmap == nullptr) return "no address space for 4.1 GiB";
  const auto begin = (reinterpret_cast<std::uintptr_t>(space) + largest - 1) & ~(largest - 1);
  base_ = reinterpret_cast<word*>(begin);
  bitmap_ = static_cast<std::uint64_t*>(bitmap);
  return {};
}

bool midpoint_space::take_from_all(unsigned order) {
  depot& all = for_all_[order];
  const std::lock_guard locked(all.lock);
  // No more than fits, since give() must not come back here.
  const std::size_t count = std::min(all.items.size(), most_kept(order) / 2);
  const auto first = all.items.end() - static_cast<std::ptrdiff_t>(count);
  for (auto item = first; item != all.items.end(); ++item) give(base_ + *item, order);
  all.items.erase(first, all.items.end());
  return count != 0;
}

void midpoint_space::give_to_all(stack& free, unsigned order, std::size_t count) {
  depot& all = for_all_[order];
  const std::lock_guard locked(all.lock);
  const std::uint32_t* const end = free.items + free.count;
  all.items.insert(all.items.end(), end - count, end);
  free.count -= count;
}

word* midpoint_space::fresh(unsigned order) {
  if (take_from_all(order)) return take(order);
  // Blocks of one order come from a batch, which is aligned to its size, so all
  // of them are aligned to theirs.
  const unsigned taken_order = std::max(order, batch_order);
  const std::size_t size = std::size_t{1} << taken_order;
  std::size_t old = next_.load(std::memory_order_relaxed);
  std::size_t begin = 0;
  // Relaxed: the words of the space are all alike, nothing is published.
  do {
    begin = (old + size - 1) & ~(size - 1);
    if (begin + size > words) throw std::bad_alloc();
  } while (!next_.compare_exchange_weak(old, begin + size, std::memory_order_relaxed));
  if (size * sizeof(word) >= huge_page) {
    madvise(base_ + begin, size * sizeof(word), MADV_HUGEPAGE);
  }
  // The lowest is used first.
  const std::size_t step = std::size_t{1} << order;
  for (std::size_t at = size - step; at != 0; at -= step) give(base_ + begin + at, order);
  return base_ + begin;
}

// What a thread that ends has kept is for the others.
struct midpoint_space::farewell {
  ~farewell() {
    for (unsigned order = 0; order < orders; ++order) {
      stack& free = free_[order];
      if (free.count != 0) give_to_all(free, order, free.count);
      std::free(free.items);
      free = {};
    }
  }
};

void midpoint_space::make_room(stack& free, unsigned order) {
  static thread_local farewell at_thread_exit;
  (void)at_thread_exit;
  if (free.capacity == most_kept(order)) return give_to_all(free, order, free.count / 2);
  const std::size_t capacity =
      std::min(std::max<std::size_t>(1024, free.capacity * 2), most_kept(order));
  void* const items = std::realloc(free.items, capacity * sizeof(*free.items));
  free.items = static_cast<std::uint32_t*>(c_malloc::checked(items));
  free.capacity = capacity;
}

void midpoint_space::purge() {
  for (unsigned order = 0; order < orders; ++order) {
    const std::size_t size = sizeof(word) << order;
    if (size < page) continue;
    const stack& free = free_[order];
    for (std::size_t i = 0; i < free.count; ++i) {
      madvise(base_ + free.items[i], size, MADV_DONTNEED);
    }
    for (const std::uint32_t item : for_all_[order].items) {
      madvise(base_ + item, size, MADV_DONTNEED);
    }
  }
  // A page of the bitmap that holds no bit reads as zeros again when it is gone.
  constexpr std::size_t step = page / sizeof(std::uint64_t);
  for (std::size_t i = 0; i * 64 < next_.load(std::memory_order_relaxed); i += step) {
    const bool empty =
        std::all_of(bitmap_ + i, bitmap_ + i + step, [](std::uint64_t bits) { return bits == 0; });
    if (empty) madvise(bitmap_ + i, page, MADV_DONTNEED);
  }
}

std::size_t midpoint_space::free_blocks(unsigned order) {
  const std::lock_guard locked(for_all_[order].lock);
  return free_[order].count + for_all_[order].items.size();
}

std::size_t midpoint_space::bits_set() {
  const std::size_t used = next_.load(std::memory_order_relaxed);
  std::size_t sum = 0;
  for (std::size_t i = 0; i * 64 < used; ++i) {
    sum += static_cast<std::size_t>(std::popcount(bitmap_[i]));
  }
  return sum;
}

}  // namespace cleave::bench
