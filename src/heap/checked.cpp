#include "heap/checked.hpp"

#include <cstring>
#include <mutex>

#include "heap/arenas.hpp"
#include "heap/checked_report.hpp"
#include "heap/checked_state.hpp"
#include "heap/lock.hpp"
#include "heap/tables.hpp"
#include "heap/told.hpp"
#include "heap/trace_recorder.hpp"
#include "os/places.hpp"

namespace cleave::heap::checked {
namespace detail {

constinit bool is_watching = false;
constinit bool is_recording = false;

}  // namespace detail

namespace {

constinit ranked_lock own_lock{rank::checked};
constinit records all;
constinit totals sums;
// How many forks lie between this process and the first one.
constinit std::uint32_t process = 0;

void* at(std::uintptr_t address) noexcept {
  return reinterpret_cast<void*>(address);
}

// The bytes of the heap below that a piece stands for.
std::size_t raw_bytes(const piece& p) noexcept {
  return p.bytes() + (p.has_redzone ? redzone : 0);
}

// Takes the oldest piece out of quarantine. Under the lock; the caller gives it to the heap
// below after. A copy, since the record is used again.
piece release_oldest(std::uint32_t place) noexcept {
  piece* const p = all.freed.pop();
  expect_free(all, *p, "when the memory was to be used again", place);
  const piece copy = *p;
  all.past.add(copy);
  all.pieces.erase(p);
  all.pieces.discard(p);
  return copy;
}

void give_below(const piece& p) noexcept {
  raw::free(p.begin, raw_bytes(p));
}

// Makes room in the quarantine, or empties it.
void shrink_quarantine(bool wholly) noexcept {
  for (;;) {
    piece out;
    {
      const std::lock_guard guard(own_lock);
      if (all.freed.pieces == 0 || !(wholly || all.freed.too_full())) return;
      out = release_oldest(0);
    }
    give_below(out);
  }
}

bool prepare(std::uintptr_t begin, std::uintptr_t end) noexcept {
  // Regions of the map are not smaller than this.
  constexpr std::size_t step = std::size_t{1} << 26;
  for (std::uintptr_t p = begin;; p += step) {
    if (!all.pieces.prepare(p)) return false;
    if (end - p <= step) return all.pieces.prepare(end - 1);
  }
}

// False if there is no memory for the record.
bool note(std::uintptr_t p, std::size_t bytes) noexcept {
  const std::lock_guard guard(own_lock);
  piece* const made = prepare(p, p + bytes) ? all.pieces.make() : nullptr;
  if (made == nullptr) return false;
  made->begin = made->run_begin = p;
  made->end = p + bytes;
  made->run_bytes = bytes;
  made->allocated_at = all.places.here();
  made->process = process;
  made->has_redzone = true;
  fill_redzone(made->end);
  all.pieces.insert(made);
  made->run = ++sums.allocations;
  sums.live += bytes;
  return true;
}

// Makes [p, p + bytes) of a live piece a piece of its own. Requires two spare records.
piece& split_off(piece& from, std::uintptr_t p, std::size_t bytes) noexcept {
  const std::uintptr_t end = p + bytes;
  if (end != from.end) {
    piece* const right = all.pieces.make();
    *right = from;
    right->begin = end;
    from.end = end;
    from.has_redzone = false;
    all.pieces.insert(right);
  }
  if (p == from.begin) return from;
  piece* const middle = all.pieces.make();
  *middle = from;
  middle->begin = p;
  from.end = p;
  from.has_redzone = false;
  all.pieces.insert(middle);
  return *middle;
}

// What is freed in quarantine, or has passed it: then the caller gives it to the heap below.
bool note_free(std::uintptr_t p, std::size_t bytes, piece& passed) noexcept {
  const std::lock_guard guard(own_lock);
  const std::uint32_t place = all.places.here();
  piece* const found = tables.holds(p) ? all.pieces.covering(p) : nullptr;
  if (found == nullptr || !found->live || bytes > found->end - p) {
    report_bad_range(all, p, bytes, "a free", place);
  }
  expect_redzone(all, *found, "when a piece of it was freed", place);
  if (!all.pieces.has_spare(2)) report_no_memory();
  piece& freed = split_off(*found, p, bytes);
  freed.live = false;
  freed.freed_at = place;
  ++sums.frees;
  sums.live -= bytes;
  if (bytes <= quarantine::most_bytes) {
    fill_freed(freed);
    all.freed.push(&freed);
    if (!all.freed.too_full()) return false;
    passed = release_oldest(place);
    return true;
  }
  passed = freed;
  all.past.add(freed);
  told::freed(at(p), bytes);
  all.pieces.erase(&freed);
  all.pieces.discard(&freed);
  return true;
}

// Whether the piece that ends the run [p, p + bytes) may grow to `new_bytes`.
bool may_extend(std::uintptr_t p, std::size_t bytes, std::size_t new_bytes) noexcept {
  const std::lock_guard guard(own_lock);
  const std::uint32_t place = all.places.here();
  const piece* const found = tables.holds(p) ? all.pieces.covering(p) : nullptr;
  if (found == nullptr || !found->live || bytes > found->end - p) {
    report_bad_range(all, p, bytes, "an extension", place);
  }
  if (p + bytes != found->end || !found->has_redzone) return false;
  expect_redzone(all, *found, "when it was to be extended", place);
  return new_bytes - bytes < tables.base + (tables.pages << page_bits) - found->end &&
         prepare(found->end, p + new_bytes);
}

void* allocate_checked(std::size_t bytes, std::size_t alignment) noexcept {
  if (bytes > SIZE_MAX - redzone) return nullptr;
  for (const bool last : {false, true}) {
    if (void* const p = raw::allocate(bytes + redzone, alignment); p != nullptr) {
      const auto address = reinterpret_cast<std::uintptr_t>(p);
      if (note(address, bytes)) {
        told::handed_out(p, bytes);
        return p;
      }
      raw::free(address, bytes + redzone);
    }
    // What waits in quarantine may be what is missing.
    if (!last) shrink_quarantine(true);
  }
  return nullptr;
}

bool extend_checked(std::uintptr_t p, std::size_t bytes, std::size_t new_bytes) noexcept {
  if (!may_extend(p, bytes, new_bytes)) return false;
  // Nobody else can touch the end of the run meanwhile.
  if (!raw::extend(p, bytes + redzone, new_bytes + redzone)) return false;
  const std::lock_guard guard(own_lock);
  piece& grown = *all.pieces.covering(p);
  grown.end = p + new_bytes;
  grown.run_bytes = grown.end - grown.run_begin;
  fill_redzone(grown.end);
  told::handed_out(at(p + bytes), new_bytes - bytes);
  ++sums.extensions;
  sums.live += new_bytes - bytes;
  return true;
}

// Last of all: destructors of static objects have run, which free what they own.
[[gnu::destructor(101)]] void at_exit() noexcept {
  if (recording()) verify();
  tracing::finish();
  // Who stops early with an error leaves things as they are.
  if (recording() && os::exit_status() <= 0) report_live();
}

// What a device hands out and frees is not known here, so nothing can be said of it.
bool is_shared(std::uintptr_t p) noexcept {
  return tables.may_hold_run(p, 1) && arenas::is_shared(tables.page_of(p));
}

}  // namespace

void start() noexcept {
  told::start();
  const char* const wish = os::variable("CLEAVE_CHECK");
  if (has_room && wish != nullptr && std::strcmp(wish, "1") == 0) {
    if (!all.places.start() || !all.pieces.start(tables.base, tables.pages << page_bits)) {
      report_no_memory();
    }
    os::watch_exit();
    detail::is_recording = true;
  }
  const bool is_traced = tracing::start();
  detail::is_watching = detail::is_recording || told::memcheck() || is_traced;
}

void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
  void* const p =
      recording() ? allocate_checked(bytes, alignment) : raw::allocate(bytes, alignment);
  if (p == nullptr) return p;
  if (!recording()) told::handed_out(p, bytes);
  tracing::allocated(reinterpret_cast<std::uintptr_t>(p), bytes);
  return p;
}

void free(std::uintptr_t p, std::size_t bytes) noexcept {
  if (is_shared(p)) {
    shared_freed(bytes, 1);
    return raw::free(p, bytes);
  }
  tracing::freed(p, bytes);
  if (!recording()) {
    if (tables.holds(p)) told::freed(at(p), bytes);
    return raw::free(p, bytes);
  }
  piece passed;
  if (!note_free(p, bytes, passed)) return;
  give_below(passed);
  shrink_quarantine(false);
}

bool extend(std::uintptr_t p, std::size_t bytes, std::size_t new_bytes) noexcept {
  if (is_shared(p)) {
    if (!raw::extend(p, bytes, new_bytes)) return false;
    // As all that is shared; memcheck is told nothing, since it hears nothing of kernels.
    cleave::detail::handed_out(at(p + bytes), new_bytes - bytes);
    const std::lock_guard guard(own_lock);
    ++sums.extensions;
    sums.live += new_bytes - bytes;
    return true;
  }
  if (recording()) {
    if (!extend_checked(p, bytes, new_bytes)) return false;
  } else {
    if (!raw::extend(p, bytes, new_bytes)) return false;
    told::handed_out(at(p + bytes), new_bytes - bytes);
  }
  if (new_bytes != bytes) tracing::extended(p, bytes, new_bytes);
  return true;
}

void used_when_empty(std::uintptr_t place, const char* where) noexcept {
  if (!recording()) return;
  const std::lock_guard guard(own_lock);
  report_moved_from(all, place, where, all.places.here());
}

void report_live() noexcept {
  if (!recording()) return;
  const std::lock_guard guard(own_lock);
  report_leaks(all, process);
}

void purge() noexcept {
  if (recording()) shrink_quarantine(true);
}

void verify() noexcept {
  if (!recording()) return;
  const std::lock_guard guard(own_lock);
  for (piece* p = all.pieces.following(0); p != nullptr; p = all.pieces.following(p->begin + 1)) {
    constexpr const char* when = "when all of the heap was looked at";
    if (p->live) {
      expect_redzone(all, *p, when, 0);
    } else {
      expect_free(all, *p, when, 0);
    }
  }
}

void shared_allocated(std::size_t bytes) noexcept {
  if (!recording()) return;
  const std::lock_guard guard(own_lock);
  ++sums.allocations;
  sums.live += bytes;
}

void shared_freed(std::size_t bytes, std::uint64_t pieces) noexcept {
  if (!recording()) return;
  const std::lock_guard guard(own_lock);
  sums.frees += pieces;
  sums.live -= bytes;
}

totals count() noexcept {
  const std::lock_guard guard(own_lock);
  return sums;
}

void lock() noexcept {
  own_lock.lock();
}

void unlock() noexcept {
  own_lock.unlock();
}

void after_fork_in_child() noexcept {
  ++process;
}

}  // namespace cleave::heap::checked

void cleave::detail::report_live() noexcept {
  heap::checked::report_live();
}

void cleave::detail::used_when_empty(const void* place, const char* where) noexcept {
  heap::checked::used_when_empty(reinterpret_cast<std::uintptr_t>(place), where);
}
