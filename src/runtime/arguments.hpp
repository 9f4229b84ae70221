// arguments.hpp -- the words behind the program's name.
#pragma once

namespace cleave::runtime {

// They live as long as the program. Once, at the start.
void set_arguments(int count, char** words) noexcept;

}  // namespace cleave::runtime
