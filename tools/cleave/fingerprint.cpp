#include "fingerprint.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <new>

namespace cleave::tool {

fingerprint::fingerprint() : state_(XXH3_createState()) {
  if (state_ == nullptr) throw std::bad_alloc();
  XXH3_128bits_reset(state_.get());
}

void fingerprint::release::operator()(XXH3_state_s* state) const noexcept {
  XXH3_freeState(state);
}

fingerprint& fingerprint::add(std::string_view text) {
  add(text.size());
  XXH3_128bits_update(state_.get(), text.data(), text.size());
  return *this;
}

fingerprint& fingerprint::add(std::uint64_t number) {
  XXH3_128bits_update(state_.get(), &number, sizeof number);
  return *this;
}

std::string fingerprint::text() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_.get());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string fingerprint::of(std::string_view text) {
  return fingerprint().add(text).text();
}

}  // namespace cleave::tool
