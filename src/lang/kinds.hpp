// kinds.hpp -- which values may be used more than once.
//
// What is marked + has the kind Data: it may be copied. Functions, actions and arrays have
// one owner, and so has what is made of them: they are of the kind Type. The quantities of
// Kind(a) are not computed: such a type is Data if all of its arguments are.
//
//   is_data(*list_of_numbers)      // true
//   is_data(*array_of_numbers)     // false
#pragma once

#include "lang/core.hpp"
#include "lang/tree.hpp"

namespace cleave::lang {

// O(parts).
[[nodiscard]] bool is_data(const core::type& of);

// True if it says so: `type T is Data`.
[[nodiscard]] bool says_data(const type_decl& of);
// The same of the kind of a parameter: `-A: Data`. Null says nothing.
[[nodiscard]] bool says_data(const term* kind);

// True for a type, as it is written, of which no arguments make Data: a function, an array, an
// action, or a type that is declared `is Type`.
[[nodiscard]] bool is_never_data(const term& type);

}  // namespace cleave::lang
