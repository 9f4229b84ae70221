// cell.hpp -- counted memory: constructors with fields, environments of functions.
//
// A cell is a header and the fields behind it. Its descriptor, a number in the header,
// says how large it is and how its fields are given up; the program defines the table.
//
//   struct con { header head; u32 value; box<struct list> next; };         // descriptor 3
//   const descriptor cleave::runtime::descriptors[] = {..., {sizeof(con), scan_con}};
//
//   auto* c = static_cast<con*>(new_cell(sizeof(con)));
//   c->head = new_header(3, 1);                            // constructor number 1, one owner
//   auto list = box<struct list>::of(&c->head);
//
// A match that consumes it, and may use its memory again:
//
//   void* token = nullptr;
//   const bool last = unique(&c->head);
//   if (!last) keep(c->next);                              // others have it: copy the fields
//   auto next = c->next;
//   if (last) { token = c; } else { release(&c->head); }
//   auto* d = static_cast<con*>(cell_from(token, sizeof(con)));
//
// Invariants (tests/runtime/cell_test.cpp):
//   C1  A cell's count is the number of its owners, at least 1 while anyone reaches it.
//   C2  A cell with one owner is reached by that owner's thread alone.
//   C3  A cell is freed with the size of its descriptor, which new_cell() got.
#pragma once

#include <atomic>
#include <cleave/heap.hpp>
#include <cleave/runtime/stop.hpp>
#include <cleave/runtime/value.hpp>
#include <cstring>

namespace cleave::runtime {

// What every counted piece of memory begins with.
struct header {
  u32 count;
  u32 info;  // the descriptor's number below, the constructor's above
};

struct descriptor {
  u32 size;
  // One owner of each field less; null if the fields are plain.
  void (*scan)(void* cell, pile& dead) noexcept;
};

// The program's. At most 65536, so that a dead cell's number fits beside a link.
extern const descriptor descriptors[];

[[nodiscard]] constexpr header new_header(u32 descriptor_number, u32 constructor = 0) noexcept {
  return {1, descriptor_number | (constructor << 16)};
}
[[nodiscard]] constexpr u32 constructor_of(const header* cell) noexcept {
  return cell->info >> 16;
}

// True if other threads may run: then counts are atomic. Does not change while a program
// runs.
extern bool many_threads;

// ---- Counts ------------------------------------------------------------------------

// Where counting stops. So many threads may be one step beyond at the same time.
inline constexpr u32 most_owners = UINT32_MAX - 65536;

// One more owner.
inline void add_owner(header* cell) noexcept {
  if (many_threads) {
    // Relaxed: whoever adds an owner is one, and hands the new one on by other means.
    if (std::atomic_ref<u32>(cell->count).fetch_add(1, std::memory_order_relaxed) >= most_owners) {
      stop(message::fail_stop);
    }
  } else if (++cell->count > most_owners) [[unlikely]] {
    stop(message::fail_stop);
  }
}

// Requires: the caller is an owner. If true, it is the only one and stays so.
[[nodiscard]] inline bool unique(header* cell) noexcept {
  // Acquire: what other owners did with the cell came before they gave it up.
  return std::atomic_ref<u32>(cell->count).load(std::memory_order_acquire) == 1;
}

// One owner less. True if that was the last one.
[[nodiscard]] inline bool remove_owner(header* cell) noexcept {
  if (unique(cell)) return true;
  if (!many_threads) {
    --cell->count;
    return false;
  }
  // Acquire and release: see unique(), from both sides.
  return std::atomic_ref<u32>(cell->count).fetch_sub(1, std::memory_order_acq_rel) == 1;
}

// The count of a constant of the program, such as an environment without captures: it is
// never unique, and whoever counts asks is_immortal() before.
inline constexpr u32 immortal = 0;
[[nodiscard]] constexpr header immortal_header(u32 info = 0) noexcept {
  return {immortal, info};
}
[[nodiscard]] inline bool is_immortal(header* cell) noexcept {
  // Relaxed: it is so from the start, or never.
  return std::atomic_ref<u32>(cell->count).load(std::memory_order_relaxed) == immortal;
}

// ---- Memory ------------------------------------------------------------------------

namespace detail {

// Free cells of this thread, a list for each size up to `largest_kept`; larger ones, and
// what is too much, are the heap's.
inline constexpr std::size_t largest_kept = 128;

struct cell_bin {
  void* top = nullptr;   // each cell's first word is the next one
  std::size_t room = 0;  // how many more may come
};

struct cell_bins {
  cell_bin of[largest_kept / 8 + 1];
};

// Initial-exec: no call to find it.
extern thread_local constinit cell_bins this_thread_cells
    __attribute__((tls_model("initial-exec")));

void* take_cell_slowly(std::size_t size) noexcept;
void free_cell_slowly(void* memory, std::size_t size) noexcept;

// The link of a free cell. As bytes: a compiler must not take it and the fields that were or
// will be there for strangers.
[[nodiscard]] inline void* next_of(const void* free) noexcept {
  void* next = nullptr;
  std::memcpy(static_cast<void*>(&next), free, sizeof next);
  return next;
}
inline void set_next(void* free, const void* next) noexcept {
  std::memcpy(free, static_cast<const void*>(&next), sizeof next);
}

// new_cell() without counting.
[[nodiscard]] inline void* take_cell(std::size_t size) noexcept {
  if (size <= largest_kept) [[likely]] {
    cell_bin& bin = this_thread_cells.of[(size + 7) / 8];
    if (void* const free = bin.top; free != nullptr) [[likely]] {
      bin.top = next_of(free);
      ++bin.room;
      return free;
    }
  }
  return take_cell_slowly(size);
}

// Any run of the heap: aligned to 16, or to `alignment` if it is smaller than that. Stops if
// there is no memory.
[[nodiscard]] void* take_run(std::size_t bytes, std::size_t alignment) noexcept;

}  // namespace detail

// Counts for CLEAVE_STATS=1. Programs that are compiled without CLEAVE_PROGRAM_STATS do
// not count; the library never does.
struct program_counts {
  std::uint64_t cells_made = 0;
  std::uint64_t cells_rebuilt = 0;
  std::uint64_t arrays_made = 0;
  std::uint64_t bytes_copied = 0;  // by cuts and joins of arrays
};
extern program_counts counted;

CLEAVE_ON_DEVICE inline void count([[maybe_unused]] std::uint64_t program_counts::* what,
                                   [[maybe_unused]] std::uint64_t n = 1) noexcept {
#if defined(CLEAVE_PROGRAM_STATS) && CLEAVE_PROGRAM_STATS && !defined(__CUDA_ARCH__)
  // Relaxed: read when all threads have ended.
  std::atomic_ref<std::uint64_t>(counted.*what).fetch_add(n, std::memory_order_relaxed);
#endif
}

// Memory for a cell, aligned to 8. O(1). Stops if there is none. Requires: size >= 8.
[[nodiscard]] inline void* new_cell(std::size_t size) noexcept {
  count(&program_counts::cells_made);
  return detail::take_cell(size);
}

// make(new_cell(size), fields...), as a call: for code that makes very many cells in a row, such
// as a long list. Compilers need long for it otherwise, and what they make of it is large.
template <auto make, class... Fields>
[[nodiscard, gnu::noinline]] inline auto make_out_of_line(std::size_t size,
                                                          Fields... fields) noexcept {
  return make(new_cell(size), fields...);
}

// make(), as a call: for a piece of code so long that compilers would need time with its square.
template <class Make>
[[nodiscard, gnu::noinline]] inline auto out_of_line(const Make& make) noexcept {
  return make();
}

// Requires: from new_cell(size), and not in use.
inline void free_cell(void* memory, std::size_t size) noexcept {
  if (size <= detail::largest_kept) [[likely]] {
    detail::cell_bin& bin = detail::this_thread_cells.of[(size + 7) / 8];
    if (bin.room != 0) [[likely]] {
      detail::set_next(memory, bin.top);
      bin.top = memory;
      --bin.room;
      return;
    }
  }
  detail::free_cell_slowly(memory, size);
}

// The memory in the token, if it has any, else new memory of the same size.
[[nodiscard]] inline void* cell_from(void* token, std::size_t size) noexcept {
  if (token == nullptr) return new_cell(size);
  count(&program_counts::cells_rebuilt);
  return token;
}

// The token was not needed.
inline void free_token(void* token, std::size_t size) noexcept {
  if (token != nullptr) free_cell(token, size);
}

// ---- Dead cells --------------------------------------------------------------------

inline void pile::push(header* cell) noexcept {
  // Addresses have 48 bits. As bytes, as in set_next().
  const std::uint64_t link =
      reinterpret_cast<std::uintptr_t>(top_) | (std::uint64_t{cell->info & 0xffff} << 48);
  std::memcpy(static_cast<void*>(cell), &link, sizeof link);
  top_ = cell;
}

// One owner of the cell less; if that was the last one, the pile has it.
inline void scan_cell(header* cell, pile& dead) noexcept {
  if (remove_owner(cell)) dead.push(cell);
}

// The same, with all that dies by that.
inline void release(header* cell) noexcept {
  if (!remove_owner(cell)) return;
  pile dead;
  dead.push(cell);
  dead.work_off();
}

// A value of a type with boxed constructors: the address of a cell, or, for a constructor
// without fields, its number * 2 + 1. `Name` tells types apart.
template <class Name>
struct box {
  std::uintptr_t bits;

  static box of(header* cell) noexcept { return {reinterpret_cast<std::uintptr_t>(cell)}; }
  static constexpr box small(u32 constructor) noexcept {
    return {std::uintptr_t{constructor} * 2 + 1};
  }
  [[nodiscard]] constexpr bool is_small() const noexcept { return (bits & 1) != 0; }
  // Requires: !is_small().
  [[nodiscard]] header* cell() const noexcept { return reinterpret_cast<header*>(bits); }
  [[nodiscard]] u32 constructor() const noexcept {
    return is_small() ? static_cast<u32>(bits >> 1) : constructor_of(cell());
  }
};

template <class Name>
struct ops<box<Name>> {
  static constexpr bool plain = false;
  static void keep(box<Name>& v) noexcept {
    if (!v.is_small()) add_owner(v.cell());
  }
  static void scan(box<Name> v, pile& dead) noexcept {
    if (!v.is_small()) scan_cell(v.cell(), dead);
  }
};

}  // namespace cleave::runtime
