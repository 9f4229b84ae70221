// state.cpp -- one collector: what mutators ask of it, and when it collects.
#include "collector/state.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/check.hpp"
#include "collector/collection.hpp"
#include "collector/debugging.hpp"
#include "collector/walk.hpp"
#include "heap/trace_recorder.hpp"

namespace cleave::gc::detail {

heap_state::heap_state(const options& wanted)
    : chosen(checked(wanted)),
      payloads(*this, std::min(chosen.debug.quarantine_mib, SIZE_MAX >> 20) << 20,
               chosen.debug.prove),
      nursery_blocks_(std::max<std::size_t>(1, chosen.nursery / block_bytes)),
      full_at_(chosen.old_minimum) {}

heap_state::~heap_state() {
  CLEAVE_CHECK(threads.empty(), "a mutator outlives its collector");
  CLEAVE_CHECK(roots_kept.empty(), "a global, weak, roots or lend outlives its collector");
  for (block* list : {young_, old_}) {
    while (list != nullptr) {
      block* const b = list;
      list = b->next;
      pool_.put(b, false);
    }
  }
}

block* heap_state::nursery_block(bool in_any_case) noexcept {
  if (!within_limit(block_bytes)) return nullptr;
  const std::lock_guard guard(blocks_lock_);
  if (nursery_taken_ >= nursery_blocks_ && !in_any_case) return nullptr;
  block* const made = pool_.take(this);
  if (made == nullptr) return nullptr;
  made->young = 1;
  made->next = young_;
  young_ = made;
  ++young_count_;
  ++nursery_taken_;
  return made;
}

void heap_state::retire(member& m) noexcept {
  if (m.nursery == nullptr) return;
  const std::lock_guard guard(blocks_lock_);
  m.nursery->top = *m.top;
  totals_.allocated_small += m.nursery->top - m.nursery->begin();
  m.nursery = nullptr;
  *m.top = *m.limit = 0;
}

bool heap_state::within_budget(std::size_t bytes) const noexcept {
  const payload_counts now = payloads.counts();
  // What is larger than the whole budget is let through when nothing else was charged.
  return now.charged == 0 ||
         bytes <= chosen.large_budget - std::min(now.charged, chosen.large_budget);
}

bool heap_state::within_limit(std::size_t bytes) const noexcept {
  if (chosen.limit == SIZE_MAX) return true;
  const std::size_t used = used_bytes();
  return used <= chosen.limit && bytes <= chosen.limit - used;
}

std::size_t heap_state::old_bytes() const noexcept {
  const std::size_t large = payloads.counts().old;
  const std::lock_guard guard(blocks_lock_);
  return old_count_ * block_bytes + large;
}

std::size_t heap_state::used_bytes() const noexcept {
  const payload_counts now = payloads.counts();
  const std::lock_guard guard(blocks_lock_);
  return pool_.in_use() * block_bytes + now.young + now.old;
}

bool heap_state::stressed() noexcept {
  if (chosen.debug.stress == 0) return false;
  // Relaxed: a count, whoever reaches it collects.
  return (stress_count_.fetch_add(1, std::memory_order_relaxed) + 1) % chosen.debug.stress == 0;
}

void heap_state::recount() const noexcept {
#if defined(CLEAVE_CHECKED) && CLEAVE_CHECKED
  const std::string wrong = payloads.recount();
  if (wrong.empty()) return;
  std::fprintf(stderr, "cleave: %s\n", wrong.c_str());
  std::abort();
#endif
}

void heap_state::list(block& dirty) noexcept {
  // Release: who takes it out of the list meanwhile sees the bit for which it is put there
  // (scavenger::remembered). The list itself is read when all threads have stopped.
  if (dirty.dirty.exchange(true, std::memory_order_release)) return;
  block* first = dirty_.load(std::memory_order_relaxed);
  do {
    dirty.next_dirty = first;
  } while (!dirty_.compare_exchange_weak(first, &dirty, std::memory_order_relaxed));
}

void heap_state::list(payload& dirty) noexcept {
  // Release, as above.
  if (dirty.dirty.exchange(true, std::memory_order_release)) return;
  payload* first = payloads.dirty.load(std::memory_order_relaxed);
  do {
    dirty.next_dirty = first;
  } while (!payloads.dirty.compare_exchange_weak(first, &dirty, std::memory_order_relaxed));
}

void heap_state::remember(word* field) noexcept {
  block& holder = *block_of(reinterpret_cast<word>(field));
  if (block::set(holder.remembered, reinterpret_cast<word>(field))) list(holder);
}

void heap_state::remember(payload& held, word* element) noexcept {
  const auto index = static_cast<std::size_t>(element - reinterpret_cast<word*>(held.data));
  const std::uint64_t bit = std::uint64_t{1} << (index & 63);
  std::atomic<std::uint64_t>& part = held.remembered[index >> 6];
  // Relaxed, as all accesses to these maps.
  if ((part.load(std::memory_order_relaxed) & bit) != 0) return;
  part.fetch_or(bit, std::memory_order_relaxed);
  list(held);
}

void heap_state::at_safepoint(const member& m) const noexcept {
  CLEAVE_CHECK(m.forbidden == 0, "a safepoint inside of no_safepoint");
  CLEAVE_CHECK(m.now == member::state::running, "a safepoint inside of blocking");
  recount();
}

bool heap_state::collect(member& m, extent what) noexcept {
  at_safepoint(m);
  const world::stopped all(threads, m);
  if (!all.ours()) return false;
  run_collection(what);
  return true;
}

void heap_state::tell(const event& what) const {
  if (chosen.on_event) chosen.on_event(what);
}

void heap_state::run_collection(extent what) noexcept {
  if (old_bytes() >= full_at_) what = extent::all;
  tell({.what = event::kind::begin, .collected = what});
  const auto begun = std::chrono::steady_clock::now();
  const std::size_t before = heap::tracing::on() ? used_bytes() : 0;
  collection(*this, what).run();
  const std::size_t old = old_bytes();
  {
    const std::lock_guard guard(blocks_lock_);
    nursery_taken_ = 0;
    pool_.keep_idle(2 * nursery_blocks_ + young_count_);
    if (what == extent::all) {
      totals_.old_after_full = old;
      const double next = static_cast<double>(old) * chosen.growth;
      full_at_ =
          std::max(chosen.old_minimum, next < 1e18 ? static_cast<std::size_t>(next) : SIZE_MAX);
    }
  }
  const std::chrono::nanoseconds pause = std::chrono::steady_clock::now() - begun;
  {
    const std::lock_guard guard(blocks_lock_);
    ++(what == extent::all ? totals_.full_collections : totals_.young_collections);
    totals_.pause_last = pause;
    totals_.pause_total += pause;
    totals_.pause_longest = std::max(totals_.pause_longest, pause);
    if (what == extent::young) adapt(pause);
  }
  if (chosen.debug.verify) {
    const std::string wrong = check();
    if (!wrong.empty()) {
      std::fprintf(stderr, "cleave: after a collection: %s\n", wrong.c_str());
      std::abort();
    }
  }
  if (chosen.debug.prove) report_reached();
  if (heap::tracing::on()) {
    const std::size_t live = used_bytes();
    heap::tracing::collected(live, before > live ? before - live : 0, what == extent::all);
  }
  tell({.what = event::kind::end, .collected = what, .pause = pause});
  const std::size_t due = roots_kept.due();
  if (due != 0) tell({.what = event::kind::finalizers, .collected = what, .waiting = due});
  recount();
}

void heap_state::adapt(std::chrono::nanoseconds pause) noexcept {
  if (chosen.pause_goal.count() == 0) return;
  const std::size_t most = std::max<std::size_t>(1, chosen.nursery / block_bytes);
  if (pause > chosen.pause_goal) {
    nursery_blocks_ = std::max(std::max<std::size_t>(1, most / 16), nursery_blocks_ / 2);
  } else if (pause < chosen.pause_goal / 4) {
    nursery_blocks_ = std::min(most, nursery_blocks_ * 2);
  }
}

void heap_state::report_reached() noexcept {
  heap_walk walk(*this);
  walk.find_paths();
  payloads.proving.each([&](payload& p) {
    if (p.reported) return;
    const std::string path = walk.path_to(p.proxy);
    if (path.empty()) return;
    p.reported = true;
    const auto where = [](const place& at) {
      return std::string(at.file) + ":" + std::to_string(at.line);
    };
    const std::string text = "the array made at " + where(p.made) + " and forgotten at " +
                             where(p.let_go) + " is still reached: " + path;
    std::fprintf(stderr, "cleave: %s\n", text.c_str());
    tell({.what = event::kind::reached, .report = text.c_str()});
  });
}

statistics heap_state::stats() const {
  const payload_counts large = payloads.counts();
  const std::lock_guard guard(blocks_lock_);
  statistics now = totals_;
  now.blocks = pool_.in_use() * block_bytes;
  now.idle_blocks = pool_.idle() * block_bytes;
  now.allocated = large.allocated;
  now.given = large.given;
  now.forgotten = large.forgotten;
  now.taken = large.taken;
  now.swept = large.swept;
  now.large_young = large.young;
  now.large_old = large.old;
  now.large_arrays = large.arrays;
  now.charged = large.charged;
  now.quarantined = large.held_back;
  now.finalizers_run = roots_kept.wishes_taken();
  return now;
}

std::string heap_state::check() {
  return heap_walk(*this).check();
}

std::string heap_state::verify(member& m) {
  at_safepoint(m);
  for (;;) {
    const world::stopped all(threads, m);
    if (all.ours()) return check();
  }
}

}  // namespace cleave::gc::detail
