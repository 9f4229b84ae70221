#include "heap/tables.hpp"

#include <algorithm>

#include "heap/arena.hpp"
#include "heap/lock.hpp"
#include "os/memory.hpp"

namespace cleave::heap {

constinit table_set tables;

namespace {

// The pool is made accessible in steps of this size.
constexpr std::size_t pool_step = 65536;

// Access is given in these steps, so the reservation is a multiple of them.
constexpr std::size_t commit_size = page_size << commit_order;

// Room for the caches of some hundred threads, however small the reservation is.
constexpr std::size_t least_pool = std::size_t{1} << 22;

// Descriptors are named by 32 bits in units of 64 bytes.
constexpr std::size_t most_pool = std::size_t{1} << (sizeof(std::size_t) > 4 ? 38 : 28);

std::size_t whole_pages(std::size_t bytes) noexcept {
  return base::align_up(bytes, os::page_bytes());
}

}  // namespace

bool table_set::start(std::size_t reserve_bytes) noexcept {
  // Ages and steps of access are kept for whole pages of the system.
  if (os::page_bytes() > page_size << chunk_order) return false;
  const std::size_t left = os::address_space_left();
  // Half for the program, which has stacks and libraries of its own to map.
  std::size_t bytes = std::min(reserve_bytes, most_arenas * arena_size);
  if (left != SIZE_MAX) bytes = std::min(bytes, left / 2);
  for (bytes = base::align_down(bytes, commit_size);;
       bytes = base::align_down(bytes / 2, commit_size)) {
    if (bytes == 0) return false;
    const std::size_t count = (bytes + arena_size - 1) / arena_size;
    const std::size_t most_pages = count * arena_pages;
    const std::size_t arena_bytes = whole_pages(count * whole_pages(sizeof(arena)));
    const std::size_t kind_bytes = whole_pages(most_pages);
    const std::size_t dead_bytes = whole_pages(most_pages * sizeof(std::uint16_t));
    const std::size_t slab_bytes = whole_pages((most_pages >> slab_order) * sizeof(std::uint32_t));
    const std::size_t bit_bytes = whole_pages((most_pages >> slab_order) / 8 + 8);
    // Enough for the descriptors of slabs of the smallest class everywhere, and threads.
    const std::size_t pool_bytes = std::min(whole_pages(bytes / 7 + least_pool), most_pool);
    const std::size_t all =
        arena_bytes + kind_bytes + dead_bytes + slab_bytes + bit_bytes + pool_bytes;
    // An arena aligned to its size gives runs aligned to theirs.
    const std::size_t alignment = std::min(std::size_t{1} << base::floor_log2(bytes), arena_size);
    void* const space = os::reserve(bytes, alignment);
    if (space == nullptr) continue;
    void* const own = os::reserve(all, os::page_bytes());
    if (own == nullptr) {
      os::release(space, bytes);
      continue;
    }
    auto at = reinterpret_cast<std::uintptr_t>(own);
    const auto part = [&at](std::size_t size) {
      const std::uintptr_t begin = at;
      at += size;
      return begin;
    };
    arena_at = reinterpret_cast<arena*>(part(arena_bytes));
    kind = reinterpret_cast<std::uint8_t*>(part(kind_bytes));
    dead = reinterpret_cast<base::atomic<std::uint16_t>*>(part(dead_bytes));
    slab_at = reinterpret_cast<std::uint32_t*>(part(slab_bytes));
    is_slab = reinterpret_cast<std::atomic<std::uint64_t>*>(part(bit_bytes));
    pool = part(pool_bytes);
    pool_size_ = pool_bytes;
    base = reinterpret_cast<std::uintptr_t>(space);
    pages = bytes >> page_bits;
    arenas = count;
    // Offset 0 of the pool is "no descriptor".
    // Relaxed: nobody else is here yet.
    pool_next_.store(64, std::memory_order_relaxed);
    return true;
  }
}

std::size_t table_set::commit_arena(std::size_t a) noexcept {
  lock_order::expect_none();
  std::size_t sum = 0;
  const auto slice = [&](auto* table, std::size_t entries) {
    const std::size_t bytes = entries * sizeof(*table);
    const auto whole = reinterpret_cast<std::uintptr_t>(table) + a * bytes;
    // Slices of small arenas share system pages; asking twice is harmless.
    const std::uintptr_t begin = base::align_down(whole, os::page_bytes());
    const std::uintptr_t end = base::align_up(whole + bytes, os::page_bytes());
    sum += end - begin;
    return os::commit(reinterpret_cast<void*>(begin), end - begin);
  };
  if (!slice(kind, arena_pages) || !slice(dead, arena_pages)) return 0;
  if (!slice(slab_at, arena_pages >> slab_order) || !slice(arena_at, 1)) return 0;
  if (!slice(is_slab, std::max<std::size_t>((arena_pages >> slab_order) / 64, 1))) return 0;
  return sum;
}

void* table_set::allocate(std::size_t bytes) noexcept {
  bytes = base::align_up(bytes, 64);
  // Relaxed: the number alone decides who owns what; the memory is zero for everybody.
  std::size_t begin = pool_next_.load(std::memory_order_relaxed);
  do {
    if (bytes > pool_size_ - begin) return nullptr;
  } while (!pool_next_.compare_exchange_weak(begin, begin + bytes, std::memory_order_relaxed));
  const std::size_t end = begin + bytes;
  // Acquire: pairs with the release below, after which the range can be touched.
  std::size_t accessible = pool_accessible_.load(std::memory_order_acquire);
  if (end > accessible) {
    const std::size_t from = base::align_down(begin, pool_step);
    const std::size_t to = std::min(base::align_up(end, pool_step), pool_size_);
    lock_order::expect_none();
    if (!os::commit(reinterpret_cast<void*>(pool + from), to - from)) {
      std::size_t expected = end;
      // Relaxed: as above. If another thread has taken more, these bytes of address space stay
      // unused.
      pool_next_.compare_exchange_strong(expected, begin, std::memory_order_relaxed);
      return nullptr;
    }
    // The mark moves only over a range without holes; whoever lies above it
    // makes its own range accessible once more, which is harmless.
    while (from <= accessible && to > accessible) {
      // Release: see above. Acquire on failure: as the first load.
      if (pool_accessible_.compare_exchange_weak(accessible, to, std::memory_order_release,
                                                 std::memory_order_acquire)) {
        count_accessible(to - accessible);
        break;
      }
    }
  }
  return reinterpret_cast<void*>(pool + begin);
}

}  // namespace cleave::heap
