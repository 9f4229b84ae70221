// spelling.hpp -- the known name that is most like one that nobody knows.
//
//   nearest_name near("lenght");
//   for (...) near.consider(name, where_declared);
//   near.as_remark("M.")      // {"did you mean 'M.length'?"}, or nothing
//
// Two names are alike if one becomes the other with few letters put in, taken out,
// replaced, or swapped with their neighbour: one for each three letters of the name. Names
// that differ in capitals only are the most alike.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lang/diagnostic.hpp"
#include "lang/source.hpp"

namespace cleave::lang {

class nearest_name {
 public:
  explicit nearest_name(std::string_view wanted);
  // O(length of the name squared) at most. Of several that are as like as each other the
  // first in the order of letters counts, whatever the order of the calls.
  void consider(std::string_view known, span where);
  // `prefix` goes before the name. Empty if nothing was alike.
  [[nodiscard]] std::vector<remark> as_remark(std::string_view prefix) const;

 private:
  std::string_view wanted_;
  std::string_view best_;
  span where_;
  std::size_t distance_;  // of best_; what is not closer does not count
};

// How many letters must be put in, taken out, replaced or swapped with their neighbour;
// `limit` + 1 if more than `limit`.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit);

}  // namespace cleave::lang
