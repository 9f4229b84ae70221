// core_check.hpp -- the two halves of check(): scopes and types, and owners.
#pragma once

#include <string>

#include "lang/core.hpp"

namespace cleave::lang::core {

// C1, C2 and C5: the first that is broken, or an empty string.
[[nodiscard]] std::string check_scopes(const program& all);

// C3 and C4. Requires: the others hold.
[[nodiscard]] std::string check_owners(const program& all);

}  // namespace cleave::lang::core
