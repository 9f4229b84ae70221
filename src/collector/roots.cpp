// roots.cpp -- the references that live outside of functions.
#include "collector/roots.hpp"

#include <algorithm>
#include <utility>

namespace cleave::gc::detail {

void root_set::link_global(root_link& root) noexcept {
  const std::lock_guard guard(lock_);
  root.insert_behind(globals_);
}

void root_set::link_weak(root_link& root) noexcept {
  const std::lock_guard guard(lock_);
  root.insert_behind(weak_young_);
}

void root_set::unlink(root_link& root) noexcept {
  const std::lock_guard guard(lock_);
  root.unlink();
}

void root_set::point_weak(root_link& root, word object) noexcept {
  const std::lock_guard guard(lock_);
  root.word = object;
  root.unlink();
  root.insert_behind(weak_young_);
}

void root_set::add(gc::roots& shown) {
  const std::lock_guard guard(lock_);
  shown_.push_back(&shown);
}

void root_set::remove(gc::roots& shown) noexcept {
  const std::lock_guard guard(lock_);
  std::erase(shown_, &shown);
}

void root_set::wish(const last_wish& one) {
  const std::lock_guard guard(lock_);
  // A collection moves wishes between the tables, and cannot fail at it.
  const std::size_t all = wishes_young_.size() + wishes_old_.size() + due_.size() + 1;
  for (auto* table : {&wishes_young_, &wishes_old_, &due_}) {
    if (table->capacity() < all) table->reserve(2 * all);
  }
  wishes_young_.push_back(one);
}

bool root_set::next_due(last_wish& out) noexcept {
  const std::lock_guard guard(lock_);
  if (due_taken_ == due_.size()) {
    due_.clear();
    due_taken_ = 0;
    return false;
  }
  // What is taken is a root no longer, whatever becomes of it.
  out = std::exchange(due_[due_taken_++], {});
  // Relaxed: a number.
  wishes_taken_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

bool root_set::empty() noexcept {
  const std::lock_guard guard(lock_);
  return globals_.alone() && weak_young_.alone() && weak_old_.alone() && shown_.empty();
}

}  // namespace cleave::gc::detail
