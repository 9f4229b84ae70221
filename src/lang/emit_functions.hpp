// emit_functions.hpp -- the functions of a program, group by group.
#pragma once

#include <string>

#include "lang/emit_unit.hpp"

namespace cleave::lang {

// Declares all functions that are called by name.
[[nodiscard]] std::string declare_functions(const unit_writer& unit);

// Their definitions. What they need besides goes to the unit.
[[nodiscard]] std::string define_functions(unit_writer& unit);

}  // namespace cleave::lang
