// scavenger.cpp -- copies the living out of condemned blocks, for one thread of a collection.
#include "collector/scavenger.hpp"

#include <atomic>
#include <cstring>

#include "collector/collection.hpp"

namespace cleave::gc::detail {

void scavenger::continue_old(block* open) noexcept {
  if (open == nullptr) return;
  open->scan = open->top;
  open_[open->age] = open;
}

block* scavenger::open_old() const noexcept {
  return open_[whole_.tenure()];
}

void scavenger::reference(word* at) {
  const word to = copy(*at);
  *at = to;
  if (!old_ || front_of(to)->young == 0) return;
  if (old_payload_ != nullptr) {
    whole_.state().remember(*old_payload_, at);
  } else {
    whole_.state().remember(at);
  }
}

word scavenger::copy(word object) noexcept {
  std::atomic_ref<word> header(header_of(object));
  // Acquire: the copy that the header may name was written before.
  word seen = header.load(std::memory_order_acquire);
  if ((seen & type_tag) == 0) return seen;
  if ((seen & kept_tag) != 0) return object;
  const block& from = *block_of(object);
  const unsigned age = from.age < whole_.tenure() ? from.age + 1u : from.age;
  const std::size_t bytes = size_of(type_in(seen), object) + word_bytes;
  word* const place = room(age, bytes);
  if (place == nullptr) return keep(object, seen);
  place[0] = seen;
  std::memcpy(place + 1, reinterpret_cast<const void*>(object), bytes - word_bytes);
  const word moved = reinterpret_cast<word>(place + 1);
  if (whole_.alone()) {
    header.store(moved, std::memory_order_relaxed);
  } else if (!header.compare_exchange_strong(seen, moved, std::memory_order_acq_rel,
                                             std::memory_order_acquire)) {
    // Another thread was first: nobody has seen this copy.
    open_[age]->top -= bytes;
    return (seen & type_tag) == 0 ? seen : object;
  }
  copied_ += bytes;
  return moved;
}

word scavenger::keep(word object, word header) noexcept {
  std::atomic_ref<word> at(header_of(object));
  if (!at.compare_exchange_strong(header, header | kept_tag, std::memory_order_acq_rel,
                                  std::memory_order_acquire)) {
    return (header & type_tag) == 0 ? header : object;
  }
  block& stays = *block_of(object);
  // Relaxed: looked at when the threads have met.
  stays.keeps.store(true, std::memory_order_relaxed);
  block::set(stays.marks, object);
  whole_.note_kept();
  return object;
}

word* scavenger::room(unsigned age, std::size_t bytes) noexcept {
  block* open = open_[age];
  if (open == nullptr || open->end() - open->top < bytes) {
    block* const made = whole_.to_block(age);
    if (made == nullptr) return nullptr;
    if (open != nullptr && open != scanning_ && open->scan != open->top) {
      open->next_gray = gray_;
      gray_ = open;
    }
    open_[age] = open = made;
  }
  auto* const place = reinterpret_cast<word*>(open->top);
  open->top += bytes;
  return place;
}

void scavenger::scan(block& gray) noexcept {
  scanning_ = &gray;
  const bool old = gray.young == 0;
  while (gray.scan != gray.top) {
    const word object = gray.scan + word_bytes;
    gray.scan = object + size_of(type_in(header_of(object)), object);
    scan(object, old);
  }
  scanning_ = nullptr;
}

void scavenger::scan(word object, bool old) noexcept {
  const type& of = type_in(header_of(object));
  old_ = old;
  switch (of.layout) {
    case type::kind::object:
      if (of.trace != nullptr) of.trace(reinterpret_cast<void*>(object), *this);
      for (std::size_t i = 0; i < of.offset_count; ++i) {
        see_word(reinterpret_cast<word*>(object + of.offsets[i]));
      }
      break;
    case type::kind::bytes:
      if (array_access::large(object)) reach(object);
      break;
    case type::kind::references:
      if (array_access::large(object)) {
        reach(object);
      } else {
        word* const words = array_access::words(object);
        const std::size_t count = array_access::count(object);
        for (std::size_t i = 0; i < count; ++i) see_word(words + i);
      }
      break;
  }
  old_ = false;
}

void scavenger::reach(word proxy) noexcept {
  // Relaxed: no thread of the program runs.
  payload* const p = array_access::held(proxy).load(std::memory_order_relaxed);
  if (p == nullptr) return;
  p->reached = true;
  p->proxy = proxy;
  if (!p->references) return;
  p->next_gray = gray_payloads_;
  gray_payloads_ = p;
}

void scavenger::scan(payload& gray) noexcept {
  const block& where = *block_of(gray.proxy);
  old_ = where.young == 0 || where.keeps.load(std::memory_order_relaxed);
  old_payload_ = &gray;
  auto* const words = reinterpret_cast<word*>(gray.data);
  for (std::size_t i = 0; i < gray.elements(); ++i) see_word(words + i);
  old_payload_ = nullptr;
  old_ = false;
}

bool scavenger::step() noexcept {
  if (gray_payloads_ != nullptr) {
    payload& next = *gray_payloads_;
    gray_payloads_ = next.next_gray;
    scan(next);
    return true;
  }
  for (block* open : open_) {
    if (open != nullptr && open->scan != open->top) {
      scan(*open);
      return true;
    }
  }
  if (gray_ != nullptr) {
    block& next = *gray_;
    gray_ = next.next_gray;
    // One for those who have nothing to do, if there is another.
    if (gray_ != nullptr && whole_.hungry()) {
      block* const given = gray_;
      gray_ = given->next_gray;
      whole_.give(*given);
    }
    scan(next);
    return true;
  }
  return false;
}

void scavenger::drain() noexcept {
  do {
    while (step()) {
    }
    // Takes what another thread has left, or waits until all of them have nothing.
    gray_ = whole_.next();
    if (gray_ != nullptr) gray_->next_gray = nullptr;
  } while (gray_ != nullptr);
}

void scavenger::remembered(block& dirty) noexcept {
  // First: who sets a bit from now on puts the block in the new list. Acquire, and an
  // exchange: the bits of those who found it still in the old list are seen below.
  dirty.dirty.exchange(false, std::memory_order_acquire);
  const bool any = dirty.filter(dirty.remembered, [this](word* field) {
    see_word(field);
    return is_reference(*field) && front_of(*field)->young != 0;
  });
  if (any) whole_.state().list(dirty);
}

void scavenger::remembered(payload& dirty) noexcept {
  // As above.
  dirty.dirty.exchange(false, std::memory_order_acquire);
  auto* const words = reinterpret_cast<word*>(dirty.data);
  auto look = [this](word* element) {
    see_word(element);
    return is_reference(*element) && front_of(*element)->young != 0;
  };
  bool any = false;
  for (std::size_t i = 0; i < dirty.remembered_words(); ++i) {
    any = filter_part(dirty.remembered[i], words + i * 64, look) || any;
  }
  if (any) whole_.state().list(dirty);
}

void scavenger::kept(word object) noexcept {
  scan(object, true);
}

}  // namespace cleave::gc::detail
