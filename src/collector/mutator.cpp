// mutator.cpp -- a thread's door to the collector: objects, letting go, stopping.
#include <cleave/collector/mutator.hpp>

#include <cstring>
#include <new>
#include <stdexcept>

#include "base/check.hpp"
#include "collector/state.hpp"

namespace cleave::gc {

using detail::array_access;
using detail::block;
using detail::block_of;
using detail::heap_state;
using detail::payload;
using detail::word;
using detail::word_bytes;

struct mutator::inside {
  heap_state* state = nullptr;
  detail::member here;
};

detail::member& heap_state::member_of(mutator& m) noexcept {
  return m.inside_->here;
}

mutator::mutator(collector& owner) : owner_(owner), inside_(std::make_unique<inside>()) {
  inside_->state = &owner.inside();
  inside_->here.locals = this;
  inside_->here.top = &top_;
  inside_->here.limit = &limit_;
  inside_->state->threads.attach(inside_->here);
}

mutator::~mutator() {
  CLEAVE_CHECK(locals.alone(), "a local outlives its mutator");
  CLEAVE_CHECK(inside_->here.now == detail::member::state::running,
               "a mutator ends inside of blocking");
  inside_->state->retire(inside_->here);
  inside_->state->threads.detach(inside_->here);
}

void mutator::safepoint() {
  detail::member& here = inside_->here;
  inside_->state->at_safepoint(here);
  if (inside_->state->threads.wanted()) inside_->state->threads.wait(here);
}

// Makes room for `bytes` bytes between top_ and limit_.
void mutator::refill(std::size_t bytes) {
  heap_state& state = *inside_->state;
  detail::member& here = inside_->here;
  safepoint();
  if (state.stressed()) state.collect(here, extent::young);
  // In stress mode the limit lets one object through, so that each comes by here.
  if (here.nursery != nullptr && here.nursery->end() - top_ >= bytes) {
    limit_ = state.chosen.debug.stress != 0 ? top_ + bytes : here.nursery->end();
    return;
  }
  block* fresh = state.nursery_block(false);
  // A young collection, then full ones: the second is for what finalizers held.
  for (int collected = 0; fresh == nullptr;) {
    if (collected == 3) throw std::bad_alloc();
    if (state.collect(here, collected == 0 ? extent::young : extent::all)) ++collected;
    // Others may have used the nursery up again, but who collected does not go empty-handed.
    fresh = state.nursery_block(collected != 0);
  }
  state.retire(here);
  here.nursery = fresh;
  top_ = fresh->begin();
  limit_ = state.chosen.debug.stress != 0 ? top_ + bytes : fresh->end();
}

local<value> mutator::make_object(const type& described) {
  if (described.layout != type::kind::object || described.bytes < 8 || described.bytes % 8 != 0 ||
      described.bytes > max_object_bytes) {
    throw std::invalid_argument("cleave::gc::mutator::make_object: a type that is none");
  }
  void* const made = allocate(described, described.bytes);
  std::memset(made, 0, described.bytes);
  return local<value>(*this, value::from_bits(reinterpret_cast<word>(made)));
}

namespace {

// Owns a payload until it is in a list.
struct unlisted {
  payload* p;
  ~unlisted() {
    if (p != nullptr) detail::payload_space::drop(p);
  }
};

// A payload of new memory, or of that of `given`. Collects before the budget is spent,
// and when there is no memory. Throws std::bad_alloc.
payload* make_payload(heap_state& state, detail::member& here, std::size_t bytes, std::byte* given,
                      bool references) {
  if (!state.within_budget(bytes)) state.collect(here, extent::young);
  for (int collected = 0;;) {
    if (state.within_limit(bytes)) {
      payload* const made = state.payloads.make(bytes, given, references);
      if (made != nullptr) return made;
    }
    if (collected == 2) throw std::bad_alloc();
    if (state.collect(here, extent::all)) ++collected;
  }
}

}  // namespace

local<byte_array> mutator::make_bytes_for_overwrite(std::size_t size, place at) {
  heap_state& state = *inside_->state;
  if (size <= state.chosen.large_threshold) {
    void* const made = allocate(detail::byte_array_type, detail::inline_bytes(size));
    array_access::set_inline(made, size);
    return local<byte_array>(*this, static_cast<byte_array*>(made));
  }
  safepoint();
  unlisted own{make_payload(state, inside_->here, size, nullptr, false)};
  void* const proxy = allocate(detail::byte_array_type, array_access::proxy_bytes);
  state.payloads.adopt(*own.p, proxy, size, false, at);
  own.p = nullptr;
  return local<byte_array>(*this, static_cast<byte_array*>(proxy));
}

local<byte_array> mutator::make_bytes(std::size_t size, place at) {
  local<byte_array> made = make_bytes_for_overwrite(size, at);
  if (size != 0) std::memset(made->data(), 0, size);
  return made;
}

void* mutator::make_references(std::size_t size, place at) {
  heap_state& state = *inside_->state;
  if (size > SIZE_MAX / 16) throw std::bad_alloc();
  const std::size_t bytes = size * word_bytes;
  if (bytes <= state.chosen.large_threshold) {
    void* const made = allocate(detail::ref_array_type, detail::inline_bytes(bytes));
    array_access::set_inline(made, size);
    std::memset(array_access::words(reinterpret_cast<word>(made)), 0, bytes);
    return made;
  }
  safepoint();
  unlisted own{make_payload(state, inside_->here, bytes, nullptr, true)};
  std::memset(own.p->data, 0, bytes);
  void* const proxy = allocate(detail::ref_array_type, array_access::proxy_bytes);
  state.payloads.adopt(*own.p, proxy, size, false, at);
  own.p = nullptr;
  return proxy;
}

local<byte_array> mutator::give_bytes(std::byte* bytes, std::size_t size, bool& kept, place at) {
  heap_state& state = *inside_->state;
  if (size <= state.chosen.large_threshold) {
    local<byte_array> made = make_bytes_for_overwrite(size, at);
    if (size != 0) std::memcpy(made->data(), bytes, size);
    return made;
  }
  safepoint();
  payload* const p = make_payload(state, inside_->here, size, bytes, false);
  void* proxy = nullptr;
  try {
    proxy = allocate(detail::byte_array_type, array_access::proxy_bytes);
  } catch (...) {
    // The memory stays the caller's.
    p->bytes = 0;
    detail::payload_space::drop(p);
    throw;
  }
  state.payloads.adopt(*p, proxy, size, true, at);
  kept = true;
  return local<byte_array>(*this, static_cast<byte_array*>(proxy));
}

namespace {

// Whether it is an array of bytes with a payload, of this collector.
release eligible(const heap_state& state, value of) noexcept {
  if (!of.is<byte_array>()) return release::not_bytes;
  if (block_of(of.bits())->owner != &state) return release::stranger;
  return of.as<byte_array>()->is_large() ? release::done : release::too_small;
}

}  // namespace

release mutator::forget(const local<value>& bytes, place at) noexcept {
  const release answer = eligible(*inside_->state, bytes.get());
  return answer != release::done ? answer : inside_->state->payloads.forget(bytes.word(), at);
}

release mutator::forget(const local<byte_array>& bytes, place at) noexcept {
  const release answer = eligible(*inside_->state, bytes.get());
  return answer != release::done ? answer : inside_->state->payloads.forget(bytes.word(), at);
}

taken_bytes mutator::take(const local<byte_array>& bytes, place at) noexcept {
  taken_bytes result;
  result.answer = eligible(*inside_->state, bytes.get());
  if (result.answer == release::done) {
    result.answer = inside_->state->payloads.take(bytes.word(), at, result.bytes);
  }
  return result;
}

release mutator::trim(const local<byte_array>& bytes, std::size_t size, place) noexcept {
  const release answer = eligible(*inside_->state, bytes.get());
  return answer != release::done ? answer : inside_->state->payloads.trim(bytes.word(), size);
}

void mutator::collect(extent what) {
  while (!inside_->state->collect(inside_->here, what)) {
  }
}

void mutator::finalize(const local<value>& object, finalizer function, void* context) {
  if (!object.get().is_reference()) {
    throw std::invalid_argument("cleave::gc::mutator::finalize: not an object");
  }
  if (block_of(object.word())->owner != inside_->state) {
    throw std::invalid_argument("cleave::gc::mutator::finalize: of another collector");
  }
  inside_->state->roots_kept.wish({object.word(), function, context});
}

std::size_t mutator::run_finalizers() {
  safepoint();
  std::size_t count = 0;
  detail::last_wish due;
  while (inside_->state->roots_kept.next_due(due)) {
    const local<value> object(*this, value::from_bits(due.object));
    ++count;
    due.function(*this, object, due.context);
  }
  return count;
}

blocking::blocking(mutator& m) : m_(m) {
  m_.safepoint();
  // The next allocation looks at the state.
  m_.limit_ = m_.top_;
  m_.inside_->state->threads.leave(m_.inside_->here);
}

blocking::~blocking() {
  m_.inside_->state->threads.come_back(m_.inside_->here);
}

no_safepoint::no_safepoint(mutator& m) noexcept : m_(m) {
  // The next allocation looks at the count.
  ++m_.inside_->here.forbidden;
  m_.limit_ = m_.top_;
}

no_safepoint::~no_safepoint() {
  --m_.inside_->here.forbidden;
}

lend::lend(mutator& m, const local<byte_array>& bytes) : owner_(m.owner()) {
  heap_state& state = owner_.inside();
  const release answer = eligible(state, bytes.get());
  if (answer != release::done) {
    throw std::invalid_argument(std::string("cleave::gc::lend: ") + text_of(answer));
  }
  if (state.payloads.lend(bytes.word(), payload_) != release::done) detail::throw_forgotten();
  bytes_ = {payload_->data, payload_->bytes};
  root_.word = bytes.word();
  detail::link_global(owner_, root_);
}

lend::~lend() {
  owner_.inside().payloads.give_back(*payload_);
  detail::unlink_root(root_, owner_);
}

}  // namespace cleave::gc
