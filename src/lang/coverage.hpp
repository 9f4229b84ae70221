// coverage.hpp -- whether the patterns of a match are of one type, and cover all of it.
//
//   coverage_check check(names, found);
//   check.match(one, "f");        // cases for False; cases for Con{_, Nil{}}; ...
//   check.binding(one, "f");      // (a, b) = e must match whatever e is
//
// The patterns of one place in the values, such as the head of the list in the second
// column, must have one type: that takes O(all patterns). Coverage is a search for a value that no
// row matches; it may take exponentially many steps. It gives up after a number of steps
// that grows with the match, and then reports nothing: elaborated programs stop when no
// row matches.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lang/coverage_search.hpp"
#include "lang/diagnostic.hpp"
#include "lang/resolve_names.hpp"
#include "lang/tree.hpp"

namespace cleave::lang {

class coverage_check {
 public:
  coverage_check(const name_table& names, diagnostics& found);

  // Requires: each row has as many patterns as there are subjects, and their constructors
  // are resolved and have as many fields as they need.
  void match(const match_term& one, std::string_view def);
  void binding(const statement& one, std::string_view def);

 private:
  std::vector<std::string> cover(const std::vector<match_row>& rows, std::size_t columns,
                                 std::string_view def);

  known_types types_;
  diagnostics& found_;
  std::size_t steps_left_;  // that searches may take beyond what their size allows them
};

}  // namespace cleave::lang
