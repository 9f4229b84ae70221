// collector.cpp -- the public class, and the out-of-line parts of the handles and arrays.
#include <cleave/collector.hpp>

#include <stdexcept>
#include <string>

#include "collector/state.hpp"

namespace cleave::gc {

collector::collector(const options& chosen)
    : inside_(std::make_unique<detail::heap_state>(chosen)) {}

collector::~collector() = default;

statistics collector::stats() const {
  return inside_->stats();
}

std::string collector::verify(mutator& m) {
  return inside_->verify(detail::heap_state::member_of(m));
}

roots::roots(collector& owner, std::function<void(visitor&)> show)
    : owner_(owner), show_(std::move(show)) {
  owner_.inside().roots_kept.add(*this);
}

roots::~roots() {
  owner_.inside().roots_kept.remove(*this);
}

forgotten_array::forgotten_array()
    : std::logic_error("cleave::gc: the array was forgotten or taken") {}

const char* text_of(release answer) noexcept {
  switch (answer) {
    case release::done: return "done";
    case release::not_bytes: return "this is no array of bytes";
    case release::too_small: return "the array is small, and has no payload to let go";
    case release::already: return "the array was forgotten or taken before";
    case release::lent: return "native code uses the array";
    case release::stranger: return "the array belongs to another collector";
    case release::out_of_range: return "the array has fewer bytes";
  }
  return "unknown answer";
}

namespace detail {

constinit const type byte_array_type = make_type<byte_array>();
constinit const type ref_array_type = make_type<ref_array<value>>();

void throw_forgotten() {
  throw forgotten_array();
}

void throw_beyond(const char* where) {
  throw std::out_of_range(where);
}

void remember(std::uintptr_t* field) noexcept {
  block_of(reinterpret_cast<word>(field))->owner->remember(field);
}

void store_in_payload(payload* held, std::uintptr_t* element, std::uintptr_t content) noexcept {
  *element = content;
  if (held->young || !is_reference(content) || front_of(content)->young == 0) return;
  held->owner->remember(*held, element);
}

void link_global(collector& owner, root_link& root) noexcept {
  owner.inside().roots_kept.link_global(root);
}

void link_weak(collector& owner, root_link& root) noexcept {
  owner.inside().roots_kept.link_weak(root);
}

void point_weak(collector& owner, root_link& root, std::uintptr_t object) noexcept {
  owner.inside().roots_kept.point_weak(root, object);
}

void unlink_root(root_link& root, collector& owner) noexcept {
  owner.inside().roots_kept.unlink(root);
}

}  // namespace detail

}  // namespace cleave::gc
