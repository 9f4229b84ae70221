// closed_term.hpp -- whether a term needs anything of the run time around it.
//
//   is_closed(*lambda, [&](const binder* name) { return locals.contains(name); });
#pragma once

#include <functional>

#include "lang/tree.hpp"

namespace cleave::lang {

// True if `is_local` holds for no name in it. O(size).
[[nodiscard]] bool is_closed(const term& of, const std::function<bool(const binder*)>& is_local);

}  // namespace cleave::lang
