#include "heap/trace_recorder.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

#include "base/bits.hpp"
#include "base/check.hpp"
#include "heap/lock.hpp"
#include "heap/tables.hpp"
#include "heap/trace_file.hpp"
#include "os/memory.hpp"
#include "os/thread.hpp"

#if defined(__GNUC__)
#  define CLEAVE_QUICK_LOCAL __attribute__((tls_model("initial-exec")))
#else
#  define CLEAVE_QUICK_LOCAL
#endif

namespace cleave {

constinit std::atomic<bool> detail::is_traced{false};

namespace heap::tracing {
namespace {

using trace::event;
using trace::event_kind;

// The system of the tiny heap has no room for buffers.
#if defined(CLEAVE_TINY_HEAP)
constexpr bool has_room = false;
#else
constexpr bool has_room = true;
#endif

constexpr std::size_t half_bytes = std::size_t{1} << 16;
constexpr std::size_t walks_kept = std::size_t{1} << 10;
constexpr std::chrono::milliseconds between_writes{100};

struct buffer {
  ranked_lock guard{rank::trace_buffer};
  // Under it:
  trace::format::event_encoder events;
  std::uint64_t last_time = 0;
  std::uint32_t thread = 0;
  unsigned filling = 0;
  std::byte* halves = nullptr;
  // Of the thread alone:
  checked::stack_walks walks;
  // Under the lock of the file:
  buffer* next = nullptr;
  buffer* next_unused = nullptr;

  void begin_half() noexcept { events.begin(halves + filling * half_bytes, half_bytes); }
};

// What is used after the destructors of static objects.
template <class T>
union undying {
  constexpr undying() noexcept : value() {}
  constexpr ~undying() {}
  T value;
};

constinit ranked_lock file_lock{rank::trace_file};
// Under it:
constinit undying<recording_file> the_file;
recording_file& file = the_file.value;
constinit buffer* all_buffers = nullptr;
constinit buffer* unused_buffers = nullptr;
// The buffers from here on are locked around fork().
constinit buffer* first_locked = nullptr;

constinit ranked_lock places_lock{rank::trace_places};
constinit checked::place_table places;

// Written under the start lock, or by the one thread of a child.
// A copy: programs write over their environment, to show what they do in lists of processes.
constinit char wish[4096] = "";
constinit std::uint64_t begun = 0;

constinit std::atomic<std::uint64_t> lost{0};
constinit std::atomic<std::uint32_t> threads{0};
constinit std::atomic<bool> has_helper{false};

thread_local constinit buffer* mine CLEAVE_QUICK_LOCAL = nullptr;
// This thread's number once it has one; it keeps that when it records after its end.
thread_local constinit std::uint32_t my_number CLEAVE_QUICK_LOCAL = 0;
// Whether this thread is in the middle of an event, or writes: it must not wait for itself when
// the process fails there, or a handler of a signal ends it.
thread_local constinit bool is_busy CLEAVE_QUICK_LOCAL = false;

class busy {
 public:
  busy() noexcept : before_(std::exchange(is_busy, true)) {}
  busy(const busy&) = delete;
  busy& operator=(const busy&) = delete;
  ~busy() { is_busy = before_; }

 private:
  bool before_;
};

class writing {
 public:
  writing() noexcept { file_lock.lock(); }
  writing(const writing&) = delete;
  writing& operator=(const writing&) = delete;
  ~writing() { file_lock.unlock(); }

 private:
  busy now_;
};

// Under the lock of the file. `b.guard` is held, and given up before the half is written.
void write_half(buffer& b) noexcept {
  trace::format::event_encoder full = b.events;
  const std::uint32_t thread = b.thread;
  b.filling ^= 1;
  b.begin_half();
  b.guard.unlock();
  if (full.empty()) return;
  places_lock.lock();
  const std::size_t n = places.count();
  places_lock.unlock();
  file.add_places(places, n);
  file.add(full.end(thread));
  if (!file.is_open()) {
    // Relaxed: as on().
    detail::is_traced.store(false, std::memory_order_relaxed);
  }
}

void write_out(buffer& b) noexcept {
  const writing now;
  b.guard.lock();
  write_half(b);
}

void help() noexcept {
  while (on()) {
    os::sleep(between_writes);
    const writing now;
    for (buffer* b = all_buffers; b != nullptr; b = b->next) {
      b->guard.lock();
      write_half(*b);
    }
  }
}

buffer* make_buffer() noexcept {
  const std::size_t bytes = base::align_up(sizeof(buffer), 64) + 2 * half_bytes;
  const std::size_t whole = base::align_up(bytes, os::page_bytes());
  void* const place = os::reserve(whole, os::page_bytes());
  if (place == nullptr) return nullptr;
  if (!os::commit(place, whole)) {
    os::release(place, whole);
    return nullptr;
  }
  auto* const made = new (place) buffer;
  made->halves = static_cast<std::byte*>(place) + base::align_up(sizeof(buffer), 64);
  if (!made->walks.start(walks_kept)) {
    os::release(place, whole);
    return nullptr;
  }
  made->begin_half();
  return made;
}

// The buffer of a thread that has none; nullptr if there is no memory.
[[gnu::noinline]] buffer* begin_thread() noexcept {
  // Relaxed: numbers are all that is wanted of it.
  if (my_number == 0) my_number = threads.fetch_add(1, std::memory_order_relaxed) + 1;
  buffer* b = nullptr;
  {
    const writing now;
    b = unused_buffers;
    if (b != nullptr) unused_buffers = b->next_unused;
  }
  if (b == nullptr) {
    b = make_buffer();
    if (b == nullptr) return nullptr;
    const writing now;
    b->next = all_buffers;
    all_buffers = b;
  }
  {
    const std::lock_guard guard(b->guard);
    b->thread = my_number;
    b->last_time = 0;
  }
  mine = b;
  // The system may allocate for these two, from this very heap, and that is recorded. Where the
  // end of the thread goes unnoticed, the helper writes its last events.
  static_cast<void>(os::arm_thread_exit());
  // Relaxed: only one may go on, and it publishes nothing.
  if (!has_helper.exchange(true, std::memory_order_relaxed) && !os::start_helper(help)) {
    has_helper.store(false, std::memory_order_relaxed);
  }
  return b;
}

std::uint32_t place_of_call(buffer& b) noexcept {
  checked::stack_walks::walk& w = b.walks.here();
  if (w.place == checked::stack_walks::unnumbered) {
    const std::lock_guard guard(places_lock);
    w.place = places.number_of(w);
  }
  return w.place;
}

// Later than `last`: a coarse clock is waited for, so that a stamp is never ahead of it.
std::uint64_t time_after(std::uint64_t last) noexcept {
  for (;;) {
    const std::uint64_t now = os::nanoseconds() - begun;
    if (now > last) return now;
  }
}

void record(event e) noexcept {
  const busy now;
  buffer* b = mine;
  if (b == nullptr && (b = begin_thread()) == nullptr) {
    // Relaxed: a count.
    lost.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  e.place = place_of_call(*b);
  bool full = false;
  {
    const std::lock_guard guard(b->guard);
    e.time = b->last_time = time_after(b->last_time);
    b->events.add(e);
    full = !b->events.has_room();
  }
  if (full) write_out(*b);
}

// False if somebody has it for a second.
bool lock_soon(ranked_lock& one) noexcept {
  for (int tries = 0; tries < 1000; ++tries) {
    if (one.try_lock()) return true;
    os::sleep(std::chrono::milliseconds(1));
  }
  return false;
}

// Takes the locks as far as they can be had; whoever has them may wait for the one that fails.
void finish_in_trouble() noexcept {
  if (!on() || is_busy) return;
  // Relaxed: as on().
  detail::is_traced.store(false, std::memory_order_relaxed);
  if (!lock_soon(file_lock)) return;
  const busy now;
  for (buffer* b = all_buffers; b != nullptr; b = b->next) {
    if (lock_soon(b->guard)) write_half(*b);
  }
  // Relaxed: a count.
  file.end(lost.load(std::memory_order_relaxed));
  file_lock.unlock();
}

bool open() noexcept {
  begun = os::nanoseconds();
  return file.open(wish, {tables.base, tables.pages << page_bits, page_size,
                          os::nanoseconds_since_1970(), os::process_number()});
}

}  // namespace

bool start() noexcept {
  if constexpr (!has_room) return false;
  const char* const asked = os::trusted_variable("CLEAVE_TRACE");
  if (asked == nullptr || *asked == '\0') return false;
  std::strncpy(wish, asked, sizeof wish - 1);
  if (!places.start()) {
    recording_file::say_no_memory(wish);
    return false;
  }
  if (!open()) return false;
  cleave::detail::after_failed_check(finish_in_trouble);
  os::before_exit_now(finish_in_trouble);
  // Relaxed: the heap has not started for others.
  detail::is_traced.store(true, std::memory_order_relaxed);
  return true;
}

void allocated(std::uintptr_t p, std::size_t bytes) noexcept {
  if (on()) record({.address = p, .size = bytes, .kind = event_kind::allocate});
}

void freed(std::uintptr_t p, std::size_t bytes) noexcept {
  if (on()) record({.address = p, .size = bytes, .kind = event_kind::free});
}

void extended(std::uintptr_t p, std::size_t bytes, std::size_t new_bytes) noexcept {
  if (on()) record({.address = p, .size = new_bytes, .other = bytes, .kind = event_kind::extend});
}

void purged(std::size_t bytes) noexcept {
  if (on() && bytes != 0) record({.size = bytes, .kind = event_kind::purge});
}

void collected(std::size_t live, std::size_t reclaimed, bool all) noexcept {
  if (!on()) return;
  record({.address = std::uint64_t{all ? 1U : 0U},
          .size = live,
          .other = reclaimed,
          .kind = event_kind::collection});
}

void forgot(std::uintptr_t p, std::size_t bytes) noexcept {
  if (on()) record({.address = p, .size = bytes, .kind = event_kind::forget});
}

void thread_ends() noexcept {
  buffer* const b = mine;
  if (b == nullptr) return;
  write_out(*b);
  mine = nullptr;
  const writing now;
  b->next_unused = unused_buffers;
  unused_buffers = b;
}

void finish() noexcept {
  // Relaxed: as on(). What other threads do from here on belongs to no recording.
  if (!detail::is_traced.exchange(false, std::memory_order_relaxed)) return;
  // A handler of a signal called exit() in the middle of an event: as if the process were killed.
  if (is_busy) return;
  const writing now;
  for (buffer* b = all_buffers; b != nullptr; b = b->next) {
    b->guard.lock();
    write_half(*b);
  }
  // Relaxed: a count.
  file.end(lost.load(std::memory_order_relaxed));
}

void lock() noexcept {
  file_lock.lock();
  first_locked = all_buffers;
  for (buffer* b = first_locked; b != nullptr; b = b->next) b->guard.lock();
  places_lock.lock();
}

void unlock() noexcept {
  places_lock.unlock();
  for (buffer* b = first_locked; b != nullptr; b = b->next) b->guard.unlock();
  file_lock.unlock();
}

void after_fork_in_child() noexcept {
  if (!on()) return;
  // What waits in the buffers is the parent's, who writes it.
  unused_buffers = nullptr;
  for (buffer* b = all_buffers; b != nullptr; b = b->next) {
    b->begin_half();
    b->last_time = 0;
    b->thread = 1;
    if (b == mine) continue;
    b->next_unused = unused_buffers;
    unused_buffers = b;
  }
  file.leave();
  // Relaxed, all of them: the child has one thread.
  my_number = mine == nullptr ? 0 : 1;
  threads.store(my_number, std::memory_order_relaxed);
  lost.store(0, std::memory_order_relaxed);
  has_helper.store(false, std::memory_order_relaxed);
  const bool goes_on = recording_file::is_named_by_process(wish) && open();
  if (!goes_on) detail::is_traced.store(false, std::memory_order_relaxed);
}

}  // namespace heap::tracing

// What programs that are compiled with CLEAVE_TRACE_PIECES tell, and joins that copy.

void detail::trace_cut(const void* data, std::size_t bytes, std::size_t left) noexcept {
  heap::tracing::record({.address = reinterpret_cast<std::uintptr_t>(data),
                         .size = bytes,
                         .other = left,
                         .kind = trace::event_kind::cut});
}

void detail::trace_join(const void* data, std::size_t bytes, std::size_t left) noexcept {
  heap::tracing::record({.address = reinterpret_cast<std::uintptr_t>(data),
                         .size = bytes,
                         .other = left,
                         .kind = trace::event_kind::join});
}

void detail::trace_copy(const void* data, std::size_t bytes, std::size_t copied) noexcept {
  heap::tracing::record({.address = reinterpret_cast<std::uintptr_t>(data),
                         .size = bytes,
                         .other = copied,
                         .kind = trace::event_kind::copy});
}

}  // namespace cleave
