// heap.hpp -- where the bytes of runs come from and where they return to.
//
// The heap records what is free. It never records how memory was handed out.
// So a run, any byte range with one owner, is cut and joined by arithmetic that
// the heap is not told of, and free() takes any run: a whole allocation, a half,
// a middle, or two neighbours joined, from any thread and in any order
// (docs/design/heap.md).
//
//   std::byte* a = static_cast<std::byte*>(heap::allocate(1000));
//   heap::free(a + 400, 600);                        // the right piece; its bytes are free now
//   if (!heap::extend(a, 400, 500)) { ... }          // in place, or nothing changed
//   heap::free(a, 500);
//
// All functions may be called from any thread, also before main(), in
// destructors of thread-local objects, and in a child after fork().
//
// Out of memory is an answer: a `try_` function returns nullptr and leaves
// everything as it was; the others throw std::bad_alloc. Freeing never fails.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cleave/detail/api.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cleave::heap {

// What allocate() aligns to when it is not told.
inline constexpr std::size_t default_alignment = 16;
inline constexpr std::size_t max_alignment = std::size_t{1} << 30;

// Set once, by start(). The defaults serve most programs.
struct options {
  // Address space to reserve, in bytes: from 4 MiB to 4 TiB (2 GiB where addresses
  // have 32 bits), in steps of 4 MiB; 1 TiB, or 1 GiB there, if nothing is said.
  // It costs no memory and no commit charge; it is halved until the system
  // agrees, and kept under half of RLIMIT_AS.
  std::size_t reserve_bytes = std::size_t{1} << (sizeof(std::size_t) > 4 ? 40 : 30);
  // The most bytes that the heap may hold from the system (statistics::held).
  std::size_t held_limit = SIZE_MAX;
  // Free memory goes back to the system when it was free for this long. With a
  // negative delay, age is no reason; purge(), growth and the limit still are.
  std::chrono::milliseconds purge_delay{1000};
  // Ask for huge pages behind runs of 2 MiB and more.
  bool huge_pages = true;
  // Let a thread of the heap return memory while the program does not call it.
  // Without it memory is returned during later calls.
  bool purge_thread = false;
  // Let fork() wait until no other thread is inside, so that the child has a whole heap. Who
  // turns it off calls before_fork() and its sequels, or does not use the heap in children.
  bool fork_handlers = true;
};

// Starts the heap with these options. The first allocation does it with the
// defaults. Returns false, and changes nothing, when the heap has already
// started, when less than 4 MiB are to be reserved, or when the system gives no
// address space at all.
CLEAVE_API bool start(const options& chosen) noexcept;

// Whether the heap has started. Does not start it.
[[nodiscard]] CLEAVE_API bool started() noexcept;

// A run of exactly `bytes` bytes (0 gives nullptr), aligned to `alignment`, a
// power of two up to max_alignment. Not zeroed. O(1) for sizes that the thread
// has cached, else O(log size) under the lock of one arena.
// Error: nullptr, also for an alignment that is none; no run has changed, and
// nothing more is held. Tables for address space may have become accessible.
[[nodiscard]] inline void* try_allocate(std::size_t bytes,
                                        std::size_t alignment = default_alignment) noexcept;

// The same. Throws std::bad_alloc.
[[nodiscard]] inline void* allocate(std::size_t bytes, std::size_t alignment = default_alignment);

// A range with its size in bytes; the caller owns all of it.
struct sized_pointer {
  void* pointer = nullptr;
  std::size_t bytes = 0;
};

// A run of at least `bytes` bytes, with the room that rounding up would
// otherwise waste. Error: {nullptr, 0}.
[[nodiscard]] CLEAVE_API sized_pointer
try_allocate_at_least(std::size_t bytes, std::size_t alignment = default_alignment) noexcept;

// Makes the run [pointer, pointer + bytes) reach to pointer + new_bytes, if
// the memory to its right is free. O(new_bytes / 4096) at most.
// Returns false, and changes nothing, if it is not. Requires: new_bytes >= bytes > 0.
[[nodiscard]] CLEAVE_API bool extend(void* pointer, std::size_t bytes,
                                     std::size_t new_bytes) noexcept;

// Gives back the run [pointer, pointer + bytes). No-op for 0 bytes.
// O(1) for up to a page, else O(log size). Never fails.
inline void free(void* pointer, std::size_t bytes) noexcept;

// Returns what this thread caches, and then all free memory, to the system.
CLEAVE_API void purge() noexcept;

// Returns the memory that has been free for longer than the delay. For the
// idle loop of a program; other calls do it by themselves now and then.
CLEAVE_API void purge_expired() noexcept;

// Changes the limit on held bytes. Lowering it below what is held purges first
// and never takes live memory away; allocations fail until it is met.
CLEAVE_API void set_held_limit(std::size_t bytes) noexcept;

// Around the making of a process by other means than fork(), clone() say: before_fork() waits
// until no other thread is inside and keeps all of them out; the others let them in again, in
// the parent also when no child was made. The calling thread may use the heap in between. Each
// call of the first wants one of the others, in the same thread and in the child's one thread;
// they may be nested, also with the handlers of fork() itself.
CLEAVE_API void before_fork() noexcept;
CLEAVE_API void after_fork_in_parent() noexcept;
CLEAVE_API void after_fork_in_child() noexcept;

// The bytes that would be free with this run and are not without it: its own, and
// dead bytes of its first and last page or slot in which nothing else lives. What
// other threads are freeing there just now may be missing. O(1).
[[nodiscard]] CLEAVE_API std::size_t kept_by(const void* pointer, std::size_t bytes) noexcept;

// True if the address lies in the heap's reservation.
[[nodiscard]] CLEAVE_API bool contains(const void* pointer) noexcept;

// The use of one size class of small runs.
struct class_statistics {
  std::size_t slot_bytes = 0;
  std::size_t slabs = 0;
  std::size_t slots = 0;
  // Slots in use, whole or in part; the others wait in slabs or thread caches.
  std::size_t slots_used = 0;
};

inline constexpr std::size_t order_count = 19;  // free blocks of 2^0 to 2^18 pages

// All sizes in bytes. Each number is exact when no other thread is inside a
// call; while others run it is a sum of momentary values.
struct statistics {
  // The bytes in live runs.
  std::size_t live = 0;
  // The memory that the system may have put behind the heap's pages: pages in
  // use, in caches, and free ones that have not been returned.
  std::size_t held = 0;
  std::size_t peak_held = 0;
  std::size_t held_limit = 0;
  // Address space, and the part of it that has been made accessible.
  std::size_t reserved = 0;
  std::size_t committed = 0;
  // The heap's own tables, made accessible; not part of `held`.
  std::size_t metadata = 0;
  // Pages that stand free in arenas; those that wait in thread caches.
  std::size_t free = 0;
  std::size_t cached = 0;
  // The largest run that free and never used address space can give, whatever
  // the held limit allows.
  std::size_t largest_free = 0;
  // How many free blocks of 2^k pages there are; never used arenas included.
  std::array<std::size_t, order_count> free_blocks{};
  std::vector<class_statistics> classes;
  // Counts since the start. Pieces of one page or slot that are freed one
  // behind the other count as one free.
  std::uint64_t allocations = 0;
  std::uint64_t frees = 0;
  std::uint64_t extensions = 0;
  std::uint64_t system_calls = 0;
};

// O(threads + classes + arenas). Error: std::bad_alloc for the table of classes.
[[nodiscard]] CLEAVE_API statistics stats();

// The numbers as one JSON object, and in the text format of Prometheus, complete with HELP and
// TYPE lines, to be served as it is (docs/seeing.md lists the names). No held limit is null, and
// +Inf. O(classes). Error: std::bad_alloc.
[[nodiscard]] CLEAVE_API std::string to_json(const statistics& s);
[[nodiscard]] CLEAVE_API std::string to_prometheus(const statistics& s);

// The same sum for `live` alone; never fails.
[[nodiscard]] CLEAVE_API std::size_t live_bytes() noexcept;

// Walks everything and checks the numbered invariants of the sources. Returns
// an empty string, or what is wrong first. Requires: no other thread is inside
// a call of the heap. O(pages ever used).
[[nodiscard]] CLEAVE_API std::string verify();

}  // namespace cleave::heap

namespace cleave::detail {

// The page or slot that this thread is freeing piece by piece, so that the
// pieces cost no atomic operation (src/heap/unit.hpp has the argument).
//
// The pieces freed last lie one behind the other in [begin, frontier). A piece
// at the frontier that ends before `limit` only moves the frontier, and one that
// ends at the begin and begins above `down` only moves the begin; the new value
// does not depend on the old one, so that rows of small pieces do not wait for each
// other. The first is inline. The second is a call that does nothing else: what is inline is in
// every destructor, and a longer one made recursions over arrays slower than it made them here.
// In a unit that is counting only one of the two directions is open at a time: each
// bound says where the row has all that is left, and holds while the other end stands.
//
// The limit of a slot that is open tentatively is one behind the run's end, so the row
// may fill it. It stays here until the thread allocates again, and a run of just its
// size takes it: what is made, cut and dropped again and again is the same bytes,
// and costs a few stores.
//
// Other threads read what is atomic here for statistics; all accesses are
// relaxed since nothing else is published through them.
struct open_unit {
  // With nothing open; no piece begins there.
  static constexpr std::uintptr_t nowhere = UINTPTR_MAX;

  std::atomic<std::uintptr_t> frontier{nowhere};
  std::uintptr_t limit = nowhere;
  std::atomic<std::uintptr_t> begin{nowhere};
  std::uintptr_t floor = nowhere;
  std::uintptr_t down = nowhere;
  // The size of the run in a unit that is open tentatively; a row of it is handed out as it is.
  // No run is as large as `none`, and one more can be counted.
  static constexpr std::size_t none = SIZE_MAX - 1;
  std::atomic<std::size_t> whole{none};
  // How often that was done: one free and one allocation each.
  std::atomic<std::uint64_t> reuses{0};
  enum class phase : std::uint32_t { closed, tentative, counting } state = phase::closed;
  // As in the heap's tables: 0 for a page, else 1 + the class of its slab.
  std::atomic<std::uint32_t> kind{0};
  // While counting: the unit, what was not dead in it at entry, and what of that
  // is left without the row.
  std::uintptr_t start = 0;
  std::uint32_t size = 0;
  std::atomic<std::uint32_t> at_entry{0};
  std::atomic<std::uint32_t> left{0};
};

#if defined(__CUDACC__)
// nvcc's own compiler warns of the attribute, which it leaves to the host's.
#  pragma nv_diagnostic push
#  pragma nv_diag_suppress 1835
#endif
#if defined(__GNUC__)
extern CLEAVE_API thread_local constinit open_unit this_unit
    __attribute__((tls_model("initial-exec")));
#else
extern thread_local constinit open_unit this_unit;
#endif
#if defined(__CUDACC__)
#  pragma nv_diagnostic pop
#endif

// Sanitizers are told of every run where program and library are compiled for them
// (docs/reliability.md); elsewhere these do nothing.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool told_by_build = true;
#elif defined(__has_feature)
#  if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
inline constexpr bool told_by_build = true;
#  else
inline constexpr bool told_by_build = false;
#  endif
#else
inline constexpr bool told_by_build = false;
#endif
CLEAVE_API void tell_handed_out(void* pointer, std::size_t bytes) noexcept;
CLEAVE_API void tell_freed(void* pointer, std::size_t bytes) noexcept;

inline void* handed_out(void* pointer, std::size_t bytes) noexcept {
  if constexpr (told_by_build) {
    if (pointer != nullptr) tell_handed_out(pointer, bytes);
  }
  return pointer;
}

// Whether the heap is recorded (cleave/trace.hpp). Relaxed: it orders nothing.
extern CLEAVE_API constinit std::atomic<bool> is_traced;
// A cut leaves `left` of `bytes` bytes; a join adds to as many; a join of what are no neighbours
// copied so many to new memory.
CLEAVE_API void trace_cut(const void* data, std::size_t bytes, std::size_t left) noexcept;
CLEAVE_API void trace_join(const void* data, std::size_t bytes, std::size_t left) noexcept;
CLEAVE_API void trace_copy(const void* data, std::size_t bytes, std::size_t copied) noexcept;

// The heap is not told of cuts and joins, and neither is a recording, unless a program is compiled
// with -DCLEAVE_TRACE_PIECES=1, all of it: then each looks at one variable.
#if defined(CLEAVE_TRACE_PIECES) && CLEAVE_TRACE_PIECES
inline constexpr bool tells_pieces = true;
#else
inline constexpr bool tells_pieces = false;
#endif
inline void tell_cut(const void* data, std::size_t bytes, std::size_t left) noexcept {
  if constexpr (tells_pieces) {
    if (is_traced.load(std::memory_order_relaxed)) [[unlikely]]
      trace_cut(data, bytes, left);
  }
}
inline void tell_join(const void* data, std::size_t bytes, std::size_t left) noexcept {
  if constexpr (tells_pieces) {
    if (is_traced.load(std::memory_order_relaxed)) [[unlikely]]
      trace_join(data, bytes, left);
  }
}
// For slow ways alone: in any program.
inline void tell_copy(const void* data, std::size_t bytes, std::size_t copied) noexcept {
  if (is_traced.load(std::memory_order_relaxed)) [[unlikely]]
    trace_copy(data, bytes, copied);
}

CLEAVE_API void free_elsewhere(void* pointer, std::size_t bytes) noexcept;
// Reports what is live, and ends the process, in checked mode; else returns.
CLEAVE_API void report_live() noexcept;
// Reports the use of an empty array that has a place, in checked mode; else returns.
CLEAVE_API void used_when_empty(const void* place, const char* where) noexcept;
[[nodiscard]] CLEAVE_API void* try_allocate_elsewhere(std::size_t bytes,
                                                      std::size_t alignment) noexcept;
[[nodiscard]] CLEAVE_API void* allocate_elsewhere(std::size_t bytes, std::size_t alignment);

// The smallest slot; runs below it are taken from the end of any row.
inline constexpr std::size_t smallest_slot = 16;

// The bytes that this thread freed last, if they make a run of this size; else nullptr.
inline void* reuse(std::size_t bytes, std::size_t alignment) noexcept {
  open_unit& unit = this_unit;
  // Relaxed, all of them: see open_unit.
  const std::size_t whole = unit.whole.load(std::memory_order_relaxed);
  if (bytes != whole && bytes >= smallest_slot) return nullptr;
  const std::uintptr_t end = unit.frontier.load(std::memory_order_relaxed);
  const std::size_t row = end - unit.begin.load(std::memory_order_relaxed);
  // A unit that is counting keeps some of its row: it must have something to tell.
  const std::size_t least = whole != open_unit::none ? bytes : bytes + 1;
  const std::uintptr_t at = end - bytes;
  if (row < least || bytes == 0 || ((at | alignment) & (alignment - 1)) != 0) return nullptr;
  unit.frontier.store(at, std::memory_order_relaxed);
  unit.reuses.store(unit.reuses.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  return reinterpret_cast<void*>(at);
}

}  // namespace cleave::detail

inline void* cleave::heap::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
  if (void* const p = cleave::detail::reuse(bytes, alignment); p != nullptr) [[likely]]
    return cleave::detail::handed_out(p, bytes);
  return cleave::detail::handed_out(cleave::detail::try_allocate_elsewhere(bytes, alignment),
                                    bytes);
}

inline void* cleave::heap::allocate(std::size_t bytes, std::size_t alignment) {
  if (void* const p = cleave::detail::reuse(bytes, alignment); p != nullptr) [[likely]]
    return cleave::detail::handed_out(p, bytes);
  return cleave::detail::handed_out(cleave::detail::allocate_elsewhere(bytes, alignment), bytes);
}

inline void cleave::heap::free(void* pointer, std::size_t bytes) noexcept {
  if constexpr (cleave::detail::told_by_build) cleave::detail::tell_freed(pointer, bytes);
  cleave::detail::open_unit& unit = cleave::detail::this_unit;
  const auto at = reinterpret_cast<std::uintptr_t>(pointer);
  // Relaxed: only this thread writes it (see open_unit).
  if (at == unit.frontier.load(std::memory_order_relaxed) && bytes < unit.limit - at) [[likely]] {
    unit.frontier.store(at + bytes, std::memory_order_relaxed);
    return;
  }
  cleave::detail::free_elsewhere(pointer, bytes);
}
