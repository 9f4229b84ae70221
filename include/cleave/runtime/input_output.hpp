// input_output.hpp -- the effects of section 5 of the language.
//
// Standard output goes through one buffer, which is written out when it is full, at the end
// of the program, before anything goes to standard error, and after each call on a terminal.
// If it cannot be written, the program says so on standard error and ends with exit code 1.
//
//   IO_print(hello);                                     // only reads the string
#pragma once

#include <cleave/runtime/string.hpp>

namespace cleave::runtime {

// What Base declares as borrowed is only read.
unit IO_print(string s) noexcept;
unit IO_write(string s) noexcept;
unit IO_print_err(string s) noexcept;

// The message and a newline on standard error; exit code `code`, of which the system keeps
// the low 8 bits.
[[noreturn]] void die(u32 code, string text) noexcept;
template <class A>
[[noreturn]] inline A IO_die(u32 code, string text) noexcept {
  die(code, text);
}

// The words behind the program's name.
[[nodiscard]] nat IO_args_count_raw() noexcept;
[[nodiscard]] string IO_args_get_raw(nat i) noexcept;
// Milliseconds since 1970.
[[nodiscard]] nat IO_now() noexcept;
unit IO_sleep(nat milliseconds) noexcept;
// (False, "") if the variable is not set.
[[nodiscard]] pair<bool, string> IO_get_env_raw(string name) noexcept;

// (True, the text), or (False, why not).
[[nodiscard]] pair<bool, string> File_read_raw(string path) noexcept;
// (True, ""), or (False, why not).
[[nodiscard]] pair<bool, string> File_write_raw(string path, string contents) noexcept;

}  // namespace cleave::runtime
