// refused.hpp -- the names of Bend's library that belong to what this subset leaves out.
//
//   why_refused("Chan.new", false)     // "effect Chan.new is not supported"
//   why_refused("List.map", false)     // ""
#pragma once

#include <string>
#include <string_view>

namespace cleave::lang {

// Empty for a name of which nothing is known. Ask only about names that nobody declared;
// `own_family`: the program has a type or def with the first word of the name.
[[nodiscard]] std::string why_refused(std::string_view name, bool own_family);

}  // namespace cleave::lang
