// payload.cpp -- the descriptors of large arrays, and the accounts of their bytes.
#include "collector/payload.hpp"

#include <cleave/heap.hpp>
#include <new>
#include <span>

#include "base/bits.hpp"
#include "base/check.hpp"
#include "heap/trace_recorder.hpp"
#include "os/memory.hpp"

namespace cleave::gc::detail {

namespace {

// The whole pages of the system in a payload. Its first and last may hold other runs too.
std::span<std::byte> own_pages(const payload& p) noexcept {
  const auto data = reinterpret_cast<word>(p.data);
  const std::size_t begin = base::align_up(data, os::page_bytes());
  const std::size_t end = base::align_down(data + p.bytes, os::page_bytes());
  if (begin >= end) return {};
  return {p.data + (begin - data), end - begin};
}

void free_descriptor(payload* p) noexcept {
  if (p->remembered != nullptr) {
    heap::free(p->remembered, p->remembered_words() * sizeof(*p->remembered));
  }
  p->~payload();
  heap::free(p, sizeof(payload));
}

}  // namespace

payload_space::~payload_space() {
  for (payload_list* list : {&young_, &old_, &quarantined_, &proving}) {
    list->each([&](payload& p) {
      if (list == &quarantined_ && !own_pages(p).empty()) {
        CLEAVE_CHECK(os::commit(own_pages(p).data(), own_pages(p).size()), "no access to memory");
      }
      drop(&p);
    });
  }
}

payload* payload_space::make(std::size_t bytes, std::byte* memory, bool references) noexcept {
  void* const place = heap::try_allocate(sizeof(payload));
  if (place == nullptr) return nullptr;
  auto* const made = ::new (place) payload;
  made->owner = &owner_;
  made->references = references;
  made->bytes = bytes;
  // First: whoever asks for too much is refused before a map of it is written.
  made->data = memory != nullptr ? memory : static_cast<std::byte*>(heap::try_allocate(bytes));
  if (made->data == nullptr) {
    free_descriptor(made);
    return nullptr;
  }
  if (references) {
    void* const map = heap::try_allocate(made->remembered_words() * sizeof(std::uint64_t));
    if (map == nullptr) {
      drop(made);
      return nullptr;
    }
    made->remembered = static_cast<std::atomic<std::uint64_t>*>(map);
    for (std::size_t i = 0; i < made->remembered_words(); ++i) {
      ::new (static_cast<void*>(made->remembered + i)) std::atomic<std::uint64_t>(0);
    }
  }
  return made;
}

void payload_space::drop(payload* unlisted) noexcept {
  heap::free(unlisted->data, unlisted->bytes);
  free_descriptor(unlisted);
}

void payload_space::adopt(payload& p, void* object, std::size_t elements, bool given,
                          gc::place at) noexcept {
  const std::lock_guard guard(lock_);
  p.proxy = reinterpret_cast<word>(object);
  p.made = at;
  p.birth = epoch_;
  p.cost = p.bytes;
  counts_.charged += p.cost;
  (given ? counts_.given : counts_.allocated) += p.bytes;
  counts_.young += p.bytes;
  ++counts_.arrays;
  young_.push(p);
  array_access::set_large(object, elements, p.data, &p);
}

release payload_space::look(word proxy, payload*& out) noexcept {
  out = array_access::held(proxy).load(std::memory_order_relaxed);
  if (out == nullptr) return release::already;
  return out->lent != 0 ? release::lent : release::done;
}

void payload_space::detach(payload& p) noexcept {
  payload_list::unlink(p);
  (p.young ? counts_.young : counts_.old) -= p.bytes;
  if (p.birth == epoch_) counts_.charged -= p.cost;
  --counts_.arrays;
  array_access::empty(p.proxy);
}

void payload_space::dispose(payload& p) noexcept {
  if (prove_) {
    counts_.held_back += p.bytes;
    proving.push(p);
    return;
  }
  if (quarantine_ == 0) {
    drop(&p);
    return;
  }
  const auto pages = own_pages(p);
  if (!pages.empty() && !os::forbid(pages.data(), pages.size())) {
    drop(&p);
    return;
  }
  quarantined_.push(p);
  counts_.held_back += p.bytes;
  while (counts_.held_back > quarantine_) {
    payload& oldest = *quarantined_.first();
    payload_list::unlink(oldest);
    counts_.held_back -= oldest.bytes;
    const auto back = own_pages(oldest);
    // Without access to it the memory is lost, and nothing else.
    if (back.empty() || os::commit(back.data(), back.size())) drop(&oldest);
  }
}

release payload_space::forget(word proxy, gc::place at) noexcept {
  const std::lock_guard guard(lock_);
  payload* p = nullptr;
  const release answer = look(proxy, p);
  if (answer != release::done) return answer;
  detach(*p);
  counts_.forgotten += p->bytes;
  p->let_go = at;
  heap::tracing::forgot(reinterpret_cast<word>(p->data), p->bytes);
  dispose(*p);
  return release::done;
}

release payload_space::take(word proxy, gc::place at, array<std::byte>& out) noexcept {
  const std::lock_guard guard(lock_);
  payload* p = nullptr;
  const release answer = look(proxy, p);
  if (answer != release::done) return answer;
  detach(*p);
  counts_.taken += p->bytes;
  p->let_go = at;
  out = array<std::byte>::adopt({p->data, p->bytes});
  if (prove_) {
    // Who still reaches the proxy is of interest here too; the bytes are gone.
    p->bytes = 0;
    proving.push(*p);
  } else {
    free_descriptor(p);
  }
  return release::done;
}

release payload_space::trim(word proxy, std::size_t bytes) noexcept {
  const std::lock_guard guard(lock_);
  payload* p = nullptr;
  const release answer = look(proxy, p);
  if (answer != release::done) return answer;
  if (bytes > p->bytes) return release::out_of_range;
  const std::size_t tail = p->bytes - bytes;
  (p->young ? counts_.young : counts_.old) -= tail;
  if (p->birth == epoch_) counts_.charged -= tail;
  p->cost -= tail;
  counts_.forgotten += tail;
  p->bytes = bytes;
  array_access::resize(proxy, bytes);
  heap::free(p->data + bytes, tail);
  return release::done;
}

release payload_space::lend(word proxy, payload*& out) noexcept {
  const std::lock_guard guard(lock_);
  const release answer = look(proxy, out);
  if (answer == release::already) return answer;
  ++out->lent;
  return release::done;
}

void payload_space::give_back(payload& lent) noexcept {
  const std::lock_guard guard(lock_);
  --lent.lent;
}

void payload_space::begin(bool all) noexcept {
  const std::lock_guard guard(lock_);
  const auto reset = [](payload& p) { p.reached = false; };
  young_.each(reset);
  if (!all) return;
  old_.each([&](payload& p) {
    reset(p);
    p.dirty.store(false, std::memory_order_relaxed);
    if (!p.references) return;
    for (std::size_t i = 0; i < p.remembered_words(); ++i) {
      p.remembered[i].store(0, std::memory_order_relaxed);
    }
  });
  dirty.store(nullptr, std::memory_order_relaxed);
}

void payload_space::sweep(bool all) noexcept {
  const std::lock_guard guard(lock_);
  const auto dead = [&](payload& p) {
    payload_list::unlink(p);
    (p.young ? counts_.young : counts_.old) -= p.bytes;
    counts_.swept += p.bytes;
    --counts_.arrays;
    drop(&p);
  };
  if (all) {
    old_.each([&](payload& p) {
      if (!p.reached) dead(p);
    });
  }
  young_.each([&](payload& p) {
    if (!p.reached) {
      dead(p);
    } else if (block_of(p.proxy)->young == 0) {
      payload_list::unlink(p);
      p.young = false;
      counts_.young -= p.bytes;
      counts_.old += p.bytes;
      old_.push(p);
    }
  });
}

void payload_space::end() noexcept {
  const std::lock_guard guard(lock_);
  ++epoch_;
  counts_.charged = 0;
}

void payload_space::disprove(payload& p) noexcept {
  const std::lock_guard guard(lock_);
  payload_list::unlink(p);
  counts_.held_back -= p.bytes;
  drop(&p);
}

payload_counts payload_space::counts() const noexcept {
  const std::lock_guard guard(lock_);
  return counts_;
}

std::string payload_space::recount() const {
  const std::lock_guard guard(lock_);
  std::size_t young = 0, old = 0, charged = 0, arrays = 0;
  const auto add = [&](const payload& p) {
    (p.young ? young : old) += p.bytes;
    if (p.birth == epoch_) charged += p.cost;
    ++arrays;
  };
  young_.each(add);
  old_.each(add);
  if (young != counts_.young || old != counts_.old || arrays != counts_.arrays) {
    return "P2: the bytes of the payloads in the lists are not those in the accounts";
  }
  if (charged != counts_.charged) return "P3: the charges of the payloads do not add up";
  if (counts_.allocated + counts_.given !=
      counts_.forgotten + counts_.taken + counts_.swept + young + old) {
    return "P1: what was made is not what went and what is there";
  }
  return {};
}

}  // namespace cleave::gc::detail
