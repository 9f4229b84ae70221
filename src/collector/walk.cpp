// walk.cpp -- looks at everything that roots reach, and moves nothing: checks, and paths.
#include "collector/walk.hpp"

#include <string>

namespace cleave::gc::detail {

void heap_walk::wrong(const char* what) {
  if (!wrong_.empty()) return;
  wrong_ = what;
  if (from_.root != nullptr) {
    wrong_ += std::string(" (in a ") + from_.root + ")";
  } else if (from_.object != 0) {
    wrong_ += std::string(" (in a ") + type_in(header_of(from_.object)).name + ")";
  }
}

bool heap_walk::is_object(word object) const {
  const block* const b = block_of(object);
  if (!blocks_.contains(b)) return false;
  if (object <= b->begin() || object >= b->end()) return false;
  const word header = header_of(object);
  return (header & 7) == type_tag && (header & ~word{7}) != 0;
}

bool heap_walk::is_remembered(const word* field) const {
  if (from_payload_ != nullptr) {
    const auto index =
        static_cast<std::size_t>(field - reinterpret_cast<const word*>(from_payload_->data));
    return (from_payload_->remembered[index >> 6].load(std::memory_order_relaxed) >> (index & 63) &
            1) != 0 &&
           from_payload_->dirty.load(std::memory_order_relaxed);
  }
  const block* const b = block_of(reinterpret_cast<word>(field));
  return block::has(b->remembered, reinterpret_cast<word>(field)) &&
         b->dirty.load(std::memory_order_relaxed);
}

void heap_walk::reference(word* at) {
  const word object = *at;
  if (!is_object(object)) {
    wrong("a reference to what is no object of this collector");
    return;
  }
  const bool in_old = from_payload_ != nullptr
                          ? !from_payload_->young
                          : from_.root == nullptr && block_of(from_.object)->young == 0;
  if (in_old && block_of(object)->young != 0 && !is_remembered(at)) {
    wrong("B1: an old object refers to a young one, and that is not remembered");
  }
  if (seen_.emplace(object, from_).second) left_.push_back(object);
}

void heap_walk::look_at_array(word object) {
  payload* const p = array_access::held(object).load(std::memory_order_relaxed);
  if (p == nullptr) {
    if (array_access::count(object) != 0) wrong("a forgotten array has a size");
    return;
  }
  ++payloads_;
  const std::size_t bytes =
      array_access::count(object) * (p->references ? word_bytes : std::size_t{1});
  if (p->proxy != object) wrong("a payload does not know its proxy");
  if (p->bytes != bytes) wrong("a proxy and its payload do not agree on the size");
  if (p->young != (block_of(object)->young != 0)) wrong("a payload has another age than its proxy");
  if (!p->references) return;
  from_payload_ = p;
  auto* const words = reinterpret_cast<word*>(p->data);
  for (std::size_t i = 0; i < p->elements(); ++i) see_word(words + i);
  from_payload_ = nullptr;
}

void heap_walk::fields_of(word object) {
  from_ = {.object = object};
  const type& of = type_in(header_of(object));
  if (of.layout == type::kind::object) {
    if (of.trace != nullptr) of.trace(reinterpret_cast<void*>(object), *this);
    for (std::size_t i = 0; i < of.offset_count; ++i) {
      see_word(reinterpret_cast<word*>(object + of.offsets[i]));
    }
  } else if (array_access::large(object)) {
    look_at_array(object);
  } else if (of.layout == type::kind::references) {
    word* const words = array_access::words(object);
    for (std::size_t i = 0; i < array_access::count(object); ++i) see_word(words + i);
  }
}

void heap_walk::from_roots() {
  from_ = {.root = "local"};
  state_.threads.each([&](member& m) {
    root_link& ends = m.locals->locals;
    for (root_link* at = ends.next(); at != &ends; at = at->next()) see_word(&at->word);
  });
  root_set& kept = state_.roots_kept;
  from_ = {.root = "global"};
  for (root_link* at = kept.globals_.next(); at != &kept.globals_; at = at->next()) {
    see_word(&at->word);
  }
  from_ = {.root = "root of the program"};
  for (gc::roots* shown : kept.shown_) heap_state::show(*shown, *this);
  from_ = {.root = "finalizer"};
  for (last_wish& due : kept.due_) see_word(&due.object);
  while (!left_.empty() && wrong_.empty()) {
    const word object = left_.back();
    left_.pop_back();
    fields_of(object);
  }
}

void heap_walk::find_paths() {
  for (const block* list : {state_.young_, state_.old_}) {
    for (; list != nullptr; list = list->next) blocks_.insert(list);
  }
  from_roots();
}

std::string heap_walk::check() {
  find_paths();
  if (!wrong_.empty()) return wrong_;
  from_ = {};
  for (const block* b : blocks_) {
    if (b->condemned != 0) return "B2: a block is condemned outside of a collection";
    for (const auto& part : b->marks) {
      if (part.load(std::memory_order_relaxed) != 0) return "B2: a mark is left";
    }
    const bool old = b->age == state_.chosen.tenure;
    if ((b->young == 0) != old || (b->barrier != 0) != old) return "a block has two ages";
    if (b->owner != &state_) return "a block belongs to another collector";
  }
  if (blocks_.size() != state_.pool_.in_use() ||
      blocks_.size() != state_.young_count_ + state_.old_count_) {
    return "the blocks in the lists are not those in use";
  }
  std::string accounts = state_.payloads.recount();
  if (!accounts.empty()) return accounts;
  if (payloads_ > state_.payloads.counts().arrays) return "a payload is in no list";
  return {};
}

std::string heap_walk::path_to(word object) const {
  if (!seen_.contains(object)) return {};
  std::string path = type_in(header_of(object)).name;
  for (holder at = seen_.at(object);; at = seen_.at(at.object)) {
    path.insert(0, " -> ");
    path.insert(0, at.root != nullptr ? at.root : type_in(header_of(at.object)).name);
    if (at.root != nullptr) return path;
  }
}

}  // namespace cleave::gc::detail
