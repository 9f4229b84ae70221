// environment.hpp -- what the environment says about how a program runs.
//
//   const std::size_t threads = number_in("CLEAVE_THREADS", 1, most_threads);
#pragma once

#include <cstddef>
#include <string_view>

namespace cleave::runtime {

// The variable's value; empty if it is not set.
[[nodiscard]] std::string_view setting(const char* name) noexcept;

// The number from 1 to `most` in the variable, `usual` if it is not set. Ends the process with a
// message if it is anything else.
[[nodiscard]] std::size_t number_in(const char* name, std::size_t usual, std::size_t most) noexcept;

}  // namespace cleave::runtime
