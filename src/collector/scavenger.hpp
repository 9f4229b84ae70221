// scavenger.hpp -- copies the living out of condemned blocks, for one thread of a collection.
//
//   scavenger s(whole);
//   s.visit(root);      // copies what the root refers to, and makes it refer to the copy
//   s.drain();          // the same for what the copies refer to, until there is nothing left
//
// The copies are their own list of work: a block has been looked at up to `scan`, and has
// copies up to `top`. An object goes to the block of its new age. The thread that
// puts the new address in an object's header first has copied it; others take its copy.
//
// Without memory for a copy, the object stays, and with it its block, which becomes old.
// So a collection never fails.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "collector/block.hpp"
#include "collector/payload.hpp"

namespace cleave::gc::detail {

class collection;

class scavenger final : public visitor {
 public:
  explicit scavenger(collection& whole) noexcept : visitor(false), whole_(whole) {}

  // Takes the old block with room over, so that it gets full. The leader, in young ones.
  void continue_old(block* open) noexcept;
  [[nodiscard]] block* open_old() const noexcept;

  // A word that refers into a condemned block.
  void root(word* at) noexcept { see_word(at); }
  // The fields of old objects that are remembered.
  void remembered(block& dirty) noexcept;
  void remembered(payload& dirty) noexcept;
  // The fields of an object that stays where it is.
  void kept(word object) noexcept;

  void drain() noexcept;

  [[nodiscard]] std::uint64_t copied() const noexcept { return copied_; }

 private:
  void reference(word* at) override;
  word copy(word object) noexcept;
  word* room(unsigned age, std::size_t bytes) noexcept;
  word keep(word object, word header) noexcept;

  bool step() noexcept;
  void scan(block& gray) noexcept;
  void scan(word object, bool old) noexcept;
  void scan(payload& gray) noexcept;
  void reach(word proxy) noexcept;

  static constexpr unsigned ages = 4;

  collection& whole_;
  std::array<block*, ages> open_{};
  block* scanning_ = nullptr;
  block* gray_ = nullptr;
  payload* gray_payloads_ = nullptr;
  // What the fields that are being looked at belong to.
  bool old_ = false;
  payload* old_payload_ = nullptr;
  std::uint64_t copied_ = 0;
};

}  // namespace cleave::gc::detail
