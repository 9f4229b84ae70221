// array_writes.hpp -- whether code may write to a block that other handles see.
//
//   match h:                       # h and k are handles to one block
//     case ANode{l, r}:
//       k[0] <- 7                  # not seen in l: the match has copied its part
//       sum(l)
//
// A match that only reads takes views of its subject. That is right as long as nobody writes
// to the block while the views are used. A program whose arrays all have one owner cannot do
// that; in others this says which arms might.
//
//   const array_writes writes(program);
//   if (writes.in(*arm.body)) ...
#pragma once

#include <vector>

#include "lang/core.hpp"

namespace cleave::lang {

class array_writes {
 public:
  // O(size of the program * depth of its calls). The program stays where it is.
  explicit array_writes(const core::program& all);

  // False for every code if no array can have two handles. O(size of the code).
  [[nodiscard]] bool in(const core::block& code) const;

 private:
  bool shares_ = false;
  std::vector<bool> writes_;  // by the number of the function
};

}  // namespace cleave::lang
