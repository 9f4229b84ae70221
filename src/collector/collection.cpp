// collection.cpp -- one collection, from the moment when all threads stand still.
#include "collector/collection.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "base/check.hpp"

namespace cleave::gc::detail {

word collection::now(word object) noexcept {
  if (!is_reference(object) || front_of(object)->condemned == 0) return object;
  const word header = header_of(object);
  if ((header & type_tag) == 0) return header;
  return (header & kept_tag) != 0 ? object : 0;
}

void collection::end_nurseries() noexcept {
  state_.threads.each([&](member& m) { state_.retire(m); });
}

void collection::condemn() noexcept {
  const std::lock_guard guard(state_.blocks_lock_);
  const auto add = [&](block*& list) {
    while (list != nullptr) {
      block* const b = list;
      list = b->next;
      b->condemned = 1;
      b->next = condemned_;
      condemned_ = b;
    }
  };
  add(state_.young_);
  state_.young_count_ = 0;
  dirty_ = state_.dirty_.exchange(nullptr, std::memory_order_relaxed);
  dirty_payloads_ = state_.payloads.dirty.exchange(nullptr, std::memory_order_relaxed);
  if (what_ == extent::young) return;
  // All old objects are looked at: what was remembered of them is found again.
  for (block* b = state_.old_; b != nullptr; b = b->next) {
    b->dirty.store(false, std::memory_order_relaxed);
    block::clear(b->remembered);
  }
  dirty_ = nullptr;
  dirty_payloads_ = nullptr;
  add(state_.old_);
  state_.old_count_ = 0;
  state_.open_old_ = nullptr;
}

block* collection::to_block(unsigned age) noexcept {
  const std::lock_guard guard(state_.blocks_lock_);
  block* const made = state_.pool_.take(&state_);
  if (made == nullptr) return nullptr;
  const bool old = age == tenure();
  made->age = static_cast<std::uint8_t>(age);
  made->young = old ? 0 : 1;
  made->barrier = old ? 1 : 0;
  block*& list = old ? state_.old_ : state_.young_;
  made->next = list;
  list = made;
  ++(old ? state_.old_count_ : state_.young_count_);
  return made;
}

void collection::roots(scavenger& leader) noexcept {
  state_.threads.each([&](member& m) {
    root_link& ends = m.locals->locals;
    for (root_link* at = ends.next(); at != &ends; at = at->next()) leader.root(&at->word);
  });
  root_link& ends = state_.roots_kept.globals_;
  for (root_link* at = ends.next(); at != &ends; at = at->next()) leader.root(&at->word);
  for (gc::roots* shown : state_.roots_kept.shown_) heap_state::show(*shown, leader);
  for (last_wish& due : state_.roots_kept.due_) leader.root(&due.object);
}

void collection::remembered(scavenger& one) noexcept {
  for (;;) {
    block* b = nullptr;
    payload* p = nullptr;
    {
      const std::lock_guard guard(lock_);
      if ((b = dirty_) != nullptr) {
        dirty_ = b->next_dirty;
      } else if ((p = dirty_payloads_) != nullptr) {
        dirty_payloads_ = p->next_dirty;
      } else {
        return;
      }
    }
    if (b != nullptr) one.remembered(*b);
    if (p != nullptr) one.remembered(*p);
  }
}

void collection::help() noexcept {
  {
    const std::lock_guard guard(lock_);
    // Too late: the others have finished.
    if (over_) return;
    ++workers_;
  }
  scavenger mine(*this);
  remembered(mine);
  mine.drain();
  copied_.fetch_add(mine.copied(), std::memory_order_relaxed);
}

void collection::give(block& gray) noexcept {
  const std::lock_guard guard(lock_);
  gray.next_gray = given_;
  given_ = &gray;
}

block* collection::next() noexcept {
  if (alone_) return nullptr;
  std::unique_lock guard(lock_);
  bool counted = false;
  for (;;) {
    if (given_ != nullptr) {
      block* const taken = given_;
      given_ = taken->next_gray;
      if (counted) {
        --idle_;
        hungry_.fetch_sub(1, std::memory_order_relaxed);
      }
      return taken;
    }
    if (!counted) {
      counted = true;
      ++idle_;
      hungry_.fetch_add(1, std::memory_order_relaxed);
    }
    if (idle_ == workers_) over_ = true;
    if (over_) return nullptr;
    guard.unlock();
    std::this_thread::yield();
    guard.lock();
  }
}

void collection::kept(scavenger& leader) noexcept {
  if (!some_kept_.load(std::memory_order_relaxed)) return;
  for (bool any = true; any;) {
    any = false;
    for (block* b = condemned_; b != nullptr; b = b->next) {
      if (!b->keeps.load(std::memory_order_relaxed)) continue;
      b->filter(b->marks, [&](word* object) {
        word& header = header_of(reinterpret_cast<word>(object));
        if ((header & seen_tag) == 0) {
          header |= seen_tag;
          any = true;
          leader.kept(reinterpret_cast<word>(object));
        }
        return true;
      });
    }
    leader.drain();
  }
}

void collection::weak_references() noexcept {
  root_set& kept = state_.roots_kept;
  const auto look = [&](root_link& from, root_link& young, root_link& old) {
    for (root_link* at = from.next(); at != &from;) {
      root_link& one = *at;
      at = at->next();
      one.word = now(one.word);
      one.unlink();
      const bool is_young = is_reference(one.word) && front_of(one.word)->young != 0;
      one.insert_behind(is_young ? young : old);
    }
  };
  // The old ones are put aside first, so that none is looked at twice.
  root_link young, old;
  look(kept.weak_young_, young, old);
  if (what_ == extent::all) look(kept.weak_old_, young, old);
  while (!young.alone()) {
    root_link& one = *young.next();
    one.unlink();
    one.insert_behind(kept.weak_young_);
  }
  while (!old.alone()) {
    root_link& one = *old.next();
    one.unlink();
    one.insert_behind(kept.weak_old_);
  }
}

void collection::finalizers(scavenger& leader) noexcept {
  root_set& kept_roots = state_.roots_kept;
  const std::size_t first_due = kept_roots.due_.size();
  const auto look = [&](std::vector<last_wish>& table) {
    const auto dead = [](const last_wish& one) { return now(one.object) == 0; };
    // The order in which they were asked for.
    for (const last_wish& one : table) {
      if (dead(one)) kept_roots.due_.push_back(one);
    }
    std::erase_if(table, dead);
  };
  look(kept_roots.wishes_young_);
  if (what_ == extent::all) look(kept_roots.wishes_old_);
  for (std::size_t i = first_due; i < kept_roots.due_.size(); ++i) {
    leader.root(&kept_roots.due_[i].object);
  }
  leader.drain();
  kept(leader);

  const auto follow = [](std::vector<last_wish>& table) {
    for (last_wish& one : table) one.object = now(one.object);
  };
  follow(kept_roots.wishes_young_);
  if (what_ == extent::all) follow(kept_roots.wishes_old_);
  std::erase_if(kept_roots.wishes_young_, [&](const last_wish& one) {
    if (front_of(one.object)->young != 0) return false;
    kept_roots.wishes_old_.push_back(one);
    return true;
  });
}

void collection::proving() noexcept {
  state_.payloads.proving.each([&](payload& p) {
    const word at = now(p.proxy);
    if (at != 0) {
      p.proxy = at;
    } else {
      state_.payloads.disprove(p);
    }
  });
}

void collection::put_back() noexcept {
  const std::lock_guard guard(state_.blocks_lock_);
  while (condemned_ != nullptr) {
    block* const b = condemned_;
    condemned_ = b->next;
    b->condemned = 0;
    if (!b->keeps.load(std::memory_order_relaxed)) {
      state_.pool_.put(b, state_.chosen.debug.poison);
      continue;
    }
    b->filter(b->marks, [](word* object) {
      header_of(reinterpret_cast<word>(object)) &= ~(kept_tag | seen_tag);
      return false;
    });
    b->keeps.store(false, std::memory_order_relaxed);
    b->age = static_cast<std::uint8_t>(tenure());
    b->young = 0;
    b->barrier = 1;
    b->next = state_.old_;
    state_.old_ = b;
    ++state_.old_count_;
  }
}

void collection::run() noexcept {
  // A global may end in a thread that is away.
  const std::lock_guard guard(state_.roots_kept.lock_);
  end_nurseries();
  state_.payloads.begin(what_ == extent::all);
  condemn();

  scavenger leader(*this);
  leader.continue_old(state_.open_old_);
  const unsigned helpers = std::min(state_.threads.waiting(), state_.chosen.helpers);
  alone_ = helpers == 0;
  if (!alone_) state_.threads.share(*this, helpers);
  roots(leader);
  remembered(leader);
  leader.drain();
  if (!alone_) {
    state_.threads.finish();
    alone_ = true;
  }
  kept(leader);

  weak_references();
  finalizers(leader);
  proving();
  state_.open_old_ = leader.open_old();
  {
    const std::lock_guard numbers(state_.blocks_lock_);
    const std::uint64_t helped = copied_.load(std::memory_order_relaxed);
    state_.totals_.copied += helped + leader.copied();
    state_.totals_.copied_by_helpers += helped;
  }
  // The proxies of kept blocks are old from here on.
  put_back();
  state_.payloads.sweep(what_ == extent::all);
  state_.payloads.end();
}

}  // namespace cleave::gc::detail
