// printer.hpp -- values as text.
#pragma once

#include <string>

#include "values.hpp"

namespace scheme {

// As `write` and as `display` show them. Reads only; a list that is part of itself is
// cut off after a million items.
std::string written(value v);
std::string displayed(value v);
// What an exception that nobody handled is called: the message of a condition.
std::string described(value v);

}  // namespace scheme
