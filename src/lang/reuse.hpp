// reuse.hpp -- memory that a match frees and a construct needs.
//
//   memory_kind freed = memory_freed(branch, arm, shapes);     // a cell of 24 bytes
//   memory_kind needed = memory_needed(step, shapes);          // the same: it fits
#pragma once

#include <cstddef>

#include "lang/core.hpp"
#include "lang/layout.hpp"

namespace cleave::lang {

// A cell or the slot of a leaf; size 0 stands for none.
struct memory_kind {
  std::size_t size = 0;
  std::size_t alignment = 0;
  bool leaf = false;

  [[nodiscard]] bool any() const { return size != 0; }
  friend auto operator<=>(const memory_kind&, const memory_kind&) = default;
};

// The arm is that of ANode, and has a use for a half.
[[nodiscard]] bool takes_halves(const core::branching& cases, const core::arm& one);
// What is left of the subject when the arm has taken its fields.
[[nodiscard]] memory_kind memory_freed(const core::branching& cases, const core::arm& one,
                                       const layouts& shapes);
// What a construct or leaf is put into.
[[nodiscard]] memory_kind memory_needed(const core::step& one, const layouts& shapes);

}  // namespace cleave::lang
